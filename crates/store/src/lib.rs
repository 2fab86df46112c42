//! Everything Rollcall persists. One SQL text serves SQLite and PostgreSQL; each file covers one subject.

mod db;
mod migrate;
mod pool;

pub(crate) mod account_anonymization;
pub mod account_deletion;
pub mod account_events;
pub mod account_export;
pub mod accounts;
pub mod activity;
pub mod alert_conditions;
pub mod audit;
pub mod backup;
pub mod backup_schema;
pub mod builtin_skins;
pub mod bulk_load;
pub mod captcha_secret;
pub mod changed_servers;
pub mod clock_skew;
mod concurrent_index;
pub mod credentials;
pub mod demo_data;
pub mod erased_players;
pub mod events;
pub mod held_usernames;
pub mod hidden_textures;
pub mod invitations;
pub mod join_leave_events;
pub mod key_quota;
pub mod keys;
pub mod leaderboard_snapshot;
pub mod limit_requests;
pub mod link_codes;
pub mod list_ordinals;
pub mod listings;
pub mod login_sessions;
pub mod media;
pub mod moderation;
pub mod moderation_decisions;
pub mod moderation_subject;
pub mod nickname_history;
pub mod outages;
pub mod passkeys;
pub mod pending_samples;
pub mod pictures;
pub mod player_erasure;
pub mod player_links;
pub mod player_sessions;
pub mod player_settings;
pub mod player_stats;
pub(crate) mod player_totals;
pub mod players;
pub mod playground_passes;
pub mod post_drafts;
pub mod posts;
pub mod presence;
pub mod private_files;
pub mod quota_alerts;
pub(crate) mod report_validity;
pub mod reports;
pub mod retry_schedule;
pub mod review_replies;
pub mod reviews;
pub mod revision;
pub(crate) mod running_sessions;
pub mod sample_history;
pub mod sample_partitions;
pub mod sample_windows;
pub mod samples;
pub mod server_access;
pub mod server_deletion;
pub mod server_lookup;
pub mod server_presence;
pub mod server_stats;
pub mod server_tokens;
pub mod servers;
pub mod service_state;
pub mod spent_challenges;
pub mod submitted_posts;
pub mod submitted_reviews;
pub mod texture_acts;
pub mod texture_uploads;
pub mod textures;
pub mod tier_sync;
pub mod totals;
pub mod tracking;
pub mod transfer;
pub mod usage;
pub mod votes;
pub mod voting;
pub mod webhooks;
pub mod write_check;

use std::fmt::Write;

use tokio_postgres::error::SqlState;

use db::AttachMode;
pub use db::{Conn, Database, Row, Value};
use migrate::is_known_migration;
pub use migrate::{
    is_current, is_ledger_current, migrate, migrate_ledger, migrate_ledger_like, migrate_like,
    pending_ledger_migrations, pending_migrations, refuse_newer,
};
pub use pool::{
    Connections, EarlierRun, FailedWrite, LaneStats, LaneUsage, LeftOut, Pool, ReplicaState, ReplicaUsage,
    ReplicatedReads, check_replica,
};

pub type Result<T> = std::result::Result<T, Error>;

/// Store errors, named by outcome.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database cannot be reached or used.
    #[error("{0}")]
    Unavailable(String),
    /// The clock of this machine is wrong. The sentence says by how much.
    #[error("{0}")]
    ClockSkew(String),
    /// The store has a schema that this program does not know.
    #[error(
        "the schema of the store is newer than this program: it has migration {0}. Use the newer version of rollcall"
    )]
    NewerSchema(i64),
    /// The queue of jobs is full.
    #[error("the store is busy")]
    Busy,
    /// A query that always has a row returned none: a bug in our SQL or a damaged store.
    #[error("the store returned no row for: {0}")]
    MissingRow(String),
    #[error("{}", sqlite_message(.0))]
    Sqlite(#[from] rusqlite::Error),
    #[error("PostgreSQL: {}", postgres_message(.0))]
    Postgres(#[from] tokio_postgres::Error),
}

impl Error {
    /// Whether PostgreSQL gave up waiting for a lock.
    pub(crate) fn is_lock_timeout(&self) -> bool {
        matches!(self, Self::Postgres(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE))
    }

    /// Whether PostgreSQL accepted a connection and ended it: another one may work.
    pub(crate) fn is_ended_session(&self) -> bool {
        use std::error::Error;
        use std::io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
        let Self::Postgres(error) = self else { return false };
        let io = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
        error.is_closed()
            || error.code() == Some(&SqlState::ADMIN_SHUTDOWN)
            || io.is_some_and(|io| matches!(io.kind(), BrokenPipe | ConnectionReset | UnexpectedEof))
    }

    /// Whether another connection of PostgreSQL created or dropped the same object at the same time.
    pub(crate) fn is_lost_race(&self) -> bool {
        let lost = [
            SqlState::DUPLICATE_TABLE,
            SqlState::UNIQUE_VIOLATION,
            SqlState::UNDEFINED_OBJECT,
            SqlState::T_R_DEADLOCK_DETECTED,
        ];
        matches!(self, Self::Postgres(error) if error.code().is_some_and(|code| lost.contains(code)))
    }

    /// Whether the database is unreachable, full, locked or read-only. Such errors are temporary; all others are bugs.
    pub fn is_outage(&self) -> bool {
        use rusqlite::ErrorCode::{
            CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, FileLockingProtocolFailed, OperationInterrupted,
            ReadOnly, SystemIoFailure,
        };
        match self {
            Self::Unavailable(_) | Self::ClockSkew(_) | Self::Busy => true,
            Self::NewerSchema(_) | Self::MissingRow(_) => false,
            Self::Sqlite(error) => matches!(
                error.sqlite_error_code(),
                Some(
                    CannotOpen
                        | DatabaseBusy
                        | DatabaseLocked
                        | DiskFull
                        | FileLockingProtocolFailed
                        | OperationInterrupted
                        | ReadOnly
                        | SystemIoFailure
                )
            ),
            // An error without SQLSTATE did not come from the server. 08: connection, 25006: read-only transaction,
            // 53: insufficient resources, 55P03: lock timeout, 57: shutdown or startup, 58: I/O.
            Self::Postgres(error) => error.code().is_none_or(|state| {
                let state = state.code();
                state == "25006"
                    || state == "55P03"
                    || ["08", "53", "57", "58"].iter().any(|class| state.starts_with(class))
            }),
        }
    }
}

/// A locked database is worth a retry, so the message says so.
fn sqlite_message(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
            "another command is writing to the store (an import?); try again when it is done".to_owned()
        }
        Some(rusqlite::ErrorCode::OperationInterrupted) => "reading from the store took too long".to_owned(),
        _ => format!("SQLite: {error}"),
    }
}

/// The driver's own message is often only "db error"; the server's message has the cause.
fn postgres_message(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        // Only a pooler gives a prepared statement to another session.
        Some(db) if matches!(*db.code(), SqlState::INVALID_SQL_STATEMENT_NAME | SqlState::DUPLICATE_PSTATEMENT) => {
            format!(
                "{}. PgBouncer in transaction mode must be version 1.21 or later, with max_prepared_statements above 0",
                db.message()
            )
        }
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

/// `$1, $2, …` for an `in (…)` with `count` values. The number is rounded up to a power of two, so that a few prepared
/// statements serve every count; [`pad_values`] adds the values to match.
fn placeholders(count: usize) -> String {
    let mut marks = String::from("$1");
    for i in 2..=count.next_power_of_two() {
        let _ = write!(marks, ", ${i}");
    }
    marks
}

/// A condition that `column` is one of these ascending numbers, with its values. Numbers without a gap become a range, which
/// both engines scan faster than a list.
fn range_or_list(column: &str, ascending: &[i64]) -> (String, Vec<Value>) {
    match *ascending {
        [first, .., last] if last - first == ascending.len() as i64 - 1 => {
            (format!("{column} >= $1 and {column} <= $2"), vec![first.into(), last.into()])
        }
        _ => (format!("{column} in ({})", placeholders(ascending.len())), pad_values(ascending)),
    }
}

/// The values for [`placeholders`]. The last one is repeated, which does not change the result of an `in (…)`.
fn pad_values<T: Copy + Into<Value>>(rows: &[T]) -> Vec<Value> {
    let mut values: Vec<Value> = rows.iter().map(|&value| value.into()).collect();
    if let Some(last) = values.last().cloned() {
        values.resize(rows.len().next_power_of_two(), last);
    }
    values
}

/// Old rows deleted with each insert: few enough to be fast, and more than one, so that the table shrinks.
const DELETE_BATCH: i64 = 8;

/// Deletes a few rows whose `time` is before `before`, the oldest first.
fn delete_some_before(conn: &mut Conn, table: &str, key: &str, time: &str, before: i64) -> Result<()> {
    // Two processes must not wait for each other's row locks.
    let lock = if conn.is_postgres() { " for update skip locked" } else { "" };
    conn.execute(
        &format!(
            "delete from {table} where {key} in
             (select {key} from {table} where {time} < $1 order by {time} limit {DELETE_BATCH}{lock})"
        ),
        values![before],
    )?;
    Ok(())
}

/// The collation that orders text by its bytes. SQLite does so by default; PostgreSQL would use the locale of the database.
fn byte_collation(conn: &Conn) -> &'static str {
    if conn.is_postgres() { " collate \"C\"" } else { "" }
}
