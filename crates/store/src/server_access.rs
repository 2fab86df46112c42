//! Who may manage a server on the dashboard: its owner, and operators.

use super::{Conn, Result, Row};
use crate::values;

/// A server that an account may manage.
#[derive(Clone, Debug)]
pub struct ManagedServer {
    pub n: i64,
    pub slug: String,
    pub name: String,
    pub is_online: bool,
    pub players: i64,
    pub visibility: String,
    pub total_votes: i64,
}

const COLUMNS: &str = "s.n, s.slug, s.name, s.is_online, s.current_players, s.visibility, s.total_votes";

fn read(row: &Row) -> ManagedServer {
    ManagedServer {
        n: row.get(0),
        slug: row.get(1),
        name: row.get(2),
        is_online: row.get(3),
        players: row.get(4),
        visibility: row.get(5),
        total_votes: row.get(6),
    }
}

/// The servers of an account, by name.
pub fn of_account(conn: &mut Conn, account_n: i64) -> Result<Vec<ManagedServer>> {
    let sql = format!("select {COLUMNS} from servers s where s.owner_n = $1 order by s.name, s.n");
    conn.query(&sql, values![account_n], read)
}

/// The server with this slug, if the account may manage it.
pub fn find(conn: &mut Conn, slug: &str, account_n: i64, is_operator: bool) -> Result<Option<ManagedServer>> {
    let sql = format!("select {COLUMNS} from servers s where s.slug = $1 and (s.owner_n = $2 or $3)");
    conn.query_optional(&sql, values![slug, account_n, is_operator], read)
}
