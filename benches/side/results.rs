//! All that was measured.

use std::collections::BTreeMap;
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
    pub kept: BTreeMap<(Kind, Size), Kept>,
    /// Who was left out, and where peers' answers differ from ours.
    pub minds: Vec<String>,
}

/// What a contender holds in memory after all it was asked, and how long it took to start.
pub struct Kept {
    pub memory: Memory,
    pub started_in: Duration,
    pub first_started_in: Option<Duration>,
}

impl Results {
    /// Says at once what a reader must know, and keeps it for the report.
    pub fn mind(&mut self, lines: Vec<String>) {
        for line in &lines {
            println!("mind: {line}");
        }
        self.minds.extend(lines);
    }

    /// Whoever is still there is looked at again.
    pub fn look_at(&mut self, arena: &Arena) {
        for contender in std::iter::once(&arena.ceiling).chain(&arena.contenders) {
            let Contender { started_in, first_started_in, .. } = *contender;
            let kept = Kept { memory: contender.memory(), started_in, first_started_in };
            self.kept.insert((contender.kind, arena.size), kept);
        }
    }
}
