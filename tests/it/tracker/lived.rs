//! Long stretches of time: rounds as the tracker takes and keeps them, with gaps, crashes and replays, against what a
//! plain account of the same rounds comes to.

use std::collections::BTreeMap;

use rollcall::tracker::schedule::Beat;
use rollcall::tracker::{Believed, Finished, Outcome, Told, keep};
use rollcall_model::score;
use rollcall_store::tracking::{self, Due};
use rollcall_store::values;
use rollcall_store::{Conn, Database, server_stats};
use serde_json::{Value, json};

use crate::harness::{Engine, NOW, Server, Store};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const SERVERS: i64 = 3;
/// Old rows go with the first round of an hour; we may be gone for nine before it.
const LATE: i64 = 12 * HOUR;

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as i64) % sides
    }
}

/// A sample as the plain account has it: since when, online, players, and until when it holds at most.
#[derive(Clone, Copy, Debug)]
struct Held {
    at: i64,
    online: bool,
    players: i64,
    until: i64,
}

/// Everything that was kept of one server, in the order of time.
#[derive(Default)]
struct Account {
    held: Vec<Held>,
    failing: Vec<(i64, i64)>,
    outages: Vec<(i64, Option<i64>)>,
}

impl Account {
    /// Writes down a round and until when its sample holds.
    fn note(&mut self, at: i64, players: Option<i64>, until: i64) {
        match players {
            Some(players) => {
                if self.failing.len() >= 2 {
                    self.outages.last_mut().expect("it was out").1 = Some(at);
                }
                self.failing.clear();
                self.held.push(Held { at, online: true, players, until });
            }
            None => {
                self.failing.push((at, until));
                let out = |(at, until): (i64, i64)| Held { at, online: false, players: 0, until };
                match self.failing.len() {
                    1 => {}
                    2 => {
                        // What was told of the second holds for the first, too.
                        let first = (self.failing[0].0, self.failing[0].0 + (until - at));
                        self.held.extend([out(first), out((at, until))]);
                        self.outages.push((first.0, None));
                    }
                    _ => self.held.push(out((at, until))),
                }
            }
        }
    }

    /// Watched, online, players times milliseconds, peak and low of each bucket of this width.
    fn buckets(&self, width: i64) -> BTreeMap<i64, [i64; 5]> {
        let mut sums: BTreeMap<i64, [i64; 5]> = BTreeMap::new();
        for pair in self.held.windows(2) {
            let (mut from, to) = (pair[0].at, pair[1].at.min(pair[0].until));
            while from < to {
                let start = from / width * width;
                let end = to.min(start + width);
                let players = pair[0].players;
                let sum = sums.entry(start).or_insert([0, 0, 0, 0, i64::MAX]);
                sum[0] += end - from;
                sum[1] += if pair[0].online { end - from } else { 0 };
                sum[2] += players * (end - from);
                sum[3] = sum[3].max(players);
                sum[4] = sum[4].min(players);
                from = end;
            }
        }
        sums
    }
}

/// Whether a server is up, and with how many players.
fn truth(server_n: i64, at: i64) -> Option<i64> {
    let mut dice = Dice((server_n * 1_000_003 + at / (20 * MINUTE)).cast_unsigned());
    dice.roll(7);
    let out = dice.roll(12) == 0 || (at / DAY + server_n) % 19 == 0;
    (!out).then(|| 20 * server_n + dice.roll(50))
}

/// Plays so much time at this interval, the last of it (`fine`) at one minute, and compares every level with the account.
/// Gives the store's bytes for each server.
pub fn live_through(engine: Engine, length: i64, interval: i64, fine: i64) -> Option<i64> {
    let store = Store::new(engine);
    for n in 1..=SERVERS {
        let added = store.rollcall(&["server", "add", &format!("s{n}.example"), "--name", &format!("Server {n}")]);
        assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    }
    let start = NOW - length;
    // Years are not waited for by the disk.
    let mut conn = match &store.database {
        Database::Sqlite(path) => Conn::open_aside(path).expect("the store opens"),
        Database::Postgres(_) => store.conn(),
    };
    let before = size(&mut conn);
    let mut accounts: BTreeMap<i64, Account> = BTreeMap::new();
    let mut dice = Dice(7);
    let mut now = start;
    conn.transaction(|conn| tracking::enlist(conn, -1, |_, _| start)).unwrap();
    while now < NOW {
        let interval = if now > NOW - fine { MINUTE } else { interval };
        play_round(&mut conn, now, interval, &mut dice, &mut accounts);
        now += interval / 3 + dice.roll(1_000);
        // We are gone for a while, now and then.
        if dice.roll(1_000) == 0 {
            now += dice.roll(9 * HOUR);
        }
    }
    for (n, account) in &accounts {
        compare(&mut conn, *n, account);
    }
    let after = size(&mut conn);
    conn.transaction(|conn| server_stats::refresh_all(conn, NOW)).unwrap();
    drop(conn);
    compare_answers(Server::over(store, NOW), &accounts);
    after.zip(before).map(|(after, before)| (after - before) / (SERVERS + 1))
}

fn play_round(conn: &mut Conn, now: i64, interval: i64, dice: &mut Dice, accounts: &mut BTreeMap<i64, Account>) {
    let beat = Beat::new(interval, SERVERS);
    let next = |n: i64, failing_since: Option<i64>| beat.next_due(n, now, beat.pause(failing_since, now));
    let due = conn.transaction(|conn| tracking::claim(conn, now, 100, next)).unwrap();
    if due.is_empty() {
        return;
    }
    let batch: Vec<Finished> = due.into_iter().map(|due| finished(due, now)).collect();
    match dice.roll(40) {
        // A crash before the commit: nothing of it is kept, and the rounds are lost.
        0 => {
            let crashed: Result<(), rollcall_store::Error> = conn.transaction(|conn| {
                keep(conn, &batch, beat)?;
                Err(rollcall_store::Error::Busy)
            });
            assert!(crashed.is_err());
            return;
        }
        // Kept twice: the second time changes nothing.
        1 => {
            conn.transaction(|conn| keep(conn, &batch, beat)).unwrap();
            conn.transaction(|conn| keep(conn, &batch, beat)).unwrap();
        }
        _ => drop(conn.transaction(|conn| keep(conn, &batch, beat)).unwrap()),
    }
    for round in batch.iter().filter(|round| round.due.server.is_some()) {
        let n = round.due.server_n;
        let due: i64 =
            conn.one("select due_at from tracking where server_n = $1", values![n], |row| row.get(0)).unwrap();
        let players = match &round.outcome {
            Outcome::Answered { believed, .. } => Some(believed.players),
            Outcome::Failed { .. } => None,
        };
        // Two and a half pauses, and no longer.
        let until = round.at + (due - round.at) * 5 / 2;
        accounts.entry(n).or_default().note(round.at, players, until);
    }
}

fn finished(due: Due, at: i64) -> Finished {
    let outcome = match truth(due.server_n, at) {
        Some(players) => {
            let believed = Believed { players, max_players: 200, ..Believed::default() };
            Outcome::Answered { believed, latency_ms: 20 }
        }
        None => Outcome::Failed { reason: "refused" },
    };
    Finished { due, at, outcome, told: Told::default(), most_new: 0 }
}

fn compare(conn: &mut Conn, n: i64, account: &Account) {
    let levels =
        [("samples_5m", 5 * MINUTE, 14 * DAY), ("samples_hour", HOUR, 366 * DAY), ("samples_day", DAY, 9999 * DAY)];
    for (table, width, kept) in levels {
        let rows = conn.query(
            &format!("select at, watched_ms, online_ms, player_ms, peak, low from {table} where server_n = $1"),
            values![n],
            |row| (row.get::<i64>(0), [row.get(1), row.get(2), row.get(3), row.get(4), row.get(5)]),
        );
        let rows: BTreeMap<i64, [i64; 5]> = rows.unwrap().into_iter().collect();
        let oldest = rows.keys().next().copied().unwrap_or(NOW);
        assert!(
            oldest >= NOW - kept - LATE - width,
            "{table} keeps what is {} h too old",
            (NOW - kept - oldest) / HOUR
        );
        let expected = account.buckets(width).split_off(&(NOW - kept));
        let found = rows.into_iter().filter(|(at, _)| *at >= NOW - kept).collect::<BTreeMap<_, _>>();
        assert_eq!(found.len(), expected.len(), "{table} of {n}");
        for (at, sums) in &expected {
            assert_eq!(&found[at], sums, "{table} of {n} at {at}");
        }
    }
    let raw: Vec<i64> =
        conn.query("select at from samples where server_n = $1 order by at", values![n], |row| row.get(0)).unwrap();
    let kept = NOW - 48 * HOUR;
    let expected: Vec<i64> = account.held.iter().map(|held| held.at).filter(|at| *at >= kept).collect();
    assert_eq!(raw.iter().copied().filter(|at| *at >= kept).collect::<Vec<_>>(), expected, "raw samples of {n}");
    assert!(raw[0] >= kept - LATE, "raw samples are kept for too long");
    let outages =
        conn.query("select began_at, ended_at from outages where server_n = $1 order by began_at", values![n], |row| {
            (row.get(0), row.get(1))
        });
    assert_eq!(outages.unwrap(), account.outages, "outages of {n}");
    assert!(!account.outages.is_empty(), "there were some");
}

fn compare_answers(server: Server, accounts: &BTreeMap<i64, Account>) {
    for (n, account) in accounts {
        let shown = server.run(server.get(&format!("/servers/server-{n}"))).data()["server"].clone();
        let days = account.buckets(DAY);
        let all = figures_of(days.values());
        assert_eq!(shown["periodStats"]["all-time"], all, "server {n}");
        let fine = account.buckets(5 * MINUTE).split_off(&(NOW - DAY));
        assert_eq!(shown["periodStats"]["24h"], figures_of(fine.values()), "server {n}");
        let month = account.buckets(HOUR).split_off(&(NOW - 30 * DAY));
        assert_eq!(shown["periodStats"]["30d"], figures_of(month.values()), "server {n}");
        let recent = days.range((NOW - 30 * DAY) / DAY * DAY..);
        let (watched, online) = recent.fold((0, 0), |sum, (_, day)| (sum.0 + day[0], sum.1 + day[1]));
        assert_eq!(shown["uptime"], json!(score::uptime(online, watched)), "server {n}");
    }
}

fn figures_of<'a>(buckets: impl Iterator<Item = &'a [i64; 5]>) -> Value {
    let sum = buckets.fold([0, 0, 0, 0, i64::MAX], |sum, b| {
        [sum[0] + b[0], sum[1] + b[1], sum[2] + b[2], sum[3].max(b[3]), sum[4].min(b[4])]
    });
    json!({
        "avgPlayers": score::round(sum[2] as f64 / sum[0] as f64, 2),
        "peakPlayers": sum[3],
        "minPlayers": sum[4],
        "uptimePct": score::uptime(sum[1], sum[0]),
    })
}

/// Bytes of a SQLite store.
fn size(conn: &mut Conn) -> Option<i64> {
    if conn.is_postgres() {
        return None;
    }
    let number = |conn: &mut Conn, sql: &str| conn.one(sql, &[], |row| row.get::<i64>(0)).expect("a pragma");
    let pages = number(conn, "pragma page_count") - number(conn, "pragma freelist_count");
    Some(pages * number(conn, "pragma page_size"))
}
