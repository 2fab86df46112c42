//! Leaderboards of a running server follow changes of the store and the passing of time.

use std::collections::HashMap;

use rollcall_model::time::{DAY, MINUTE, iso};
use rollcall_store::values;
use rollcall_store::{Conn, revision};
use serde_json::{Value, json};

use crate::harness::{Engine, NOW, Server, every, run_blocking};

pub const PERIODS: [(&str, i64); 4] = [("24h", 1), ("7d", 7), ("30d", 30), ("90d", 90)];

pub fn change(server: &Server, work: impl FnOnce(&mut Conn, i64) + Send) {
    server.store.change(|conn| {
        let rev = revision::bump(conn)?;
        work(conn, rev);
        Ok(())
    });
}

pub fn read_store<T: Send>(server: &Server, work: impl FnOnce(&mut Conn) -> T + Send) -> T {
    run_blocking(|| work(&mut server.store.conn()))
}

/// Sets the clock and waits until every board is computed for that time.
pub async fn set_time(server: &Server, now: i64) {
    server.clock.set(now);
    for metric in ["best", "sessions", "servers"] {
        for period in PERIODS.iter().map(|(period, _)| *period).chain(["all-time"]) {
            let path = format!("/leaderboards?metric={metric}&period={period}&limit=1");
            server.until(&path, |response| response.data()["leaderboard"]["generatedAt"] == iso(now)).await;
        }
    }
}

pub async fn board(server: &Server, params: &str) -> Vec<Value> {
    every(server, &format!("/leaderboards?{params}"), "/leaderboard/entries", 100).await
}

/// Compares the counting boards with a plain query.
pub async fn check(server: &Server, now: i64) {
    for (period, days) in PERIODS {
        for (metric, count) in [("sessions", "count(*)"), ("servers", "count(distinct x.server_n)")] {
            let sql = format!(
                "select p.id, {count} from sessions x join players p on p.n = x.player_n
                 join servers s on s.n = x.server_n and s.visibility = 'PUBLIC'
                 where x.joined_at >= $1 group by p.id"
            );
            let since = now - days * DAY;
            let counted =
                read_store(server, |conn| conn.query(&sql, values![since], |row| (row.get(0), row.get(1))).unwrap());
            let counted: HashMap<String, i64> = counted.into_iter().collect();
            let shown = board(server, &format!("metric={metric}&period={period}")).await;
            let shown = shown.iter().map(|entry| {
                (entry["player"]["id"].as_str().unwrap().to_owned(), entry["value"].as_f64().unwrap() as i64)
            });
            assert_eq!(shown.collect::<HashMap<_, _>>(), counted, "{metric} {period}");
        }
    }
}

#[tokio::test]
async fn a_longer_session_moves_its_player() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let last = board(&server, "period=24h").await.pop().unwrap()["player"].clone();
        let id = last["id"].as_str().unwrap().to_owned();
        let now = NOW + MINUTE;
        change(&server, |conn, rev| {
            let seconds = 10_000_000i64;
            let session: i64 = conn
                .query_one(
                    "select max(x.n) from sessions x join players p on p.n = x.player_n
                     join servers s on s.n = x.server_n and s.visibility = 'PUBLIC'
                     where p.id = $1 and x.joined_at >= $2",
                    values![&id, now - DAY],
                    |row| row.get(0),
                )
                .unwrap();
            conn.execute(
                "update sessions set play_time = play_time + $1, left_at = left_at + 60000 where n = $2",
                values![seconds, session],
            )
            .unwrap();
            conn.execute(
                "update players set total_play_time = total_play_time + $1, rev = $2 where id = $3",
                values![seconds, rev, &id],
            )
            .unwrap();
        });
        set_time(&server, now).await;
        for (period, _) in PERIODS.into_iter().chain([("all-time", 0)]) {
            let first = &board(&server, &format!("period={period}")).await[0];
            assert_eq!((&first["rank"], &first["player"]["id"]), (&json!(1), &json!(id)), "{period}");
        }
        assert_eq!(server.get(&format!("/players/{id}")).await.data()["player"]["rank"], 1);
        check(&server, now).await;
    }
}

#[tokio::test]
async fn a_new_player_is_ranked() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let now = NOW + MINUTE;
        change(&server, |conn, rev| {
            // A copy of another player, and so tied with them on every board.
            let columns = "nickname, nickname_key, skin, skin_model, linked_skin_n, tier_overall, tier_points, created_at, \
                           updated_at, last_seen_at, total_play_time, session_count, servers_count, total_kills, \
                           total_deaths, total_wins, vote_count, review_count, achievements";
            let other: i64 = conn.query_one("select min(n) from players", &[], |row| row.get(0)).unwrap();
            let sql = format!(
                "insert into players (id, game_uuid, rev, {columns})
                 select 'new-player', '0e57ab1e-0000-4000-8000-000000000001', $1, {columns} from players where n = $2"
            );
            conn.execute(&sql, values![rev, other]).unwrap();
            let n: i64 =
                conn.query_one("select n from players where id = 'new-player'", &[], |row| row.get(0)).unwrap();
            for (table, columns) in [
                ("sessions", "server_n, joined_at, left_at, play_time, full_time"),
                ("player_stats", "server_n, at, stats_json, kills_gain, deaths_gain, wins_gain"),
            ] {
                let sql = format!(
                    "insert into {table} (id, player_n, {columns}) select 'new' || id, $1, {columns} from {table}
                     where player_n = $2"
                );
                conn.execute(&sql, values![n, other]).unwrap();
            }
        });
        set_time(&server, now).await;
        check(&server, now).await;
        for (period, _) in PERIODS.into_iter().chain([("all-time", 0)]) {
            let entries = board(&server, &format!("period={period}")).await;
            let Some(place) = entries.iter().position(|entry| entry["player"]["id"] == "new-player") else {
                assert_eq!(period, "24h", "the player has sessions in the longer periods");
                continue;
            };
            let equal = |key: &str| entries.iter().filter(|entry| entry[key] == entries[place][key]).count();
            assert_eq!((equal("rank"), equal("value")), (2, 2), "{period}");
            // Ties are ordered by row number, and the new player has the higher one.
            assert_eq!(entries[place - 1]["rank"], entries[place]["rank"], "{period}");
        }
    }
}

#[tokio::test]
async fn sessions_older_than_the_period_no_longer_count() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        check(&server, NOW).await;
        let moments: Vec<i64> = read_store(&server, |conn| {
            let sql = "select joined_at from sessions where joined_at > $1 order by joined_at";
            conn.query(sql, values![NOW - DAY + 2 * MINUTE], |row| row.get(0)).unwrap()
        });
        // The last time at which the first session counts, the first at which the next does not, and much later.
        let next = moments.iter().find(|moment| **moment > moments[0] + MINUTE).unwrap();
        for now in [moments[0] + DAY, next + DAY + 1, NOW + 2 * DAY, NOW + 8 * DAY, NOW + 200 * DAY, NOW] {
            set_time(&server, now).await;
            check(&server, now).await;
        }
    }
}

#[tokio::test]
async fn an_unlisted_server_no_longer_counts() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let before = board(&server, "period=7d").await;
        let turn = |visibility: &'static str| {
            change(&server, move |conn, rev| {
                let sql = "update servers set visibility = $1, rev = $2 where n in
                           (select server_n from sessions group by server_n order by count(*) desc, server_n limit 3)";
                conn.execute(sql, values![visibility, rev]).unwrap();
            });
        };
        turn("UNLISTED");
        set_time(&server, NOW + MINUTE).await;
        check(&server, NOW + MINUTE).await;
        assert_ne!(board(&server, "period=7d").await, before);
        turn("PUBLIC");
        set_time(&server, NOW).await;
        check(&server, NOW).await;
        assert_eq!(board(&server, "period=7d").await, before);
    }
}
