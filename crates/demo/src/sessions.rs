//! Who played where and for how long.

use super::players::{self, Player};
use super::rng::{Dice, Of, Seed, Shares, apportion};
use super::scale::Scale;
use super::servers::{self, Server};
use rollcall_model::id;
use rollcall_model::time::{DAY, HOUR, MINUTE, SECOND};
use rollcall_store::values;
use rollcall_store::{Conn, Result};

/// Kept small: there are millions of them in a bulk load.
#[derive(Clone, Copy)]
pub struct Session {
    pub player: u32,
    pub server: u32,
    pub joined_at: i64,
    pub seconds: u32,
}

impl Session {
    pub fn left_at(&self) -> i64 {
        self.joined_at + i64::from(self.seconds) * SECOND
    }
}

/// Nobody has more than this many in a day.
const MOST_PER_DAY: f64 = 5.0;
const MEDIAN_SECONDS: f64 = 2_100.0;
const LONGEST_SECONDS: f64 = 9.0 * 3_600.0;
/// The share of players who are playing right now.
const PLAYING_NOW: f64 = 0.04;
const FAVOURITES: usize = 7;
/// How often somebody who finds a server closed looks for another.
const TRIES: usize = 4;
/// Longer than any session: cut to what there is until now.
const RUNNING: u32 = u32::MAX;

/// In the order of the players, each player's in the order of time; they never overlap.
pub fn imagine(seed: Seed, now: i64, scale: &Scale, players: &[Player], servers: &[Server]) -> Vec<Session> {
    let popularity = Shares::new(servers.iter().map(|server| {
        // Everybody has stats to show, so the unlisted get only those who also play elsewhere.
        let open = server.public && !server.curve.is_out(now);
        if open { 1.0 / (server.rank as f64 + 3.0).powf(0.7) } else { 0.0 }
    }));
    let unlisted: Vec<u32> = (0..servers.len()).filter(|&i| !servers[i].public).map(|i| i as u32).collect();
    let counts = counts(now, scale, players);
    let mut sessions = Vec::with_capacity(scale.sessions);
    for (index, player) in players.iter().enumerate() {
        let mut dice = seed.dice(Of::Sessions, index);
        let favourites = favourites(&mut dice, &popularity, &unlisted);
        let window = (now - player.created_at).min(scale.days * DAY);
        let first = sessions.len();
        let is_open = |server: u32, from: i64| {
            let server = &servers[server as usize];
            from > server.created_at && !server.curve.is_out(from) && !server.curve.is_out(now)
        };
        for _ in 0..counts[index] {
            let seconds = dice.log_normal(MEDIAN_SECONDS, 1.0).clamp(20.0, LONGEST_SECONDS) as u32;
            for _ in 0..TRIES {
                let server = favourites[dice.leaning(favourites.len(), 1.8)];
                let joined_at = now - (dice.unit() * window as f64) as i64;
                if is_open(server, joined_at) {
                    sessions.push(Session { player: index as u32, server, joined_at, seconds });
                    break;
                }
            }
        }
        let ago = (dice.log_even(MINUTE as f64, (3 * HOUR) as f64) as i64).min(window);
        let playing = dice.chance(PLAYING_NOW) && is_open(favourites[0], now - ago);
        if playing || sessions.len() == first {
            sessions.push(Session {
                player: index as u32,
                server: favourites[0],
                joined_at: now - ago,
                seconds: RUNNING,
            });
        }
        let own = &mut sessions[first..];
        // Everybody has something to show: not all sessions are on servers that nobody sees.
        if own.iter().all(|session| !servers[session.server as usize].public) {
            own[0].server = favourites[0];
            own[0].joined_at = own[0].joined_at.max(servers[favourites[0] as usize].created_at);
        }
        own.sort_unstable_by_key(|session| session.joined_at);
        part(own, now, &mut dice);
    }
    sessions
}

/// Ends each session before the next begins; one that would last beyond now is running and was seen just now.
fn part(own: &mut [Session], now: i64, dice: &mut Dice) {
    for i in 0..own.len() {
        let end = match own.get(i + 1) {
            Some(next) => next.joined_at - SECOND,
            None => now - dice.between(SECOND, 50 * SECOND),
        };
        let room = (end - own[i].joined_at).max(0) / SECOND;
        own[i].seconds = own[i].seconds.min(room as u32);
    }
}

fn counts(now: i64, scale: &Scale, players: &[Player]) -> Vec<usize> {
    let days = |player: &Player| (now - player.created_at) as f64 / DAY as f64;
    let weights: Vec<f64> = players
        .iter()
        .enumerate()
        .map(|(index, player)| {
            let keenness = 1.0 / ((index + 20) as f64).sqrt();
            keenness * (days(player) / scale.days as f64).min(1.0)
        })
        .collect();
    let mut counts = apportion(&weights, scale.sessions, 1);
    for (count, player) in counts.iter_mut().zip(players) {
        let most = days(player).min(scale.days as f64) * MOST_PER_DAY;
        *count = (*count).min(most.ceil() as usize);
    }
    counts
}

fn favourites(dice: &mut Dice, popularity: &Shares, unlisted: &[u32]) -> Vec<u32> {
    let count = 1 + dice.leaning(FAVOURITES, 1.6);
    let mut chosen: Vec<u32> = Vec::with_capacity(count + 1);
    for _ in 0..count {
        let server = popularity.draw(dice) as u32;
        if !chosen.contains(&server) {
            chosen.push(server);
        }
    }
    if !unlisted.is_empty() && dice.chance(0.03) {
        chosen.push(unlisted[dice.below(unlisted.len())]);
    }
    chosen
}

pub fn write(conn: &mut Conn, seed: Seed, sessions: &[Session]) -> Result<()> {
    let columns = ["id", "player_n", "server_n", "joined_at", "left_at", "play_time"];
    conn.bulk_insert("sessions", &columns, |insert| {
        for own in sessions.chunk_by(|a, b| a.player == b.player) {
            for (row, session) in own.iter().enumerate() {
                insert(values![
                    id::encode(seed.id(Of::Sessions, session.player as usize, row)),
                    players::number(session.player as usize),
                    servers::number(session.server as usize),
                    session.joined_at,
                    session.left_at(),
                    i64::from(session.seconds),
                ])?;
            }
        }
        Ok(())
    })
}
