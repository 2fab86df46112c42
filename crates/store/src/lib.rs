//! Everything that is kept. One SQL text for SQLite and PostgreSQL; one file per subject.

mod db;
mod migrate;
mod pool;

pub mod accounts;
pub mod activity;
pub mod audit;
pub mod builtin_skins;
pub mod captcha_secret;
pub mod changes;
pub mod invitations;
pub mod key_quota;
pub mod keys;
pub mod leaderboard_snapshot;
pub mod limit_requests;
pub mod login_sessions;
pub mod media;
pub mod nicknames;
pub mod outages;
pub mod players;
pub mod playground_passes;
pub mod posts;
pub mod presence;
pub mod reviews;
pub mod samples;
pub mod server_stats;
pub mod servers;
pub mod sessions;
pub mod spent_challenges;
pub mod stats;
pub mod textures;
pub mod totals;
pub mod tracking;
pub mod usage;
pub mod votes;

use std::fmt::Write;

pub use db::{Conn, Database, Reading, Row, Value};
pub use migrate::{has_table, is_known, migrate, migrate_ledger, migrate_ledger_like, migrate_like};
pub use pool::Pool;

pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, by outcome.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database cannot be reached or refuses to work.
    #[error("{0}")]
    Unavailable(String),
    /// Too many reads are waiting already.
    #[error("the store is busy")]
    Busy,
    #[error("{}", sqlite_message(.0))]
    Sqlite(#[from] rusqlite::Error),
    #[error("PostgreSQL: {}", postgres_message(.0))]
    Postgres(#[from] tokio_postgres::Error),
}

impl Error {
    /// Whether the database is out of reach, full or read-only, rather than our SQL wrong: a fault that passes.
    pub fn is_outage(&self) -> bool {
        use rusqlite::ErrorCode::{
            CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, FileLockingProtocolFailed, ReadOnly, SystemIoFailure,
        };
        match self {
            Self::Unavailable(_) | Self::Busy => true,
            Self::Sqlite(error) => matches!(
                error.sqlite_error_code(),
                Some(
                    CannotOpen
                        | DatabaseBusy
                        | DatabaseLocked
                        | DiskFull
                        | FileLockingProtocolFailed
                        | ReadOnly
                        | SystemIoFailure
                )
            ),
            // Without a code there was no server to give one. 08: connection, 25006: read-only, 53: resources, 55P03: a lock,
            // 57: shut down or starting, 58: input and output.
            Self::Postgres(error) => error.code().is_none_or(|state| {
                let state = state.code();
                state == "25006"
                    || state == "55P03"
                    || ["08", "53", "57", "58"].iter().any(|class| state.starts_with(class))
            }),
        }
    }
}

/// A lock is somebody's, and will be let go.
fn sqlite_message(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
            "another command is writing to the store (an import?); try again when it is done".to_owned()
        }
        _ => format!("SQLite: {error}"),
    }
}

/// The driver's own message is often only "db error"; the server's says what happened.
fn postgres_message(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => db.message().to_owned(),
        None => {
            use std::error::Error;
            match error.source() {
                Some(source) => format!("{error}: {source}"),
                None => error.to_string(),
            }
        }
    }
}

/// `$1, $2, …` for `count` values, for an `in (…)`. Rounded up to a power of two, so that a few prepared
/// statements serve every count: [`pad`] the values likewise.
pub fn placeholders(count: usize) -> String {
    let mut marks = String::from("$1");
    for i in 2..=count.next_power_of_two() {
        let _ = write!(marks, ", ${i}");
    }
    marks
}

/// Says of a column that it is one of these numbers, which rise: with their values, and as a span where they leave no
/// gap. A span is read in one go, a list number by number.
pub fn span_or_list(column: &str, rising: &[i64]) -> (String, Vec<Value>) {
    match *rising {
        [first, .., last] if last - first == rising.len() as i64 - 1 => {
            (format!("{column} >= $1 and {column} <= $2"), vec![first.into(), last.into()])
        }
        _ => (format!("{column} in ({})", placeholders(rising.len())), pad(rising)),
    }
}

/// Repeats the last value until [`placeholders`] is satisfied; a repeated value changes no `in (…)`.
pub fn pad(rows: &[i64]) -> Vec<Value> {
    let mut values: Vec<Value> = rows.iter().map(|&n| Value::Int(n)).collect();
    if let Some(last) = values.last().cloned() {
        values.resize(rows.len().next_power_of_two(), last);
    }
    values
}

/// Rows forgotten along with each that is written, so that nobody waits long and a table shrinks faster than it grows.
const FORGOTTEN_AT_ONCE: i64 = 8;

/// Forgets a few rows whose time is before `before`, the oldest first.
pub fn forget(conn: &mut Conn, table: &str, key: &str, time: &str, before: i64) -> Result<()> {
    // Two processes must not wait for each other's rows.
    let lock = if conn.is_postgres() { " for update skip locked" } else { "" };
    conn.execute(
        &format!(
            "delete from {table} where {key} in
             (select {key} from {table} where {time} < $1 order by {time} limit {FORGOTTEN_AT_ONCE}{lock})"
        ),
        values![before],
    )?;
    Ok(())
}

/// Orders text by its bytes on both engines, so that what is written in order is the same wherever it is kept:
/// SQLite does so by itself, PostgreSQL follows the language of the database unless told otherwise.
pub fn byte_order(conn: &Conn) -> &'static str {
    if conn.is_postgres() { " collate \"C\"" } else { "" }
}
