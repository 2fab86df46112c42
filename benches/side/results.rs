//! All that was measured.

use std::time::Duration;

use crate::arena::Arena;
use crate::compare::Row;
use crate::contenders::{Contender, Kind};
use crate::data::Size;
use crate::encodings::Encoded;
use crate::half::Half;
use crate::pages::Paged;
use crate::processes::Memory;
use crate::tracking::Tracked;

#[derive(Default)]
pub struct Results {
    pub rows: Vec<Row>,
    pub halves: Vec<Half>,
    pub encoded: Vec<Encoded>,
    pub paged: Vec<Paged>,
    pub tracked: Option<Tracked>,
    pub kept: Vec<Kept>,
    /// Where peers' answers differ from ours.
    pub differ: Vec<String>,
}

/// What a contender holds in memory after everything, and how long it took to start.
pub struct Kept {
    pub kind: Kind,
    pub size: Size,
    pub memory: Memory,
    pub started_in: Duration,
}

impl Results {
    pub fn look_at(&mut self, arena: &Arena) {
        let kept = |contender: &Contender| Kept {
            kind: contender.kind,
            size: contender.size,
            memory: contender.memory(),
            started_in: contender.started_in,
        };
        self.kept = std::iter::once(&arena.ceiling).chain(&arena.contenders).map(kept).collect();
    }
}
