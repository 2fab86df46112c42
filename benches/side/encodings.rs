//! What compressed answers cost when they are hot, against the same uncompressed.

use crate::arena::{Arena, round, steps};
use crate::args::Args;
use crate::compare::{Plan, Spread};
use crate::contenders::Kind;
use crate::drive::{CONNECTIONS, Questions};
use crate::works;

pub struct Encoded {
    pub kind: Kind,
    pub encoding: &'static str,
    /// Against uncompressed, round by round.
    pub ratio: Spread,
}

pub const ENCODINGS: [&str; 3] = ["zstd", "br", "gzip"];

pub async fn run(arena: &Arena, args: &Args) -> Vec<Encoded> {
    if !args.wants("encodings") {
        return Vec::new();
    }
    let plan = Plan::new(args);
    let bar = steps(arena.ours().count() * plan.rounds, "compressed answers");
    let mut all = Vec::new();
    for contender in arena.ours() {
        arena.turn_of(contender);
        let asked = |encoding: &str| {
            Questions::hot(&works::hot_list(), &format!("{}accept-encoding: {encoding}\r\n", contender.headers))
        };
        let questions: Vec<_> = ["identity"].into_iter().chain(ENCODINGS).map(asked).collect();
        let mut ratios: [Vec<f64>; 3] = Default::default();
        for _ in 0..plan.rounds {
            let mut rates = Vec::new();
            for questions in &questions {
                rates.push(round(contender, questions, plan.length, CONNECTIONS).await.rate);
            }
            for (ratios, rate) in ratios.iter_mut().zip(&rates[1..]) {
                ratios.push(rate / rates[0]);
            }
            bar.inc(1);
        }
        for (encoding, ratios) in ENCODINGS.into_iter().zip(ratios) {
            all.extend(Spread::of(&ratios).map(|ratio| Encoded { kind: contender.kind, encoding, ratio }));
        }
    }
    arena.turn_of_all();
    bar.finish_and_clear();
    all
}
