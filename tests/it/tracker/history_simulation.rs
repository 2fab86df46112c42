//! Simulates polls over a long time, with gaps, crashes and replays, and compares the stored history with a plain recount.

use std::collections::BTreeMap;

use rollcall::tracker::{CompletedPoll, PollOutcome, PollSchedule, ReportedInfo, SanitizedStatus, persist_batch};
use rollcall_model::score;
use rollcall_store::tracking::{self, ClaimedPoll};
use rollcall_store::values;
use rollcall_store::{Conn, Database, server_stats};
use serde_json::{Value, json};

use crate::harness::{Engine, NOW, Server, Store};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const SERVERS: i64 = 3;
/// Old rows are deleted with the first poll of an hour, which may be delayed by a gap of nine hours.
const LATE: i64 = 12 * HOUR;

/// A deterministic random number generator.
struct TestRng(u64);

impl TestRng {
    fn below(&mut self, end: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as i64) % end
    }
}

/// A sample and the time until which it counts.
#[derive(Clone, Copy, Debug)]
struct RecountedSample {
    at: i64,
    online: bool,
    players: i64,
    until: i64,
}

/// The recounted history of one server.
#[derive(Default)]
struct Recount {
    samples: Vec<RecountedSample>,
    failing: Vec<(i64, i64)>,
    outages: Vec<(i64, Option<i64>)>,
}

impl Recount {
    /// Adds a poll and the time until which its sample counts.
    fn add(&mut self, at: i64, players: Option<i64>, until: i64) {
        match players {
            Some(players) => {
                if self.failing.len() >= 2 {
                    self.outages.last_mut().expect("a running outage").1 = Some(at);
                }
                self.failing.clear();
                self.samples.push(RecountedSample { at, online: true, players, until });
            }
            None => {
                self.failing.push((at, until));
                let out = |(at, until): (i64, i64)| RecountedSample { at, online: false, players: 0, until };
                match self.failing.len() {
                    1 => {}
                    2 => {
                        // The second failure starts the outage at the first one.
                        let first = (self.failing[0].0, self.failing[0].0 + (until - at));
                        self.samples.extend([out(first), out((at, until))]);
                        self.outages.push((first.0, None));
                    }
                    _ => self.samples.push(out((at, until))),
                }
            }
        }
    }

    /// Watched ms, online ms, player ms, peak, low and latency sum of each bucket.
    fn buckets(&self, width: i64) -> BTreeMap<i64, [i64; 6]> {
        let mut sums: BTreeMap<i64, [i64; 6]> = BTreeMap::new();
        for pair in self.samples.windows(2) {
            let (mut from, to) = (pair[0].at, pair[1].at.min(pair[0].until));
            while from < to {
                let start = from / width * width;
                let end = to.min(start + width);
                let players = pair[0].players;
                let sum = sums.entry(start).or_insert([0, 0, 0, 0, i64::MAX, 0]);
                sum[0] += end - from;
                sum[1] += if pair[0].online { end - from } else { 0 };
                sum[2] += players * (end - from);
                sum[3] = sum[3].max(players);
                sum[4] = sum[4].min(players);
                sum[5] += if pair[0].online { latency(players) * (end - from) } else { 0 };
                from = end;
            }
        }
        sums
    }
}

/// The simulated number of players; `None` while the server is down.
fn simulated_players(server_n: i64, at: i64) -> Option<i64> {
    let mut rng = TestRng((server_n * 1_000_003 + at / (20 * MINUTE)).cast_unsigned());
    rng.below(7);
    let out = rng.below(12) == 0 || (at / DAY + server_n) % 19 == 0;
    (!out).then(|| 20 * server_n + rng.below(50))
}

/// Differs from sample to sample, like the number of players.
fn latency(players: i64) -> i64 {
    10 + players % 13
}

/// Simulates `length` at this interval, the last part (`fine`) at one minute, and compares every aggregate with the recount.
/// Returns the bytes per server on SQLite.
pub fn simulate(engine: Engine, length: i64, interval: i64, fine: i64) -> Option<i64> {
    let store = Store::new(engine);
    for n in 1..=SERVERS {
        let added = store.rollcall(&["server", "add", &format!("s{n}.example"), "--name", &format!("Server {n}")]);
        assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    }
    let start = NOW - length;
    // Without fsync: a simulated year would take too long.
    let mut conn = match &store.database {
        Database::Sqlite(path) => Conn::open_unsynced(path).expect("the store opens"),
        Database::Postgres(_) => store.conn(),
    };
    let before = size(&mut conn);
    let mut recounts: BTreeMap<i64, Recount> = BTreeMap::new();
    let mut rng = TestRng(7);
    let mut now = start;
    conn.transaction(|conn| tracking::start_tracking(conn, -1, |_, _| start)).unwrap();
    while now < NOW {
        let interval = if now > NOW - fine { MINUTE } else { interval };
        simulate_polls(&mut conn, now, interval, &mut rng, &mut recounts);
        now += interval / 3 + rng.below(1_000);
        // Sometimes the tracker is down for a while.
        if rng.below(1_000) == 0 {
            now += rng.below(9 * HOUR);
        }
    }
    rollcall_store::samples::write_pending(&mut conn).unwrap();
    for (n, recount) in &recounts {
        compare(&mut conn, *n, recount);
    }
    let after = size(&mut conn);
    conn.transaction(|conn| server_stats::refresh_all(conn, NOW)).unwrap();
    drop(conn);
    compare_responses(Server::over(store, NOW), &recounts);
    after.zip(before).map(|(after, before)| (after - before) / (SERVERS + 1))
}

fn simulate_polls(conn: &mut Conn, now: i64, interval: i64, rng: &mut TestRng, recounts: &mut BTreeMap<i64, Recount>) {
    let schedule = PollSchedule::new(interval, SERVERS);
    let next = |n: i64, failing_since: Option<i64>| schedule.next_due(n, now, schedule.pause(failing_since, now));
    let due = conn.transaction(|conn| tracking::claim(conn, now, 100, next)).unwrap();
    if due.is_empty() {
        return;
    }
    let batch: Vec<CompletedPoll> = due.into_iter().map(|due| completed(due, now)).collect();
    match rng.below(40) {
        // A crash before the commit loses the polls.
        0 => {
            let crashed: Result<(), rollcall_store::Error> = conn.transaction(|conn| {
                persist_batch(conn, &batch, schedule, true)?;
                Err(rollcall_store::Error::Busy)
            });
            assert!(crashed.is_err());
            return;
        }
        // Storing a batch twice changes nothing.
        1 => {
            conn.transaction(|conn| persist_batch(conn, &batch, schedule, true)).unwrap();
            conn.transaction(|conn| persist_batch(conn, &batch, schedule, true)).unwrap();
        }
        _ => drop(conn.transaction(|conn| persist_batch(conn, &batch, schedule, true)).unwrap()),
    }
    for poll in batch.iter().filter(|poll| poll.claim.server.is_some()) {
        let n = poll.claim.server_n;
        let due: i64 = conn
            .query_one("select due_at from poll_schedule where server_n = $1", values![n], |row| row.get(0))
            .unwrap();
        let players = match &poll.outcome {
            PollOutcome::Replied { status, .. } => Some(status.players),
            PollOutcome::Failed { .. } => None,
        };
        // A sample counts for two and a half intervals at most.
        let until = poll.at + (due - poll.at) * 5 / 2;
        recounts.entry(n).or_default().add(poll.at, players, until);
    }
}

fn completed(due: ClaimedPoll, at: i64) -> CompletedPoll {
    let outcome = match simulated_players(due.server_n, at) {
        Some(players) => {
            let status = SanitizedStatus { players, max_players: 200, ..SanitizedStatus::default() };
            PollOutcome::Replied { status, latency_ms: latency(players) }
        }
        None => PollOutcome::Failed { reason: "refused" },
    };
    CompletedPoll { claim: due, at, outcome, info: ReportedInfo::default(), new_player_limit: 0 }
}

fn compare(conn: &mut Conn, n: i64, recount: &Recount) {
    let levels =
        [("samples_5m", 5 * MINUTE, 31 * DAY), ("samples_hour", HOUR, 366 * DAY), ("samples_day", DAY, 9999 * DAY)];
    for (table, width, kept) in levels {
        let rows = conn.query(
            &format!(
                "select at, watched_ms, online_ms, player_ms, peak, low, latency_sum from {table} where server_n = $1"
            ),
            values![n],
            |row| (row.get::<i64>(0), [row.get(1), row.get(2), row.get(3), row.get(4), row.get(5), row.get(6)]),
        );
        let rows: BTreeMap<i64, [i64; 6]> = rows.unwrap().into_iter().collect();
        let oldest = rows.keys().next().copied().unwrap_or(NOW);
        assert!(
            oldest >= NOW - kept - LATE - width,
            "{table} has rows that are {} h too old",
            (NOW - kept - oldest) / HOUR
        );
        let expected = recount.buckets(width).split_off(&(NOW - kept));
        let found = rows.into_iter().filter(|(at, _)| *at >= NOW - kept).collect::<BTreeMap<_, _>>();
        assert_eq!(found.len(), expected.len(), "{table} of {n}");
        for (at, sums) in &expected {
            assert_eq!(&found[at], sums, "{table} of {n} at {at}");
        }
    }
    let raw: Vec<i64> =
        conn.query("select at from samples where server_n = $1 order by at", values![n], |row| row.get(0)).unwrap();
    let kept = NOW - 48 * HOUR;
    let expected: Vec<i64> = recount.samples.iter().map(|sample| sample.at).filter(|at| *at >= kept).collect();
    assert_eq!(raw.iter().copied().filter(|at| *at >= kept).collect::<Vec<_>>(), expected, "raw samples of {n}");
    assert!(raw[0] >= kept - LATE, "old raw samples are not deleted");
    let outages =
        conn.query("select began_at, ended_at from outages where server_n = $1 order by began_at", values![n], |row| {
            (row.get(0), row.get(1))
        });
    assert_eq!(outages.unwrap(), recount.outages, "outages of {n}");
    assert!(!recount.outages.is_empty(), "the simulation has outages");
}

fn compare_responses(server: Server, recounts: &BTreeMap<i64, Recount>) {
    for (n, recount) in recounts {
        let shown = server.run(server.get(&format!("/servers/server-{n}"))).data()["server"].clone();
        let days = recount.buckets(DAY);
        let all = period_stats(days.values());
        assert_eq!(shown["periodStats"]["all-time"], all, "server {n}");
        for (period, length) in [("24h", DAY), ("7d", 7 * DAY), ("30d", 30 * DAY)] {
            let fine = recount.buckets(5 * MINUTE).split_off(&(NOW - length));
            assert_eq!(shown["periodStats"][period], period_stats(fine.values()), "{period} of server {n}");
        }
        assert_eq!(shown["uptime"], shown["periodStats"]["30d"]["uptimePct"], "server {n}");
    }
}

fn period_stats<'a>(buckets: impl Iterator<Item = &'a [i64; 6]>) -> Value {
    let sum = buckets.fold([0, 0, 0, 0, i64::MAX], |sum, b| {
        [sum[0] + b[0], sum[1] + b[1], sum[2] + b[2], sum[3].max(b[3]), sum[4].min(b[4])]
    });
    json!({
        "avgPlayers": score::ratio(sum[2], sum[0], 2),
        "peakPlayers": sum[3],
        "minPlayers": sum[4],
        "uptimePct": score::uptime(sum[1], sum[0]),
    })
}

/// Size of a SQLite store in bytes.
fn size(conn: &mut Conn) -> Option<i64> {
    if conn.is_postgres() {
        return None;
    }
    let number = |conn: &mut Conn, sql: &str| conn.query_one(sql, &[], |row| row.get::<i64>(0)).expect("a pragma");
    let pages = number(conn, "pragma page_count") - number(conn, "pragma freelist_count");
    Some(pages * number(conn, "pragma page_size"))
}
