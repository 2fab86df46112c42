//! Sessions that run are shown and counted as if each poll had written them.

use std::collections::BTreeSet;

use rollcall::tracker::{CompletedPoll, PollOutcome, PollSchedule, ReportedInfo, SanitizedStatus, persist_batch};
use rollcall_minecraft::ListedPlayer;
use rollcall_store::tracking::{self, ClaimedPoll};
use rollcall_store::{Conn, player_sessions, players, samples};
use serde_json::Value;

use crate::harness::{Engine, NOW, Server, Store};

const MINUTE: i64 = 60_000;
const LENGTH: i64 = 10 * 60 * MINUTE;
const SERVERS: i64 = 4;
const PLAYERS: i64 = 14;

/// A number below `end` that follows from these.
fn pick(parts: [i64; 3], end: i64) -> i64 {
    let mix = |hash: u64, part: &i64| (hash ^ part.cast_unsigned()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    ((parts.iter().fold(0x5bd1_e995, mix) >> 17) % end.cast_unsigned()).cast_signed()
}

/// Whether a player is on a server: visits of some minutes to hours, sometimes on two servers at once.
fn is_there(server_n: i64, player: i64, at: i64) -> bool {
    let visit = at / ((7 + player * 9) * MINUTE);
    let home = pick([player, visit, 1], SERVERS + 1);
    let second = pick([player, visit, 2], 3 * SERVERS);
    // Gaps of one or a few minutes.
    let is_missed = pick([player, at / MINUTE, server_n], 25) == 0;
    (home == server_n || second == server_n) && !is_missed
}

/// What server `server_n` replies. The lists of the third are samples, those of the fourth are so at times.
fn completed(claim: ClaimedPoll, at: i64) -> CompletedPoll {
    let n = claim.server_n;
    let hour = at / (60 * MINUTE);
    let is_down = pick([n, at / (4 * MINUTE), 3], 30) == 0 || pick([n, hour, 4], 25) == 0;
    let there: Vec<i64> = (0..PLAYERS).filter(|player| is_there(n, *player, at)).collect();
    let is_complete = n != 3 && (n != 4 || hour % 3 != 0);
    let listed =
        there.iter().filter(|player| is_complete || pick([**player, at, 5], 3) > 0).map(|player| ListedPlayer {
            name: format!("Player{player}"),
            uuid: Some(format!("{player:08x}-0000-4000-8000-00000000000a")),
        });
    let status = SanitizedStatus {
        players: there.len() as i64,
        max_players: 100,
        listed: listed.collect(),
        list_is_complete: is_complete,
        ..SanitizedStatus::default()
    };
    let outcome = match is_down {
        true => PollOutcome::Failed { reason: "refused" },
        false => PollOutcome::Replied { status, latency_ms: 20 },
    };
    CompletedPoll { claim, at, outcome, info: ReportedInfo::default(), new_player_limit: 100 }
}

fn new_store(engine: Engine) -> Store {
    let store = Store::new(engine);
    for n in 1..=SERVERS {
        let added = store.rollcall(&["server", "add", &format!("s{n}.example"), "--name", &format!("Server {n}")]);
        assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    }
    store.change(|conn| tracking::start_tracking(conn, -1, |_, _| NOW - LENGTH));
    store
}

fn poll(conn: &mut Conn, now: i64) {
    let schedule = PollSchedule::new(MINUTE, SERVERS);
    let next = |n: i64, since: Option<i64>| schedule.next_due(n, now, schedule.pause(since, now));
    let due = conn.transaction(|conn| tracking::claim(conn, now, 100, next)).unwrap();
    let mut batch: Vec<CompletedPoll> = due.into_iter().map(|due| completed(due, now)).collect();
    // Of two servers with the same player, the first one counts the time.
    batch.sort_by_key(|poll| poll.claim.server_n);
    // Some batches are lost, as in a crash.
    let outcome = conn.transaction(|conn| {
        persist_batch(conn, &batch, schedule, true)?;
        if pick([now, 6, 6], 50) == 0 { Err(rollcall_store::Error::Busy) } else { Ok(()) }
    });
    assert!(matches!(outcome, Ok(()) | Err(rollcall_store::Error::Busy)), "{outcome:?}");
}

/// Sessions and totals of every player, without what is random.
fn shown(conn: &mut Conn) -> Vec<String> {
    let mut shown = Vec::new();
    for player in 0..PLAYERS {
        let uuid = format!("{player:08x}-0000-4000-8000-00000000000a");
        let Some(row) = players::by_uuid(conn, &uuid).unwrap() else { continue };
        let totals = (row.total_play_time, row.session_count, row.servers_count, row.achievements, row.updated_at);
        shown.push(format!("{player}: {totals:?}"));
        let sessions = player_sessions::recent_of_player(conn, row.n, 1_000).unwrap();
        let sessions: BTreeSet<_> =
            sessions.iter().map(|s| (s.joined_at, s.server_n, s.left_at, s.play_time)).collect();
        shown.extend(sessions.iter().map(|session| format!("{player}: {session:?}")));
    }
    shown
}

fn without_ids(mut response: Value) -> Value {
    match &mut response {
        Value::Array(items) => items.iter_mut().for_each(|item| *item = without_ids(item.take())),
        Value::Object(fields) => {
            fields.remove("id");
            fields.values_mut().for_each(|value| *value = without_ids(value.take()));
        }
        _ => {}
    }
    response
}

#[test]
#[ignore = "slow, ./test runs it"]
fn running_sessions_are_shown_as_if_each_poll_wrote_them_on_sqlite() {
    are_shown_as_if_each_poll_wrote_them(Engine::Sqlite);
}

#[test]
#[ignore = "slow, ./test runs it"]
fn running_sessions_are_shown_as_if_each_poll_wrote_them_on_postgresql() {
    are_shown_as_if_each_poll_wrote_them(Engine::Postgres);
}

fn are_shown_as_if_each_poll_wrote_them(engine: Engine) {
    let (running, written) = (new_store(engine), new_store(engine));
    let (mut conn, mut other) = (running.conn(), written.conn());
    let (mut now, mut most) = (NOW - LENGTH, 0);
    while now < NOW {
        poll(&mut conn, now);
        poll(&mut other, now);
        samples::write_pending(&mut other).unwrap();
        if pick([now, 7, 7], 20) == 0 {
            assert_eq!(shown(&mut conn), shown(&mut other), "{engine:?} at {now}");
            let sql = "select count(*) from running_sessions";
            most = conn.query_one(sql, &[], |row| row.get::<i64>(0)).unwrap().max(most);
        }
        now += 11_000 + pick([now, 8, 8], 9_000);
    }
    assert!(most >= 4, "{engine:?}: some sessions run");
    drop((conn, other));
    let (running, written) = (Server::over(running, NOW), Server::over(written, NOW));
    for path in ["/players?sort=playtime&limit=50", "/leaderboards", "/leaderboards?period=24h"] {
        let [found, expected] = [&running, &written].map(|server| without_ids(server.run(server.get(path)).data()));
        assert_eq!(found, expected, "{engine:?} {path}");
    }
    running.store.change(samples::write_pending);
    let rows = |server: &Server| -> Vec<String> {
        server.store.change(|conn| {
            let sql = "select p.nickname, s.server_n, s.joined_at, s.left_at, s.play_time, coalesce(s.full_time, -1)
                       from sessions s join players p on p.n = s.player_n order by 1, 2, 3";
            conn.query(sql, &[], |row| {
                let numbers: Vec<i64> = (1..6).map(|column| row.get(column)).collect();
                format!("{} {numbers:?}", row.get::<String>(0))
            })
        })
    };
    assert_eq!(rows(&running), rows(&written), "{engine:?}");
}
