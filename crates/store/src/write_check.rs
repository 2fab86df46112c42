//! Whether a database can be written, found out by writing to it and taking that back.

use super::{Conn, Error, Result};
use crate::values;

/// Ends the transaction: [`Outcome::Written`] rolls it back like any error.
enum Outcome {
    Written,
    Failed(Error),
}

impl From<Error> for Outcome {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Creates a table with a row, as a migration would, and rolls back.
pub fn check(conn: &mut Conn) -> Result<()> {
    let outcome = conn.transaction(|conn| -> std::result::Result<(), Outcome> {
        conn.execute_batch("create table rollcall_write_check (n bigint)")?;
        conn.execute("insert into rollcall_write_check (n) values ($1)", values![1_i64])?;
        Err(Outcome::Written)
    });
    match outcome {
        Err(Outcome::Failed(error)) => Err(error),
        Ok(()) | Err(Outcome::Written) => Ok(()),
    }
}
