//! Schema migrations: embedded in the program, numbered, each run once.

use std::time::Duration;

use super::{Conn, Error, Result, captcha_secret, concurrent_index};
use crate::values;

type Migration = (i64, &'static str);

const STORE: &[Migration] = &[
    (1, include_str!("../migrations/0001_resources.sql")),
    (2, include_str!("../migrations/0002_key_limits.sql")),
    (SECRETS, include_str!("../migrations/0003_secrets.sql")),
    (4, include_str!("../migrations/0004_accounts.sql")),
    (5, include_str!("../migrations/0005_tracker.sql")),
    (6, include_str!("../migrations/0006_leaderboard_indexes.sql")),
    (7, include_str!("../migrations/0007_leaderboard_snapshot.sql")),
    (8, include_str!("../migrations/0008_wearer_indexes.sql")),
    (9, include_str!("../migrations/0009_key_revisions.sql")),
    (10, include_str!("../migrations/0010_source_trust.sql")),
    (11, include_str!("../migrations/0011_account_security.sql")),
    (12, include_str!("../migrations/0012_present_players.sql")),
    (13, include_str!("../migrations/0013_restrictions_and_passkeys.sql")),
    (14, include_str!("../migrations/0014_reports.sql")),
    (15, include_str!("../migrations/0015_votes.sql")),
    (16, include_str!("../migrations/0016_player_links.sql")),
    (17, include_str!("../migrations/0017_listings.sql")),
    (18, include_str!("../migrations/0018_moderation.sql")),
    (19, include_str!("../migrations/0019_texture_uploads.sql")),
    (20, include_str!("../migrations/0020_texture_acts.sql")),
    (21, include_str!("../migrations/0021_removals.sql")),
    (22, include_str!("../migrations/0022_tracker_writes.sql")),
    (24, include_str!("../migrations/0024_events.sql")),
    (25, include_str!("../migrations/0025_webhooks.sql")),
    (26, include_str!("../migrations/0026_figures_in_rollups.sql")),
    (27, include_str!("../migrations/0027_fewer_writes.sql")),
    (28, include_str!("../migrations/0028_poll_schedule.sql")),
    (29, include_str!("../migrations/0029_sample_partitions.sql")),
];
/// Also inserts the captcha secret. A secret that is lost later is never replaced silently: see `playground new-secret`.
const SECRETS: i64 = 3;

/// On PostgreSQL the ledger is in the same database, so its numbers start at 1001.
const LEDGER: &[Migration] = &[
    (1001, include_str!("../migrations/ledger/1001_quota_and_usage.sql")),
    (1002, include_str!("../migrations/ledger/1002_playground.sql")),
    (1003, include_str!("../migrations/ledger/1003_login_sessions.sql")),
    (1004, include_str!("../migrations/ledger/1004_usage_days.sql")),
    (1005, include_str!("../migrations/ledger/1005_quota_recall.sql")),
    (1006, include_str!("../migrations/ledger/1006_minutes_alerts_challenges.sql")),
];

const SETUP_LOCK: i64 = 0x526f_6c6c;
/// How long a migration waits for the lock of a table, while requests wait behind it.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);
/// Between two attempts.
const LOCK_PAUSE: Duration = Duration::from_secs(1);
const LOCK_ATTEMPTS: u32 = 120;

/// Processes that start together must not all migrate, nor all insert the built-in rows: the others wait until this transaction
/// ends. On SQLite every transaction locks the file.
pub(crate) fn lock_setup(conn: &mut Conn) -> Result<()> {
    if conn.is_postgres() {
        conn.query("select pg_advisory_xact_lock($1)", values![SETUP_LOCK], |_| ())?;
    }
    Ok(())
}

/// Runs the pending migrations and returns their numbers.
pub fn migrate(conn: &mut Conn) -> Result<Vec<i64>> {
    run(conn, STORE)
}

/// Whether [`migrate`] would change nothing.
pub fn is_current(conn: &mut Conn) -> Result<bool> {
    has_run(conn, STORE)
}

/// Whether [`migrate_ledger`] would change nothing.
pub fn is_ledger_current(conn: &mut Conn) -> Result<bool> {
    has_run(conn, LEDGER)
}

/// How many migrations [`migrate`] would run, of how many.
pub fn pending_migrations(conn: &mut Conn) -> Result<(usize, usize)> {
    count_pending(conn, STORE)
}

/// [`pending_migrations`] for the ledger.
pub fn pending_ledger_migrations(conn: &mut Conn) -> Result<(usize, usize)> {
    count_pending(conn, LEDGER)
}

fn count_pending(conn: &mut Conn, migrations: &[Migration]) -> Result<(usize, usize)> {
    let pending = match has_table(conn, "migrations")? {
        true => pending(conn, migrations)?.len(),
        false => migrations.len(),
    };
    Ok((pending, migrations.len()))
}

/// [`migrate`] for the ledger.
pub fn migrate_ledger(conn: &mut Conn) -> Result<Vec<i64>> {
    run(conn, LEDGER)
}

/// Gives an empty database the schema of a store that has run exactly these migrations, so that its rows fit.
pub fn migrate_like(conn: &mut Conn, numbers: &[i64]) -> Result<()> {
    run(conn, &only(STORE, numbers)).map(drop)
}

/// [`migrate_like`] for the ledger.
pub fn migrate_ledger_like(conn: &mut Conn, numbers: &[i64]) -> Result<()> {
    run(conn, &only(LEDGER, numbers)).map(drop)
}

fn only(migrations: &[Migration], numbers: &[i64]) -> Vec<Migration> {
    migrations.iter().filter(|(number, _)| numbers.contains(number)).copied().collect()
}

/// Whether this program has the migration; an unknown one was run by a newer version.
pub fn is_known_migration(number: i64) -> bool {
    STORE.iter().chain(LEDGER).any(|(known, _)| *known == number)
}

fn has_run(conn: &mut Conn, migrations: &[Migration]) -> Result<bool> {
    Ok(has_table(conn, "migrations")? && pending(conn, migrations)?.is_empty())
}

fn run(conn: &mut Conn, migrations: &[Migration]) -> Result<Vec<i64>> {
    if has_run(conn, migrations)? {
        return Ok(Vec::new());
    }
    // A migration may sort all rows of a table, which need not fit into memory.
    conn.with_temporary_files(|conn| run_pending(conn, migrations))
}

/// An empty database gets all of them at once. Otherwise each has a transaction of its own, so that its locks are held for a short
/// time; what ran before a failure does not run again.
fn run_pending(conn: &mut Conn, migrations: &[Migration]) -> Result<Vec<i64>> {
    let is_empty = !has_table(conn, "migrations")?;
    let mut done = Vec::new();
    loop {
        if !is_empty && conn.is_postgres() {
            build_indexes(conn, migrations)?;
        }
        let ran = retry_locked(|| run_next(conn, migrations, if is_empty { usize::MAX } else { 1 }))?;
        if ran.is_empty() {
            return Ok(done);
        }
        done.extend(ran);
    }
}

/// Builds the indexes that the next migration adds to existing tables, while others use them.
fn build_indexes(conn: &mut Conn, migrations: &[Migration]) -> Result<()> {
    let next = pending(conn, migrations)?.first().copied();
    let next = migrations.iter().find(|(number, _)| Some(*number) == next);
    for statement in next.into_iter().flat_map(|(_, sql)| concurrent_index::statements(sql)) {
        while concurrent_index::build(conn, statement)? == concurrent_index::BuildOutcome::Busy {
            tracing::info!("a migration waits for an index that another program builds");
            pause();
        }
    }
    Ok(())
}

/// Runs at most this many pending migrations in one transaction.
fn run_next(conn: &mut Conn, migrations: &[Migration], max: usize) -> Result<Vec<i64>> {
    conn.transaction(|conn| {
        lock_setup(conn)?;
        conn.execute_batch("create table if not exists migrations (number bigint primary key)")?;
        if conn.is_postgres() {
            // Requests queue behind a migration that waits for the lock of a table.
            conn.execute_batch(&format!("set local lock_timeout = {}", LOCK_TIMEOUT.as_millis()))?;
        }
        let mut pending = pending(conn, migrations)?;
        pending.truncate(max);
        for (number, sql) in migrations.iter().filter(|(number, _)| pending.contains(number)) {
            conn.execute_batch(&to_dialect(sql, conn.is_postgres()))?;
            if *number == SECRETS {
                captcha_secret::replace(conn, captcha_secret::CAPTCHA)?;
            }
            conn.execute("insert into migrations (number) values ($1)", values![*number])?;
        }
        Ok(pending)
    })
}

/// Tries again while others hold the lock of a table. Between two attempts their requests go on.
fn retry_locked<T>(mut work: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 1..LOCK_ATTEMPTS {
        match work() {
            Err(error) if error.is_lock_timeout() => {
                tracing::info!("a migration waits for the lock of a table");
                pause();
            }
            outcome => return outcome,
        }
    }
    work()
}

fn pause() {
    #[expect(clippy::disallowed_methods, reason = "migrations run in a blocking thread before the service starts")]
    std::thread::sleep(LOCK_PAUSE);
}

/// Refuses a store that a newer version of the program has migrated and that this one cannot work with.
pub fn refuse_newer(conn: &mut Conn) -> Result<()> {
    pending(conn, &[]).map(drop)
}

fn pending(conn: &mut Conn, migrations: &[Migration]) -> Result<Vec<i64>> {
    let done = conn.query("select number from migrations order by number", &[], |row| row.get::<i64>(0))?;
    let unknown = done.iter().find(|number| !is_known_migration(**number));
    if let Some(unknown) = unknown
        && !is_compatible(conn)?
    {
        return Err(Error::NewerSchema(*unknown));
    }
    Ok(migrations.iter().map(|(number, _)| *number).filter(|number| !done.contains(number)).collect())
}

/// Whether this program may use a store with migrations that it does not know.
fn is_compatible(conn: &mut Conn) -> Result<bool> {
    let newest = STORE.last().map_or(0, |(number, _)| *number);
    if !has_table(conn, "schema_compatibility")? {
        return Ok(false);
    }
    let sql = "select max(oldest_program) from schema_compatibility";
    Ok(conn.query_one(sql, &[], |row| row.get::<Option<i64>>(0))?.is_some_and(|oldest| oldest <= newest))
}

pub fn has_table(conn: &mut Conn, name: &str) -> Result<bool> {
    let sql = if conn.is_postgres() {
        "select count(*) from information_schema.tables where table_schema = current_schema() and table_name = $1"
    } else {
        "select count(*) from sqlite_master where type = 'table' and name = $1"
    };
    Ok(conn.query_one(sql, values![name], |row| row.get::<i64>(0))? > 0)
}

fn to_dialect(sql: &str, postgres: bool) -> String {
    let (serial, clustered, bytes, unlogged, postgres) = if postgres {
        ("bigint generated by default as identity primary key", "", "bytea", "unlogged", "")
    } else {
        ("integer primary key autoincrement", "without rowid", "blob", "", "-- ")
    };
    concurrent_index::in_transaction(sql)
        .replace("{serial}", serial)
        .replace("{clustered}", clustered)
        .replace("{bytes}", bytes)
        .replace("{unlogged}", unlogged)
        .replace("{postgres}", postgres)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Earlier versions imported any play time.
    #[test]
    fn an_absurd_play_time_takes_no_time_from_sessions_after_its_end() {
        let mut conn = Conn::in_memory().unwrap();
        migrate_like(&mut conn, &[1, 2, 3, 4, 5, 6, 7, 8, 9]).unwrap();
        // The player of the sessions is of no interest here.
        conn.execute_batch(
            "pragma foreign_keys = off;
             insert into servers (n, id, slug, name, short_description, ip, port, icon, banner, motd_image, motd_raw,
                                  visibility, is_online, current_players, max_players, version, protocol, latency,
                                  country, created_at, uptime, trend, recent_players, total_votes, vote_heat,
                                  vote_heat_at, rating_sum, rating_count, update_count, rev)
             values (1, 'a', 'a', 'a', '', 'a', 1, '', '', '', '', 'PUBLIC', true, 0, 0, '', 0, 0, '', 0, 0, 0, 0, 0, 0, 0, 0,
                     0, 0, 0);
             insert into sessions (id, player_n, server_n, joined_at, left_at, play_time) values
                 ('absurd', 1, 1, 0, 10000, 9223372036854775807),
                 ('negative', 1, 1, 1000, 2000, -9223372036854775807),
                 ('within', 1, 1, 5000, 20000, 15),
                 ('after', 1, 1, 20000, 30000, 10)",
        )
        .unwrap();
        migrate(&mut conn).unwrap();
        let sql = "select id, play_time, full_time from sessions where play_time between 0 and 1000 order by n";
        let read = |row: &crate::Row| (row.get::<String>(0), row.get::<i64>(1), row.get::<Option<i64>>(2));
        let sessions = conn.query(sql, &[], read).unwrap();
        assert_eq!(sessions, [("within".to_owned(), 10, Some(15)), ("after".to_owned(), 10, None)]);
    }
}
