//! Players seen on servers, and the sessions that follow from it. All of it, totals included, is written in the transaction of the
//! poll, except the end of a session that runs: it is the time of the last list of its server, see `running_sessions.rs`.

mod changes;
mod known_players;
mod latest_session;
mod new_players;
mod play_time;
mod reported_names;
mod source;
mod suspicion;

use std::collections::{HashMap, HashSet};

use super::server_presence::MAX_PRESENT;
use super::{Conn, Result, events, nickname_history};
use crate::events::NewEvent;
use changes::{NewSession, PresenceChanges};
use known_players::{KnownPlayer, KnownPlayers, RunningSession};
use latest_session::LatestSession;
use play_time::CountedTime;
use reported_names::{NameClaim, OtherReports, is_same_name};
use rollcall_minecraft::ListedPlayer;
use rollcall_model::time::DAY;
use rollcall_model::trust::SourceTrust;
use suspicion::Evidence;

pub use source::Source;

/// The game allows one name change per 30 days; an earlier one is not accepted.
const RENAME_INTERVAL: i64 = 30 * DAY;

/// Players per query.
const BATCH: usize = 256;

/// The players seen on a server in one poll. Lists of suspicious servers are not recorded.
#[derive(Clone, Debug)]
pub struct PlayerSighting {
    pub source: Source,
    /// Whether an operator set the trust level: then no evidence against the server is looked for.
    pub is_trust_set: bool,
    pub is_public: bool,
    pub at: i64,
    /// A player last seen at most this long ago has stayed in the same session.
    pub grace: i64,
    pub players: Vec<ListedPlayer>,
    /// Whether everyone is listed, and the next list comes soon: sessions run until then.
    pub is_complete: bool,
    /// The players of the list before, if their sessions run.
    pub before: Vec<i64>,
    /// How many of them may become new players: a hostile server can invent names.
    pub max_new_players: usize,
}

/// Result of a sighting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedSighting {
    pub new_players: usize,
    /// Evidence that the server invents players. Nothing else was recorded then.
    pub suspicion: Option<String>,
    /// The players that were listed and are known.
    pub present: Vec<i64>,
    /// Those whose sessions run until the next list.
    running: HashSet<i64>,
}

/// A listed player, and the known player it is.
type MatchedPlayer<'a> = (&'a ListedPlayer, &'a KnownPlayer);

/// Writes the sightings of one batch; `rev` is the revision of its transaction.
pub fn record(conn: &mut Conn, sightings: &[PlayerSighting], rev: i64) -> Result<Vec<RecordedSighting>> {
    let mut recorded = vec![RecordedSighting::default(); sightings.len()];
    if sightings.iter().all(|sighting| sighting.players.is_empty() && sighting.before.is_empty()) {
        return Ok(recorded);
    }
    let mut players = known_players::load(conn, sightings)?;
    let new_players = new_players::insert_missing(conn, sightings, &mut players, rev)?;
    let mut changes = PresenceChanges::default();
    for ((sighting, recorded), new_players) in sightings.iter().zip(&mut recorded).zip(new_players) {
        let outcome = record_sighting(conn, sighting, &players, &mut changes)?;
        end_unlisted(conn, sighting, &outcome, &mut changes)?;
        *recorded = RecordedSighting { new_players, ..outcome };
    }
    changes.write(conn, rev)?;
    Ok(recorded)
}

/// Writes the running sessions of these players, and ends them. `rev` is the revision of the transaction.
pub(crate) fn end_running_sessions(conn: &mut Conn, players: &[i64], rev: i64) -> Result<()> {
    let mut changes = PresenceChanges::default();
    end_running(conn, players, |_| true, &mut changes)?;
    changes.write(conn, rev)
}

/// Inserts a player whom the session server confirmed, who was not known before; `rev` is the revision of the transaction.
pub(crate) fn insert_verified(conn: &mut Conn, uuid: &str, name: &str, at: i64, rev: i64) -> Result<i64> {
    new_players::insert_verified(conn, uuid, name, at, rev)
}

/// When these players were last seen on a server, by player.
pub(crate) fn last_seen(conn: &mut Conn, server_n: i64, players: &[i64]) -> Result<HashMap<i64, i64>> {
    let latest = latest_session::latest(conn, server_n, players)?;
    let mut seen: HashMap<i64, i64> = latest.into_iter().map(|(n, session)| (n, session.left_at)).collect();
    let running = known_players::running(conn, players)?;
    let running = running.into_iter().filter_map(|player| Some((player.n, player.running?)));
    seen.extend(running.filter(|(_, running)| running.server_n == server_n).map(|(n, running)| (n, running.until)));
    Ok(seen)
}

/// Adds one sighting to the changes, unless there is evidence against its server.
fn record_sighting(
    conn: &mut Conn,
    sighting: &PlayerSighting,
    players: &KnownPlayers,
    changes: &mut PresenceChanges,
) -> Result<RecordedSighting> {
    if sighting.players.is_empty() {
        return Ok(RecordedSighting::default());
    }
    let (source, at) = (&sighting.source, sighting.at);
    let mut distinct = HashSet::new();
    let found = sighting.players.iter().filter_map(|listed| Some((listed, players.find(source.server_n, listed)?)));
    let present: Vec<MatchedPlayer> = found.filter(|(_, player)| distinct.insert(player.n)).collect();
    let numbers: Vec<i64> = present.iter().map(|(_, player)| player.n).collect();
    let latest = load_latest(conn, source.server_n, &present, changes)?;
    let names = reported_names::of_server(conn, source.server_n, &numbers)?;
    let is_outdated = |(listed, player): &&MatchedPlayer| reported_names::is_outdated(names.get(&player.n), listed, at);
    let outdated: Vec<MatchedPlayer> = present.iter().filter(is_outdated).copied().collect();
    // Compared with other servers: new names, and each name about once an hour.
    let is_checked = |entry: &&MatchedPlayer| {
        entry.0.uuid.is_some() && (!is_same_name(&entry.0.name, &entry.1.nickname) || is_outdated(entry))
    };
    let checked: Vec<MatchedPlayer> = present.iter().filter(is_checked).copied().collect();
    let others = OtherReports::load(conn, sighting, &checked)?;
    let suspicion =
        Evidence { sighting, present: &present, checked: &checked, latest: &latest, names: &names, others: &others }
            .find(conn)?;
    if suspicion.is_some() {
        return Ok(RecordedSighting { suspicion, ..RecordedSighting::default() });
    }
    let running = record_sessions(conn, sighting, &present, &latest, changes)?;
    for (listed, player) in present {
        let player = changes.current(player);
        if listed.uuid.is_some() && !is_same_name(&listed.name, &player.nickname) {
            let since = reported_names::since(names.get(&player.n), &listed.name, at);
            let claim = NameClaim { source, name: &listed.name, since, others: others.about(player.n) };
            let may_change = source.trust == SourceTrust::Verified
                || at - player.nickname_at >= RENAME_INTERVAL
                || others.is_named_by_suspicious(player.n);
            if may_change && claim.is_accepted() {
                let player = player.clone();
                rename(conn, changes.change(&player), &listed.name, sighting)?;
            }
        }
    }
    reported_names::save(conn, sighting, &outdated, &names)?;
    Ok(RecordedSighting { present: numbers, running, ..RecordedSighting::default() })
}

/// The latest sessions of listed players on their server, with the time for which they have run.
fn load_latest(
    conn: &mut Conn,
    server_n: i64,
    present: &[MatchedPlayer],
    changes: &PresenceChanges,
) -> Result<HashMap<i64, LatestSession>> {
    let numbers: Vec<i64> = present.iter().map(|(_, player)| player.n).collect();
    let mut latest = latest_session::latest(conn, server_n, &numbers)?;
    for (_, player) in present {
        let Some(session) = latest.get_mut(&player.n) else { continue };
        if let Some(extended) = changes.extended.get(&session.n) {
            session.clone_from(extended);
        }
        let running = changes.current(player).running;
        if let Some(running) = running.filter(|running| running.is_on(server_n, session.joined_at)) {
            session.run_until(changes.until(&running));
        }
    }
    Ok(latest)
}

/// Extends and begins the sessions of listed players, except those that run. Returns the players whose sessions run until the
/// next list.
fn record_sessions(
    conn: &mut Conn,
    sighting: &PlayerSighting,
    present: &[MatchedPlayer],
    latest: &HashMap<i64, LatestSession>,
    changes: &mut PresenceChanges,
) -> Result<HashSet<i64>> {
    let (server_n, at) = (sighting.source.server_n, sighting.at);
    let may_run = sighting.is_complete && sighting.is_public && present.len() <= MAX_PRESENT;
    let runs_here = |player: &KnownPlayer| player.running.is_some_and(|running| running.server_n == server_n);
    let mut running: HashSet<i64> = HashSet::new();
    if may_run {
        let stays = |session: &LatestSession| session.left_at >= at || session.grows_with(sighting);
        let staying = present.iter().map(|(_, player)| changes.current(player));
        let staying = staying.filter(|player| runs_here(player) && latest.get(&player.n).is_some_and(stays));
        running.extend(staying.map(|player| player.n));
    }
    let is_new = |player: &&KnownPlayer| {
        !running.contains(&player.n) && latest.get(&player.n).is_none_or(|session| session.left_at < at)
    };
    let changed: Vec<&KnownPlayer> = present.iter().map(|(_, player)| *player).filter(is_new).collect();
    // A player who is on another server, too, is counted on both with each list.
    let elsewhere: Vec<i64> = changed
        .iter()
        .filter(|player| changes.current(player).running.is_some() && !runs_here(changes.current(player)))
        .map(|player| player.n)
        .collect();
    let sessions_elsewhere = latest_session::running(conn, &elsewhere)?;
    let is_elsewhere = |player: &&&KnownPlayer| elsewhere.contains(&player.n);
    changed.iter().filter(is_elsewhere).for_each(|player| {
        changes.end_running(player, sessions_elsewhere.get(&player.n));
    });
    let counted = load_counted(conn, sighting, &changed, latest, changes)?;
    for player in changed {
        if record_session(sighting, player, latest.get(&player.n), may_run, &counted, changes) {
            running.insert(player.n);
        }
    }
    Ok(running)
}

/// Extends the latest session of a listed player on this server, or begins one. Returns whether it runs until the next
/// list.
fn record_session(
    sighting: &PlayerSighting,
    player: &KnownPlayer,
    session: Option<&LatestSession>,
    may_run: bool,
    counted: &CountedTime,
    changes: &mut PresenceChanges,
) -> bool {
    let (server_n, at) = (sighting.source.server_n, sighting.at);
    let PresenceChanges { players, counted: counted_here, extended, begun, .. } = changes;
    let player = players.entry(player.n).or_insert_with(|| player.clone());
    if let Some(session) = session.filter(|_| player.running.take().is_some()) {
        session.count_waiting(player);
        extended.insert(session.n, LatestSession { waiting: 0, ..session.clone() });
    }
    let growing = session.filter(|session| session.grows_with(sighting));
    let is_shared = growing.is_some_and(|session| play_time::is_shared(player, session));
    let joined_at = match growing {
        Some(session) => {
            let session = session.extend(sighting, player, [counted, &*counted_here]);
            let joined_at = session.joined_at;
            if sighting.is_public {
                counted_here.add(player.n, session.n, session.span());
            }
            extended.insert(session.n, session);
            joined_at
        }
        None => {
            // Hidden servers do not count.
            let counts = i64::from(sighting.is_public);
            player.totals.sessions += counts;
            player.totals.servers += counts * i64::from(session.is_none());
            begun.push(NewSession { player_n: player.n, server_n, joined_at: at });
            at
        }
    };
    player.last_seen_at = player.last_seen_at.max(at);
    let runs = may_run && !is_shared && player.last_seen_at == at;
    if runs {
        player.running = Some(RunningSession { server_n, joined_at, left_at: at, until: at });
    }
    runs
}

/// Ends the sessions that ran until this list or reply, which does not mention their players.
fn end_unlisted(
    conn: &mut Conn,
    sighting: &PlayerSighting,
    recorded: &RecordedSighting,
    changes: &mut PresenceChanges,
) -> Result<()> {
    let server_n = sighting.source.server_n;
    let gone: Vec<i64> = sighting.before.iter().copied().filter(|n| !recorded.running.contains(n)).collect();
    end_running(conn, &gone, |running| running.server_n == server_n, changes)?;
    if !recorded.running.is_empty() {
        changes.listed_at.insert(server_n, sighting.at);
    }
    Ok(())
}

/// Ends running sessions of these players.
fn end_running(
    conn: &mut Conn,
    players: &[i64],
    only: impl Fn(&RunningSession) -> bool,
    changes: &mut PresenceChanges,
) -> Result<()> {
    if players.is_empty() {
        return Ok(());
    }
    let known = known_players::running(conn, players)?;
    let ended: Vec<KnownPlayer> =
        known.into_iter().filter(|player| changes.current(player).running.as_ref().is_some_and(&only)).collect();
    let numbers: Vec<i64> = ended.iter().map(|player| player.n).collect();
    let stored = latest_session::running(conn, &numbers)?;
    ended.iter().for_each(|player| changes.end_running(player, stored.get(&player.n)));
    Ok(())
}

/// What other servers have reported of the time that this sighting adds to sessions.
fn load_counted(
    conn: &mut Conn,
    sighting: &PlayerSighting,
    changed: &[&KnownPlayer],
    latest: &HashMap<i64, LatestSession>,
    changes: &PresenceChanges,
) -> Result<CountedTime> {
    if !sighting.is_public {
        return Ok(CountedTime::default());
    }
    let growing = changed.iter().filter_map(|player| {
        let session = latest.get(&player.n).filter(|session| session.grows_with(sighting))?;
        Some((changes.current(player), session))
    });
    CountedTime::load(conn, &growing.collect::<Vec<_>>(), sighting.at)
}

fn rename(conn: &mut Conn, player: &mut KnownPlayer, name: &str, sighting: &PlayerSighting) -> Result<()> {
    nickname_history::append(conn, player.n, &player.nickname, name)?;
    events::write(conn, &[NewEvent::of_rename(sighting.at, player.n, &player.nickname, name)])?;
    player.nickname = name.to_owned();
    player.nickname_at = sighting.at;
    player.nickname_server_n = Some(sighting.source.server_n);
    Ok(())
}
