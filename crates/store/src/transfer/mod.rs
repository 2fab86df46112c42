//! SQL of `rollcall import` and `rollcall export`: one file per resource.
//!
//! A `Transfer…` type is one row of a resource. Its `Ref` is how it refers to other rows: by public id (`String`) in
//! an export, by row number (`i64`) in an import.

mod dialect;
mod staging;
mod table;
mod touched_row_tracker;

pub mod accounts;
pub mod keys;
pub mod outages;
pub mod player_stats;
pub mod players;
pub mod reviews;
pub mod samples;
pub mod servers;
pub mod sessions;
pub mod textures;
pub mod update_posts;
pub mod votes;

use std::collections::HashMap;

pub use staging::Staging;
pub use table::{StagedRow, StagedTable};
pub use touched_row_tracker::TouchedRowTracker;

use crate::{Conn, Result, Value, values};

/// The rows of an import do not arrive in index order. With a large page cache SQLite writes each page once.
const SQLITE_CACHE: &str = "pragma cache_size = -1048576";

/// Prepares a connection for an import. SQLite allocates the cache only as it fills.
pub fn enlarge_cache(conn: &mut Conn) -> Result<()> {
    if conn.is_postgres() { Ok(()) } else { conn.execute_batch(SQLITE_CACHE) }
}

/// Row numbers of a table by public id.
fn row_numbers(conn: &mut Conn, table: &str) -> Result<HashMap<String, i64>> {
    let mut numbers = HashMap::new();
    conn.for_each(&format!("select id, n from {table}"), &[], |row| {
        numbers.insert(row.get(0), row.get(1));
    })?;
    Ok(numbers)
}

/// Runs a query of two text columns, an id and a value that must be unique.
fn for_each_pair(conn: &mut Conn, sql: &str, pair: &mut dyn FnMut(&str, &str)) -> Result<()> {
    conn.for_each(sql, &[], |row| pair(&row.get::<String>(0), &row.get::<String>(1)))
}

/// The highest ordinal among the rows of a server; 0 if there are none.
fn last_ordinal(conn: &mut Conn, table: &str, server_n: i64) -> Result<i64> {
    let sql = format!("select coalesce(max(ordinal), 0) from {table} where server_n = $1");
    conn.query_one(&sql, values![server_n], |row| row.get(0))
}

/// The rows of a list whose order matters: position and text.
fn numbered_texts(texts: Vec<String>) -> Vec<Vec<Value>> {
    texts.into_iter().zip(0_i64..).map(|(text, position)| vec![position.into(), text.into()]).collect()
}

/// `row![a, b]`: the values of one row, in the order of its table's columns.
macro_rules! row {
    ($($value:expr),* $(,)?) => { vec![$($crate::Value::from($value)),*] };
}
use row;
