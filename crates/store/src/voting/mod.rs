//! Votes that people cast: each account, nickname and address once per server and UTC day.

pub mod deliveries;
pub mod history;
pub mod receivers;
pub(crate) mod voter_address;

use super::{Conn, Result, Value, events, player_totals, players, revision, servers};
use crate::erased_players::{self, Identity};
use crate::events::NewEvent;
use crate::values;
use rollcall_model::event::EventKind;
use rollcall_model::time::{DAY, start_of_day};
use rollcall_model::{id, score};
use rollcall_search::fold;

/// The name that is shown for a voter without an account whose nickname no player has.
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
    /// The client IP, or its network where one customer has many addresses.
    pub address: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CastOutcome {
    Cast,
    /// Who has voted for this server today.
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

/// A server as it is before the vote.
struct VotedServer {
    total_votes: i64,
    heat: f64,
    heat_at: i64,
}

/// Casts a batch of votes; call it in a transaction.
pub fn cast(conn: &mut Conn, ballots: &[Ballot]) -> Result<Vec<CastOutcome>> {
    let rev = revision::bump(conn)?;
    ballots.iter().map(|ballot| cast_one(conn, ballot, rev)).collect()
}

fn cast_one(conn: &mut Conn, ballot: &Ballot, rev: i64) -> Result<CastOutcome> {
    let sql = "select total_votes, vote_heat, vote_heat_at from servers where n = $1 and visibility = $2";
    let server = conn.query_optional(sql, values![ballot.server_n, servers::PUBLIC], |row| VotedServer {
        total_votes: row.get(0),
        heat: row.get(1),
        heat_at: row.get(2),
    })?;
    let Some(server) = server else { return Ok(CastOutcome::Gone) };
    if let Some(by) = take_day(conn, ballot)? {
        return Ok(CastOutcome::AlreadyVoted(by));
    }
    let id = id::encode(rand::random());
    let player_n = player_named(conn, &ballot.nickname)?;
    let shown = match player_n {
        // The name of a player who opted out is not shown, also if somebody else votes with it.
        None if ballot.account_n.is_none() || erased_players::contains(conn, Identity::Name(&ballot.nickname))? => {
            ANONYMOUS
        }
        _ => &ballot.nickname,
    };
    conn.execute(
        "insert into votes (server_n, ordinal, id, account_n, player_n, game_username, voted_at)
         values ($1, $2, $3, $4, $5, $6, $7)",
        values![ballot.server_n, server.total_votes + 1, &id, ballot.account_n, player_n, shown, ballot.at],
    )?;
    conn.execute(
        "insert into vote_days (server_n, day, votes) values ($1, $2, 1)
         on conflict (server_n, day) do update set votes = vote_days.votes + 1",
        values![ballot.server_n, start_of_day(ballot.at)],
    )?;
    let (heat, heat_at) = score::add_vote(server.heat, server.heat_at, ballot.at);
    conn.execute(
        "update servers set total_votes = total_votes + 1, vote_heat = $2, vote_heat_at = $3, rev = $4 where n = $1",
        values![ballot.server_n, heat, heat_at, rev],
    )?;
    if let Some(player_n) = player_n {
        player_totals::change(conn, player_n, rev, |totals| totals.votes += 1)?;
    }
    deliveries::add(conn, ballot, &id)?;
    let event = NewEvent::of_server(EventKind::VoteCreated, ballot.at, ballot.server_n);
    events::write(conn, &[NewEvent { player_n, subject: Some(id), ..event }])?;
    Ok(CastOutcome::Cast)
}

/// Who has voted for a server today: the account, or the name.
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

/// Notes who votes today, or says who has voted before. The primary key decides between simultaneous votes.
fn take_day(conn: &mut Conn, ballot: &Ballot) -> Result<Option<VotedBy>> {
    let day = start_of_day(ballot.at);
    let address = voter_address::fingerprint(conn, day, &ballot.address)?;
    let mut voters = vec![
        (VotedBy::Nickname, format!("name:{}", fold(&ballot.nickname))),
        (VotedBy::Address, format!("address:{address}")),
    ];
    if let Some(account_n) = ballot.account_n {
        voters.insert(0, (VotedBy::Account, format!("account:{account_n}")));
    }
    let mut taken = Vec::new();
    let mut rejected = None;
    for (by, voter) in &voters {
        let inserted = conn.execute(
            "insert into vote_guards (server_n, day, voter) values ($1, $2, $3) on conflict do nothing",
            values![ballot.server_n, day, voter],
        )?;
        if inserted == 0 {
            rejected = Some(*by);
            break;
        }
        taken.push(voter);
    }
    if rejected.is_some() {
        // The other two may still vote.
        for voter in taken {
            let sql = "delete from vote_guards where server_n = $1 and day = $2 and voter = $3";
            conn.execute(sql, values![ballot.server_n, day, voter])?;
        }
    }
    Ok(rejected)
}

/// The player who has this nickname now; of several, the one seen last.
fn player_named(conn: &mut Conn, nickname: &str) -> Result<Option<i64>> {
    players::number_by_nickname(conn, &fold(nickname))
}

/// Forgets who has voted on earlier days, and deliveries that nobody looks at any more.
pub fn delete_expired(conn: &mut Conn, now: i64) -> Result<()> {
    let before: &[Value] = values![start_of_day(now) + DAY - GUARD_DAYS];
    conn.execute("delete from vote_guards where day < $1", before)?;
    conn.execute("delete from vote_address_keys where day < $1", before)?;
    deliveries::delete_expired(conn, now)
}
