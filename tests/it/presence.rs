//! Players listed by servers become sessions.

use rollcall_minecraft::ListedPlayer;
use rollcall_model::time::MINUTE;
use rollcall_model::trust::SourceTrust;
use rollcall_store::presence::{PlayerSighting, Source, record};
use rollcall_store::{revision, values};

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

/// Each server is a source of its own.
fn source(server_n: i64) -> Source {
    let (host, address) = (format!("s{server_n}.example"), String::new());
    Source { server_n, host, address, trust: SourceTrust::Sampled }
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
                source: source(server_n),
                is_trust_set: false,
                is_public: true,
                at,
                grace: 3 * MINUTE,
                players: players(),
                is_complete: false,
                before: Vec::new(),
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
            (made[0].new_players, count, lasted)
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

/// The players who are online on a server.
fn sighting(server_n: i64, at: i64, names: &[&str]) -> PlayerSighting {
    let listed = |name: &&str| ListedPlayer { name: (*name).into(), uuid: Some(uuid_of(name)) };
    PlayerSighting {
        source: source(server_n),
        is_trust_set: false,
        is_public: true,
        at,
        grace: 30 * MINUTE,
        players: names.iter().map(listed).collect(),
        is_complete: false,
        before: Vec::new(),
        max_new_players: 2_000,
    }
}

fn uuid_of(name: &str) -> String {
    format!(
        "{:08x}-0000-4000-8000-000000000001",
        name.bytes().fold(7_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)))
    )
}

#[test]
fn sessions_of_over_a_day_while_players_join_two_other_servers_are_evidence() {
    const ALWAYS_THERE: [&str; 3] = ["Ann", "Bea", "Cid"];
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let numbers: Vec<i64> =
            server.store.change(|conn| conn.query("select n from servers order by n limit 3", &[], |row| row.get(0)));
        let [liar, first, second] = numbers[..] else { panic!("three servers") };
        let see = |sighting: PlayerSighting| {
            let recorded = server.store.change(|conn| {
                let rev = revision::bump(conn)?;
                record(conn, std::slice::from_ref(&sighting), rev)
            });
            recorded[0].suspicion.clone()
        };
        let mut at = NOW;
        while at <= NOW + 24 * 60 * MINUTE {
            assert_eq!(see(sighting(liar, at, &ALWAYS_THERE)), None, "{engine:?}");
            at += 20 * MINUTE;
        }
        see(sighting(first, at, &ALWAYS_THERE));
        assert_eq!(see(sighting(liar, at, &ALWAYS_THERE)), None, "{engine:?}: one other server is no evidence");
        at += 20 * MINUTE;
        see(sighting(second, at, &ALWAYS_THERE));
        let counted = PlayerSighting { is_trust_set: true, ..sighting(liar, at, &ALWAYS_THERE) };
        assert_eq!(see(counted), None, "{engine:?}: the operator decided");
        at += MINUTE;
        let evidence = "lists 3 of 3 ids for over a day without a break while they joined other servers";
        assert_eq!(see(sighting(liar, at, &ALWAYS_THERE)).as_deref(), Some(evidence), "{engine:?}");
        let last_seen: i64 = server.store.change(|conn| {
            let sql = format!("select max(left_at) from sessions where server_n = {liar}");
            conn.query_one(&sql, &[], |row| row.get(0))
        });
        assert_eq!(last_seen, at - MINUTE, "{engine:?}: the list was not recorded");
    }
}

fn three_servers(server: &Server) -> [i64; 3] {
    let numbers: Vec<i64> =
        server.store.change(|conn| conn.query("select n from servers order by n limit 3", &[], |row| row.get(0)));
    numbers.try_into().expect("three servers")
}

fn see(server: &Server, sighting: &PlayerSighting) -> Option<String> {
    let recorded = server.store.change(|conn| {
        let rev = revision::bump(conn)?;
        record(conn, std::slice::from_ref(sighting), rev)
    });
    recorded[0].suspicion.clone()
}

#[test]
fn a_few_nicknames_among_many_players_are_no_evidence() {
    let names: Vec<String> = (0..20).map(|i| format!("Real{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let [own, first, second] = three_servers(&server);
        let listed = |at: i64, nicknamed: usize| {
            let mut sighting = sighting(own, at, &names);
            for player in &mut sighting.players[..nicknamed] {
                player.name = format!("Nick{}", player.name);
            }
            // Floodgate's prefix is no other name.
            for player in &mut sighting.players[nicknamed..] {
                player.name = format!(".{}", player.name);
            }
            sighting
        };
        for nicknamed in [3, 10, 11] {
            let start = NOW + nicknamed as i64 * 120 * MINUTE;
            let mut evidence = None;
            // Names are compared at once if they differ, and all of them every hour.
            for minute in [0, 1, 2, 61, 62] {
                let at = start + minute * MINUTE;
                for other in [first, second] {
                    assert_eq!(see(&server, &sighting(other, at, &names)), None, "{engine:?}");
                }
                evidence = evidence.or(see(&server, &listed(at, nicknamed)));
            }
            let expected = "lists 11 of 20 ids under names that other servers contradict";
            assert_eq!(evidence.as_deref(), (nicknamed > 10).then_some(expected), "{engine:?}: {nicknamed}");
        }
    }
}

#[test]
fn play_time_between_two_servers_counts_as_it_is_recomputed() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let [a, b, _] = three_servers(&server);
        for (server_n, minute) in [(a, 0), (b, 5), (b, 12), (a, 20)] {
            see(&server, &sighting(server_n, NOW + minute * MINUTE, &["Traveller"]));
        }
        let times = || -> (i64, i64) {
            let sql = "select p.total_play_time, (select cast(sum(x.play_time) as bigint) from sessions x where x.player_n = p.n)
                       from players p where p.nickname = 'Traveller'";
            server.store.change(|conn| conn.query_one(sql, &[], |row| (row.get(0), row.get(1))))
        };
        assert_eq!(times(), (20 * 60, 20 * 60), "{engine:?}");
        let slug: String = server
            .store
            .change(|conn| conn.query_one("select slug from servers where n = $1", values![b], |row| row.get(0)));
        for visibility in ["unlisted", "public"] {
            let output = server.store.rollcall(&["server", "set", &slug, "--visibility", visibility]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        assert_eq!(times(), (20 * 60, 20 * 60), "{engine:?}: recomputed");
    }
}
