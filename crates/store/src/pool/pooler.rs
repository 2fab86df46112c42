//! PgBouncer in transaction mode gives each transaction another session. Before version 1.21 it does not know prepared statements,
//! and a statement of one client may run that of another with the same name: wrong rows, not an error.

use crate::{Conn, Database, Error, Result};

const SESSION: &str = "select pg_backend_pid()::bigint";
/// The server's name of the statement that asks. PgBouncer gives prepared statements names of its own if it supports them.
const IS_RENAMED: &str = "select exists (select 1 from pg_prepared_statements where name like 'PGBOUNCER\\_%')";

/// Refuses a pooler that mixes up prepared statements. `conn` is a connection to `database`.
pub fn refuse_unsafe(database: &Database, conn: &mut Conn) -> Result<()> {
    if !conn.is_postgres() || !shares_sessions(database, conn)? || is_renamed(conn)? {
        return Ok(());
    }
    Err(Error::Unavailable(
        "PgBouncer in transaction mode must be version 1.21 or later with max_prepared_statements above 0; \
         use pool_mode = session, or connect to PostgreSQL itself"
            .into(),
    ))
}

/// Whether two open connections run in one session, one after the other.
fn shares_sessions(database: &Database, conn: &mut Conn) -> Result<bool> {
    let session: i64 = conn.query_one(SESSION, &[], |row| row.get(0))?;
    let other: i64 = Conn::open_existing(database)?.query_one(SESSION, &[], |row| row.get(0))?;
    Ok(session == other)
}

fn is_renamed(conn: &mut Conn) -> Result<bool> {
    conn.query_one(IS_RENAMED, &[], |row| row.get(0))
}
