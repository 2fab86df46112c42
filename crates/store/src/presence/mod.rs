//! Players seen on servers, and the sessions that follow from it. All of it, totals included, is written in the transaction of the
//! poll.

mod known_players;
mod new_players;
mod play_time;
mod reported_names;
mod source;
mod suspicion;

use std::collections::{HashMap, HashSet};

use super::{Conn, Result, Value, events, nickname_history, pad_values, placeholders};
use crate::events::NewEvent;
use crate::values;
use known_players::{KnownPlayer, KnownPlayers};
use play_time::{CountedTime, Span};
use reported_names::{NameClaim, OtherReports, is_same_name};
use rollcall_minecraft::ListedPlayer;
use rollcall_model::achievements;
use rollcall_model::id;
use rollcall_model::time::{DAY, SECOND};
use rollcall_model::trust::SourceTrust;
use rollcall_search::fold;
use suspicion::Evidence;

pub use source::Source;

/// The game allows one name change per 30 days; an earlier one is not believed.
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
    /// How many of them may become new players: a hostile server can invent names.
    pub max_new_players: usize,
}

/// What came of a sighting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedSighting {
    pub new_players: usize,
    /// Evidence that the server invents players. Nothing else was recorded then.
    pub suspicion: Option<String>,
    /// The players that were listed and are known.
    pub present: Vec<i64>,
}

/// A player who is listed, and who it is.
type PresentPlayer<'a> = (&'a ListedPlayer, &'a KnownPlayer);

/// A session to extend or to insert.
struct SessionChange {
    player_n: i64,
    server_n: i64,
    joined_at: i64,
    left_at: i64,
    /// Seconds that count, and those before time on other servers was subtracted.
    play_time: i64,
    full_time: Option<i64>,
    /// `None` for a new session.
    session_n: Option<i64>,
}

/// What a batch changes; written together.
#[derive(Default)]
struct PresenceChanges {
    sessions: Vec<SessionChange>,
    players: HashMap<i64, KnownPlayer>,
    /// What this batch has added to public sessions.
    counted: CountedTime,
}

/// Writes the sightings of one batch; `rev` is the revision of its transaction.
pub fn record(conn: &mut Conn, sightings: &[PlayerSighting], rev: i64) -> Result<Vec<RecordedSighting>> {
    let mut recorded = vec![RecordedSighting::default(); sightings.len()];
    if sightings.iter().all(|sighting| sighting.players.is_empty()) {
        return Ok(recorded);
    }
    let mut players = known_players::load(conn, sightings)?;
    let new_players = new_players::insert_missing(conn, sightings, &mut players, rev)?;
    let mut changes = PresenceChanges::default();
    for ((sighting, recorded), new_players) in sightings.iter().zip(&mut recorded).zip(new_players) {
        let outcome = record_sighting(conn, sighting, &players, &mut changes)?;
        *recorded = RecordedSighting { new_players, ..outcome };
    }
    write_sessions(conn, &changes.sessions)?;
    write_players(conn, changes.players.values(), rev)?;
    Ok(recorded)
}

/// Inserts a player whom the session server confirmed, who was not known before; `rev` is the revision of the transaction.
pub(crate) fn insert_verified(conn: &mut Conn, uuid: &str, name: &str, at: i64, rev: i64) -> Result<i64> {
    new_players::insert_verified(conn, uuid, name, at, rev)
}

/// When these players were last seen on a server, by player.
pub(crate) fn last_seen(conn: &mut Conn, server_n: i64, players: &[i64]) -> Result<HashMap<i64, i64>> {
    let latest = latest_sessions(conn, server_n, players)?;
    Ok(latest.into_iter().map(|(player_n, session)| (player_n, session.left_at)).collect())
}

/// Adds one sighting to the changes, unless there is evidence against its server.
fn record_sighting(
    conn: &mut Conn,
    sighting: &PlayerSighting,
    players: &KnownPlayers,
    changes: &mut PresenceChanges,
) -> Result<RecordedSighting> {
    let (source, at) = (&sighting.source, sighting.at);
    let mut distinct = HashSet::new();
    let found = sighting.players.iter().filter_map(|listed| Some((listed, players.find(source.server_n, listed)?)));
    let present: Vec<PresentPlayer> = found.filter(|(_, player)| distinct.insert(player.n)).collect();
    let numbers: Vec<i64> = present.iter().map(|(_, player)| player.n).collect();
    let latest = latest_sessions(conn, source.server_n, &numbers)?;
    let names = reported_names::of_server(conn, source.server_n, &numbers)?;
    let is_outdated = |(listed, player): &&PresentPlayer| reported_names::is_outdated(names.get(&player.n), listed, at);
    let outdated: Vec<PresentPlayer> = present.iter().filter(is_outdated).copied().collect();
    // Compared with other servers: new names, and each name about once an hour.
    let is_checked = |entry: &&PresentPlayer| {
        entry.0.uuid.is_some() && (!is_same_name(&entry.0.name, &entry.1.nickname) || is_outdated(entry))
    };
    let checked: Vec<PresentPlayer> = present.iter().filter(is_checked).copied().collect();
    let others = OtherReports::load(conn, sighting, &checked)?;
    let suspicion =
        Evidence { sighting, present: &present, checked: &checked, latest: &latest, names: &names, others: &others }
            .find(conn)?;
    if suspicion.is_some() {
        return Ok(RecordedSighting { suspicion, ..RecordedSighting::default() });
    }
    let counted = load_counted(conn, sighting, &present, &latest, changes)?;
    for (listed, player) in present {
        let player = changes.players.entry(player.n).or_insert_with(|| player.clone());
        let counted = [&counted, &changes.counted];
        let session = apply_sighting(latest.get(&player.n), sighting, player, counted);
        if let Some((session_n, span)) = session.as_ref().and_then(|session| Some((session.session_n?, session.span())))
            && sighting.is_public
        {
            changes.counted.add(player.n, session_n, span);
        }
        changes.sessions.extend(session);
        if listed.uuid.is_some() && !is_same_name(&listed.name, &player.nickname) {
            let since = reported_names::since(names.get(&player.n), &listed.name, at);
            let claim = NameClaim { source, name: &listed.name, since, others: others.about(player.n) };
            let may_change = source.trust == SourceTrust::Verified
                || at - player.nickname_at >= RENAME_INTERVAL
                || others.is_named_by_suspicious(player.n);
            if may_change && claim.is_believed() {
                rename(conn, player, &listed.name, sighting)?;
            }
        }
    }
    reported_names::save(conn, sighting, &outdated, &names)?;
    Ok(RecordedSighting { present: numbers, ..RecordedSighting::default() })
}

/// What other servers have reported of the time that this sighting adds to sessions.
fn load_counted(
    conn: &mut Conn,
    sighting: &PlayerSighting,
    present: &[PresentPlayer],
    latest: &HashMap<i64, LatestSession>,
    changes: &PresenceChanges,
) -> Result<CountedTime> {
    if !sighting.is_public {
        return Ok(CountedTime::default());
    }
    let growing = present.iter().filter_map(|(_, player)| {
        let session = latest.get(&player.n).filter(|session| session.grows_with(sighting))?;
        Some((changes.players.get(&player.n).unwrap_or(player), session))
    });
    CountedTime::load(conn, &growing.collect::<Vec<_>>(), sighting.at)
}

/// A player's latest session on a server.
struct LatestSession {
    n: i64,
    joined_at: i64,
    left_at: i64,
    play_time: i64,
    full_time: Option<i64>,
}

impl LatestSession {
    /// The player was away for so short a time that they have stayed.
    fn grows_with(&self, sighting: &PlayerSighting) -> bool {
        self.left_at < sighting.at && sighting.at - self.left_at <= sighting.grace
    }

    /// The end of its time, as totals count it.
    fn counted_until(&self) -> i64 {
        self.joined_at.saturating_add(self.full_time.unwrap_or(self.play_time).saturating_mul(SECOND))
    }
}

impl SessionChange {
    /// Its time, as totals count it.
    fn span(&self) -> Span {
        (self.joined_at, self.joined_at.saturating_add(self.full_time.unwrap_or(self.play_time).saturating_mul(SECOND)))
    }
}

/// The latest sessions of these players on a server, by player. Batched, because a server may list thousands.
fn latest_sessions(conn: &mut Conn, server_n: i64, players: &[i64]) -> Result<HashMap<i64, LatestSession>> {
    let mut latest = HashMap::with_capacity(players.len());
    for batch in players.chunks(BATCH) {
        let mut values = pad_values(batch);
        let sql = format!(
            "select s.player_n, s.n, s.joined_at, s.left_at, s.play_time, s.full_time from sessions s
             where s.player_n in ({}) and s.server_n = ${} and s.left_at =
                   (select max(t.left_at) from sessions t where t.player_n = s.player_n and t.server_n = s.server_n)",
            placeholders(batch.len()),
            values.len() + 1
        );
        values.push(server_n.into());
        conn.for_each(&sql, &values, |row| {
            let session = LatestSession {
                n: row.get(1),
                joined_at: row.get(2),
                left_at: row.get(3),
                play_time: row.get(4),
                full_time: row.get(5),
            };
            latest.insert(row.get(0), session);
        })?;
    }
    Ok(latest)
}

/// Extends the player's latest session on the server or begins a new one, and updates the player's totals.
fn apply_sighting(
    latest: Option<&LatestSession>,
    sighting: &PlayerSighting,
    player: &mut KnownPlayer,
    counted: [&CountedTime; 2],
) -> Option<SessionChange> {
    let at = sighting.at;
    let session = match latest {
        Some(latest) if latest.left_at >= at => return None,
        Some(latest) if latest.grows_with(sighting) => extend_session(latest, sighting, player, counted),
        other => {
            // Hidden servers do not count.
            let counted = i64::from(sighting.is_public);
            player.totals.sessions += counted;
            player.totals.servers += counted * i64::from(other.is_none());
            SessionChange {
                player_n: player.n,
                server_n: sighting.source.server_n,
                joined_at: at,
                left_at: at,
                play_time: 0,
                full_time: None,
                session_n: None,
            }
        }
    };
    player.last_seen_at = player.last_seen_at.max(at);
    Some(session)
}

/// Counts the time since the player was last seen here, except what another public server has reported already: a moment
/// counts once, for the server that reports it first.
fn extend_session(
    latest: &LatestSession,
    sighting: &PlayerSighting,
    player: &mut KnownPlayer,
    counted: [&CountedTime; 2],
) -> SessionChange {
    let at = sighting.at;
    let gain = seconds(latest.joined_at, at) - seconds(latest.joined_at, latest.left_at);
    let mut counted_gain = gain;
    if sighting.is_public {
        let start = latest.counted_until();
        let others = counted.iter().flat_map(|counted| counted.besides(player.n, latest.n)).collect();
        counted_gain = play_time::uncovered_seconds((start, start + gain * SECOND), others);
        player.totals.play_time_s += counted_gain;
        player.played_until = player.played_until.max(at);
    }
    let full_time = latest.full_time.unwrap_or(latest.play_time) + gain;
    let play_time = latest.play_time + counted_gain;
    SessionChange {
        player_n: player.n,
        server_n: sighting.source.server_n,
        joined_at: latest.joined_at,
        left_at: at,
        play_time,
        full_time: (full_time != play_time).then_some(full_time),
        session_n: Some(latest.n),
    }
}

fn seconds(from: i64, to: i64) -> i64 {
    (to - from) / SECOND
}

fn rename(conn: &mut Conn, player: &mut KnownPlayer, name: &str, sighting: &PlayerSighting) -> Result<()> {
    nickname_history::append(conn, player.n, &player.nickname, name)?;
    events::write(conn, &[NewEvent::of_rename(sighting.at, player.n, &player.nickname, name)])?;
    player.nickname = name.to_owned();
    player.nickname_at = sighting.at;
    player.nickname_server_n = Some(sighting.source.server_n);
    Ok(())
}

fn write_sessions(conn: &mut Conn, sessions: &[SessionChange]) -> Result<()> {
    let (old, new): (Vec<_>, Vec<_>) = sessions.iter().partition(|session| session.session_n.is_some());
    let extended: Vec<Vec<Value>> = old
        .iter()
        .map(|session| values![session.session_n, session.left_at, session.play_time, session.full_time].to_vec())
        .collect();
    conn.execute_many(
        "update sessions set left_at = v.column2, play_time = v.column3, full_time = v.column4 from (values {rows}) v
         where sessions.n = v.column1",
        &["bigint"; 4],
        &extended,
    )?;
    let inserted: Vec<Vec<Value>> = new
        .iter()
        .map(|session| {
            let id = id::encode(rand::random());
            values![id, session.player_n, session.server_n, session.joined_at, session.left_at].to_vec()
        })
        .collect();
    conn.execute_many(
        "insert into sessions (id, player_n, server_n, joined_at, left_at, play_time)
         select v.column1, v.column2, v.column3, v.column4, v.column5, 0 from (values {rows}) v",
        &["text", "bigint", "bigint", "bigint", "bigint"],
        &inserted,
    )
}

fn write_players<'p>(conn: &mut Conn, players: impl Iterator<Item = &'p KnownPlayer>, rev: i64) -> Result<()> {
    let rows: Vec<Vec<Value>> = players
        .map(|player| {
            let earned = player.achievements | achievements::earned(&player.totals).cast_signed();
            values![
                player.n,
                player.totals.play_time_s,
                player.totals.sessions,
                player.totals.servers,
                earned,
                player.last_seen_at,
                &player.nickname,
                fold(&player.nickname),
                player.nickname_at,
                player.nickname_server_n,
                player.played_until,
                rev,
            ]
            .to_vec()
        })
        .collect();
    conn.execute_many(
        "update players set total_play_time = v.column2, session_count = v.column3, servers_count = v.column4,
                achievements = v.column5, last_seen_at = v.column6, updated_at = v.column6, nickname = v.column7,
                nickname_key = v.column8, nickname_at = v.column9, nickname_server_n = v.column10,
                played_until = v.column11, rev = v.column12
         from (values {rows}) v where players.n = v.column1",
        &[
            "bigint", "bigint", "bigint", "bigint", "bigint", "bigint", "text", "text", "bigint", "bigint", "bigint",
            "bigint",
        ],
        &rows,
    )
}
