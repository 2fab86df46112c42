//! Looks up the stored players among those listed.

use std::collections::{BTreeSet, HashMap};

use super::PlayerSighting;
use super::sessions::LatestSession;
use crate::{Conn, Result, Row, Value, pad_values, placeholders};
use rollcall_minecraft::ListedPlayer;
use rollcall_model::achievements::PlayerTotals;
use rollcall_model::id::is_name_only_uuid;
use rollcall_search::fold;

/// The columns of a player that a sighting may change.
#[derive(Clone, Debug)]
pub(super) struct KnownPlayer {
    pub n: i64,
    pub nickname: String,
    pub nickname_at: i64,
    /// The server that reported the nickname.
    pub nickname_server_n: Option<i64>,
    pub last_seen_at: i64,
    /// Play time up to here is counted already, on whatever public server.
    pub played_until: i64,
    pub totals: PlayerTotals,
    pub achievements: i64,
    pub running: Option<RunningSession>,
    /// The same as it is stored.
    pub stored_running: Option<RunningSession>,
}

/// A session whose end is that of the last list of its server. A player has at most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunningSession {
    pub server_n: i64,
    pub joined_at: i64,
    /// Its end in its row.
    pub left_at: i64,
    /// How long it has lasted.
    pub until: i64,
}

impl RunningSession {
    pub fn is_on(&self, server_n: i64, joined_at: i64) -> bool {
        (self.server_n, self.joined_at) == (server_n, joined_at)
    }
}

impl KnownPlayer {
    /// Adds the time for which a session has run to the totals.
    pub fn count_waiting(&mut self, session: &LatestSession) {
        self.totals.play_time_s += session.waiting;
        self.played_until = self.played_until.max(session.left_at);
        self.last_seen_at = self.last_seen_at.max(session.left_at);
    }
}

/// Stored players by UUID, or by server and folded name where a list has no UUIDs. A name alone identifies no player on
/// another server: any server can list a UUID of its own under that name.
#[derive(Default)]
pub(super) struct KnownPlayers {
    by_uuid: HashMap<String, KnownPlayer>,
    by_name: HashMap<(i64, String), KnownPlayer>,
}

/// UUIDs or names per query.
const BATCH: usize = 256;

const COLUMNS: &str =
    "p.game_uuid, p.n, p.nickname, p.nickname_at, p.nickname_server_n, p.last_seen_at, p.played_until,
    p.total_play_time, p.session_count, p.servers_count, p.total_kills, p.total_deaths, p.total_wins, p.vote_count,
    p.review_count, p.tier_points, p.achievements, x.server_n, x.joined_at, x.left_at, o.sample_at";
/// The number of [`COLUMNS`].
const WIDTH: usize = 21;
/// Joins what [`COLUMNS`] needs besides the player `p`.
const RUNNING: &str =
    "left join running_sessions x on x.player_n = p.n left join tracking o on o.server_n = x.server_n";

impl KnownPlayers {
    pub fn find(&self, server_n: i64, listed: &ListedPlayer) -> Option<&KnownPlayer> {
        match &listed.uuid {
            Some(uuid) => self.by_uuid.get(uuid),
            None => self.by_name.get(&(server_n, fold(&listed.name))),
        }
    }

    pub fn add_by_uuid(&mut self, conn: &mut Conn, uuids: &BTreeSet<String>) -> Result<()> {
        for_each_batch(uuids, |batch, values| {
            let sql = format!("select {COLUMNS} from players p {RUNNING} where p.game_uuid in ({batch})");
            conn.for_each(&sql, &values, |row| {
                self.by_uuid.insert(row.get(0), read(row));
            })
        })
    }

    /// Lets a server know a player by this name.
    pub fn add_name(&mut self, server_n: i64, name: &str, uuid: &str) {
        if let Some(player) = self.by_uuid.get(uuid) {
            self.by_name.insert((server_n, fold(name)), player.clone());
        }
    }

    /// Finds the players whom this server reported under these folded names. Of several, one with an id of the game, then the
    /// one seen last.
    fn add_by_name(&mut self, conn: &mut Conn, server_n: i64, names: BTreeSet<String>) -> Result<()> {
        let mut missing = names;
        // Sessions without a reported name were imported, or stored by an earlier version.
        let sources = [
            "r.nickname_key, r.seen_at from reported_names r join players p on p.n = r.player_n {running}
             where r.server_n = {server} and r.nickname_key in ({names})",
            "p.nickname_key, p.last_seen_at from players p {running}
             where p.nickname_key in ({names})
               and exists (select 1 from sessions s where s.player_n = p.n and s.server_n = {server})",
        ];
        for source in sources {
            let mut found: HashMap<String, ((bool, i64, i64), KnownPlayer)> = HashMap::new();
            for_each_batch(&missing, |batch, mut values| {
                values.push(server_n.into());
                let server = format!("${}", values.len());
                let source =
                    source.replace("{names}", batch).replace("{server}", &server).replace("{running}", RUNNING);
                conn.for_each(&format!("select {COLUMNS}, {source}"), &values, |row| {
                    let player = read(row);
                    let has_game_id = !is_name_only_uuid(&row.get::<String>(0));
                    let rank = (has_game_id, row.get::<i64>(WIDTH + 1), -player.n);
                    let best = found.entry(row.get(WIDTH)).or_insert_with(|| (rank, player.clone()));
                    if rank > best.0 {
                        *best = (rank, player);
                    }
                })
            })?;
            missing.retain(|name| !found.contains_key(name));
            self.by_name.extend(found.into_iter().map(|(name, (_, player))| ((server_n, name), player)));
        }
        Ok(())
    }
}

pub(super) fn load(conn: &mut Conn, sightings: &[PlayerSighting]) -> Result<KnownPlayers> {
    let listed = sightings.iter().flat_map(|sighting| &sighting.players);
    let uuids: BTreeSet<String> = listed.filter_map(|listed| listed.uuid.clone()).collect();
    let mut players = KnownPlayers::default();
    players.add_by_uuid(conn, &uuids)?;
    for sighting in sightings {
        let nameless = sighting.players.iter().filter(|listed| listed.uuid.is_none());
        players.add_by_name(conn, sighting.source.server_n, nameless.map(|listed| fold(&listed.name)).collect())?;
    }
    Ok(players)
}

/// Those of these players whose session runs.
pub(super) fn running(conn: &mut Conn, numbers: &[i64]) -> Result<Vec<KnownPlayer>> {
    let mut players = Vec::new();
    for batch in numbers.chunks(BATCH) {
        let sql = format!(
            "select {COLUMNS} from running_sessions x join players p on p.n = x.player_n
                 left join tracking o on o.server_n = x.server_n
             where x.player_n in ({})",
            placeholders(batch.len())
        );
        players.extend(conn.query(&sql, &pad_values(batch), read)?);
    }
    Ok(players)
}

/// Calls `each` with the placeholders and values of each batch.
fn for_each_batch(wanted: &BTreeSet<String>, mut each: impl FnMut(&str, Vec<Value>) -> Result<()>) -> Result<()> {
    let wanted: Vec<&String> = wanted.iter().collect();
    for batch in wanted.chunks(BATCH) {
        let mut values: Vec<Value> = batch.iter().map(|&text| Value::from(text)).collect();
        let last = values[values.len() - 1].clone();
        values.resize(batch.len().next_power_of_two(), last);
        each(&placeholders(batch.len()), values)?;
    }
    Ok(())
}

/// A row of [`COLUMNS`].
fn read(row: &Row) -> KnownPlayer {
    let (last_seen_at, played_until): (i64, i64) = (row.get(5), row.get(6));
    let running = row.get::<Option<i64>>(17).map(|server_n| {
        let left_at: i64 = row.get(19);
        let until = row.get::<Option<i64>>(20).unwrap_or(left_at).max(left_at);
        RunningSession { server_n, joined_at: row.get(18), left_at, until }
    });
    KnownPlayer {
        n: row.get(1),
        nickname: row.get(2),
        nickname_at: row.get(3),
        nickname_server_n: row.get(4),
        last_seen_at,
        played_until: if played_until == 0 { last_seen_at } else { played_until },
        totals: PlayerTotals {
            play_time_s: row.get(7),
            sessions: row.get(8),
            servers: row.get(9),
            kills: row.get(10),
            deaths: row.get(11),
            wins: row.get(12),
            votes: row.get(13),
            reviews: row.get(14),
            tier_points: row.get(15),
        },
        achievements: row.get(16),
        running,
        stored_running: running,
    }
}
