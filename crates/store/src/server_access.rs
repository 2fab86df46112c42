//! Who may manage a server on the dashboard: its owner, the editors, and operators. Until it has an owner, the account that
//! submitted it may change what it submitted.

use super::{Conn, Result, Row, listings};
use crate::values;

/// Permissions of an account on a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerRole {
    Owner,
    Editor,
    Submitter,
    Operator,
}

impl ServerRole {
    /// Tokens, votes and figures are for those who proved that they run the server, and those they trust.
    pub fn can_manage(self) -> bool {
        self != Self::Submitter
    }

    /// Editors and the address.
    pub fn can_give_away(self) -> bool {
        matches!(self, Self::Owner | Self::Operator)
    }

    /// Editors keep what is not theirs.
    pub fn can_delete(self) -> bool {
        self != Self::Editor
    }
}

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
    pub role: ServerRole,
    pub archived_at: Option<i64>,
    /// A deleted server is archived, too.
    pub deleted_at: Option<i64>,
}

impl ManagedServer {
    /// Until when a deleted server can be restored.
    pub fn restorable_until(&self) -> Option<i64> {
        self.deleted_at.map(|at| at + listings::KEPT_AFTER_DELETION)
    }
}

const SELECT: &str = "select s.n, s.slug, s.name, s.is_online, s.current_players, s.visibility, s.total_votes,
        case when s.owner_n = $1 then 'owner' when e.account_n is not null then 'editor'
             when s.owner_n is null and l.submitted_by = $1 then 'submitter' else '' end,
        l.archived_at, l.deleted_at
    from servers s left join server_editors e on e.server_n = s.n and e.account_n = $1
         left join listings l on l.server_n = s.n";

/// `None` if the account has nothing to do with the server.
fn read(row: &Row, is_operator: bool) -> Option<ManagedServer> {
    let role = match row.get::<String>(7).as_str() {
        "owner" => ServerRole::Owner,
        _ if is_operator => ServerRole::Operator,
        "editor" => ServerRole::Editor,
        "submitter" => ServerRole::Submitter,
        _ => return None,
    };
    Some(ManagedServer {
        n: row.get(0),
        slug: row.get(1),
        name: row.get(2),
        is_online: row.get(3),
        players: row.get(4),
        visibility: row.get(5),
        total_votes: row.get(6),
        role,
        archived_at: row.get(8),
        deleted_at: row.get(9),
    })
}

/// The servers of an account, by name.
pub fn of_account(conn: &mut Conn, account_n: i64) -> Result<Vec<ManagedServer>> {
    let sql = format!(
        "{SELECT} where s.n in (select n from servers where owner_n = $1
            union select server_n from server_editors where account_n = $1
            union select server_n from listings where submitted_by = $1) order by s.name, s.n"
    );
    let found = conn.query(&sql, values![account_n], |row| read(row, false))?;
    Ok(found.into_iter().flatten().collect())
}

/// The server with this slug, if the account has a role.
pub fn find(conn: &mut Conn, slug: &str, account_n: i64, is_operator: bool) -> Result<Option<ManagedServer>> {
    let sql = format!("{SELECT} where s.slug = $2");
    Ok(conn.query_optional(&sql, values![account_n, slug], |row| read(row, is_operator))?.flatten())
}

/// Makes another account the owner, as a moderator decided. Editors, claims, tokens and the receiver of votes
/// were the old owner's.
pub(crate) fn hand_over(conn: &mut Conn, server_n: i64, account_n: i64, rev: i64) -> Result<()> {
    conn.execute("update servers set owner_n = $2, rev = $3 where n = $1", values![server_n, account_n, rev])?;
    for table in ["server_editors", "server_claims", "server_tokens", "vote_receivers"] {
        conn.execute(&format!("delete from {table} where server_n = $1"), values![server_n])?;
    }
    Ok(())
}
