//! Votes by month, by voter and by account, for owners and voters.

use crate::{Conn, Result, values};

/// A vote of an account.
pub struct AccountVote {
    pub server_slug: String,
    pub server_name: String,
    pub voted_at: i64,
}

/// The newest votes of an account for public servers.
pub fn of_account(conn: &mut Conn, account_n: i64, limit: i64) -> Result<Vec<AccountVote>> {
    conn.query(
        "select s.slug, s.name, v.voted_at from votes v join servers s on s.n = v.server_n
         where v.account_n = $1 and s.visibility = 'PUBLIC' order by v.voted_at desc limit $2",
        values![account_n, limit],
        |row| AccountVote { server_slug: row.get(0), server_name: row.get(1), voted_at: row.get(2) },
    )
}

/// `(nickname, votes)` of a server since a time, most votes first. For its owner, whose game server gets these names: with
/// those that the public list shows as anonymous.
pub fn top_voters(conn: &mut Conn, server_n: i64, since: i64, limit: i64) -> Result<Vec<(String, i64)>> {
    conn.query(
        "select coalesce(d.username, v.game_username) as name, count(*) as votes
         from votes v left join vote_deliveries d on d.server_n = v.server_n and d.vote_id = v.id
         where v.server_n = $1 and v.voted_at >= $2 group by name order by votes desc, name limit $3",
        values![server_n, since, limit],
        |row| (row.get(0), row.get(1)),
    )
}
