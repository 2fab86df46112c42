//! Players seen on servers, and the sessions that this makes, on both engines.

use rollcall_model::time::MINUTE;
use rollcall_ping::Seen;
use rollcall_store::changes;
use rollcall_store::presence::{Sighting, keep};

use crate::harness::{Engine, NOW, Server};

/// More than are looked up in one question.
const CROWD: usize = 600;

/// A crowd with one id twice, under two names, and somebody who has none.
fn crowd() -> Vec<Seen> {
    let uuid = |i: usize| Some(format!("{i:08x}-0000-4000-8000-000000000000"));
    let mut seen: Vec<Seen> = (0..CROWD).map(|i| Seen { name: format!("Player{i}"), uuid: uuid(i) }).collect();
    seen.push(Seen { name: "Twin".into(), uuid: uuid(0) });
    seen.push(Seen { name: "Nameless".into(), uuid: None });
    seen
}

#[test]
fn a_crowd_that_stays_has_one_session_each_and_who_comes_back_another() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let (server_n, before): (i64, i64) = server.store.change(|conn| {
            conn.one("select min(n), (select count(*) from sessions) from servers", &[], |row| (row.get(0), row.get(1)))
        });
        let sessions = |at: i64| -> (usize, i64, i64) {
            let sighting =
                Sighting { server_n, is_public: true, at, grace: 3 * MINUTE, seen: crowd(), most_new: 2_000 };
            let made = server.store.change(|conn| {
                let rev = changes::raise(conn)?;
                keep(conn, &[sighting], rev)
            });
            let (count, lasted) = server.store.change(|conn| {
                let sql = format!(
                    "select count(*), coalesce(max(left_at - joined_at), 0) from sessions
                     where server_n = {server_n} and left_at = {at}"
                );
                conn.one(&sql, &[], |row| (row.get(0), row.get(1)))
            });
            (made[0], count, lasted)
        };
        let all = CROWD as i64 + 1;
        assert_eq!(sessions(NOW), (CROWD + 1, all, 0), "{engine:?}");
        assert_eq!(sessions(NOW + MINUTE), (0, all, MINUTE), "{engine:?}");
        assert_eq!(sessions(NOW + 2 * MINUTE), (0, all, 2 * MINUTE), "{engine:?}");
        assert_eq!(sessions(NOW + 60 * MINUTE), (0, all, 0), "{engine:?}: they were away");
        let after: i64 = server.store.change(|conn| conn.one("select count(*) from sessions", &[], |row| row.get(0)));
        assert_eq!(after - before, 2 * all, "{engine:?}");
    }
}
