//! How long one waits at half the load that a contender can bear: requests come at fixed moments, whoever is ready.

use std::time::Duration;

use crate::arena::{Arena, Heat, steps};
use crate::args::Args;
use crate::bars::judges_waits;
use crate::compare::Row;
use crate::contenders::Kind;
use crate::drive;
use crate::quiet;
use crate::works::WORKS;

pub struct Half {
    pub work: &'static str,
    pub heat: Heat,
    pub kind: Kind,
    /// Requests a second.
    pub rate: f64,
    /// Milliseconds from the moment a request was due.
    pub p50: f64,
    pub p99: f64,
    /// `p99` of the ceiling at this rate: what one waits for the machine alone, which those who ask take part of.
    pub floor: f64,
}

impl std::fmt::Display for Half {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{:.2} ms at {:.0} a second; bare hyper {:.2} ms", self.p99, self.rate, self.floor)
    }
}

/// Of which the middle one counts: now and then the kernel holds a core for milliseconds, and whoever needs both waits for it.
const ROUNDS: usize = 3;
const JUDGED_ROUNDS: usize = 7;
/// When one waits longer than this for the bare ceiling, the machine itself stands still for moments: such a round tells nothing of
/// whoever is measured, and there is another one, up to twice as many.
const STILL: f64 = 2.0;

/// Milliseconds that one waits in a round.
struct Waits {
    p50: f64,
    p99: f64,
    floor: f64,
}

fn middle(waits: &[Waits], of: impl Fn(&Waits) -> f64) -> f64 {
    let mut waits: Vec<f64> = waits.iter().map(of).collect();
    waits.sort_by(f64::total_cmp);
    waits[waits.len() / 2]
}

pub async fn run(arena: &Arena, args: &Args, rows: &[Row]) -> Vec<Half> {
    let length = Duration::from_millis(if args.quick { 150 } else { 400 });
    let rows: Vec<&Row> = rows.iter().filter(|row| !args.quick || judges_waits(row.work, row.heat)).collect();
    let bar = steps(rows.len() * arena.ours().count(), "at half load");
    let mut all = Vec::new();
    for row in rows {
        quiet::moment().await;
        if row.heat == Heat::Cold {
            arena.touch_files();
        }
        for contender in arena.ours() {
            let kind = contender.kind;
            bar.inc(1);
            let work = WORKS.iter().find(|work| work.name == row.work).expect("a work");
            let Some(rate) = row.rate(arena.size, kind).map(|rate| rate / 2.0) else { continue };
            // What is hot is told by the list alone.
            if row.heat == Heat::Hot && work.cold.is_some() {
                continue;
            }
            let Some(questions) = arena.questions(work, row.heat, contender) else { continue };
            arena.turn_of(contender);
            // It has stood still for a while, and first does what was due meanwhile.
            tokio::task::block_in_place(|| contender.settle());
            let is_judged = judges_waits(row.work, row.heat);
            let rounds = if is_judged && !args.quick { JUDGED_ROUNDS } else { ROUNDS };
            let (mut quiet, mut others): (Vec<Waits>, Vec<Waits>) = Default::default();
            while quiet.len() < rounds && quiet.len() + others.len() < 2 * rounds {
                let both = async || {
                    let run = drive::open(contender.address, &questions, rate, length).await;
                    (run, drive::open(arena.ceiling.address, &questions, rate, length).await.wait(0.99))
                };
                let (run, floor) = quiet::during(both).await;
                let found = if floor <= STILL { &mut quiet } else { &mut others };
                found.push(Waits { p50: run.wait(0.5), p99: run.wait(0.99), floor });
            }
            if quiet.len() < rounds {
                quiet.append(&mut others);
            }
            let [p50, p99, floor] = [
                middle(&quiet, |waits| waits.p50),
                middle(&quiet, |waits| waits.p99),
                middle(&quiet, |waits| waits.floor),
            ];
            all.push(Half { work: row.work, heat: row.heat, kind, rate, p50, p99, floor });
        }
    }
    arena.turn_of_all();
    bar.finish_and_clear();
    all
}
