//! Bulk inserts of whole tables, for generated data.
//!
//! Row types are named after their table, and each field after its column. Columns that are derived from other tables
//! start at zero: call `server_stats::refresh_all` and `totals::recompute` after the load.

mod accounts;
mod indexes;
mod players;
mod samples;
mod servers;
mod textures;

pub use accounts::{BulkAccount, ExistingAccounts, existing_accounts};
pub use indexes::{DroppedIndexes, drop_indexes};
pub use players::{BulkPlayer, BulkPlayerNickname, BulkPlayerSession, BulkPlayerStats};
pub use samples::{insert_sample_buckets, insert_samples};
pub use servers::{BulkOutage, BulkReview, BulkServer, BulkServerTag, BulkUpdatePost, BulkVote};
pub use textures::{BulkTexture, BulkTextureTag, TextureReaction, insert_texture_reactions, next_texture_n};

use super::{Conn, Result, Value};

/// SQLite's page cache during a load, in KiB. A large cache builds indexes in fewer passes over the file.
const SQLITE_LOAD_CACHE_KIB: i64 = 512 * 1024;

/// A row of one table.
pub trait BulkRow {
    const TABLE: &'static str;
    const COLUMNS: &'static [&'static str];

    /// The values in the order of [`Self::COLUMNS`].
    fn values(self) -> impl AsRef<[Value]>;
}

/// Defines a row type whose fields are the columns. `derived` columns get the given initial value.
macro_rules! bulk_row {
    (
        $(#[$doc:meta])*
        $name:ident $(<$life:lifetime>)? in $table:literal {
            $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
        }
        $(derived { $($derived:ident: $initial:expr,)* })?
    ) => {
        $(#[$doc])*
        pub struct $name $(<$life>)? {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $(<$life>)? $crate::bulk_load::BulkRow for $name $(<$life>)? {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static [&'static str] = &[$(stringify!($field),)* $($(stringify!($derived),)*)?];

            fn values(self) -> impl AsRef<[$crate::Value]> {
                [$($crate::Value::from(self.$field),)* $($($crate::Value::from($initial),)*)?]
            }
        }
    };
}
use bulk_row;

/// Inserts many rows. `rows` calls its argument once per row, so that they never stand in memory all at once.
pub fn insert_rows<R: BulkRow>(
    conn: &mut Conn,
    rows: impl FnOnce(&mut dyn FnMut(R) -> Result<()>) -> Result<()>,
) -> Result<()> {
    conn.bulk_insert(R::TABLE, R::COLUMNS, |insert| rows(&mut |row| insert(row.values().as_ref())))
}

/// Whether the store has no servers and no players yet.
pub fn is_empty(conn: &mut Conn) -> Result<bool> {
    conn.query_one("select (select count(*) from servers) + (select count(*) from players)", &[], |row| {
        row.get::<i64>(0) == 0
    })
}

/// Tells all read models to reload, and returns the `rev` to set on the loaded rows.
pub fn begin_revision(conn: &mut Conn) -> Result<i64> {
    conn.query_one("update store_state set epoch = epoch + 1, rev = rev + 1 returning rev", &[], |row| row.get(0))
}

/// Moves PostgreSQL's sequences past the loaded rows, which bring their own `n`. Does nothing on SQLite.
pub fn advance_sequences(conn: &mut Conn) -> Result<()> {
    if conn.is_postgres() {
        for table in ["accounts", "textures", "servers", "players"] {
            conn.query(
                &format!("select setval(pg_get_serial_sequence('{table}', 'n'), (select max(n) from {table}))"),
                &[],
                |_| (),
            )?;
        }
    }
    Ok(())
}

/// Runs `load` with SQLite settings for a large load into an empty store, and restores the usual ones afterwards.
///
/// Foreign keys are not checked, so all references must be valid. The rollback journal of an empty store is tiny, while
/// a write-ahead log would hold the whole load and be searched for every page.
pub fn with_load_settings<T>(conn: &mut Conn, load: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T> {
    if conn.is_postgres() {
        return load(conn);
    }
    let cache_size: i64 = conn.query_one("pragma cache_size", &[], |row| row.get(0))?;
    // Fails while another process has the database open. The load then uses the write-ahead log, which is only slower.
    let _ = conn.execute_batch("pragma journal_mode = delete");
    conn.execute_batch(&format!("pragma foreign_keys = off; pragma cache_size = -{SQLITE_LOAD_CACHE_KIB}"))?;
    let outcome = load(conn);
    conn.execute_batch(&format!(
        "pragma cache_size = {cache_size}; pragma foreign_keys = on; pragma journal_mode = wal"
    ))?;
    outcome
}
