//! What an ask costs, ours beside those of others, in one run on loopback: `cargo bench --bench ping`. `-- --quick` does a
//! tenth of the asks, `-- --ours` leaves out whatever needs Python or Node.js.
//!
//! Simulated servers run in a process of their own, and so does every asker; with `taskset` the servers have one core and the
//! askers another. Askers stay and take turns: each round everybody asks the same servers the same number of times with the
//! same number of asks at once, and every answer must say what the servers say.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

mod askers;
mod hosts;
mod peers;
mod process;

use std::io::Write;

use process::{Process, Used};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Asks that each asker has under way.
const AT_ONCE: usize = 64;
/// Rounds and asks in a round, for answers without an icon and with one.
const WHOLE: Size = Size { plain: (6, 8_000), pictured: (3, 4_000) };
const QUICK: Size = Size { plain: (3, 4_000), pictured: (1, 2_000) };
/// Asks before anything is measured.
const WARM: usize = 1_000;

/// Cores, where there are two.
const ASKERS: Option<usize> = Some(0);
const SERVERS: Option<usize> = Some(1);

struct Size {
    plain: (usize, usize),
    pictured: (usize, usize),
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| args.iter().any(|arg| arg == name);
    match args.first().map(String::as_str) {
        Some(hosts::ARGUMENT) => hosts::run(),
        Some(askers::ARGUMENT) => askers::run(&args[1..]),
        _ => compare(if given("--quick") { &QUICK } else { &WHOLE }, given("--ours")),
    }
}

/// Who asks, and what it took.
struct Contender {
    name: &'static str,
    process: Process,
    rates: Vec<f64>,
    used: Used,
    asks: usize,
    resident: u64,
}

fn compare(size: &Size, ours_only: bool) {
    let peers = if ours_only { Vec::new() } else { peers::install() };
    let mut hosts = Process::this(SERVERS, &[hosts::ARGUMENT]);
    let (plain, pictured) = (hosts.line(), hosts.line());
    for (what, addresses, (rounds, asks)) in
        [("without an icon", plain, size.plain), ("with an icon of 6 KB", pictured, size.pictured)]
    {
        let addresses: Vec<&str> = addresses.split(' ').collect();
        let length = hosts::length(addresses[0]);
        println!("\n{rounds} rounds of {asks} asks, {AT_ONCE} at once; an answer has {length} bytes, {what}");
        measure(&hosts, contenders(&addresses, &peers), rounds, asks);
    }
}

fn contenders(addresses: &[&str], peers: &[peers::Peer]) -> Vec<Contender> {
    let at_once = AT_ONCE.to_string();
    let own = askers::NAMES.into_iter().map(|(name, argument)| {
        let args = [&[askers::ARGUMENT, argument, &at_once][..], addresses].concat();
        (name, Process::this(ASKERS, &args))
    });
    let players = hosts::PLAYERS.to_string();
    let others = peers.iter().map(|peer| {
        let args = [&[players.as_str(), &at_once][..], peer.more, addresses].concat();
        (peer.name, Process::start(ASKERS, &peer.program, &args))
    });
    let all = own.chain(others).map(|(name, mut process)| {
        assert_eq!(process.line(), "ready", "{name} does not start");
        Contender { name, process, rates: Vec::new(), used: Used::default(), asks: 0, resident: 0 }
    });
    all.collect()
}

fn measure(hosts: &Process, mut contenders: Vec<Contender>, rounds: usize, asks: usize) {
    for contender in &mut contenders {
        ask(&mut contender.process, WARM);
    }
    let mut busiest: f64 = 0.0;
    for round in 0..rounds {
        for turn in 0..contenders.len() {
            // Who goes first takes turns, so that a drift of the machine favours nobody.
            let place = (round + turn) % contenders.len();
            let contender = &mut contenders[place];
            let (before, served) = (contender.process.used(), hosts.used());
            let seconds = ask(&mut contender.process, asks);
            contender.used += contender.process.used() - before;
            contender.rates.push(asks as f64 / seconds);
            contender.asks += asks;
            contender.resident = contender.process.resident();
            busiest = busiest.max((hosts.used() - served).seconds() / seconds);
        }
    }
    print(&contenders);
    println!("the servers were busy for at most {:.0}% of a round, with one core", 100.0 * busiest);
}

/// Lets it ask, and gives how many seconds that took.
fn ask(process: &mut Process, count: usize) -> f64 {
    let input = process.input.as_mut().expect("open until the end");
    writeln!(input, "{count}").and_then(|()| input.flush()).expect("a process listens");
    process.line().parse().expect("it says how long it took, or above why it cannot")
}

/// Ratios are made twice: of the best rounds, and of the processor's time, which says the same on a machine that has other
/// things to do, too.
fn print(contenders: &[Contender]) {
    let best = |c: &Contender| c.rates.iter().copied().fold(0.0, f64::max);
    let each = |c: &Contender, seconds: f64| seconds * 1e6 / c.asks as f64;
    let cost = |c: &Contender| each(c, c.used.seconds());
    let find = |name: &str| contenders.iter().find(|c| c.name == name);
    let (craftping, mcstatus) = (find(askers::CRAFTPING), find(peers::MCSTATUS));
    println!(
        "{:<22} {:>8} {:>8} {:>11} {:>14} {:>9} {:>19} {:>19}",
        "", "asks/s", "median", "CPU µs/ask", "user + system", "resident", "x craftping (CPU)", "x mcstatus (CPU)"
    );
    for c in contenders {
        let times = |other: Option<&Contender>| {
            other.map_or_else(|| "-".to_owned(), |o| format!("{:.2} ({:.2})", best(c) / best(o), cost(o) / cost(c)))
        };
        println!(
            "{:<22} {:>8.0} {:>8.0} {:>11.1} {:>14} {:>6.1} MB {:>19} {:>19}",
            c.name,
            best(c),
            median(&c.rates),
            cost(c),
            format!("{:.1} + {:.1}", each(c, c.used.user), each(c, c.used.system)),
            c.resident as f64 / 1e6,
            times(craftping),
            times(mcstatus),
        );
    }
}

fn median(figures: &[f64]) -> f64 {
    let mut figures = figures.to_vec();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
