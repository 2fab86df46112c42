//! Casts votes in batches: each table is read and written with a few statements, however many votes there are.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::deliveries::{self, NewDelivery};
use super::voter_address::AddressKeys;
use super::{ANONYMOUS, Ballot, CastOutcome, VotedBy};
use crate::erased_players::{self, Identity};
use crate::events::{self, NewEvent};
use crate::{Conn, Result, Value, pad_values, placeholders, player_totals, players, revision, servers, values};
use rollcall_model::event::EventKind;
use rollcall_model::time::start_of_day;
use rollcall_model::{id, score};
use rollcall_search::fold;

/// A server as it is before the next vote.
struct VoteTotals {
    total_votes: i64,
    heat: f64,
    heat_at: i64,
}

/// A ballot with what is compared: an account, a nickname and an address each vote once per server and day.
struct Candidate<'b> {
    ballot: &'b Ballot,
    day: i64,
    name_key: String,
    voters: Vec<(VotedBy, String)>,
}

/// A vote that counts.
struct Vote<'b> {
    ballot: &'b Ballot,
    id: String,
    name_key: String,
    day: i64,
    ordinal: i64,
    player_n: Option<i64>,
}

/// Casts a batch of votes in their order; call it in a transaction.
pub fn cast(conn: &mut Conn, ballots: &[Ballot]) -> Result<Vec<CastOutcome>> {
    // Two nodes must not both count a vote.
    let rev = revision::bump(conn)?;
    let mut servers = public_servers(conn, ballots)?;
    let candidates = candidates(conn, ballots)?;
    let mut guards = guards_of(conn, &candidates)?;
    let (mut votes, mut new_guards, mut outcomes) = (Vec::new(), Vec::new(), Vec::with_capacity(ballots.len()));
    for candidate in candidates {
        let Candidate { ballot, day, name_key, voters } = candidate;
        let Some(server) = servers.get_mut(&ballot.server_n) else {
            outcomes.push(CastOutcome::Gone);
            continue;
        };
        let mut keys = voters.into_iter().map(|(by, voter)| (by, (ballot.server_n, day, voter)));
        if let Some((by, _)) = keys.clone().find(|(_, guard)| guards.contains(guard)) {
            outcomes.push(CastOutcome::AlreadyVoted(by));
            continue;
        }
        for (_, guard) in keys.by_ref() {
            new_guards.push(values![guard.0, guard.1, &guard.2].to_vec());
            guards.insert(guard);
        }
        server.total_votes += 1;
        (server.heat, server.heat_at) = score::add_vote(server.heat, server.heat_at, ballot.at);
        let id = id::encode(rand::random());
        votes.push(Vote { ballot, id, name_key, day, ordinal: server.total_votes, player_n: None });
        outcomes.push(CastOutcome::Cast);
    }
    if !votes.is_empty() {
        conn.execute_many("insert into vote_guards (server_n, day, voter) values {rows}", &GUARD_TYPES, &new_guards)?;
        find_players(conn, &mut votes)?;
        write_votes(conn, &votes)?;
        write_totals(conn, &votes, &servers, rev)?;
        deliveries::add(conn, votes.iter().map(new_delivery))?;
        write_events(conn, votes)?;
    }
    Ok(outcomes)
}

fn public_servers(conn: &mut Conn, ballots: &[Ballot]) -> Result<HashMap<i64, VoteTotals>> {
    let numbers: Vec<i64> = BTreeSet::from_iter(ballots.iter().map(|ballot| ballot.server_n)).into_iter().collect();
    let mut found = HashMap::with_capacity(numbers.len());
    if numbers.is_empty() {
        return Ok(found);
    }
    let mut values = pad_values(&numbers);
    values.push(servers::PUBLIC.into());
    let sql = format!(
        "select n, total_votes, vote_heat, vote_heat_at from servers where n in ({}) and visibility = ${}",
        placeholders(numbers.len()),
        values.len()
    );
    conn.for_each(&sql, &values, |row| {
        let server = VoteTotals { total_votes: row.get(1), heat: row.get(2), heat_at: row.get(3) };
        found.insert(row.get(0), server);
    })?;
    Ok(found)
}

fn candidates<'b>(conn: &mut Conn, ballots: &'b [Ballot]) -> Result<Vec<Candidate<'b>>> {
    let mut addresses = AddressKeys::default();
    let candidate = |ballot: &'b Ballot| {
        let (day, name_key) = (start_of_day(ballot.at), fold(&ballot.nickname));
        let account = ballot.account_n.map(|account_n| (VotedBy::Account, format!("account:{account_n}")));
        let name = (VotedBy::Nickname, format!("name:{name_key}"));
        let address = addresses.fingerprint(conn, day, &ballot.address)?;
        let address = (VotedBy::Address, format!("address:{address}"));
        Ok(Candidate { ballot, day, name_key, voters: account.into_iter().chain([name, address]).collect() })
    };
    ballots.iter().map(candidate).collect()
}

/// `(server, day, voter)`
type Guard = (i64, i64, String);
const GUARD_TYPES: [&str; 3] = ["bigint", "bigint", "text"];

/// Those of the candidates' guards that exist.
fn guards_of(conn: &mut Conn, candidates: &[Candidate]) -> Result<HashSet<Guard>> {
    let guards = candidates.iter().flat_map(|Candidate { ballot, day, voters, .. }| {
        voters.iter().map(|(_, voter)| values![ballot.server_n, *day, voter].to_vec())
    });
    let sql = "select g.server_n, g.day, g.voter from (values {rows}) v cross join vote_guards g
               where g.server_n = v.column1 and g.day = v.column2 and g.voter = v.column3";
    let mut found = HashSet::new();
    conn.for_each_of_many(sql, &GUARD_TYPES, &Vec::from_iter(guards), |row| {
        found.insert((row.get(0), row.get(1), row.get(2)));
    })?;
    Ok(found)
}

/// Finds the players who have these nicknames now; of several, the one seen last.
fn find_players(conn: &mut Conn, votes: &mut [Vote]) -> Result<()> {
    let players = players::numbers_by_nickname(conn, votes.iter().map(|vote| vote.name_key.as_str()))?;
    for vote in votes {
        vote.player_n = players.get(&vote.name_key).copied();
    }
    Ok(())
}

fn write_votes(conn: &mut Conn, votes: &[Vote]) -> Result<()> {
    // The name of a player who opted out is not shown, also if somebody else votes with it.
    let shows_unknown = |Vote { ballot, player_n, .. }: &Vote| {
        player_n.is_none() && ballot.account_n.is_some() && ballot.shows_nickname
    };
    let unknown: Vec<Identity> =
        votes.iter().filter(|vote| shows_unknown(vote)).map(|vote| Identity::Name(&vote.ballot.nickname)).collect();
    let mut erased = erased_players::select(conn, &unknown)?.into_iter();
    let row = |vote: &Vote| {
        let Vote { ballot, id, ordinal, player_n, .. } = vote;
        let is_shown = player_n.is_some() || shows_unknown(vote) && erased.next() == Some(false);
        let shown = if is_shown { &ballot.nickname } else { ANONYMOUS };
        values![ballot.server_n, *ordinal, id, ballot.account_n, *player_n, shown, ballot.at].to_vec()
    };
    let rows: Vec<Vec<Value>> = votes.iter().map(row).collect();
    conn.execute_many(
        "insert into votes (server_n, ordinal, id, account_n, player_n, game_username, voted_at) values {rows}",
        &["bigint", "bigint", "text", "bigint", "bigint", "text", "bigint"],
        &rows,
    )
}

/// Adds the votes to the totals of their servers, days and players.
fn write_totals(conn: &mut Conn, votes: &[Vote], servers: &HashMap<i64, VoteTotals>, rev: i64) -> Result<()> {
    // In ascending order, so that neighbours are written one after the other.
    let (mut days, mut players) = (BTreeMap::<(i64, i64), i64>::new(), BTreeMap::<i64, i64>::new());
    for vote in votes {
        *days.entry((vote.ballot.server_n, vote.day)).or_default() += 1;
        if let Some(player_n) = vote.player_n {
            *players.entry(player_n).or_default() += 1;
        }
    }
    let numbers = BTreeSet::from_iter(days.keys().map(|(server_n, _)| *server_n));
    let totals = numbers.into_iter().map(|server_n| {
        let server = &servers[&server_n];
        values![server_n, server.total_votes, server.heat, server.heat_at, rev].to_vec()
    });
    conn.execute_many(
        "update servers set total_votes = v.column2, vote_heat = v.column3, vote_heat_at = v.column4, rev = v.column5
         from (values {rows}) v where servers.n = v.column1",
        &["bigint", "bigint", "double precision", "bigint", "bigint"],
        &Vec::from_iter(totals),
    )?;
    let days = days.into_iter().map(|((server_n, day), votes)| values![server_n, day, votes].to_vec());
    conn.execute_many(
        "insert into vote_days (server_n, day, votes) values {rows}
         on conflict (server_n, day) do update set votes = vote_days.votes + excluded.votes",
        &["bigint"; 3],
        &Vec::from_iter(days),
    )?;
    for (player_n, count) in players {
        player_totals::change(conn, player_n, rev, |totals| totals.votes += count)?;
    }
    Ok(())
}

fn new_delivery<'v>(vote: &'v Vote) -> NewDelivery<'v> {
    NewDelivery { ballot: vote.ballot, vote_id: &vote.id, name_key: &vote.name_key }
}

fn write_events(conn: &mut Conn, votes: Vec<Vote>) -> Result<()> {
    let event = |vote: Vote| {
        let event = NewEvent::of_server(EventKind::VoteCreated, vote.ballot.at, vote.ballot.server_n);
        NewEvent { player_n: vote.player_n, subject: Some(vote.id), ..event }
    };
    events::write(conn, &Vec::from_iter(votes.into_iter().map(event)))
}
