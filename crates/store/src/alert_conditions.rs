//! Conditions of alerts: keys that expire, and servers that send no reports any more. Quotas are in
//! [`quota_alerts`](super::quota_alerts).

use super::{Conn, Result, pad_values, placeholders};
use crate::values;

/// An enabled key of one of these accounts.
pub struct AccountKey {
    pub n: i64,
    pub id: String,
    pub name: String,
    pub account_n: i64,
    pub expires_at: Option<i64>,
}

/// The enabled keys of these accounts.
pub fn keys(conn: &mut Conn, accounts: &[i64]) -> Result<Vec<AccountKey>> {
    let mut keys = Vec::new();
    for accounts in accounts.chunks(256) {
        let sql = format!(
            "select n, id, name, account_n, expires_at from keys
             where not disabled and not blocked and account_n in ({}) order by n",
            placeholders(accounts.len())
        );
        keys.extend(conn.query(&sql, &pad_values(accounts), |row| AccountKey {
            n: row.get(0),
            id: row.get(1),
            name: row.get(2),
            account_n: row.get(3),
            expires_at: row.get(4),
        })?);
    }
    Ok(keys)
}

/// A server whose reports have stopped, and an account that manages it.
pub struct MissingReport {
    pub server_n: i64,
    pub account_n: i64,
    pub received_at: i64,
}

/// Servers, except hidden ones, that have answered pings since `silent_before`, and whose last report came before it, but after `not_before`.
pub fn missing_reports(conn: &mut Conn, silent_before: i64, not_before: i64) -> Result<Vec<MissingReport>> {
    conn.query(
        "select s.n, m.account_n, r.received_at
         from server_reports r join servers s on s.n = r.server_n
              join (select n as server_n, owner_n as account_n from servers where owner_n is not null
                    union select server_n, account_n from server_editors) m on m.server_n = s.n
         where r.received_at < $1 and r.received_at >= $2 and s.is_online and s.visibility <> 'HIDDEN'
           and exists (select 1 from server_tokens t where t.server_n = s.n and t.ends_at is null)
           and not exists (select 1 from outages o where o.server_n = s.n and (o.ended_at is null or o.ended_at > $1))
         order by s.n, m.account_n",
        values![silent_before, not_before],
        |row| MissingReport { server_n: row.get(0), account_n: row.get(1), received_at: row.get(2) },
    )
}
