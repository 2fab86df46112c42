//! `trend`, `uptime` and `periodStats` at random minutes, against a recount of the samples.

use rollcall_model::buckets::{FIVE_MINUTES, PingSample, split_into_buckets};
use rollcall_model::score::{self, Mean};
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_store::{Conn, samples, server_stats, values};
use serde_json::{Value, json};

use super::expected::TestRng;
use super::fixture::{insert, named};
use crate::harness::{Engine, NOW, Server};

/// A sample counts for this long at most.
const MAX_GAP: i64 = 50 * MINUTE;
/// The history begins before the longest exact window and ends a day after it was filled.
const FIRST: i64 = NOW - 33 * DAY;
/// Random minutes at which the figures are compared.
const MINUTES: usize = 16;

/// Samples at uneven times, with outages, gaps and a daily rhythm.
fn random_samples(rng: &mut TestRng) -> Vec<PingSample> {
    let (mut at, mut all) = (FIRST, Vec::new());
    while at < NOW {
        let online = rng.below(8) > 0;
        let players = 40 + 30 * (at / HOUR % 24) + rng.below(50) as i64;
        all.push(PingSample { at, online, players, latency_ms: 9, tps: None });
        let is_gap = rng.below(60) == 0;
        at += if is_gap { rng.below(9 * HOUR as usize) } else { 1 + rng.below(40 * MINUTE as usize) } as i64;
    }
    all
}

/// Watched, online and player milliseconds, peak and low of the samples within a time range.
fn recount(samples: &[PingSample], from: i64, to: i64) -> [i64; 5] {
    let mut sum = [0, 0, 0, 0, i64::MAX];
    for pair in samples.windows(2) {
        let begins = pair[0].at.max(from);
        let ends = pair[1].at.min(pair[0].at + MAX_GAP).min(to);
        if begins < ends {
            let (watched, players) = (ends - begins, if pair[0].online { pair[0].players } else { 0 });
            sum[0] += watched;
            sum[1] += if pair[0].online { watched } else { 0 };
            sum[2] += players * watched;
            sum[3] = sum[3].max(players);
            sum[4] = sum[4].min(players);
        }
    }
    sum
}

fn mean(sum: [i64; 5]) -> Mean {
    Mean { sum: sum[2], weight: sum[0] }
}

fn figures(sum: [i64; 5]) -> Value {
    json!({
        "avgPlayers": score::ratio(sum[2], sum[0], 2),
        "peakPlayers": sum[3],
        "minPlayers": sum[4],
        "uptimePct": score::uptime(sum[1], sum[0]),
    })
}

/// The first five-minute border within the window.
fn border(now: i64, length: i64) -> i64 {
    (now - length + FIVE_MINUTES - 1) / FIVE_MINUTES * FIVE_MINUTES
}

fn add(conn: &mut Conn, server_n: i64, pair: &[PingSample]) {
    let pieces = split_into_buckets(&pair[0], pair[1].at, MAX_GAP, FIVE_MINUTES);
    let pieces: Vec<_> = pieces.map(|piece| (server_n, piece)).collect();
    samples::add_to_rollups(conn, &pieces).unwrap();
}

/// Compares the API with the samples before `now`.
fn compare(server: &Server, samples: &[PingSample], now: i64) {
    server.clock.set(now);
    let mut conn = server.store.conn();
    conn.transaction(|conn| server_stats::refresh_all(conn, now)).unwrap();
    let windows = [("24h", DAY), ("7d", 7 * DAY), ("30d", 30 * DAY)];
    let (recent, before) = (border(now, DAY), border(now, 2 * DAY));
    let trend = score::trend(mean(recount(samples, recent, now)), mean(recount(samples, before, recent)));
    let month = recount(samples, border(now, 30 * DAY), now);
    let uptime = score::uptime(month[1], month[0]);
    let is_listed = |list: &Value| list["servers"][0]["trend"] == trend && list["servers"][0]["uptime"] == uptime;
    server.run(server.until("/servers", |response| is_listed(&response.data())));
    let detail = server.run(server.get("/servers/server-0")).data()["server"].clone();
    assert_eq!(detail["uptime"], uptime, "at {now}");
    for (period, length) in windows {
        let expected = figures(recount(samples, border(now, length), now));
        assert_eq!(detail["periodStats"][period], expected, "{period} at {now}");
    }
}

#[test]
fn windows_are_exact_to_five_minutes_at_any_time() {
    for (engine, seed) in Engine::BOTH.into_iter().zip([3, 4]) {
        let mut rng = TestRng(seed);
        let samples = random_samples(&mut rng);
        let server = Server::empty(engine);
        insert(&server, &[named(0, "Watched")]);
        let mut conn = server.store.conn();
        let n: i64 = conn.query_one("select n from servers", values![], |row| row.get(0)).unwrap();
        let mut minutes: Vec<usize> = (0..MINUTES).map(|_| rng.below(60 * 24 * 4)).collect();
        minutes.sort_unstable();
        let mut stored = 1;
        for minute in minutes {
            // Around the time when the history becomes longer than the window.
            let now = NOW - 4 * DAY + minute as i64 * MINUTE + rng.below(MINUTE as usize) as i64;
            let known = samples.partition_point(|sample| sample.at <= now);
            conn.transaction(|conn| -> rollcall_store::Result<()> {
                samples[stored - 1..known].windows(2).for_each(|pair| add(conn, n, pair));
                Ok(())
            })
            .unwrap();
            stored = known;
            compare(&server, &samples[..known], now);
        }
    }
}
