//! The delivery of votes to game servers: an outbox. A delivery is claimed in a transaction of its own before anything is sent,
//! so that no vote is sent twice by accident: not by two nodes, and not after a crash.

use super::receivers::{self, VoteReceiver};
use super::{Ballot, fold};
use crate::{Conn, Result, Row, Value, retry_schedule, values};
use rollcall_model::time::{DAY, MINUTE};

/// A receiver that cannot be reached gets its votes within this time after they were cast, or not at all.
const GIVE_UP_AFTER: i64 = 3 * DAY;
/// How long deliveries are shown to the owner.
const KEPT: i64 = 30 * DAY;
/// A claimed delivery that has not ended after this belongs to a node that died. Far longer than an attempt takes.
const LEASE: i64 = MINUTE;
const GAVE_UP: &str = "the receiver could not be reached for three days";
/// The detail of a delivery whose receiver speaks version 1.
const UNCONFIRMED: &str = "sent; receivers of version 1 do not confirm votes";
/// The state that owners see: `sent` for what version 1 left unconfirmed.
const SHOWN_STATE: &str = "case when state = 'delivered' and detail <> '' then 'sent' else state end";
const NODE_DIED: &str = "the service stopped while it was sending";
/// Whether the owner prefers a vote that arrives twice to one that is lost.
const REPEATS_UNCERTAIN: &str = "exists (select 1 from vote_receivers r
                                         where r.server_n = vote_deliveries.server_n and r.repeats_uncertain)";

/// A delivery that this node is going to attempt.
#[derive(Clone, Debug)]
pub struct ClaimedDelivery {
    pub n: i64,
    pub server_n: i64,
    pub username: String,
    pub voted_at: i64,
    pub attempts: i64,
    pub receiver: VoteReceiver,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    Delivered,
    /// Nothing was sent.
    NotSent(String),
    /// It was sent, and its arrival is unknown.
    Uncertain(String),
    /// The receiver refused it.
    Rejected(String),
}

/// A vote that may be delivered.
pub(super) struct NewDelivery<'v> {
    pub ballot: &'v Ballot,
    pub vote_id: &'v str,
    /// The folded nickname.
    pub name_key: &'v str,
}

/// Adds the deliveries of votes, in their transaction.
pub(super) fn add<'v>(conn: &mut Conn, votes: impl Iterator<Item = NewDelivery<'v>>) -> Result<()> {
    let row = |vote: NewDelivery| {
        let Ballot { server_n, nickname, at, .. } = vote.ballot;
        values![*server_n, vote.vote_id, nickname, vote.name_key, *at].to_vec()
    };
    conn.execute_many(
        "insert into vote_deliveries (server_n, vote_id, username, username_key, voted_at, state, attempts, due_at, detail,
                                      updated_at)
         select v.column1, v.column2, v.column3, v.column4, v.column5,
                case when r.server_n is null then 'unclaimed' else 'waiting' end, 0,
                case when r.server_n is null then null else v.column5 end, '', v.column5
         from (values {rows}) v left join vote_receivers r on r.server_n = v.column1",
        &["bigint", "text", "text", "text", "bigint"],
        &Vec::from_iter(votes.map(row)),
    )
}

/// Claims up to `limit` due deliveries: the oldest of each server, and none of the servers in `busy`. Call it in a transaction
/// that commits before anything is sent.
pub fn claim(conn: &mut Conn, now: i64, limit: i64, busy: &[i64]) -> Result<Vec<ClaimedDelivery>> {
    end_abandoned(conn, now)?;
    let mut values: Vec<Value> = values![now, limit].to_vec();
    let mut is_free = "true".to_owned();
    if !busy.is_empty() {
        let first = values.len();
        values.extend(busy.iter().map(|server_n| Value::from(*server_n)));
        let numbers: Vec<String> = (first + 1..=values.len()).map(|i| format!("${i}")).collect();
        is_free = format!("d.server_n not in ({})", numbers.join(", "));
    }
    let lock = if conn.is_postgres() { " for update of d skip locked" } else { "" };
    // The conditions on `d` repeat those of `f`: PostgreSQL checks only these again for a row that another node claimed
    // after this statement began.
    let sql = format!(
        "select d.n, d.server_n, d.username, d.voted_at, d.attempts, {}
         from (select min(n) as n from vote_deliveries where due_at <= $1 and state in ('waiting', 'retrying')
               group by server_n) f
         join vote_deliveries d on d.n = f.n join vote_receivers r on r.server_n = d.server_n
         where d.due_at <= $1 and d.state in ('waiting', 'retrying') and r.retry_at <= $1 and {is_free}
         order by d.due_at, d.n limit $2{lock}",
        receivers::COLUMNS
    );
    let claimed = conn.query(&sql, &values, |row| ClaimedDelivery {
        n: row.get(0),
        server_n: row.get(1),
        username: row.get(2),
        voted_at: row.get(3),
        attempts: row.get::<i64>(4) + 1,
        receiver: receivers::read(row, 5),
    })?;
    let rows: Vec<Vec<Value>> =
        claimed.iter().map(|delivery| values![delivery.n, delivery.attempts, now + LEASE, now].to_vec()).collect();
    conn.execute_many(
        "update vote_deliveries set state = 'sending', attempts = v.column2, due_at = v.column3, updated_at = v.column4
         from (values {rows}) v where vote_deliveries.n = v.column1",
        &["bigint"; 4],
        &rows,
    )?;
    Ok(claimed)
}

/// Whether [`claim`] has anything to do; saves the writer a transaction.
pub fn is_due(conn: &mut Conn, now: i64) -> Result<bool> {
    let sql = "select 1 from vote_deliveries d left join vote_receivers r on r.server_n = d.server_n
               where d.due_at <= $1 and (d.state = 'sending' or r.retry_at <= $1) limit 1";
    Ok(conn.query_optional(sql, values![now], |_| ())?.is_some())
}

/// Ends deliveries whose node died while it was sending, and those whose time is over.
fn end_abandoned(conn: &mut Conn, now: i64) -> Result<()> {
    let abandoned = "due_at <= $1 and state = 'sending'";
    conn.execute(
        &format!(
            "update vote_deliveries set state = 'retrying', detail = $2, updated_at = $1
             where {abandoned} and {REPEATS_UNCERTAIN}"
        ),
        values![now, NODE_DIED],
    )?;
    conn.execute(
        &format!(
            "update vote_deliveries set state = 'uncertain', due_at = null, detail = $2, updated_at = $1 where {abandoned}"
        ),
        values![now, NODE_DIED],
    )?;
    conn.execute(
        "update vote_deliveries set state = 'rejected', due_at = null, detail = $3, updated_at = $1
         where due_at <= $1 and state in ('waiting', 'retrying') and voted_at <= $2",
        values![now, now - GIVE_UP_AFTER, GAVE_UP],
    )?;
    Ok(())
}

/// Writes down how an attempt ended. Call it in a transaction.
pub fn finish(conn: &mut Conn, delivery: &ClaimedDelivery, outcome: &DeliveryOutcome, now: i64) -> Result<()> {
    let (state, detail, due_at) = match outcome {
        DeliveryOutcome::Delivered if delivery.receiver.confirms() => ("delivered", "", None),
        DeliveryOutcome::Delivered => ("delivered", UNCONFIRMED, None),
        DeliveryOutcome::NotSent(reason) => ("retrying", reason.as_str(), Some(now)),
        DeliveryOutcome::Uncertain(reason) if delivery.receiver.repeats_uncertain => {
            ("retrying", reason.as_str(), Some(now))
        }
        DeliveryOutcome::Uncertain(reason) => ("uncertain", reason.as_str(), None),
        DeliveryOutcome::Rejected(reason) => ("rejected", reason.as_str(), None),
    };
    conn.execute(
        "update vote_deliveries set state = $3, detail = $4, due_at = $5, updated_at = $6
         where n = $1 and attempts = $2 and state = 'sending'",
        values![delivery.n, delivery.attempts, state, detail, due_at, now],
    )?;
    let failures = if due_at.is_some() { delivery.receiver.failures + 1 } else { 0 };
    let retry_at = if failures > 0 { now + retry_schedule::VOTES.pause(failures) } else { 0 };
    conn.execute(
        "update vote_receivers set failures = $2, retry_at = $3 where server_n = $1",
        values![delivery.server_n, failures, retry_at],
    )?;
    // All that wait for a receiver wait for its next attempt, or the first of them in a long queue would be looked at over and over.
    if failures > 0 { receivers::postpone(conn, delivery.server_n, retry_at) } else { Ok(()) }
}

/// A delivery as its owner sees it.
#[derive(Clone, Debug)]
pub struct DeliveryRecord {
    pub vote_id: String,
    pub username: String,
    pub voted_at: i64,
    pub state: String,
    pub attempts: i64,
    pub detail: String,
    pub updated_at: i64,
    /// When it is sent next; only for those that wait.
    pub due_at: Option<i64>,
}

fn read(row: &Row) -> DeliveryRecord {
    DeliveryRecord {
        vote_id: row.get(0),
        username: row.get(1),
        voted_at: row.get(2),
        state: row.get(3),
        attempts: row.get(4),
        detail: row.get(5),
        updated_at: row.get(6),
        due_at: row.get(7),
    }
}

/// The newest deliveries of a server.
pub fn of_server(conn: &mut Conn, server_n: i64, limit: i64) -> Result<Vec<DeliveryRecord>> {
    let sql = format!(
        "select vote_id, username, voted_at, {SHOWN_STATE}, attempts, detail, updated_at,
                case when state = 'retrying' then due_at end
         from vote_deliveries where server_n = $1 order by n desc limit $2"
    );
    conn.query(&sql, values![server_n, limit], read)
}

/// `(state, deliveries)` of a server.
pub fn count_by_state(conn: &mut Conn, server_n: i64) -> Result<Vec<(String, i64)>> {
    let sql = format!(
        "select {SHOWN_STATE} as shown, count(*) from vote_deliveries where server_n = $1 group by shown order by shown"
    );
    conn.query(&sql, values![server_n], |row| (row.get(0), row.get(1)))
}

/// Sends a vote again that did not arrive, or may not have. Returns whether there was such a vote. Call it in a transaction.
pub fn resend(conn: &mut Conn, server_n: i64, vote_id: &str, now: i64) -> Result<bool> {
    let changed = conn.execute(
        "update vote_deliveries set state = 'waiting', due_at = $3, voted_at = case when voted_at > $4 then voted_at else $3 end,
                updated_at = $3
         where server_n = $1 and vote_id = $2 and state in ('rejected', 'uncertain', 'unclaimed')
           and exists (select 1 from vote_receivers r where r.server_n = $1)",
        values![server_n, vote_id, now, now - GIVE_UP_AFTER],
    )?;
    if changed > 0 {
        conn.execute("update vote_receivers set retry_at = 0 where server_n = $1", values![server_n])?;
    }
    Ok(changed > 0)
}

/// Whether a player has a vote of the last day that the game server can reward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimState {
    NoVote,
    Unclaimed,
    /// It was rewarded, or may have been.
    Claimed,
}

/// Whether the game server may claim a vote. One that is being sent or may have arrived counts as rewarded; if the owner
/// prefers two rewards to none, only while it is being sent.
fn is_claimable() -> String {
    format!(
        "(state not in ('claimed', 'delivered', 'sending', 'uncertain') or state = 'uncertain' and {REPEATS_UNCERTAIN})"
    )
}

/// The newest vote of a name in the last day, and whether it is claimable.
fn newest(conn: &mut Conn, server_n: i64, username: &str, now: i64) -> Result<Option<(i64, bool)>> {
    let sql = format!(
        "select n, {} from vote_deliveries where server_n = $1 and username_key = $2 and voted_at > $3
         order by voted_at desc, n desc limit 1",
        is_claimable()
    );
    conn.query_optional(&sql, values![server_n, fold(username), now - DAY], |row| (row.get(0), row.get(1)))
}

pub fn claim_state(conn: &mut Conn, server_n: i64, username: &str, now: i64) -> Result<ClaimState> {
    Ok(match newest(conn, server_n, username, now)? {
        None => ClaimState::NoVote,
        Some((_, true)) => ClaimState::Unclaimed,
        Some((_, false)) => ClaimState::Claimed,
    })
}

/// Claims the vote of a name: the game server rewards it now. Returns whether there was one to claim. Call it in a transaction.
pub fn claim_vote(conn: &mut Conn, server_n: i64, username: &str, now: i64) -> Result<bool> {
    let Some((n, _)) = newest(conn, server_n, username, now)? else { return Ok(false) };
    // Checked again: a node may be sending it by now.
    let sql = format!(
        "update vote_deliveries set state = 'claimed', due_at = null, updated_at = $2 where n = $1 and {}",
        is_claimable()
    );
    Ok(conn.execute(&sql, values![n, now])? > 0)
}

pub(super) fn delete_expired(conn: &mut Conn, now: i64) -> Result<()> {
    conn.execute("delete from vote_deliveries where voted_at < $1 and due_at is null", values![now - KEPT])?;
    Ok(())
}
