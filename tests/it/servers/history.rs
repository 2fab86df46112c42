//! `GET /servers/{slug}`: history, statistics per period, and votes per day.

use std::collections::BTreeMap;

use rollcall_model::buckets::{FIVE_MINUTES, PingSample, split_into_buckets};
use rollcall_model::time::{DAY, HOUR, MINUTE, day, iso, spaced, start_of_day};
use rollcall_store::values;
use rollcall_store::{Conn, samples, server_stats};
use serde_json::Value;

use super::expected::{all_servers, items, number, text, walk};
use super::fixture::{change, insert, named};
use crate::harness::{Engine, NOW, Server, both};

const PERIODS: [(&str, i64); 5] =
    [("24h", DAY), ("7d", 7 * DAY), ("30d", 30 * DAY), ("90d", 90 * DAY), ("all-time", NOW)];
const MOST_POINTS: usize = 800;

/// Points are in order, inside the period, and not more than the limit.
fn check_history(server: &Value, period: &str, length: i64) {
    let points = items(&server["statsHistory"]);
    assert!(points.len() <= MOST_POINTS, "{period}: {}", points.len());
    let times: Vec<&str> = points.iter().map(|point| text(&point["timestamp"])).collect();
    assert!(times.is_sorted_by(|a, b| a < b), "{period} is not in order");
    let (first, last) = (iso(NOW - length), iso(NOW));
    assert!(times.iter().all(|at| (first.as_str()..=last.as_str()).contains(at)), "{period} leaves its window");
}

#[tokio::test]
async fn the_history_stays_within_its_period() {
    for listed in all_servers().await.iter().step_by(5) {
        for (period, length) in PERIODS {
            let path = format!("/servers/{}?period={period}", text(&listed["slug"]));
            let server = both(&path).await.data()["server"].clone();
            check_history(&server, period, length);
            assert!(!items(&server["statsHistory"]).is_empty(), "{path}");
        }
    }
}

#[tokio::test]
async fn statistics_of_all_periods_are_always_present() {
    for listed in all_servers().await.iter().step_by(10) {
        let slug = text(&listed["slug"]);
        let figures = both(&format!("/servers/{slug}")).await.data()["server"]["periodStats"].clone();
        let names: Vec<&str> = figures.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(names, PERIODS.map(|(name, _)| name));
        for (period, _) in PERIODS {
            let figure = |name: &str| number(&figures[period][name]);
            assert!(figure("minPlayers") <= figure("avgPlayers"), "{slug} {period}");
            assert!(figure("avgPlayers") <= figure("peakPlayers"), "{slug} {period}");
            assert!((0.0..=100.0).contains(&figure("uptimePct")), "{slug} {period}");
            let other = both(&format!("/servers/{slug}?period={period}")).await.data();
            assert_eq!(other["server"]["periodStats"], figures, "{slug} {period}");
        }
    }
}

#[tokio::test]
async fn vote_statistics_match_the_voters() {
    for listed in all_servers().await.iter().step_by(4) {
        let slug = text(&listed["slug"]);
        let voters = walk(&format!("/servers/{slug}/voters"), "voters", 100).await;
        let votes: Vec<&str> = voters.iter().map(|voter| text(&voter["votedAt"])).collect();
        for (period, length) in PERIODS {
            let server = both(&format!("/servers/{slug}?period={period}")).await.data()["server"].clone();
            let since = spaced(NOW - length);
            if period != "all-time" {
                let counted = votes.iter().filter(|at| **at >= since.as_str()).count();
                assert_eq!(server["voteStats"][period], counted, "{slug} {period}");
            }
            assert_eq!(server["voteStats"].as_object().map(|keys| keys.len()), Some(4));
            check_days(&server, &votes, &since);
        }
    }
}

/// Every day from the first of the period until today, with the number of votes.
fn check_days(server: &Value, votes: &[&str], since: &str) {
    let mut counted: BTreeMap<&str, u64> = BTreeMap::new();
    for at in votes.iter().filter(|at| at[..10] >= since[..10]) {
        *counted.entry(&at[..10]).or_default() += 1;
    }
    let days = items(&server["dailyVotes"]);
    let named: Vec<&str> = days.iter().map(|day| text(&day["day"])).collect();
    let first =
        if since.starts_with("1970") { counted.keys().next().copied().unwrap_or(&since[..10]) } else { &since[..10] };
    let start = rollcall_model::time::parse_iso(&format!("{first}T00:00:00Z")).expect("a day");
    let expected: Vec<String> = (start..=NOW).step_by(DAY as usize).map(day).collect();
    assert_eq!(named, expected, "{}", server["slug"]);
    for day in days {
        let votes = counted.get(text(&day["day"])).copied().unwrap_or_default();
        assert_eq!(day["votes"], votes, "{} {}", server["slug"], day["day"]);
    }
}

/// Inserts a bucket with a constant number of players.
fn bucket(conn: &mut Conn, table: &str, at: i64, width: i64, players: i64) -> rollcall_store::Result<()> {
    let sql = format!(
        "insert into {table} (server_n, at, watched_ms, online_ms, player_ms, peak, low)
         values ((select n from servers), $1, $2, $2, $3, $4, $4)"
    );
    conn.execute(&sql, values![at, width, width * players, players]).map(drop)
}

#[test]
fn a_long_history_has_wider_buckets() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &[named(0, "Old")]);
        change(&mut server.store.conn(), |conn, rev| {
            for minute in 0..1_440 {
                let sql = "insert into samples (server_n, at, online, players, latency)
                           values ((select n from servers), $1, $2, $3, $3)";
                conn.execute(sql, values![NOW - minute * MINUTE, true, 5_i64])?;
            }
            for five in 0..400 {
                bucket(conn, "samples_5m", NOW - five * 5 * MINUTE, 5 * MINUTE, 6)?;
            }
            for hour in 0..2_000 {
                bucket(conn, "samples_hour", NOW - hour * HOUR, HOUR, 7)?;
            }
            for day in 0..2_000 {
                bucket(conn, "samples_day", start_of_day(NOW) - day * DAY, DAY, 8)?;
            }
            conn.execute("update servers set rev = $1", values![rev]).map(drop)
        });
        for ((period, length), (players, points)) in
            PERIODS.into_iter().zip([(6, 289), (7, 169), (7, 721), (8, 90), (8, 667)])
        {
            let shown = |server: &Value| items(&server["statsHistory"]).len();
            let path = format!("/servers/server-0?period={period}");
            let response = server.run(server.until(&path, |response| shown(&response.data()["server"]) > 0)).data();
            let server = &response["server"];
            check_history(server, period, length);
            assert!(shown(server).abs_diff(points) <= 1, "{period}: {}", shown(server));
            assert!(items(&server["statsHistory"]).iter().all(|point| point["onlinePlayers"] == players), "{period}");
        }
    }
}

/// Adds a constant number of players to the buckets of every width.
fn add_players(conn: &mut Conn, from: i64, to: i64, players: i64) {
    let n: i64 = conn.query_one("select n from servers", values![], |row| row.get(0)).unwrap();
    let sample = PingSample { at: from, online: true, players, latency_ms: 9, tps: None };
    let pieces = split_into_buckets(&sample, to, to - from, FIVE_MINUTES);
    samples::add_to_rollups(conn, &pieces.map(|piece| (n, piece)).collect::<Vec<_>>()).unwrap();
}

#[test]
fn trend_compares_the_last_day_with_the_day_before() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &[named(0, "Growing")]);
        let conn = &mut server.store.conn();
        for (days, players, trend) in [(0, 15, 0.0), (1, 12, 25.0), (2, 900, 25.0)] {
            add_players(conn, NOW - (days + 1) * DAY, NOW - days * DAY, players);
            server_stats::refresh_all(conn, NOW).unwrap();
            server.run(server.until("/servers", |list| list.data()["servers"][0]["trend"] == trend));
        }
    }
}

/// A busy hour enters the last day and leaves it at the same minute.
#[test]
fn a_daily_rhythm_is_not_a_trend() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &[named(0, "Periodic")]);
        let conn = &mut server.store.conn();
        let now = NOW + 55 * MINUTE;
        for hour in -72..=0 {
            let at = NOW + hour * HOUR;
            add_players(conn, at, (at + HOUR).min(now), if hour % 24 == 0 { 600 } else { 20 });
        }
        server_stats::refresh_all(conn, now).unwrap();
        let list = server.run(server.until("/servers", |list| list.data()["servers"][0]["uptime"] == 100.0));
        assert_eq!(list.data()["servers"][0]["trend"], 0.0);
    }
}
