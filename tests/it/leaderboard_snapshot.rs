//! The stored leaderboard snapshot that a start continues from.

use rollcall_model::time::{DAY, MINUTE};
use rollcall_store::{Conn, values};
use serde_json::Value;

use crate::harness::{Engine, NOW, Server, run_blocking, until};
use crate::leaderboard_updates::{PERIODS, board, change, check, read_store, set_time};

/// Waits until the snapshot of that time is stored.
async fn until_snapshot(server: &Server, now: i64) {
    let head =
        |conn: &mut Conn| conn.query_optional("select at from standings_head", &[], |row| row.get::<i64>(0)).unwrap();
    until(async || match read_store(server, head) {
        Some(at) if at == now => Ok(()),
        at => Err(format!("the snapshot of {at:?} is stored, not of {now}")),
    })
    .await;
}

/// The entries of all boards.
async fn all_boards(server: &Server) -> Vec<Vec<Value>> {
    let mut boards = Vec::new();
    for metric in ["best", "sessions", "servers"] {
        for (period, _) in PERIODS.into_iter().chain([("all-time", 0)]) {
            boards.push(board(server, &format!("metric={metric}&period={period}")).await);
        }
    }
    boards
}

/// Adds a session, as the tracker would.
fn add_session(server: &Server, now: i64) {
    change(server, |conn, rev| {
        let n: i64 = conn.query_one("select max(n) from players", &[], |row| row.get(0)).unwrap();
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
#[ignore = "slow, ./test runs it"]
async fn a_start_continues_from_the_snapshot() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        until_snapshot(&server, NOW).await;
        // A snapshot is stored once an hour.
        set_time(&server, NOW + 59 * MINUTE).await;
        let now = NOW + 60 * MINUTE;
        set_time(&server, now).await;
        until_snapshot(&server, now).await;
        let before = all_boards(&server).await;
        // Without sessions the same boards can only come from the snapshot.
        let stop = |server: Server| run_blocking(|| server.stop());
        let store = stop(server);
        store.change(|conn| {
            conn.execute_batch("create table moved_sessions as select * from sessions; delete from sessions")
        });
        let server = Server::over(store, now);
        assert_eq!(all_boards(&server).await, before);
        let store = stop(server);
        store.change(|conn| {
            conn.execute_batch("insert into sessions select * from moved_sessions; drop table moved_sessions")
        });
        // Sessions after the snapshot count.
        let later = now + 5 * MINUTE;
        let server = Server::over(store, now);
        add_session(&server, later - MINUTE);
        let server = Server::over(stop(server), later);
        check(&server, later).await;
        assert_ne!(all_boards(&server).await, before);
        // After a long time nearly every player has moved.
        let much_later = now + 3 * DAY;
        let server = Server::over(stop(server), much_later);
        check(&server, much_later).await;
    }
}

#[tokio::test]
#[ignore = "slow, ./test runs it"]
async fn an_invalid_snapshot_is_ignored() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let now = NOW;
        until_snapshot(&server, now).await;
        let before = all_boards(&server).await;
        let mut store = run_blocking(|| server.stop());
        for damage in [
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
                conn.execute_batch("create table whole as select * from standings")?;
                conn.execute_batch("create table whole_head as select * from standings_head")?;
                conn.execute_batch(damage)
            });
            let server = Server::over(store, now);
            assert_eq!(all_boards(&server).await, before, "{damage}");
            store = run_blocking(|| server.stop());
            store.change(|conn| {
                for table in ["standings", "standings_head"] {
                    let (of, whole) = (table, table.replace("standings", "whole"));
                    conn.execute_batch(&format!(
                        "delete from {of}; insert into {of} select * from {whole}; drop table {whole}"
                    ))?;
                }
                Ok(())
            });
        }
    }
}
