//! Players seen on servers, and the sessions that follow from it. All of it, totals included, is written in the transaction of the
//! poll.

mod known_players;
mod new_players;

use std::collections::{HashMap, HashSet};

use super::{Conn, Result, Value, nickname_history, pad_values, placeholders};
use crate::values;
use known_players::KnownPlayer;
use rollcall_model::achievements;
use rollcall_model::id;
use rollcall_model::time::{DAY, SECOND};
use rollcall_ping::ListedPlayer;
use rollcall_search::fold;

/// The game allows one name change per 30 days; an earlier one is not believed.
const RENAME_INTERVAL: i64 = 30 * DAY;

/// Players per query.
const BATCH: usize = 256;

/// The players seen on a server in one poll.
#[derive(Clone, Debug)]
pub struct PlayerSighting {
    pub server_n: i64,
    pub is_public: bool,
    pub at: i64,
    /// A player last seen at most this long ago has stayed in the same session.
    pub grace: i64,
    pub players: Vec<ListedPlayer>,
    /// How many of them may become new players: a hostile server can invent names.
    pub max_new_players: usize,
}

/// A session to extend or to insert.
struct SessionChange {
    player_n: i64,
    server_n: i64,
    joined_at: i64,
    left_at: i64,
    /// `None` for a new session.
    session_n: Option<i64>,
}

/// Writes the sightings of one batch; `rev` is the revision of its transaction. Returns the number of new players of each.
pub fn record(conn: &mut Conn, sightings: &[PlayerSighting], rev: i64) -> Result<Vec<usize>> {
    if sightings.iter().all(|sighting| sighting.players.is_empty()) {
        return Ok(vec![0; sightings.len()]);
    }
    let mut players = known_players::load(conn, sightings)?;
    let new_players = new_players::insert_missing(conn, sightings, &mut players, rev)?;
    let mut sessions = Vec::new();
    let mut changed: HashMap<i64, KnownPlayer> = HashMap::new();
    for sighting in sightings {
        let mut distinct = HashSet::new();
        let found = sighting.players.iter().filter_map(|listed| Some((listed, players.find(listed)?)));
        let present: Vec<_> = found.filter(|(_, player)| distinct.insert(player.n)).collect();
        let latest =
            latest_sessions(conn, sighting.server_n, &present.iter().map(|(_, player)| player.n).collect::<Vec<_>>())?;
        for (listed, player) in present {
            let player = changed.entry(player.n).or_insert_with(|| player.clone());
            if let Some(session) = apply_sighting(latest.get(&player.n).copied(), sighting, player) {
                sessions.push(session);
            }
            if listed.uuid.is_some()
                && listed.name != player.nickname
                && sighting.at - player.nickname_at >= RENAME_INTERVAL
            {
                rename(conn, player, &listed.name, sighting.at)?;
            }
        }
    }
    write_sessions(conn, &sessions)?;
    write_players(conn, changed.values(), rev)?;
    Ok(new_players)
}

/// `(n, joined_at, left_at)`
type LatestSession = (i64, i64, i64);

/// The latest sessions of these players on a server, by player. Batched, because a server may list thousands.
fn latest_sessions(conn: &mut Conn, server_n: i64, players: &[i64]) -> Result<HashMap<i64, LatestSession>> {
    let mut latest = HashMap::with_capacity(players.len());
    for batch in players.chunks(BATCH) {
        let mut values = pad_values(batch);
        let sql = format!(
            "select s.player_n, s.n, s.joined_at, s.left_at from sessions s
             where s.player_n in ({}) and s.server_n = ${} and s.left_at =
                   (select max(t.left_at) from sessions t where t.player_n = s.player_n and t.server_n = s.server_n)",
            placeholders(batch.len()),
            values.len() + 1
        );
        values.push(server_n.into());
        conn.for_each(&sql, &values, |row| {
            latest.insert(row.get(0), (row.get(1), row.get(2), row.get(3)));
        })?;
    }
    Ok(latest)
}

/// Extends the player's latest session on the server or begins a new one, and updates the player's totals.
fn apply_sighting(
    latest: Option<LatestSession>,
    sighting: &PlayerSighting,
    player: &mut KnownPlayer,
) -> Option<SessionChange> {
    let at = sighting.at;
    // Hidden servers do not count.
    let counted = i64::from(sighting.is_public);
    let session = match latest {
        Some((_, _, left_at)) if left_at >= at => return None,
        Some((n, joined_at, left_at)) if at - left_at <= sighting.grace => {
            player.totals.play_time_s += counted * (seconds(joined_at, at) - seconds(joined_at, left_at));
            SessionChange {
                player_n: player.n,
                server_n: sighting.server_n,
                joined_at,
                left_at: at,
                session_n: Some(n),
            }
        }
        other => {
            player.totals.sessions += counted;
            player.totals.servers += counted * i64::from(other.is_none());
            SessionChange {
                player_n: player.n,
                server_n: sighting.server_n,
                joined_at: at,
                left_at: at,
                session_n: None,
            }
        }
    };
    player.last_seen_at = player.last_seen_at.max(at);
    Some(session)
}

fn seconds(from: i64, to: i64) -> i64 {
    (to - from) / SECOND
}

fn rename(conn: &mut Conn, player: &mut KnownPlayer, name: &str, at: i64) -> Result<()> {
    nickname_history::append(conn, player.n, &player.nickname, name)?;
    player.nickname = name.to_owned();
    player.nickname_at = at;
    Ok(())
}

fn write_sessions(conn: &mut Conn, sessions: &[SessionChange]) -> Result<()> {
    let (old, new): (Vec<_>, Vec<_>) = sessions.iter().partition(|session| session.session_n.is_some());
    let extended: Vec<Vec<Value>> = old
        .iter()
        .map(|session| {
            values![session.session_n, session.left_at, seconds(session.joined_at, session.left_at)].to_vec()
        })
        .collect();
    conn.execute_many(
        "update sessions set left_at = v.column2, play_time = v.column3 from (values {rows}) v
         where sessions.n = v.column1",
        &["bigint", "bigint", "bigint"],
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
                rev,
            ]
            .to_vec()
        })
        .collect();
    conn.execute_many(
        "update players set total_play_time = v.column2, session_count = v.column3, servers_count = v.column4,
                achievements = v.column5, last_seen_at = v.column6, updated_at = v.column6, nickname = v.column7,
                nickname_key = v.column8, nickname_at = v.column9, rev = v.column10
         from (values {rows}) v where players.n = v.column1",
        &["bigint", "bigint", "bigint", "bigint", "bigint", "bigint", "text", "text", "bigint", "bigint"],
        &rows,
    )
}
