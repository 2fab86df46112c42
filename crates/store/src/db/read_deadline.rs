//! Ends reads of SQLite that take too long: while one lasts, the WAL cannot be reset.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Instructions of SQLite's virtual machine between two looks at the clock: well below a millisecond.
const INSTRUCTIONS: i32 = 10_000;

pub struct ReadDeadline {
    created_at: Instant,
    /// Milliseconds after `created_at`.
    ends_after: AtomicU64,
}

impl ReadDeadline {
    /// For all statements of a connection. There is no deadline until one is set.
    pub fn install(conn: &mut rusqlite::Connection) -> rusqlite::Result<Arc<Self>> {
        let deadline = Arc::new(Self { created_at: Instant::now(), ends_after: AtomicU64::new(u64::MAX) });
        let watched = deadline.clone();
        conn.progress_handler(INSTRUCTIONS, Some(move || watched.has_passed()))?;
        Ok(deadline)
    }

    /// The next read may take this long from now on.
    pub fn set(&self, timeout: Duration) {
        let ends_after = (self.created_at.elapsed() + timeout).as_millis();
        self.ends_after.store(u64::try_from(ends_after).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn has_passed(&self) -> bool {
        self.created_at.elapsed().as_millis() > u128::from(self.ends_after.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn a_read_without_end_is_interrupted_and_the_next_one_is_not() {
        let mut conn = rusqlite::Connection::open_in_memory().unwrap();
        let deadline = ReadDeadline::install(&mut conn).unwrap();
        deadline.set(Duration::from_millis(20));
        let endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";
        let error = Error::from(conn.query_row(endless, [], |row| row.get::<_, i64>(0)).unwrap_err());
        assert!(error.is_outage() && error.to_string().contains("took too long"), "{error}");
        deadline.set(Duration::from_secs(60));
        assert_eq!(conn.query_row("select 1", [], |row| row.get::<_, i64>(0)), Ok(1));
    }
}
