//! The WAL of SQLite stays within bounds.

use std::time::{Duration, Instant};

use super::Program;
use crate::harness::{DEADLINE, Engine, Store};

/// What the file may keep.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

#[test]
fn what_a_long_reader_made_grow_is_truncated_when_it_ends() {
    let store = Store::new(Engine::Sqlite);
    let program = Program::start(store.command(&["serve", "--listen", "127.0.0.1:0", "--ping-interval", "off"]));
    let reader = rusqlite::Connection::open(store.path().join("rollcall.db")).unwrap();
    reader.execute_batch("begin").unwrap();
    reader.query_row("select count(*) from servers", [], |row| row.get::<_, i64>(0)).unwrap();
    let mut writer = rusqlite::Connection::open(store.path().join("rollcall.db")).unwrap();
    writer.busy_timeout(DEADLINE).unwrap();
    let size = || store.path().join("rollcall.db-wal").metadata().map_or(0, |file| file.len());
    writer.execute_batch("pragma synchronous = off; create table ballast (bytes blob)").unwrap();
    while size() <= MAX_BYTES {
        let transaction = writer.transaction().unwrap();
        transaction.execute("insert into ballast (bytes) values (zeroblob(8388608))", []).unwrap();
        transaction.commit().unwrap();
    }
    // The service cannot truncate it yet.
    assert!(size() > MAX_BYTES);
    reader.execute_batch("rollback").unwrap();
    let started = Instant::now();
    while size() > MAX_BYTES {
        assert!(started.elapsed() < DEADLINE, "{} bytes: {}", size(), program.log());
        #[expect(clippy::disallowed_methods, reason = "polls with a deadline in a blocking thread")]
        std::thread::sleep(Duration::from_millis(50));
    }
}
