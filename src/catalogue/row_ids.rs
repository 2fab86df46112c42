//! Maps rows to database keys (`n`) and back, in a third of the memory of a hash map.

use std::borrow::Cow;

#[derive(Clone, Debug, Default)]
pub struct RowIds {
    n_by_row: Vec<i64>,
    /// Rows sorted by `n`; `None` while that is the order of the rows, as it is after a full load.
    rows_by_n: Option<Vec<u32>>,
}

impl RowIds {
    pub fn len(&self) -> usize {
        self.n_by_row.len()
    }

    pub fn n_of(&self, row: u32) -> i64 {
        self.n_by_row[row as usize]
    }

    pub fn row_of(&self, n: i64) -> Option<u32> {
        // Fast path: during a full load every `n` is higher than all before.
        if self.highest_n().is_none_or(|highest| highest < n) {
            return None;
        }
        let i = self.count_below(n);
        let row = self.rows_by_n.as_ref().map_or(i as u32, |rows| rows[i]);
        (self.n_of(row) == n).then_some(row)
    }

    fn highest_n(&self) -> Option<i64> {
        match &self.rows_by_n {
            None => self.n_by_row.last().copied(),
            Some(rows) => rows.last().map(|&row| self.n_of(row)),
        }
    }

    fn count_below(&self, n: i64) -> usize {
        match &self.rows_by_n {
            None => self.n_by_row.partition_point(|&other| other < n),
            Some(rows) => rows.partition_point(|&row| self.n_of(row) < n),
        }
    }

    /// All rows, sorted by `n`.
    pub fn rows_by_n(&self) -> Cow<'_, [u32]> {
        match &self.rows_by_n {
            None => (0..self.len() as u32).collect(),
            Some(rows) => Cow::Borrowed(rows),
        }
    }

    /// Assigns the next row to a new `n`. Most rows arrive sorted by `n`; a few do not, because their transactions committed
    /// in another order.
    pub fn push(&mut self, n: i64) -> u32 {
        let row = self.len() as u32;
        if self.highest_n().is_some_and(|highest| highest > n) {
            let i = self.count_below(n);
            self.rows_by_n.get_or_insert_with(|| (0..row).collect()).insert(i, row);
        } else if let Some(rows) = &mut self.rows_by_n {
            rows.push(row);
        }
        self.n_by_row.push(n);
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_every_n_in_any_insertion_order(
            all in proptest::collection::hash_set(-50i64..50, 0..60),
        ) {
            let mut row_ids = RowIds::default();
            for &n in &all {
                row_ids.push(n);
            }
            let sorted: Vec<i64> = row_ids.rows_by_n().iter().map(|&row| row_ids.n_of(row)).collect();
            prop_assert!(sorted.is_sorted() && sorted.len() == all.len());
            for n in -60..60 {
                prop_assert_eq!(row_ids.row_of(n).map(|row| row_ids.n_of(row)), all.get(&n).copied());
            }
        }
    }
}
