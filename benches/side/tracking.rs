//! The same works while the tracker writes: this process keeps 1,667 rounds a second in a copy of the store, as the tracker
//! does, and a server of ours serves it. With and without take turns in each work: the machine is another one after a while.

use std::collections::HashMap;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rollcall::tracker::schedule::Beat;
use rollcall::tracker::{Believed, Finished, Outcome, Told, keep};
use rollcall_model::clock::Clock;
use rollcall_store::{Conn, tracking};

use crate::arena::{Arena, Heat, round, steps};
use crate::args::Args;
use crate::compare::{Plan, Spread};
use crate::contenders::{Contender, Kind};
use crate::data::{self, Store};
use crate::drive::CONNECTIONS;
use crate::progress;
use crate::works::{COUNTRIES, FILTERS, HOT_LIST, LIVE, PLAYER_ID, REVIEWS, SEARCHES, SKIN, VOTERS, WORKS};

/// 100,000 servers a minute.
const SAMPLES_A_SECOND: f64 = 1_667.0;
const INTERVAL: i64 = 60_000;
const TICK: Duration = Duration::from_millis(250);
/// Until what is written is seen by whoever serves.
const SETTLE: Duration = Duration::from_millis(500);

const MEASURED: [(&str, Heat); 9] = [
    (HOT_LIST, Heat::Hot),
    (LIVE, Heat::Hot),
    (COUNTRIES, Heat::Hot),
    (FILTERS, Heat::Cold),
    (PLAYER_ID, Heat::Cold),
    (SKIN, Heat::Cold),
    (VOTERS, Heat::Cold),
    (REVIEWS, Heat::Cold),
    (SEARCHES[1], Heat::Cold),
];

pub struct Tracked {
    /// Samples that were kept in a second of writing.
    pub written: f64,
    pub works: Vec<Left>,
}

/// What the writing leaves of one work.
pub struct Left {
    pub work: &'static str,
    pub heat: Heat,
    pub rate: Spread,
    /// What a request takes of the server's processor, for each that it takes without.
    pub processor: f64,
}

pub async fn run(arena: &Arena, args: &Args) -> Result<Option<Tracked>, String> {
    if !args.wants("tracking") {
        return Ok(None);
    }
    let copy = Store { folder: data::folder().join("tracked"), url: None };
    let bar = progress::waiting("a copy of the store to write to");
    let _ = std::fs::remove_dir_all(&copy.folder);
    let mut command = Command::new("cp");
    command.args(["-a", "--reflink=auto"]).arg(Store::sqlite(arena.size).folder).arg(&copy.folder);
    let copied = command.status().map_err(|error| error.to_string())?;
    if !copied.success() {
        return Err("the store cannot be copied: is there room on the disk?".to_owned());
    }
    // What keys have used belongs to whoever serves the original.
    for file in ["rollcall-ledger.db", "rollcall-ledger.db-wal", "rollcall-ledger.db-shm"] {
        let _ = std::fs::remove_file(copy.folder.join(file));
    }
    progress::done(&bar);
    let tracked = measure(arena, args, &copy).await;
    let _ = std::fs::remove_dir_all(&copy.folder);
    tracked.map(Some)
}

async fn measure(arena: &Arena, args: &Args, copy: &Store) -> Result<Tracked, String> {
    let writer = Writer::start(copy)?;
    let contender = Contender::ours(Kind::Sqlite, copy, &arena.world.accounts, None)?;
    let plan = Plan::new(args);
    let works = MEASURED.map(|(name, heat)| {
        let work = WORKS.iter().find(|work| work.name == name).expect("a work");
        (name, heat, arena.questions(work, heat, &contender).expect("ours takes part in everything"))
    });
    // A core gives a third more or less from one second to the next where somebody shares it.
    let rounds = if args.quick { 2 } else { 6 };
    let bar = steps(2 * rounds * works.len(), "while the tracker writes");
    let mut left = Vec::new();
    for (work, heat, questions) in &works {
        let (mut shares, mut used) = (Vec::new(), [0.0; 2]);
        for turn in 0..rounds {
            let mut rates = [0.0; 2];
            // Each first in turn, and every other time without a switch in between.
            for writes in [turn % 2 == 1, turn % 2 == 0] {
                if writer.switch(writes) {
                    tokio::time::sleep(SETTLE).await;
                }
                let done = round(&contender, questions, 2 * plan.length, CONNECTIONS).await;
                rates[usize::from(writes)] = done.rate;
                used[usize::from(writes)] += done.own;
                bar.inc(1);
            }
            shares.push(rates[1] / rates[0]);
        }
        let rate = Spread::of(&shares).expect("at least one round");
        left.push(Left { work, heat: *heat, rate, processor: used[1] / used[0] });
    }
    bar.finish_and_clear();
    Ok(Tracked { written: writer.stop(), works: left })
}

/// Keeps rounds while it is switched on.
struct Writer {
    on: Arc<AtomicBool>,
    ends: Arc<AtomicBool>,
    kept: Arc<AtomicU64>,
    wrote_for: Arc<AtomicU64>,
    thread: std::thread::JoinHandle<Result<(), rollcall_store::Error>>,
}

impl Writer {
    fn start(store: &Store) -> Result<Self, String> {
        let [on, ends]: [Arc<AtomicBool>; 2] = Default::default();
        let [kept, wrote_for]: [Arc<AtomicU64>; 2] = Default::default();
        let mut conn = Conn::open_again(&store.database()).map_err(|error| error.to_string())?;
        let servers = shown(&mut conn).map_err(|error| error.to_string())?;
        let now = Clock::System.now();
        let beat = Beat::new(INTERVAL, servers.len() as i64);
        // All are tracked, and due from the start: what is written is bounded by how much is taken at once.
        let enlist = conn.transaction(|conn| {
            conn.execute("update servers set is_tracked = true", &[])?;
            tracking::enlist(conn, -1, |_, _| now - INTERVAL)
        });
        enlist.map_err(|error| error.to_string())?;
        let thread = std::thread::spawn({
            let (on, ends, kept, wrote_for) = (on.clone(), ends.clone(), kept.clone(), wrote_for.clone());
            move || {
                let (mut owed, mut last) = (0.0, Instant::now());
                while !ends.load(Ordering::Relaxed) {
                    std::thread::sleep(TICK);
                    let passed = last.elapsed();
                    last = Instant::now();
                    if !on.load(Ordering::Relaxed) {
                        owed = 0.0;
                        continue;
                    }
                    owed += SAMPLES_A_SECOND * passed.as_secs_f64();
                    let count = write(&mut conn, beat, &servers, owed as i64)?;
                    owed -= count as f64;
                    kept.fetch_add(count as u64, Ordering::Relaxed);
                    wrote_for.fetch_add(passed.as_millis() as u64, Ordering::Relaxed);
                }
                Ok(())
            }
        });
        Ok(Self { on, ends, kept, wrote_for, thread })
    }

    /// Gives whether that is a change.
    fn switch(&self, on: bool) -> bool {
        self.on.swap(on, Ordering::Relaxed) != on
    }

    /// Gives how many samples were kept in a second.
    fn stop(self) -> f64 {
        self.ends.store(true, Ordering::Relaxed);
        self.thread.join().expect("the writer ends well").expect("the store takes what is written");
        self.kept.load(Ordering::Relaxed) as f64 * 1e3 / self.wrote_for.load(Ordering::Relaxed).max(1) as f64
    }
}

/// What servers say of themselves, so that an answer changes nothing but players and latency.
type Shown = HashMap<i64, (String, i64, String, i64, i64)>;

fn shown(conn: &mut Conn) -> rollcall_store::Result<Shown> {
    let sql = "select n, version, protocol, motd_raw, max_players, current_players from servers";
    let rows =
        conn.query(sql, &[], |row| (row.get(0), (row.get(1), row.get(2), row.get(3), row.get(4), row.get(5))))?;
    Ok(rows.into_iter().collect())
}

/// Takes the next rounds and keeps them, in a transaction each, as the tracker does.
fn write(conn: &mut Conn, beat: Beat, servers: &Shown, most: i64) -> rollcall_store::Result<usize> {
    let now = Clock::System.now();
    let next = |n: i64, failing_since: Option<i64>| beat.next_due(n, now, beat.pause(failing_since, now));
    let due = conn.transaction(|conn| tracking::claim(conn, now, most, next))?;
    let batch: Vec<Finished> = due
        .into_iter()
        .map(|due| {
            let n = due.server_n;
            let (version, protocol, motd_raw, max_players, players) = servers.get(&n).cloned().unwrap_or_default();
            let players = players + (n * 7 + now / 1_000) % 5;
            let believed = Believed { players, max_players, ..Believed::default() };
            let outcome = Outcome::Answered { believed, latency_ms: 20 + (n + now / 1_000) % 60 };
            let told = Told { version, protocol, motd_raw, ..Told::default() };
            Finished { due, at: now, outcome, told, most_new: 0 }
        })
        .collect();
    conn.transaction(|conn| keep(conn, &batch, beat))?;
    Ok(batch.len())
}
