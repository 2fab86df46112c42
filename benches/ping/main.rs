//! The cost of a ping, for our client and those of others, in one run on loopback: `cargo bench --bench ping`. `-- --quick` sends
//! fewer pings, `-- --ours` skips the clients that need Python or Node.js.
//!
//! The fake servers and every client run in processes of their own. With `taskset`, the servers use one core and the clients
//! another. The clients take turns: in each round every client pings the same servers equally often with the same concurrency,
//! and checks each response.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

mod child_process;
mod clients;
mod fake_servers;
mod peers;

use std::io::Write;

use child_process::{ChildProcess, CpuSeconds};

/// The allocator of the service.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Concurrent pings of each client.
const CONCURRENCY: usize = 64;
const FULL: PingRounds = PingRounds { without_icon: (6, 8_000), with_icon: (3, 4_000) };
const QUICK: PingRounds = PingRounds { without_icon: (3, 4_000), with_icon: (1, 2_000) };
/// Pings before the first measurement.
const WARM_UP: usize = 1_000;

/// Cores, on a machine with at least two.
const CLIENT_CORE: Option<usize> = Some(0);
const SERVER_CORE: Option<usize> = Some(1);

/// The number of rounds and of pings per round, for responses without and with an icon.
struct PingRounds {
    without_icon: (usize, usize),
    with_icon: (usize, usize),
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| args.iter().any(|arg| arg == name);
    match args.first().map(String::as_str) {
        Some(fake_servers::ARGUMENT) => fake_servers::run(),
        Some(clients::ARGUMENT) => clients::run(&args[1..]),
        _ => compare(if has("--quick") { &QUICK } else { &FULL }, has("--ours")),
    }
}

/// A client and its results.
struct MeasuredClient {
    name: &'static str,
    process: ChildProcess,
    rates: Vec<f64>,
    cpu: CpuSeconds,
    pings: usize,
    resident: u64,
}

fn compare(rounds: &PingRounds, ours_only: bool) {
    let peers = if ours_only { Vec::new() } else { peers::install() };
    let mut servers = ChildProcess::same_program(SERVER_CORE, &[fake_servers::ARGUMENT]);
    let (without_icon, with_icon) = (servers.read_line(), servers.read_line());
    for (what, addresses, (rounds, pings)) in
        [("without an icon", without_icon, rounds.without_icon), ("with an icon of 6 KB", with_icon, rounds.with_icon)]
    {
        let addresses: Vec<&str> = addresses.split(' ').collect();
        let length = fake_servers::response_length(addresses[0]);
        println!("\n{rounds} rounds of {pings} pings, {CONCURRENCY} at a time; a response has {length} bytes, {what}");
        measure(&servers, start_clients(&addresses, &peers), rounds, pings);
    }
}

fn start_clients(addresses: &[&str], peers: &[peers::PeerClient]) -> Vec<MeasuredClient> {
    let concurrency = CONCURRENCY.to_string();
    let in_rust = clients::NAMES.into_iter().map(|(name, argument)| {
        let args = [&[clients::ARGUMENT, argument, &concurrency][..], addresses].concat();
        (name, ChildProcess::same_program(CLIENT_CORE, &args))
    });
    let players = fake_servers::PLAYERS.to_string();
    let others = peers.iter().map(|peer| {
        let args = [&[players.as_str(), &concurrency][..], peer.args, addresses].concat();
        (peer.name, ChildProcess::start(CLIENT_CORE, &peer.program, &args))
    });
    let all = in_rust.chain(others).map(|(name, mut process)| {
        assert_eq!(process.read_line(), "ready", "{name} does not start");
        MeasuredClient { name, process, rates: Vec::new(), cpu: CpuSeconds::default(), pings: 0, resident: 0 }
    });
    all.collect()
}

fn measure(servers: &ChildProcess, mut clients: Vec<MeasuredClient>, rounds: usize, pings: usize) {
    for client in &mut clients {
        ping(&mut client.process, WARM_UP);
    }
    let mut max_server_load: f64 = 0.0;
    for round in 0..rounds {
        for turn in 0..clients.len() {
            // The first place rotates, so that drift of the machine favours no client.
            let index = (round + turn) % clients.len();
            let client = &mut clients[index];
            let (client_cpu, server_cpu) = (client.process.cpu(), servers.cpu());
            let seconds = ping(&mut client.process, pings);
            client.cpu += client.process.cpu() - client_cpu;
            client.rates.push(pings as f64 / seconds);
            client.pings += pings;
            client.resident = client.process.resident();
            max_server_load = max_server_load.max((servers.cpu() - server_cpu).total() / seconds);
        }
    }
    print(&clients);
    println!("the fake servers used at most {:.0}% of one core in a round", 100.0 * max_server_load);
}

/// Makes a client send this many pings. Returns the seconds it took.
fn ping(process: &mut ChildProcess, count: usize) -> f64 {
    let stdin = process.stdin.as_mut().expect("stdin is piped");
    writeln!(stdin, "{count}").and_then(|()| stdin.flush()).expect("the client reads its input");
    process.read_line().parse().expect("the client prints seconds, or its error above")
}

/// Prints two ratios per client: of the best rounds, and of CPU time. The latter is stable on a busy machine too.
fn print(clients: &[MeasuredClient]) {
    let best = |c: &MeasuredClient| c.rates.iter().copied().fold(0.0, f64::max);
    let per_ping = |c: &MeasuredClient, seconds: f64| seconds * 1e6 / c.pings as f64;
    let cost = |c: &MeasuredClient| per_ping(c, c.cpu.total());
    let find = |name: &str| clients.iter().find(|c| c.name == name);
    let (craftping, mcstatus) = (find(clients::CRAFTPING), find(peers::MCSTATUS));
    println!(
        "{:<22} {:>8} {:>8} {:>11} {:>14} {:>9} {:>19} {:>19}",
        "", "pings/s", "median", "CPU µs/ping", "user + system", "resident", "x craftping (CPU)", "x mcstatus (CPU)"
    );
    for c in clients {
        let ratio = |other: Option<&MeasuredClient>| {
            other.map_or_else(|| "-".to_owned(), |o| format!("{:.2} ({:.2})", best(c) / best(o), cost(o) / cost(c)))
        };
        println!(
            "{:<22} {:>8.0} {:>8.0} {:>11.1} {:>14} {:>6.1} MB {:>19} {:>19}",
            c.name,
            best(c),
            median(&c.rates),
            cost(c),
            format!("{:.1} + {:.1}", per_ping(c, c.cpu.user), per_ping(c, c.cpu.system)),
            c.resident as f64 / 1e6,
            ratio(craftping),
            ratio(mcstatus),
        );
    }
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
