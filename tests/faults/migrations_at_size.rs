//! Migrations of a PostgreSQL store with 1,000,000 players, while others read and write every large table.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rollcall_store::{Conn, migrate_ledger_like, migrate_like};

use crate::harness::{Engine, Store};

/// The schema to begin with. Earlier ones are migrated with all nodes stopped: their programs do not know that a store can be newer.
const FROM: [i64; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const LEDGER_FROM: [i64; 5] = [1001, 1002, 1003, 1004, 1005];
const ROWS: &str = include_str!("migrations_at_size.sql");
/// What a migration may make others wait.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(1);

/// What the service does to a table, as far as locks matter: all schemas from `FROM` on have these columns.
const READS: [&str; 8] = [
    "select count(*) from players where n between 500 and 600",
    "select count(*) from sessions where player_n = 700",
    "select count(*) from servers where n < 100",
    "select count(*) from tracking where server_n < 100",
    "select count(*) from textures where n < 100",
    "select count(*) from texture_likes where texture_n = 5",
    "select count(*) from reviews where server_n = 5",
    "select count(*) from accounts a join keys k on k.account_n = a.n",
];
const WRITES: [&str; 10] = [
    "update players set last_seen_at = last_seen_at + 1 where n = 800",
    "update sessions set left_at = left_at + 1 where n = 900",
    "update servers set latency = latency + 1 where n = 50",
    "update tracking set failures = failures + 1 where server_n = 50",
    "update textures set view_count = view_count + 1 where n = 60",
    "insert into texture_likes (texture_n, account_n) values (7, 19999) on conflict do nothing",
    "update reviews set updated_at = updated_at + 1 where server_n = 5 and ordinal = 1",
    "update update_posts set updated_at = updated_at + 1 where n = 5",
    "update accounts set created_at = created_at + 1 where n = 5",
    "update store_state set rev = rev + 1",
];

#[test]
#[ignore = "takes minutes, ./test --long runs it"]
fn migrations_make_no_one_wait_for_a_second() {
    let store = Store::new(Engine::Postgres);
    let mut conn = store.conn();
    migrate_like(&mut conn, &FROM).unwrap();
    migrate_ledger_like(&mut conn, &LEDGER_FROM).unwrap();
    let started = Instant::now();
    ROWS.split(";\n").for_each(|statement| conn.execute_batch(statement).unwrap());
    drop(conn);
    println!("filled in {:.0} s", started.elapsed().as_secs_f64());

    let is_done = AtomicBool::new(false);
    let (took, waits) = std::thread::scope(|scope| {
        let clients: Vec<_> = [READS.as_slice(), WRITES.as_slice()]
            .into_iter()
            .map(|statements| (statements, store.conn()))
            .map(|(statements, conn)| scope.spawn(|| longest_waits(conn, statements, &is_done)))
            .collect();
        let started = Instant::now();
        let output = store.rollcall(&["migrate"]);
        let took = started.elapsed();
        is_done.store(true, Ordering::Relaxed);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (took, clients.into_iter().flat_map(|client| client.join().unwrap()).collect::<Vec<_>>())
    });
    println!("migrated in {:.1} s", took.as_secs_f64());
    for (statement, wait) in &waits {
        println!("{:>8.0} ms  {statement}", wait.as_secs_f64() * 1e3);
    }
    let longest = waits.iter().max_by_key(|(_, wait)| *wait).unwrap();
    assert!(longest.1 <= LONGEST_WAIT, "{longest:?}");
}

/// Runs the statements in turn until the end, and returns how long each took at most.
fn longest_waits(
    mut conn: Conn,
    statements: &'static [&'static str],
    is_done: &AtomicBool,
) -> Vec<(&'static str, Duration)> {
    let mut longest = vec![Duration::ZERO; statements.len()];
    while !is_done.load(Ordering::Relaxed) {
        for (statement, longest) in statements.iter().zip(&mut longest) {
            let started = Instant::now();
            conn.execute_batch(statement).unwrap();
            *longest = started.elapsed().max(*longest);
        }
        #[expect(clippy::disallowed_methods, reason = "paces a blocking client")]
        std::thread::sleep(PAUSE);
    }
    statements.iter().copied().zip(longest).collect()
}
