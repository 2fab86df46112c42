//! All that was measured.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::arena::Arena;
use crate::compare::Row;
use crate::contenders::{Contender, Kind};
use crate::data::Size;
use crate::encodings::Encoded;
use crate::half::Half;
use crate::pages::Paged;
use crate::processes::Memory;
use crate::quiet;
use crate::tracking::Tracked;

pub struct Results {
    began: Instant,
    pub rows: Vec<Row>,
    pub halves: Vec<Half>,
    pub encoded: Vec<Encoded>,
    pub paged: Vec<Paged>,
    pub tracked: Option<Tracked>,
    pub kept: BTreeMap<(Kind, Size), Kept>,
    /// What took how long, in the order of the run.
    laps: Vec<(String, Duration)>,
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
    /// The run begins.
    pub fn begin() -> Self {
        Self {
            began: Instant::now(),
            rows: Vec::new(),
            halves: Vec::new(),
            encoded: Vec::new(),
            paged: Vec::new(),
            tracked: None,
            kept: BTreeMap::new(),
            laps: Vec::new(),
            minds: Vec::new(),
        }
    }

    /// Says at once what a reader must know, and keeps it for the report.
    pub fn mind(&mut self, lines: Vec<String>) {
        for line in &lines {
            println!("mind: {line}");
        }
        self.minds.extend(lines);
    }

    /// So far, without the waits for a busy host.
    pub fn took(&self) -> Duration {
        self.began.elapsed() - quiet::waited()
    }

    /// To be called when a part is done, which began when the one before was.
    pub fn lap(&mut self, size: Size, part: &str) {
        let before = self.laps.iter().map(|(_, took)| *took).sum();
        self.laps.push((format!("{} {part}", size.name()), self.took().saturating_sub(before)));
    }

    /// How long each part took.
    pub fn laps(&self) -> String {
        let parts = self.laps.iter().map(|(part, took)| format!("{part} {:.0} s", took.as_secs_f64()));
        parts.collect::<Vec<_>>().join(", ")
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
