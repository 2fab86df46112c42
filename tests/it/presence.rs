//! Players listed by servers become sessions.

use rollcall_model::time::MINUTE;
use rollcall_ping::ListedPlayer;
use rollcall_store::presence::{PlayerSighting, record};
use rollcall_store::revision;

use crate::harness::{Engine, NOW, Server};

/// More than one lookup query takes.
const PLAYERS: usize = 600;

/// Distinct players, one UUID twice under two names, and one name without a UUID.
fn players() -> Vec<ListedPlayer> {
    let uuid = |i: usize| Some(format!("{i:08x}-0000-4000-8000-000000000000"));
    let mut seen: Vec<ListedPlayer> =
        (0..PLAYERS).map(|i| ListedPlayer { name: format!("Player{i}"), uuid: uuid(i) }).collect();
    seen.push(ListedPlayer { name: "Twin".into(), uuid: uuid(0) });
    seen.push(ListedPlayer { name: "Nameless".into(), uuid: None });
    seen
}

#[test]
fn players_who_stay_have_one_session_and_a_second_after_a_break() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let (server_n, before): (i64, i64) = server.store.change(|conn| {
            conn.query_one("select min(n), (select count(*) from sessions) from servers", &[], |row| {
                (row.get(0), row.get(1))
            })
        });
        let sessions = |at: i64| -> (usize, i64, i64) {
            let sighting = PlayerSighting {
                server_n,
                is_public: true,
                at,
                grace: 3 * MINUTE,
                players: players(),
                max_new_players: 2_000,
            };
            let made = server.store.change(|conn| {
                let rev = revision::bump(conn)?;
                record(conn, &[sighting], rev)
            });
            let (count, lasted) = server.store.change(|conn| {
                let sql = format!(
                    "select count(*), coalesce(max(left_at - joined_at), 0) from sessions
                     where server_n = {server_n} and left_at = {at}"
                );
                conn.query_one(&sql, &[], |row| (row.get(0), row.get(1)))
            });
            (made[0], count, lasted)
        };
        let all = PLAYERS as i64 + 1;
        assert_eq!(sessions(NOW), (PLAYERS + 1, all, 0), "{engine:?}");
        assert_eq!(sessions(NOW + MINUTE), (0, all, MINUTE), "{engine:?}");
        assert_eq!(sessions(NOW + 2 * MINUTE), (0, all, 2 * MINUTE), "{engine:?}");
        assert_eq!(sessions(NOW + 60 * MINUTE), (0, all, 0), "{engine:?}: a new session after the break");
        let after: i64 =
            server.store.change(|conn| conn.query_one("select count(*) from sessions", &[], |row| row.get(0)));
        assert_eq!(after - before, 2 * all, "{engine:?}");
    }
}
