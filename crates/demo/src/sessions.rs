//! Play sessions: player, server and duration.

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

/// When each player was last seen; those without a session when they were created.
pub fn last_seen(players: &[DemoPlayer], sessions: &[DemoSession]) -> Vec<i64> {
    let mut last_seen: Vec<i64> = players.iter().map(|player| player.created_at).collect();
    for session in sessions {
        let seen = &mut last_seen[session.player as usize];
        *seen = (*seen).max(session.left_at());
    }
    last_seen
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
pub const STILL_RUNNING: u32 = u32::MAX;

/// The sessions of a world up to now.
pub struct GeneratedSessions {
    /// Ordered by player, then by time. The sessions of a player never overlap, and every player has one.
    pub past: Vec<DemoSession>,
    /// Those that go on after now, with their whole length.
    pub running: Vec<DemoSession>,
}

/// Servers that a player plays on, and how often.
pub struct PlayerHabits {
    player: u32,
    favourites: Vec<u32>,
    sessions_per_ms: f64,
}

impl PlayerHabits {
    /// Sessions that begin within the `window` before `until`, at the player's usual rate; oldest first.
    pub fn sessions(
        &self,
        rng: &mut DemoRng,
        until: i64,
        window: i64,
        is_open: &impl Fn(u32, i64) -> bool,
    ) -> Vec<DemoSession> {
        let count = rng.poisson(self.sessions_per_ms * window as f64);
        let mut sessions: Vec<_> = (0..count).filter_map(|_| self.session(rng, until, window, is_open)).collect();
        sessions.sort_unstable_by_key(|session| session.joined_at);
        sessions
    }

    /// A session that begins within the `window` before `until`, on a server that is open then.
    fn session(
        &self,
        rng: &mut DemoRng,
        until: i64,
        window: i64,
        is_open: &impl Fn(u32, i64) -> bool,
    ) -> Option<DemoSession> {
        let seconds = session_seconds(rng);
        for _ in 0..TRIES {
            let server = self.favourites[rng.skewed_index(self.favourites.len(), 1.8)];
            let joined_at = until - (rng.unit() * window as f64) as i64;
            if is_open(server, joined_at) {
                return Some(DemoSession { player: self.player, server, joined_at, seconds });
            }
        }
        None
    }
}

/// The length of a session.
pub fn session_seconds(rng: &mut DemoRng) -> u32 {
    rng.log_normal(MEDIAN_SECONDS, 1.0).clamp(20.0, MAX_SECONDS) as u32
}

/// Generates the sessions before now, and knows how the players go on after it.
pub struct SessionGenerator<'a> {
    seed: WorldSeed,
    now: i64,
    size: &'a WorldSize,
    players: &'a [DemoPlayer],
    servers: &'a [DemoServer],
    popularity: WeightedIndex,
    unlisted: Vec<u32>,
    /// Sessions of each player before now.
    counts: Vec<usize>,
}

impl<'a> SessionGenerator<'a> {
    pub fn new(
        seed: WorldSeed,
        now: i64,
        size: &'a WorldSize,
        players: &'a [DemoPlayer],
        servers: &'a [DemoServer],
    ) -> Self {
        let popularity = WeightedIndex::new(servers.iter().map(|server| {
            // Unlisted servers have weight 0: every player needs a session on a public server, which shows their stats.
            let open = server.public && !server.curve.is_offline(now);
            if open { 1.0 / (server.rank as f64 + 3.0).powf(0.7) } else { 0.0 }
        }));
        let unlisted = (0..servers.len()).filter(|&i| !servers[i].public).map(|i| i as u32).collect();
        let counts = session_counts(now, size, players);
        Self { seed, now, size, players, servers, popularity, unlisted, counts }
    }

    /// The habits of a player, and the stream from which the player's sessions before now are drawn.
    pub fn habits(&self, player: usize) -> (PlayerHabits, DemoRng) {
        let mut rng = self.seed.rng(Stream::Sessions, player);
        let favourites = favourites(&mut rng, &self.popularity, &self.unlisted);
        let sessions_per_ms = self.counts[player] as f64 / self.window(player).max(DAY) as f64;
        (PlayerHabits { player: player as u32, favourites, sessions_per_ms }, rng)
    }

    /// How far back the sessions of a player go.
    fn window(&self, player: usize) -> i64 {
        (self.now - self.players[player].created_at).min(self.size.days * DAY)
    }

    pub fn generate(&self) -> GeneratedSessions {
        let mut past = Vec::with_capacity(self.size.sessions);
        let mut running = Vec::new();
        let mut own = Vec::new();
        for player in 0..self.players.len() {
            let mut rng = self.draw(player, &mut own);
            own.sort_unstable_by_key(|session| session.joined_at);
            running.extend(own.last().filter(|session| session.left_at() > self.now));
            remove_overlaps(&mut own, self.now, &mut rng);
            past.append(&mut own);
        }
        GeneratedSessions { past, running }
    }

    /// Draws the sessions of a player, in any order and overlapping.
    fn draw(&self, player: usize, own: &mut Vec<DemoSession>) -> DemoRng {
        let (now, window) = (self.now, self.window(player));
        let is_open = |server: u32, from: i64| {
            let server = &self.servers[server as usize];
            from > server.created_at && !server.curve.is_offline(from) && !server.curve.is_offline(now)
        };
        let (habits, mut rng) = self.habits(player);
        for _ in 0..self.counts[player] {
            own.extend(habits.session(&mut rng, now, window, &is_open));
        }
        let favourite = habits.favourites[0];
        let ago = (rng.log_uniform(MINUTE as f64, (3 * HOUR) as f64) as i64).min(window);
        let online = rng.chance(ONLINE_SHARE) && is_open(favourite, now - ago);
        if online || own.is_empty() {
            let joined_at = now - ago;
            own.push(DemoSession { player: player as u32, server: favourite, joined_at, seconds: STILL_RUNNING });
        }
        if own.iter().all(|session| !self.servers[session.server as usize].public) {
            own[0].server = favourite;
            own[0].joined_at = own[0].joined_at.max(self.servers[favourite as usize].created_at);
        }
        rng
    }
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
