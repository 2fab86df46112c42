//! Votes: each account, nickname and address once per server and UTC day.

mod cast;
pub mod deliveries;
pub mod history;
pub mod receivers;
pub(crate) mod voter_address;

use super::{Conn, Result, Value};
use crate::values;
use rollcall_model::time::{DAY, start_of_day};
use rollcall_search::fold;

pub use cast::cast;

/// The name that is shown for a voter whose nickname no player has, if the voter has no account or the name must not be shown.
pub const ANONYMOUS: &str = "Anonymous";
/// How long it is remembered who has voted.
const GUARD_DAYS: i64 = 2 * DAY;

/// A vote to cast.
#[derive(Clone, Debug)]
pub struct Ballot {
    pub server_n: i64,
    pub at: i64,
    pub account_n: Option<i64>,
    pub nickname: String,
    /// Whether the nickname may be shown if it is that of no known player.
    pub shows_nickname: bool,
    /// The client IP, or its network where one customer has many addresses.
    pub address: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CastOutcome {
    Cast,
    /// Voters of this server today.
    AlreadyVoted(VotedBy),
    /// The server is not public.
    Gone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VotedBy {
    Account,
    Nickname,
    Address,
}

/// Voters of a server today: the account, or the name.
pub fn voted_today(
    conn: &mut Conn,
    server_n: i64,
    account_n: Option<i64>,
    nickname: &str,
    now: i64,
) -> Result<Option<VotedBy>> {
    let account = account_n.map(|n| (VotedBy::Account, format!("account:{n}")));
    let name = (!nickname.is_empty()).then(|| (VotedBy::Nickname, format!("name:{}", fold(nickname))));
    let sql = "select 1 from vote_guards where server_n = $1 and day = $2 and voter = $3";
    for (by, voter) in account.into_iter().chain(name) {
        if conn.query_optional(sql, values![server_n, start_of_day(now), voter], |_| ())?.is_some() {
            return Ok(Some(by));
        }
    }
    Ok(None)
}

/// The votes of a server so far.
pub fn total(conn: &mut Conn, server_n: i64) -> Result<i64> {
    let sql = "select total_votes from servers where n = $1";
    Ok(conn.query_optional(sql, values![server_n], |row| row.get(0))?.unwrap_or(0))
}

/// Forgets who has voted on earlier days, and deliveries that nobody looks at any more.
pub fn delete_expired(conn: &mut Conn, now: i64) -> Result<()> {
    let before: &[Value] = values![start_of_day(now) + DAY - GUARD_DAYS];
    conn.execute("delete from vote_guards where day < $1", before)?;
    conn.execute("delete from vote_address_keys where day < $1", before)?;
    deliveries::delete_expired(conn, now)
}
