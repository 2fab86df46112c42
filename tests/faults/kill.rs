//! kill -9, again and again, under load.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::caller::Caller;
use crate::harness::{Engine, Program, Store};
use crate::stalls::Stalls;
use crate::{SERVE, create_key, until};

const KILLS: u32 = 50;
const CLIENTS: u32 = 4;
/// What is reserved ahead for a key of this limit, and so may be lost with a kill.
const FEW: u32 = 3;
const PER_MINUTE: u32 = 1_000;
/// How long a key is used before a kill whose cost in use is counted.
const LOAD: Duration = Duration::from_millis(2_500);

#[test]
fn no_kill_gives_quota_back_and_each_costs_a_few_on_sqlite() {
    kill_again_and_again(Engine::Sqlite);
}

#[test]
fn no_kill_gives_quota_back_and_each_costs_a_few_on_postgresql() {
    kill_again_and_again(Engine::Postgres);
}

fn kill_again_and_again(engine: Engine) {
    let store = Store::new(engine);
    let key = create_key(&store, PER_MINUTE);
    let admitted = AtomicU32::new(0);
    let mut lost = 0;
    for kill in 0..KILLS {
        let program = Program::start(store.command(&SERVE));
        // The first answer after a kill says what is used by now, itself included.
        let first = Caller::new(program.address(), &key).get("/v1/servers").expect("an answer");
        assert!(matches!(first.status, 200 | 429), "{}", first.body);
        admitted.fetch_add(u32::from(first.status == 200), Ordering::Relaxed);
        let lost_by_now = first.used().checked_sub(admitted.load(Ordering::Relaxed)).expect("quota was given back");
        // What was reserved ahead, and what was let in and not answered any more.
        let most = lost + if kill == 0 { 0 } else { FEW + CLIENTS };
        assert!(lost_by_now <= most, "kill {kill} cost {} requests", lost_by_now - lost);
        lost = lost_by_now;
        let answered = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..CLIENTS {
                scope.spawn(|| {
                    let mut caller = Caller::new(program.address(), &key);
                    while let Ok(reply) = caller.get("/v1/servers") {
                        assert!(matches!(reply.status, 200 | 429), "{}", reply.body);
                        admitted.fetch_add(u32::from(reply.status == 200), Ordering::Relaxed);
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            // At another moment each time: before the first answer, and well under way.
            while answered.load(Ordering::Relaxed) < kill % 15 {
                std::thread::sleep(Duration::from_micros(100));
            }
            program.signal("KILL");
        });
    }
    println!("{engine:?}: {KILLS} kills, {} admitted, {lost} lost", admitted.into_inner());
}

#[test]
fn a_kill_loses_at_most_a_second_of_use() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let key = create_key(&store, 1_000_000);
        let program = Program::start(store.command(&SERVE));
        let (done, mut answered, stalls) = (AtomicBool::new(false), Vec::new(), Stalls::watch());
        let killed = std::thread::scope(|scope| {
            let client = scope.spawn(|| {
                let (mut caller, mut answered) = (Caller::new(program.address(), &key), Vec::new());
                while !done.load(Ordering::Relaxed) && caller.get("/v1/servers").is_ok() {
                    answered.push(Instant::now());
                    std::thread::sleep(Duration::from_millis(1));
                }
                answered
            });
            let began = Instant::now();
            until("it ran for a while", || (began.elapsed() > LOAD + stalls.lost()).then_some(()));
            let killed = Instant::now();
            program.signal("KILL");
            done.store(true, Ordering::Relaxed);
            answered = client.join().expect("the client ends well");
            killed
        });
        let (second, lost) = (Duration::from_secs(1), stalls.lost());
        let due = answered.iter().filter(|at| killed.duration_since(**at) > second + lost).count() as i64;
        let list = store.rollcall(&["key", "list", "--json"]).stdout;
        let keys: serde_json::Value = serde_json::from_slice(&list).expect("keys");
        let usage = store.rollcall(&["key", "usage", keys[0]["id"].as_str().unwrap(), "--json"]).stdout;
        let lines: Vec<serde_json::Value> = serde_json::from_slice(&usage).expect("usage");
        let kept: i64 = lines.iter().map(|line| line["requests"].as_i64().unwrap()).sum();
        assert!(due > 0 && kept >= due && kept <= answered.len() as i64 + 1, "{kept} kept, {due} due");
        assert!(keys[0]["lastUsedAt"].is_string());
        println!(
            "{engine:?}: {} answered, {kept} kept, {due} more than a second before the kill; the machine stood still for {lost:?}",
            answered.len()
        );
    }
}

#[test]
fn a_killed_import_leaves_all_or_nothing() {
    const ROWS: usize = 3_000;
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        assert!(store.rollcall(&["migrate"]).status.success());
        let line = |i: usize| format!("{{\"id\":\"acc-{i}\",\"username\":\"account{i}\"}}\n");
        let rows: String = (0..ROWS).map(line).collect();
        std::fs::write(store.path().join("accounts.ndjson"), rows).unwrap();
        let count = || -> i64 {
            store.change(|conn| conn.one("select count(*) from accounts where id like 'acc-%'", &[], |row| row.get(0)))
        };
        for wait in [5, 20, 40, 80, 160, 320] {
            let mut import = store.command(&["import", "accounts.ndjson"]).spawn().expect("it starts");
            std::thread::sleep(Duration::from_millis(wait));
            let _ = import.kill();
            let _ = import.wait();
            let kept = count();
            assert!(kept == 0 || kept == ROWS as i64, "{kept} of {ROWS} after {wait} ms");
        }
        assert!(store.rollcall(&["import", "accounts.ndjson"]).status.success());
        assert_eq!(count(), ROWS as i64);
    }
}
