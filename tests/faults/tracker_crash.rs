//! kill -9 while the tracker runs: stored history stays consistent.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use rollcall_demo::fake_servers::{FakeServer, FakeStatus};
use rollcall_store::Conn;
use rollcall_store::values;

use crate::harness::{Engine, Program, Store};
use crate::until;

const SERVERS: usize = 30;
const KILLS: u64 = 12;
const TRACK: [&str; 6] = ["serve", "--listen", "127.0.0.1:0", "--ping-interval", "5s", "--allow-private-addresses"];

#[test]
fn crashes_leave_consistent_history() {
    for engine in Engine::BOTH {
        crash_the_tracker(engine);
    }
}

fn crash_the_tracker(engine: Engine) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let _inside = runtime.enter();
    let (hosts, lines): (Vec<FakeServer>, String) = (0..SERVERS).map(host).unzip();
    let store = Store::new(engine);
    let file = store.path().join("servers.ndjson");
    std::fs::write(&file, lines).expect("a file");
    assert!(store.rollcall(&["import", file.to_str().expect("plain")]).status.success());
    for kill in 0..KILLS {
        let program = Program::start(store.command(&TRACK));
        // Not to wait for something, but to crash at another moment each time: while polls are claimed, run or are stored.
        #[expect(clippy::disallowed_methods, reason = "crashes at a different moment each time")]
        std::thread::sleep(Duration::from_millis(900 + 217 * kill));
        program.signal("KILL");
        drop(program);
        check(&store);
    }
    let program = Program::start(store.command(&TRACK));
    let samples = || -> i64 {
        store.change(rollcall_store::samples::write_pending);
        count(&store, "select count(*) from samples where server_n > 0")
    };
    let before = samples();
    until("polls continue", || (samples() >= before + 2 * SERVERS as i64).then_some(()));
    drop(program);
    check(&store);
    println!("{engine:?}: {KILLS} crashes, {} samples of {SERVERS} servers, all consistent", samples());
    drop(hosts);
}

fn host(i: usize) -> (FakeServer, String) {
    let says = FakeStatus { version: "1.21.4".into(), players: 3 + i as i64, max_players: 50, ..FakeStatus::default() };
    let sample = vec![(format!("Player_{i}"), format!("00000000-0000-4000-8000-{i:012}"))];
    let says = FakeStatus { sample, ..says };
    let host = FakeServer::java([127, 0, 0, 1].into(), 0, Arc::new(move || Some(says.clone()))).expect("a host");
    let line =
        format!("{{\"id\":\"s{i}\",\"name\":\"s{i}\",\"ip\":\"127.0.0.1\",\"port\":{}}}\n", host.address().port());
    (host, line)
}

fn count(store: &Store, sql: &str) -> i64 {
    store.change(|conn| conn.query_one(sql, &[], |row| row.get(0)))
}

/// Aggregates equal the samples, the tracking state equals the newest sample, and totals of players equal their sessions.
fn check(store: &Store) {
    store.change(|conn| {
        rollcall_store::samples::write_pending(conn)?;
        for (table, width) in [("samples_5m", 300_000), ("samples_hour", 3_600_000), ("samples_day", 86_400_000)] {
            let (expected, gaps) = summed(conn, width)?;
            let mut stored = levels(conn, table)?;
            stored.retain(|(server, _), _| !gaps.contains(server));
            assert_eq!(stored, expected, "{table}");
        }
        let wrong: i64 = conn.query_one(
            "select count(*) from tracking t where coalesce(t.sample_at, 0)
             <> (select coalesce(max(s.at), 0) from samples s where s.server_n = t.server_n)",
            &[],
            |row| row.get(0),
        )?;
        assert_eq!(wrong, 0, "the tracking state has the newest sample");
        let wrong: i64 = conn.query_one(
            "select count(*) from players p where p.session_count
                 <> (select count(*) from sessions s where s.player_n = p.n)
              or p.total_play_time
                 <> (select coalesce(sum(s.play_time), 0) from sessions s where s.player_n = p.n)",
            &[],
            |row| row.get(0),
        )?;
        assert_eq!(wrong, 0, "totals equal the sums of sessions");
        Ok(())
    });
}

/// Server and bucket, with watched and player milliseconds.
type Sums = BTreeMap<(i64, i64), (i64, i64)>;

fn levels(conn: &mut Conn, table: &str) -> rollcall_store::Result<Sums> {
    let rows = conn.query(&format!("select server_n, at, watched_ms, player_ms from {table}"), values![], |row| {
        ((row.get(0), row.get(1)), (row.get(2), row.get(3)))
    })?;
    Ok(rows.into_iter().collect())
}

/// A sample counts until the next one. Also returns the servers with a gap longer than a sample counts.
fn summed(conn: &mut Conn, width: i64) -> rollcall_store::Result<(Sums, BTreeSet<i64>)> {
    /// Two and a half intervals, each at least nine tenths of the setting.
    const MAX_SAMPLE: i64 = 11_250;
    let (mut sums, mut gaps) = (Sums::new(), BTreeSet::new());
    let mut last: Option<(i64, i64, i64)> = None;
    conn.for_each("select server_n, at, players from samples order by server_n, at", &[], |row| {
        let next: (i64, i64, i64) = (row.get(0), row.get(1), row.get(2));
        if let Some((server, at, players)) = last
            && server == next.0
        {
            if next.1 - at > MAX_SAMPLE {
                gaps.insert(server);
            }
            let mut from = at;
            while from < next.1 {
                let start = from / width * width;
                let end = next.1.min(start + width);
                let sum = sums.entry((server, start)).or_default();
                *sum = (sum.0 + end - from, sum.1 + players * (end - from));
                from = end;
            }
        }
        last = Some(next);
    })?;
    sums.retain(|(server, _), _| !gaps.contains(server));
    Ok((sums, gaps))
}
