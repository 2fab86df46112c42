//! The comparison: every work, hot and cold, in rounds that go over all contenders before the next begins.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::arena::{Arena, Heat, Round, round, steps};
use crate::args::Args;
use crate::contenders::Kind;
use crate::data::Size;
use crate::drive::{self, CONNECTIONS, Questions};
use crate::works::WORKS;

/// A peer that takes so long for one answer has one round, with connections enough to keep it busy: it would hold up all others.
pub const SLOW: Duration = Duration::from_millis(50);
pub const FEW_CONNECTIONS: usize = 4;
/// For what is compiled while it runs, once.
const PEERS_WARM_UP: Duration = Duration::from_millis(1_500);

/// A work at one heat.
pub struct Row {
    pub work: &'static str,
    pub heat: Heat,
    /// Mean bytes of an answer of ours, at the largest size.
    pub bytes: usize,
    /// The ceiling answers what ours does at this size.
    pub cells: BTreeMap<(Size, Kind), Vec<Round>>,
}

pub struct Plan {
    pub rounds: usize,
    pub length: Duration,
    pub warm: Duration,
}

impl Plan {
    pub fn new(args: &Args) -> Self {
        let ms = Duration::from_millis;
        if args.quick {
            Self { rounds: 2, length: ms(120), warm: ms(30) }
        } else {
            Self { rounds: 5, length: ms(250), warm: ms(100) }
        }
    }
}

pub async fn run(arena: &mut Arena, args: &Args) -> Vec<Row> {
    let plan = Plan::new(args);
    let all = WORKS.iter().filter(|work| args.wants(work.name)).flat_map(|work| {
        let heats = [(Heat::Hot, work.hot.is_some()), (Heat::Cold, work.cold.is_some())];
        heats.into_iter().filter(|(_, has)| *has).map(move |(heat, _)| (work, heat))
    });
    let all: Vec<_> = all.collect();
    let bar = steps(all.len() * plan.rounds, "");
    let mut rows = Vec::new();
    for peer in arena.contenders.iter().filter(|contender| Kind::PEERS.contains(&contender.kind)) {
        bar.set_message(format!("{} warms up", peer.kind.title()));
        if let Some(questions) = arena.questions(&WORKS[0], Heat::Hot, peer) {
            round(peer, &questions, PEERS_WARM_UP, CONNECTIONS).await;
        }
    }
    for (work, heat) in all {
        bar.set_message(format!("{}, {}", work.name, heat.name()));
        let (mut row, mut recorded) = (Row { work: work.name, heat, bytes: 0, cells: BTreeMap::new() }, Vec::new());
        for &size in &arena.sizes {
            let (path, bytes) = arena.record(work, heat, size).await.expect("ours takes part in everything");
            row.bytes = bytes;
            recorded.push((size, path));
        }
        // The ceiling once for each size, then everybody who takes part.
        let mut slots: Vec<Slot> = (0..recorded.len()).map(Slot::Ceiling).collect();
        for (place, contender) in arena.contenders.iter().enumerate() {
            let Some(questions) = arena.questions(work, heat, contender) else { continue };
            let is_peer = !contender.kind.is_ours();
            let slow = is_peer && drive::alone(contender.address, &questions).await > SLOW;
            if !slow {
                // What is compiled while it runs needs longer to be at its best.
                let warm = if is_peer { 3 * plan.warm } else { plan.warm };
                round(contender, &questions, warm, CONNECTIONS).await;
            }
            slots.push(Slot::Other { place, questions, slow });
        }
        let any = arena.questions(work, heat, &arena.ceiling).expect("the ceiling takes part in everything");
        for turn in 0..plan.rounds {
            for place in 0..slots.len() {
                // Who goes first takes turns, so that a drift of the machine favours nobody.
                match &slots[(turn + place) % slots.len()] {
                    Slot::Ceiling(place) => {
                        let (size, path) = &recorded[*place];
                        arena.ceiling.load(path);
                        let done = round(&arena.ceiling, &any, plan.length, CONNECTIONS).await;
                        row.cells.entry((*size, Kind::Ceiling)).or_default().push(done);
                    }
                    Slot::Other { slow: true, .. } if turn > 0 => {}
                    Slot::Other { place, questions, slow } => {
                        let contender = &arena.contenders[*place];
                        let connections = if *slow { FEW_CONNECTIONS } else { CONNECTIONS };
                        let done = round(contender, questions, plan.length, connections).await;
                        row.cells.entry((contender.size, contender.kind)).or_default().push(done);
                    }
                }
            }
            bar.inc(1);
        }
        rows.push(row);
    }
    bar.finish_and_clear();
    rows
}

enum Slot {
    Ceiling(usize),
    Other { place: usize, questions: Questions, slow: bool },
}

impl Row {
    pub fn cell(&self, size: Size, kind: Kind) -> Option<&[Round]> {
        self.cells.get(&(size, kind)).map(Vec::as_slice)
    }

    pub fn rate(&self, size: Size, kind: Kind) -> Option<f64> {
        let rates: Vec<f64> = self.cell(size, kind)?.iter().map(|round| round.rate).collect();
        Spread::of(&rates).map(|spread| spread.median)
    }

    /// One contender against another, round by round.
    pub fn ratio(&self, (size, kind): (Size, Kind), (other_size, other): (Size, Kind)) -> Option<Spread> {
        let pairs = self.cell(size, kind)?.iter().zip(self.cell(other_size, other)?);
        Spread::of(&pairs.map(|(a, b)| a.rate / b.rate).collect::<Vec<_>>())
    }

    /// The processor's time that the other takes for a request, for each that this one takes.
    pub fn processor(&self, (size, kind): (Size, Kind), (other_size, other): (Size, Kind)) -> Option<f64> {
        let cost = |cell: &[Round]| Spread::of(&cell.iter().map(|round| round.own + round.beside).collect::<Vec<_>>());
        Some(cost(self.cell(other_size, other)?)?.median / cost(self.cell(size, kind)?)?.median)
    }

    /// The peer that answers most.
    pub fn best_peer(&self, size: Size) -> Option<Kind> {
        let rates = Kind::PEERS.into_iter().filter_map(|kind| Some((kind, self.rate(size, kind)?)));
        rates.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(kind, _)| kind)
    }
}

/// Median, least and most.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Spread {
    pub fn of(figures: &[f64]) -> Option<Self> {
        let mut figures = figures.to_vec();
        figures.sort_by(f64::total_cmp);
        let (least, most) = (*figures.first()?, *figures.last()?);
        let (before, after) = (figures[(figures.len() - 1) / 2], figures[figures.len() / 2]);
        Some(Self { median: f64::midpoint(before, after), least, most })
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let digits = if self.median < 10.0 { 2 } else { 0 };
        let Self { median, least, most } = self;
        write!(f, "{median:.digits$} [{least:.digits$} to {most:.digits$}]")
    }
}
