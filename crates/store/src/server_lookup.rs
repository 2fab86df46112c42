//! Finds single servers for the command line.

use super::{Conn, Result};
use crate::values;

/// The slug of another server at the same address. `hosts` are spellings of one host: as typed, ASCII and Unicode, all
/// in lower case.
pub fn slug_at_address(
    conn: &mut Conn,
    hosts: [&str; 3],
    port: i64,
    edition: &str,
    except_id: &str,
) -> Result<Option<String>> {
    let [typed, ascii, unicode] = hosts;
    conn.query_optional(
        "select slug from servers where lower(ip) in ($1, $2, $3) and port = $4 and edition = $5 and id <> $6",
        values![typed, ascii, unicode, port, edition, except_id],
        |row| row.get(0),
    )
}

/// Fails when there is no server with this id.
pub fn number_and_slug(conn: &mut Conn, id: &str) -> Result<(i64, String)> {
    conn.query_one("select n, slug from servers where id = $1", values![id], |row| (row.get(0), row.get(1)))
}
