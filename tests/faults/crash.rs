//! kill -9 under load.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::harness::{Engine, Program, Store};
use crate::http_client::KeepAliveClient;
use crate::machine_stalls::MachineStalls;
use crate::{SERVE, create_key, until};

const KILLS: u32 = 50;
const CLIENTS: u32 = 4;
/// Reserved ahead for a key with this limit, and lost with a crash.
const RESERVED_AHEAD: u32 = 3;
const PER_MINUTE: u32 = 1_000;
/// How long a key is used before the crash.
const LOAD: Duration = Duration::from_millis(2_500);

#[test]
fn a_crash_returns_no_quota_and_loses_few_requests_on_sqlite() {
    crash_repeatedly(Engine::Sqlite);
}

#[test]
fn a_crash_returns_no_quota_and_loses_few_requests_on_postgresql() {
    crash_repeatedly(Engine::Postgres);
}

fn crash_repeatedly(engine: Engine) {
    let store = Store::new(engine);
    let key = create_key(&store, PER_MINUTE);
    let admitted = AtomicU32::new(0);
    let mut lost = 0;
    for kill in 0..KILLS {
        let program = Program::start(store.command(&SERVE));
        // The first response after a crash shows the used quota, itself included.
        let first = KeepAliveClient::new(program.address(), &key).get("/v1/servers").expect("a response");
        assert!(matches!(first.status, 200 | 429), "{}", first.body);
        admitted.fetch_add(u32::from(first.status == 200), Ordering::Relaxed);
        let lost_by_now = first.used().checked_sub(admitted.load(Ordering::Relaxed)).expect("quota was returned");
        // Reservations, and requests that were counted but got no response.
        let most = lost + if kill == 0 { 0 } else { RESERVED_AHEAD + CLIENTS };
        assert!(lost_by_now <= most, "kill {kill} cost {} requests", lost_by_now - lost);
        lost = lost_by_now;
        let answered = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..CLIENTS {
                scope.spawn(|| {
                    let mut client = KeepAliveClient::new(program.address(), &key);
                    while let Ok(reply) = client.get("/v1/servers") {
                        assert!(matches!(reply.status, 200 | 429), "{}", reply.body);
                        admitted.fetch_add(u32::from(reply.status == 200), Ordering::Relaxed);
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            // After another number of responses each time, from none on.
            let deadline = Instant::now() + crate::DEADLINE;
            while answered.load(Ordering::Relaxed) < kill % 15 {
                assert!(Instant::now() < deadline, "no responses");
                #[expect(clippy::disallowed_methods, reason = "polls with a deadline in a blocking thread")]
                std::thread::sleep(Duration::from_micros(100));
            }
            program.signal("KILL");
        });
    }
    println!("{engine:?}: {KILLS} crashes, {} admitted, {lost} lost", admitted.into_inner());
}

#[test]
fn a_crash_loses_at_most_one_second_of_usage() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let key = create_key(&store, 1_000_000);
        let program = Program::start(store.command(&SERVE));
        let (done, mut answered, stalls) = (AtomicBool::new(false), Vec::new(), MachineStalls::watch());
        let killed = std::thread::scope(|scope| {
            let client = scope.spawn(|| {
                let (mut client, mut answered) = (KeepAliveClient::new(program.address(), &key), Vec::new());
                while !done.load(Ordering::Relaxed) && client.get("/v1/servers").is_ok() {
                    answered.push(Instant::now());
                    #[expect(clippy::disallowed_methods, reason = "paces a blocking client")]
                    std::thread::sleep(Duration::from_millis(1));
                }
                answered
            });
            let started = Instant::now();
            until("the load has run", || (started.elapsed() > LOAD + stalls.lost()).then_some(()));
            let killed = Instant::now();
            program.signal("KILL");
            done.store(true, Ordering::Relaxed);
            answered = client.join().expect("the client ends");
            killed
        });
        let (second, lost) = (Duration::from_secs(1), stalls.lost());
        let due = answered.iter().filter(|at| killed.duration_since(**at) > second + lost).count() as i64;
        let list = store.rollcall(&["key", "list", "--json"]).stdout;
        let keys: serde_json::Value = serde_json::from_slice(&list).expect("keys");
        let usage = store.rollcall(&["key", "usage", keys[0]["id"].as_str().unwrap(), "--json"]).stdout;
        let lines: Vec<serde_json::Value> = serde_json::from_slice(&usage).expect("usage");
        let stored: i64 = lines.iter().map(|line| line["requests"].as_i64().unwrap()).sum();
        assert!(due > 0 && stored >= due && stored <= answered.len() as i64 + 1, "{stored} stored, {due} due");
        assert!(keys[0]["lastUsedAt"].is_string());
        println!(
            "{engine:?}: {} answered, {stored} stored, {due} more than a second before the crash; the machine stalled for {lost:?}",
            answered.len()
        );
    }
}

#[test]
fn an_interrupted_import_is_all_or_nothing() {
    const ROWS: usize = 3_000;
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        assert!(store.rollcall(&["migrate"]).status.success());
        let line = |i: usize| format!("{{\"id\":\"acc-{i}\",\"username\":\"account{i}\"}}\n");
        let rows: String = (0..ROWS).map(line).collect();
        std::fs::write(store.path().join("accounts.ndjson"), rows).unwrap();
        let count = || -> i64 {
            store.change(|conn| {
                conn.query_one("select count(*) from accounts where id like 'acc-%'", &[], |row| row.get(0))
            })
        };
        for wait in [5, 20, 40, 80, 160, 320] {
            let mut import = store.command(&["import", "accounts.ndjson"]).spawn().expect("the program starts");
            // Not to wait for something, but to interrupt at another moment each time.
            #[expect(clippy::disallowed_methods, reason = "interrupts at a different moment each time")]
            std::thread::sleep(Duration::from_millis(wait));
            let _ = import.kill();
            let _ = import.wait();
            let stored = count();
            assert!(stored == 0 || stored == ROWS as i64, "{stored} of {ROWS} after {wait} ms");
        }
        assert!(store.rollcall(&["import", "accounts.ndjson"]).status.success());
        assert_eq!(count(), ROWS as i64);
    }
}
