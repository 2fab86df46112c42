//! Tokens with which game servers send reports.

use std::collections::HashMap;

use super::audit::{self, Author};
use super::{Conn, Result, pad_values, placeholders};
use crate::values;
use rollcall_model::message::translatable;
use rollcall_model::server_token::ServerToken;
use rollcall_model::time::DAY;

/// How long the token before the newest one is accepted.
pub const ROTATION_GRACE: i64 = DAY;

/// A valid token, as pages show it.
pub struct TokenInfo {
    pub hint: String,
    pub created_at: i64,
    /// `None` for the newest token.
    pub ends_at: Option<i64>,
}

/// The server that a token belongs to.
#[derive(Clone, Debug)]
pub struct TokenServer {
    pub n: i64,
    pub slug: String,
    /// It is hidden and not pinged: what it reports can be compared with nothing.
    pub is_archived: bool,
}

/// Adds a token; the one before it stays valid for a while, all earlier ones end. Call it in a transaction.
pub fn issue(conn: &mut Conn, server_n: i64, token: &ServerToken, author: &Author) -> Result<()> {
    issue_hashed(conn, server_n, (&token.hash(), token.hint()), author)
}

/// [`issue`] for the hash and the hint of a token.
pub(crate) fn issue_hashed(conn: &mut Conn, server_n: i64, token: (&str, &str), author: &Author) -> Result<()> {
    let (now, (hash, hint)) = (author.at, token);
    conn.execute("delete from server_tokens where server_n = $1 and ends_at is not null", values![server_n])?;
    conn.execute("update server_tokens set ends_at = $2 where server_n = $1", values![server_n, now + ROTATION_GRACE])?;
    conn.execute(
        "insert into server_tokens (hash, server_n, hint, created_at) values ($1, $2, $3, $4)",
        values![hash, server_n, hint, now],
    )?;
    audit::log_owned_server(conn, server_n, translatable("server token created"), author)
}

/// Ends all tokens of a server. Call it in a transaction.
pub fn revoke_all(conn: &mut Conn, server_n: i64, author: &Author) -> Result<()> {
    conn.execute("delete from server_tokens where server_n = $1", values![server_n])?;
    audit::log_owned_server(conn, server_n, translatable("server tokens revoked"), author)
}

pub fn find(conn: &mut Conn, hash: &str, now: i64) -> Result<Option<TokenServer>> {
    conn.query_optional(
        "select s.n, s.slug, l.archived_at is not null
         from server_tokens t join servers s on s.n = t.server_n left join listings l on l.server_n = s.n
         where t.hash = $1 and (t.ends_at is null or t.ends_at > $2)",
        values![hash, now],
        |row| TokenServer { n: row.get(0), slug: row.get(1), is_archived: row.get(2) },
    )
}

/// The numbers of the servers that these tokens belong to, by hash.
pub(crate) fn servers_of(conn: &mut Conn, hashes: &[&str], now: i64) -> Result<HashMap<String, i64>> {
    let sql =
        format!("select hash, server_n, ends_at from server_tokens where hash in ({})", placeholders(hashes.len()));
    let mut servers = HashMap::with_capacity(hashes.len());
    conn.for_each(&sql, &pad_values(hashes), |row| {
        if row.get::<Option<i64>>(2).is_none_or(|ends_at| ends_at > now) {
            servers.insert(row.get(0), row.get(1));
        }
    })?;
    Ok(servers)
}

/// The valid tokens of a server, newest first.
pub fn of_server(conn: &mut Conn, server_n: i64, now: i64) -> Result<Vec<TokenInfo>> {
    conn.query(
        "select hint, created_at, ends_at from server_tokens where server_n = $1 and (ends_at is null or ends_at > $2)
         order by created_at desc",
        values![server_n, now],
        |row| TokenInfo { hint: row.get(0), created_at: row.get(1), ends_at: row.get(2) },
    )
}
