//! The rows whose totals an import may have changed.

use crate::totals::{RecomputeScope, TouchedRows};

/// Above this number of rows, recomputing all totals is faster than tracking which ones changed.
const MAX_TRACKED: usize = 5_000;

/// Tracks touched rows while there are few of them.
#[derive(Default)]
pub struct TouchedRowTracker {
    touched: TouchedRows,
    merged: usize,
}

impl TouchedRowTracker {
    pub(super) fn count_merged(&mut self, rows: usize) {
        self.merged += rows;
    }

    /// `None` when too many rows were merged to track them.
    pub(super) fn tracked(&mut self) -> Option<&mut TouchedRows> {
        (self.merged <= MAX_TRACKED).then_some(&mut self.touched)
    }

    /// Rows to recompute after the import.
    pub fn into_scope(mut self) -> RecomputeScope {
        match self.tracked() {
            Some(touched) if touched.len() <= MAX_TRACKED => RecomputeScope::Touched(std::mem::take(touched)),
            _ => RecomputeScope::All,
        }
    }
}
