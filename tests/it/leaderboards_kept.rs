//! Leaderboards follow what happens in the store and what time does, on a server that keeps running.

use std::collections::HashMap;

use rollcall_model::time::{DAY, MINUTE, iso};
use rollcall_store::values;
use rollcall_store::{Conn, changes};
use serde_json::{Value, json};

use crate::harness::{Engine, NOW, Server, aside, every};

const PERIODS: [(&str, i64); 4] = [("24h", 1), ("7d", 7), ("30d", 30), ("90d", 90)];

fn change(server: &Server, work: impl FnOnce(&mut Conn, i64) + Send) {
    server.store.change(|conn| {
        let rev = changes::raise(conn)?;
        work(conn, rev);
        Ok(())
    });
}

fn ask<T: Send>(server: &Server, work: impl FnOnce(&mut Conn) -> T + Send) -> T {
    aside(|| work(&mut server.store.conn()))
}

/// Moves the clock and waits for the boards of that moment, which come one after the other.
async fn at(server: &Server, now: i64) {
    server.clock.set(now);
    for metric in ["best", "sessions", "servers"] {
        for period in PERIODS.iter().map(|(period, _)| *period).chain(["all-time"]) {
            let path = format!("/leaderboards?metric={metric}&period={period}&limit=1");
            server.until(&path, |answer| answer.data()["leaderboard"]["generatedAt"] == iso(now)).await;
        }
    }
}

async fn board(server: &Server, params: &str) -> Vec<Value> {
    every(server, &format!("/leaderboards?{params}"), "/leaderboard/entries", 100).await
}

/// Every board that counts is what a plain query counts at that moment.
async fn check(server: &Server, now: i64) {
    for (period, days) in PERIODS {
        for (metric, count) in [("sessions", "count(*)"), ("servers", "count(distinct x.server_n)")] {
            let sql = format!(
                "select p.id, {count} from sessions x join players p on p.n = x.player_n
                 join servers s on s.n = x.server_n and s.visibility = 'PUBLIC'
                 where x.joined_at >= $1 group by p.id"
            );
            let since = now - days * DAY;
            let counted = ask(server, |conn| conn.query(&sql, values![since], |row| (row.get(0), row.get(1))).unwrap());
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
async fn a_session_that_goes_on_moves_its_player() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let last = board(&server, "period=24h").await.pop().unwrap()["player"].clone();
        let id = last["id"].as_str().unwrap().to_owned();
        let now = NOW + MINUTE;
        change(&server, |conn, rev| {
            let seconds = 10_000_000i64;
            let session: i64 = conn
                .one(
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
        at(&server, now).await;
        for (period, _) in PERIODS.into_iter().chain([("all-time", 0)]) {
            let first = &board(&server, &format!("period={period}")).await[0];
            assert_eq!((&first["rank"], &first["player"]["id"]), (&json!(1), &json!(id)), "{period}");
        }
        assert_eq!(server.get(&format!("/players/{id}")).await.data()["player"]["rank"], 1);
        check(&server, now).await;
    }
}

#[tokio::test]
async fn who_comes_later_is_on_the_boards_where_he_belongs() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let now = NOW + MINUTE;
        change(&server, |conn, rev| {
            // The same as another but for the id, and so the equal of him on every board.
            let columns = "nickname, nickname_key, skin, skin_model, linked_skin_n, tier_overall, tier_points, created_at, \
                           updated_at, last_seen_at, total_play_time, session_count, servers_count, total_kills, \
                           total_deaths, total_wins, vote_count, review_count, achievements";
            let other: i64 = conn.one("select min(n) from players", &[], |row| row.get(0)).unwrap();
            let sql = format!(
                "insert into players (id, game_uuid, rev, {columns})
                 select 'newcomer', 'newcomer', $1, {columns} from players where n = $2"
            );
            conn.execute(&sql, values![rev, other]).unwrap();
            let n: i64 = conn.one("select n from players where id = 'newcomer'", &[], |row| row.get(0)).unwrap();
            for (table, columns) in [
                ("sessions", "server_n, joined_at, left_at, play_time"),
                ("player_stats", "server_n, at, stats_json, kills_gain, deaths_gain, wins_gain"),
            ] {
                let sql = format!(
                    "insert into {table} (id, player_n, {columns}) select 'new' || id, $1, {columns} from {table}
                     where player_n = $2"
                );
                conn.execute(&sql, values![n, other]).unwrap();
            }
        });
        at(&server, now).await;
        check(&server, now).await;
        for (period, _) in PERIODS.into_iter().chain([("all-time", 0)]) {
            let entries = board(&server, &format!("period={period}")).await;
            let Some(place) = entries.iter().position(|entry| entry["player"]["id"] == "newcomer") else {
                assert_eq!(period, "24h", "he did play");
                continue;
            };
            let equal = |key: &str| entries.iter().filter(|entry| entry[key] == entries[place][key]).count();
            assert_eq!((equal("rank"), equal("value")), (2, 2), "{period}");
            // He has the higher number.
            assert_eq!(entries[place - 1]["rank"], entries[place]["rank"], "{period}");
        }
    }
}

#[tokio::test]
async fn what_is_longer_ago_than_a_period_no_longer_counts() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        check(&server, NOW).await;
        let moments: Vec<i64> = ask(&server, |conn| {
            let sql = "select joined_at from sessions where joined_at > $1 order by joined_at";
            conn.query(sql, values![NOW - DAY + 2 * MINUTE], |row| row.get(0)).unwrap()
        });
        // The last moment at which the first of them counts, the first at which the next does not, and much later.
        let next = moments.iter().find(|moment| **moment > moments[0] + MINUTE).unwrap();
        for now in [moments[0] + DAY, next + DAY + 1, NOW + 2 * DAY, NOW + 8 * DAY, NOW + 200 * DAY, NOW] {
            at(&server, now).await;
            check(&server, now).await;
        }
    }
}

#[tokio::test]
async fn a_server_that_is_hidden_later_no_longer_counts() {
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
        at(&server, NOW + MINUTE).await;
        check(&server, NOW + MINUTE).await;
        assert_ne!(board(&server, "period=7d").await, before);
        turn("PUBLIC");
        at(&server, NOW).await;
        check(&server, NOW).await;
        assert_eq!(board(&server, "period=7d").await, before);
    }
}

/// Waits until the store keeps what the boards knew at that moment.
async fn kept_at(server: &Server, now: i64) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    let head = |conn: &mut Conn| conn.first("select at from standings_head", &[], |row| row.get::<i64>(0)).unwrap();
    while ask(server, head) != Some(now) {
        assert!(std::time::Instant::now() < deadline, "nothing of {now} is kept");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// Everything the boards show, whenever they were made.
async fn shown(server: &Server) -> Vec<Vec<Value>> {
    let mut boards = Vec::new();
    for metric in ["best", "sessions", "servers"] {
        for (period, _) in PERIODS.into_iter().chain([("all-time", 0)]) {
            boards.push(board(server, &format!("metric={metric}&period={period}")).await);
        }
    }
    boards
}

/// Plays once more, as the tracker would write it.
fn plays(server: &Server, now: i64) {
    change(server, |conn, rev| {
        let n: i64 = conn.one("select max(n) from players", &[], |row| row.get(0)).unwrap();
        conn.execute(
            "insert into sessions (id, player_n, server_n, joined_at, left_at, play_time)
             select 'later', $1, min(n), $2, $2, 60 from servers where visibility = 'PUBLIC'",
            values![n, now],
        )
        .unwrap();
        let sql = "update players set session_count = session_count + 1, rev = $1 where n = $2";
        conn.execute(sql, values![rev, n]).unwrap();
    });
}

#[tokio::test]
async fn a_start_goes_on_from_what_was_kept() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        kept_at(&server, NOW).await;
        // Once an hour.
        at(&server, NOW + 59 * MINUTE).await;
        let now = NOW + 60 * MINUTE;
        at(&server, now).await;
        kept_at(&server, now).await;
        let before = shown(&server).await;
        // What nobody is told of is not counted anew, so whoever shows the same has gone on.
        let stop = |server: Server| aside(|| server.stop());
        let store = stop(server);
        store.change(|conn| conn.batch("create table aside as select * from sessions; delete from sessions"));
        let server = Server::over(store, now);
        assert_eq!(shown(&server).await, before);
        let store = stop(server);
        store.change(|conn| conn.batch("insert into sessions select * from aside; drop table aside"));
        // What happened since is counted in.
        let later = now + 5 * MINUTE;
        let server = Server::over(store, now);
        plays(&server, later - MINUTE);
        let server = Server::over(stop(server), later);
        check(&server, later).await;
        assert_ne!(shown(&server).await, before);
        // After a long time nearly everybody has moved.
        let much_later = now + 3 * DAY;
        let server = Server::over(stop(server), much_later);
        check(&server, much_later).await;
    }
}

#[tokio::test]
async fn what_cannot_be_gone_on_from_is_counted() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let now = NOW;
        kept_at(&server, now).await;
        let before = shown(&server).await;
        let mut store = aside(|| server.stop());
        for harm in [
            "delete from standings where part = 3",
            "update standings set points = substr(points, 2) where part = 2",
            "update standings_head set reckoning = reckoning + 1",
            "update standings_head set players = players - 1",
            "update standings_head set players = 4000000000",
            "update standings_head set epoch = epoch - 1",
            "update standings_head set rev = rev + 1000",
            "delete from standings",
        ] {
            store.change(|conn| {
                conn.batch("create table whole as select * from standings")?;
                conn.batch("create table whole_head as select * from standings_head")?;
                conn.batch(harm)
            });
            let server = Server::over(store, now);
            assert_eq!(shown(&server).await, before, "{harm}");
            store = aside(|| server.stop());
            store.change(|conn| {
                for table in ["standings", "standings_head"] {
                    let (of, whole) = (table, table.replace("standings", "whole"));
                    conn.batch(&format!(
                        "delete from {of}; insert into {of} select * from {whole}; drop table {whole}"
                    ))?;
                }
                Ok(())
            });
        }
    }
}
