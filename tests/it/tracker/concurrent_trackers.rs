//! Several trackers on one store.

use std::time::{Duration, Instant};

use super::counting_server::CountingServer;
use super::{INTERVAL, SOON, STEP, TrackerFixture};
use crate::harness::Engine;

const SERVERS: usize = 40;
const INTERVALS: usize = 4;

#[test]
#[ignore = "slow, ./test runs it"]
fn no_server_is_polled_twice_in_an_interval_and_none_is_left_out() {
    Engine::BOTH.into_iter().for_each(no_server_is_polled_twice_on);
}

fn no_server_is_polled_twice_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    let servers = open(&mut fixture, "s", SERVERS);
    // Added one by one later: once a probe is polled, the trackers have looked for due servers at the current time.
    let probes = open(&mut fixture, "probe", INTERVALS);
    import(&fixture);
    for _ in 0..3 {
        fixture.track();
    }
    assert!(servers.iter().all(|server| server.take_pings() == 1), "the first poll");
    for (i, probe) in probes.iter().enumerate() {
        fixture.advance(STEP);
        fixture.settle();
        assert!(servers.iter().all(|server| server.take_pings() == 1));
        fixture.advance(INTERVAL / 4);
        fixture.command(&["add", &format!("probe{i}.example")]);
        until("the probe is polled", || probe.pings() > 0);
        assert!(servers.iter().all(|server| server.pings() == 0), "nothing else is due within the interval");
    }
    // Two trackers crash while polls run. The third takes over what they had claimed, within two intervals.
    fixture.advance(STEP);
    until("polls run", || servers.iter().any(|server| server.pings() > 0));
    fixture.kill_tracker();
    fixture.kill_tracker();
    until("every poll is claimed", || due(&fixture) == 0);
    fixture.advance(STEP);
    fixture.settle();
    for server in &servers {
        assert!((1..=2).contains(&server.take_pings()), "once per interval, except for polls that the crash lost");
    }
}

#[test]
fn a_lost_schedule_is_planned_again() {
    Engine::BOTH.into_iter().for_each(lost_schedule_is_planned_again_on);
}

/// PostgreSQL empties the table when it crashes, and a promoted replica never had its rows.
fn lost_schedule_is_planned_again_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    let servers = open(&mut fixture, "s", SERVERS);
    import(&fixture);
    for _ in 0..2 {
        fixture.track();
    }
    let all_polled = || servers.iter().all(|server| server.take_pings() == 1);
    assert!(all_polled(), "the first poll");
    fixture.store().change(|conn| conn.execute("delete from poll_schedule", &[]));
    until("every server is polled", || servers.iter().all(|server| server.pings() > 0));
    until("every poll is planned", || due(&fixture) == 0);
    assert!(all_polled(), "each is planned once, by one of the trackers");
    fixture.advance(STEP);
    fixture.settle();
    assert!(all_polled(), "and goes on as before");
}

/// Servers at `<name>0.example`, `<name>1.example` and so on.
fn open(fixture: &mut TrackerFixture, name: &str, count: usize) -> Vec<CountingServer> {
    let mut servers = Vec::new();
    for i in 0..count {
        let server = fixture.server.run(CountingServer::open());
        fixture.games.insert((format!("{name}{i}.example"), 25_565), server.address);
        servers.push(server);
    }
    servers
}

fn import(fixture: &TrackerFixture) {
    let line = |i| format!("{{\"id\":\"s{i}\",\"name\":\"s{i}\",\"ip\":\"s{i}.example\"}}\n");
    let file = fixture.store().path().join("servers.ndjson");
    std::fs::write(&file, (0..SERVERS).map(line).collect::<String>()).unwrap();
    assert!(fixture.store().rollcall(&["import", file.to_str().unwrap()]).status.success());
}

/// Polls that are due and that no tracker has claimed.
fn due(fixture: &TrackerFixture) -> i64 {
    let now = fixture.clock().now();
    let sql = "select count(*) from poll_schedule where server_n <> 0 and due_at <= $1";
    fixture.store().change(|conn| conn.query_one(sql, rollcall_store::values![now], |row| row.get(0)))
}

fn until(what: &str, is_met: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_met() {
        assert!(started.elapsed() < SOON, "timed out: {what}");
        #[expect(clippy::disallowed_methods, reason = "polls with a deadline in a blocking thread")]
        std::thread::sleep(Duration::from_millis(5));
    }
}
