//! The partitions of samples on PostgreSQL.

use std::time::{Duration, Instant};

use rollcall_model::clock::Clock;
use rollcall_model::time::DAY;
use rollcall_store::sample_partitions::STEPS;

use crate::harness::{DEADLINE, Engine, Program, Store};

fn partitions(store: &Store) -> Vec<String> {
    let sql = "select cast(c.relname as text) from pg_inherits i join pg_class c on c.oid = i.inhrelid
               where i.inhparent = to_regclass('samples') order by 1";
    store.change(|conn| conn.query(sql, &[], |row| row.get(0)))
}

#[test]
fn a_tracker_adds_the_next_days_and_drops_what_is_past_its_retention() {
    let store = Store::new(Engine::Postgres);
    assert!(store.rollcall(&["migrate"]).status.success());
    let today = Clock::System.now() / DAY;
    let name = |day: i64| format!("samples_day_{day}");
    let insert = |day: i64| {
        let sql = format!(
            "insert into samples (server_n, at, online, players, latency) values (0, {}, true, 1, 1)",
            day * DAY + DAY / 2
        );
        store.change(|conn| conn.execute_batch(&sql));
    };
    // One past its retention, one within it.
    for day in [today - 4, today - 1] {
        STEPS.iter().for_each(|step| store.change(|conn| step(conn, day)));
    }
    // The last one has no partition.
    [today - 4, today - 1, today - 2].into_iter().for_each(insert);

    let _program = Program::start(store.command(&["serve", "--listen", "127.0.0.1:0"]));
    let expected = [today - 1, today + 1, today + 2, today + 3].map(name);
    let started = Instant::now();
    while partitions(&store) != [&expected[..], &["samples_rest".to_owned()]].concat() {
        assert!(started.elapsed() < DEADLINE, "{:?}", partitions(&store));
        #[expect(clippy::disallowed_methods, reason = "polls with a deadline in a blocking thread")]
        std::thread::sleep(Duration::from_millis(20));
    }
    insert(today + 1);
    let place = "select cast(tableoid as regclass)::text from samples where server_n = 0 and at % 86400000 = 43200000 order by at";
    let places: Vec<String> = store.change(|conn| conn.query(place, &[], |row| row.get(0)));
    assert_eq!(places, ["samples_rest".to_owned(), name(today - 1), name(today + 1)]);
}
