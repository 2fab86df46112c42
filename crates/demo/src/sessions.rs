//! Play sessions: who played where and for how long.

use super::players::{self, DemoPlayer};
use super::rng::{DemoRng, Stream, WeightedIndex, WorldSeed, apportion};
use super::servers::{self, DemoServer};
use super::world_size::WorldSize;
use rollcall_model::id;
use rollcall_model::time::{DAY, HOUR, MINUTE, SECOND};
use rollcall_store::bulk_load::{self, BulkPlayerSession};
use rollcall_store::{Conn, Result};

/// Small, because a bulk load has millions of them. `player` and `server` are indexes.
#[derive(Clone, Copy)]
pub struct DemoSession {
    pub player: u32,
    pub server: u32,
    pub joined_at: i64,
    pub seconds: u32,
}

impl DemoSession {
    pub fn left_at(&self) -> i64 {
        self.joined_at + i64::from(self.seconds) * SECOND
    }
}

const MAX_PER_DAY: f64 = 5.0;
const MEDIAN_SECONDS: f64 = 2_100.0;
const MAX_SECONDS: f64 = 9.0 * 3_600.0;
/// The share of players who are online now.
const ONLINE_SHARE: f64 = 0.04;
const MAX_FAVOURITES: usize = 7;
/// How often a player who finds a server offline tries another.
const TRIES: usize = 4;
/// Longer than any session. `remove_overlaps` cuts it to end now.
const STILL_RUNNING: u32 = u32::MAX;

/// Ordered by player, then by time. The sessions of a player never overlap, and every player has one.
pub fn generate(
    seed: WorldSeed,
    now: i64,
    size: &WorldSize,
    players: &[DemoPlayer],
    servers: &[DemoServer],
) -> Vec<DemoSession> {
    let popularity = WeightedIndex::new(servers.iter().map(|server| {
        // Unlisted servers have weight 0: every player needs a session on a public server, which shows their stats.
        let open = server.public && !server.curve.is_offline(now);
        if open { 1.0 / (server.rank as f64 + 3.0).powf(0.7) } else { 0.0 }
    }));
    let unlisted: Vec<u32> = (0..servers.len()).filter(|&i| !servers[i].public).map(|i| i as u32).collect();
    let counts = session_counts(now, size, players);
    let mut sessions = Vec::with_capacity(size.sessions);
    for (index, player) in players.iter().enumerate() {
        let mut rng = seed.rng(Stream::Sessions, index);
        let favourites = favourites(&mut rng, &popularity, &unlisted);
        let window = (now - player.created_at).min(size.days * DAY);
        let first = sessions.len();
        let is_open = |server: u32, from: i64| {
            let server = &servers[server as usize];
            from > server.created_at && !server.curve.is_offline(from) && !server.curve.is_offline(now)
        };
        for _ in 0..counts[index] {
            let seconds = rng.log_normal(MEDIAN_SECONDS, 1.0).clamp(20.0, MAX_SECONDS) as u32;
            for _ in 0..TRIES {
                let server = favourites[rng.skewed_index(favourites.len(), 1.8)];
                let joined_at = now - (rng.unit() * window as f64) as i64;
                if is_open(server, joined_at) {
                    sessions.push(DemoSession { player: index as u32, server, joined_at, seconds });
                    break;
                }
            }
        }
        let ago = (rng.log_uniform(MINUTE as f64, (3 * HOUR) as f64) as i64).min(window);
        let online = rng.chance(ONLINE_SHARE) && is_open(favourites[0], now - ago);
        if online || sessions.len() == first {
            sessions.push(DemoSession {
                player: index as u32,
                server: favourites[0],
                joined_at: now - ago,
                seconds: STILL_RUNNING,
            });
        }
        let own = &mut sessions[first..];
        if own.iter().all(|session| !servers[session.server as usize].public) {
            own[0].server = favourites[0];
            own[0].joined_at = own[0].joined_at.max(servers[favourites[0] as usize].created_at);
        }
        own.sort_unstable_by_key(|session| session.joined_at);
        remove_overlaps(own, now, &mut rng);
    }
    sessions
}

/// Ends each session before the next begins. A session that would end after now was last seen within the last minute.
fn remove_overlaps(own: &mut [DemoSession], now: i64, rng: &mut DemoRng) {
    for i in 0..own.len() {
        let end = match own.get(i + 1) {
            Some(next) => next.joined_at - SECOND,
            None => now - rng.between(SECOND, 50 * SECOND),
        };
        let max_seconds = (end - own[i].joined_at).max(0) / SECOND;
        own[i].seconds = own[i].seconds.min(max_seconds as u32);
    }
}

fn session_counts(now: i64, size: &WorldSize, players: &[DemoPlayer]) -> Vec<usize> {
    let days = |player: &DemoPlayer| (now - player.created_at) as f64 / DAY as f64;
    let weights: Vec<f64> = players
        .iter()
        .enumerate()
        .map(|(index, player)| {
            let activity = 1.0 / ((index + 20) as f64).sqrt();
            activity * (days(player) / size.days as f64).min(1.0)
        })
        .collect();
    let mut counts = apportion(&weights, size.sessions, 1);
    for (count, player) in counts.iter_mut().zip(players) {
        let max = days(player).min(size.days as f64) * MAX_PER_DAY;
        *count = (*count).min(max.ceil() as usize);
    }
    counts
}

fn favourites(rng: &mut DemoRng, popularity: &WeightedIndex, unlisted: &[u32]) -> Vec<u32> {
    let count = 1 + rng.skewed_index(MAX_FAVOURITES, 1.6);
    let mut chosen: Vec<u32> = Vec::with_capacity(count + 1);
    for _ in 0..count {
        let server = popularity.draw(rng) as u32;
        if !chosen.contains(&server) {
            chosen.push(server);
        }
    }
    if !unlisted.is_empty() && rng.chance(0.03) {
        chosen.push(unlisted[rng.below(unlisted.len())]);
    }
    chosen
}

pub fn insert(conn: &mut Conn, seed: WorldSeed, sessions: &[DemoSession]) -> Result<()> {
    bulk_load::insert_rows::<BulkPlayerSession>(conn, |insert| {
        for own in sessions.chunk_by(|a, b| a.player == b.player) {
            for (row, session) in own.iter().enumerate() {
                insert(BulkPlayerSession {
                    id: id::encode(seed.id_bits(Stream::Sessions, session.player as usize, row)),
                    player_n: players::row_n(session.player as usize),
                    server_n: servers::row_n(session.server as usize),
                    joined_at: session.joined_at,
                    left_at: session.left_at(),
                    play_time: i64::from(session.seconds),
                })?;
            }
        }
        Ok(())
    })
}
