//! The comparison at one size: every work, hot and cold, in rounds that go over all contenders before the next begins.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::arena::{Arena, Heat, Round, round, steps};
use crate::args::Args;
use crate::bars::AGAINST_PEERS;
use crate::contenders::{Contender, Kind};
use crate::data::Size;
use crate::drive::{self, CONNECTIONS, Questions};
use crate::quiet;
use crate::works::{COUNTRIES, FILTERS, HOT_LIST, LIVE, WORKS};

/// A peer that takes so long for one answer has one round, with connections enough to keep it busy: it would hold up all others.
pub const SLOW: Duration = Duration::from_millis(50);
pub const FEW_CONNECTIONS: usize = 4;
/// Works in which ours is measured by the ceiling.
const CLOSE: [(&str, Heat); 4] =
    [(HOT_LIST, Heat::Hot), (LIVE, Heat::Hot), (COUNTRIES, Heat::Hot), (FILTERS, Heat::Cold)];
/// For what is compiled while it runs, once.
const PEERS_WARM_UP: Duration = Duration::from_millis(1_500);

/// A work at one heat.
pub struct Row {
    pub work: &'static str,
    pub heat: Heat,
    /// Mean bytes of a body of ours.
    pub bytes: BTreeMap<Size, usize>,
    /// The ceiling answers what ours does at this size.
    pub cells: BTreeMap<(Size, Kind), Vec<Round>>,
}

pub struct Plan {
    pub rounds: usize,
    /// Of others, who are far off.
    pub peers_rounds: usize,
    /// Of ours and the ceiling, where they are measured by each other: the machine moves by more than what is between them.
    pub close_rounds: usize,
    pub length: Duration,
    pub warm: Duration,
}

impl Plan {
    pub fn new(args: &Args) -> Self {
        let ms = Duration::from_millis;
        if args.quick {
            Self { rounds: 2, peers_rounds: 2, close_rounds: 4, length: ms(120), warm: ms(30) }
        } else {
            Self { rounds: 5, peers_rounds: 3, close_rounds: 16, length: ms(250), warm: ms(100) }
        }
    }
}

/// Adds what it finds to the rows, which may hold that of another size. Only at the size that is judged is anything measured more
/// often than it needs to be for a table.
pub async fn run(arena: &mut Arena, args: &Args, is_judged: bool, rows: &mut Vec<Row>) {
    let plan = Plan::new(args);
    let all = WORKS.iter().filter(|work| args.wants(work.name)).flat_map(|work| {
        let heats = [(Heat::Hot, work.hot.is_some()), (Heat::Cold, work.cold.is_some())];
        heats.into_iter().filter(|(_, has)| *has).map(move |(heat, _)| (work, heat))
    });
    let all: Vec<_> = all.collect();
    if all.is_empty() {
        return;
    }
    let (size, bar) = (arena.size, steps(all.len() * plan.rounds, ""));
    for peer in arena.contenders.iter().filter(|contender| Kind::PEERS.contains(&contender.kind)) {
        bar.set_message(format!("{} warms up", peer.kind.title()));
        arena.turn_of(peer);
        if let Some(questions) = arena.questions(&WORKS[0], Heat::Hot, peer) {
            round(peer, &questions, PEERS_WARM_UP, CONNECTIONS).await;
        }
    }
    for (work, heat) in all {
        bar.set_message(format!("{}: {}, {}", size.name(), work.name, heat.name()));
        quiet::moment().await;
        if heat == Heat::Cold {
            arena.touch_files();
        }
        let bytes = arena.record(work, heat).await.expect("ours takes part in everything");
        let row = Row::of(rows, work.name, heat);
        row.bytes.insert(size, bytes);
        let any = arena.questions(work, heat, &arena.ceiling).expect("the ceiling takes part in everything");
        let mut slots = vec![Slot { contender: &arena.ceiling, questions: any, slow: false }];
        for contender in &arena.contenders {
            let Some(questions) = arena.questions(work, heat, contender) else { continue };
            let is_peer = !contender.kind.is_ours();
            if is_peer && args.quick && !AGAINST_PEERS.contains(&(work.name, heat)) {
                continue;
            }
            arena.turn_of(contender);
            let slow = is_peer && drive::alone(contender.address, &questions).await > SLOW;
            if !slow {
                // What is compiled while it runs needs longer to be at its best.
                let warm = if is_peer { 3 * plan.warm } else { plan.warm };
                round(contender, &questions, warm, CONNECTIONS).await;
            }
            slots.push(Slot { contender, questions, slow });
        }
        let is_close = is_judged && CLOSE.contains(&(work.name, heat));
        let rounds = if is_close { plan.close_rounds } else { plan.rounds };
        for turn in 0..rounds {
            for place in 0..slots.len() {
                // Who goes first takes turns, so that a drift of the machine favours nobody.
                let Slot { contender, questions, slow } = &slots[(turn + place) % slots.len()];
                let is_peer = Kind::PEERS.contains(&contender.kind);
                if *slow && turn > 0 || is_peer && turn >= plan.peers_rounds {
                    continue;
                }
                arena.turn_of(contender);
                let connections = if *slow { FEW_CONNECTIONS } else { CONNECTIONS };
                if is_close && !is_peer {
                    // Whoever stood still has first to do what was due meanwhile.
                    round(contender, questions, plan.warm, connections).await;
                }
                let done = round(contender, questions, plan.length, connections).await;
                row.cells.entry((size, contender.kind)).or_default().push(done);
            }
            if turn < plan.rounds {
                bar.inc(1);
            }
        }
    }
    arena.turn_of_all();
    bar.finish_and_clear();
}

/// Who takes part in a work, and how.
struct Slot<'a> {
    contender: &'a Contender,
    questions: Questions,
    slow: bool,
}

impl Row {
    /// The row of a work, which is begun if there is none.
    fn of<'a>(rows: &'a mut Vec<Self>, work: &'static str, heat: Heat) -> &'a mut Self {
        let place = rows.iter().position(|row| row.work == work && row.heat == heat).unwrap_or_else(|| {
            rows.push(Self { work, heat, bytes: BTreeMap::new(), cells: BTreeMap::new() });
            rows.len() - 1
        });
        &mut rows[place]
    }

    pub fn cell(&self, size: Size, kind: Kind) -> Option<&[Round]> {
        self.cells.get(&(size, kind)).map(Vec::as_slice)
    }

    pub fn rate(&self, size: Size, kind: Kind) -> Option<f64> {
        let rates: Vec<f64> = self.cell(size, kind)?.iter().map(|round| round.rate).collect();
        Spread::of(&rates).map(|spread| spread.median)
    }

    /// One contender against another, round by round.
    pub fn ratio(&self, size: Size, kind: Kind, other: Kind) -> Option<Spread> {
        let pairs = self.cell(size, kind)?.iter().zip(self.cell(size, other)?);
        Spread::of(&pairs.map(|(a, b)| a.rate / b.rate).collect::<Vec<_>>())
    }

    /// The processor's time that the other takes for a request, for each that this one takes.
    pub fn processor(&self, size: Size, kind: Kind, other: Kind) -> Option<f64> {
        let cost = |cell: &[Round]| Spread::of(&cell.iter().map(|round| round.own + round.beside).collect::<Vec<_>>());
        Some(cost(self.cell(size, other)?)?.median / cost(self.cell(size, kind)?)?.median)
    }

    /// What large data costs for each that small does, in time and in processor. The sizes have their turns one after the other,
    /// and the machine may be faster in one of them: so each is told by the ceiling of its own rounds.
    pub fn grown(&self, kind: Kind) -> Option<(Spread, f64)> {
        let [small, large] = [Size::Small, Size::Large].map(|size| self.ratio(size, kind, Kind::Ceiling));
        let [cheap, dear] = [Size::Small, Size::Large].map(|size| self.processor(size, kind, Kind::Ceiling));
        Some((small?.over(large?), cheap? / dear?))
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

    /// Of figures that were not found side by side: the least and the most that they can come to.
    fn over(self, other: Self) -> Self {
        let Self { median, least, most } = self;
        Self { median: median / other.median, least: least / other.most, most: most / other.least }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let digits = if self.median < 10.0 { 2 } else { 0 };
        let Self { median, least, most } = self;
        write!(f, "{median:.digits$} [{least:.digits$} to {most:.digits$}]")
    }
}
