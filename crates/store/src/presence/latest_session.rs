//! The latest session of each player on a server.

use std::collections::HashMap;

use super::known_players::KnownPlayer;
use super::{BATCH, PlayerSighting};
use crate::{Conn, Result, Row, pad_values, placeholders};
use rollcall_model::time::SECOND;

/// A stretch of time: start and end.
pub(super) type Span = (i64, i64);

/// A player's latest session on a server.
#[derive(Clone)]
pub(super) struct LatestSession {
    pub n: i64,
    pub joined_at: i64,
    pub left_at: i64,
    /// Seconds that count, and those before time on other servers was subtracted.
    pub play_time: i64,
    pub full_time: Option<i64>,
    /// Seconds that the totals of the player lack, because the session runs.
    pub waiting: i64,
}

impl LatestSession {
    /// The player was away for so short a time that they have stayed.
    pub fn grows_with(&self, sighting: &PlayerSighting) -> bool {
        self.left_at < sighting.at && sighting.at - self.left_at <= sighting.grace
    }

    /// The end of its time, as totals count it.
    pub fn counted_until(&self) -> i64 {
        self.joined_at.saturating_add(self.full_time.unwrap_or(self.play_time).saturating_mul(SECOND))
    }

    /// Its time, as totals count it.
    pub fn span(&self) -> Span {
        (self.joined_at, self.counted_until())
    }

    /// Adds the time for which it has run. All of it counts: while a session runs, no other one of the player grows.
    pub fn run_until(&mut self, until: i64) {
        self.waiting = seconds(self.joined_at, until) - seconds(self.joined_at, self.left_at);
        self.play_time += self.waiting;
        self.full_time = self.full_time.map(|full_time| full_time + self.waiting);
        self.left_at = until;
    }

    /// Adds the time for which it has run to the totals of its player.
    pub fn count_waiting(&self, player: &mut KnownPlayer) {
        player.totals.play_time_s += self.waiting;
        player.played_until = player.played_until.max(self.left_at);
        player.last_seen_at = player.last_seen_at.max(self.left_at);
    }
}

pub(super) fn seconds(from: i64, to: i64) -> i64 {
    (to - from) / SECOND
}

const COLUMNS: &str = "s.player_n, s.n, s.joined_at, s.left_at, s.play_time, s.full_time";

fn read(row: &Row) -> (i64, LatestSession) {
    let session = LatestSession {
        n: row.get(1),
        joined_at: row.get(2),
        left_at: row.get(3),
        play_time: row.get(4),
        full_time: row.get(5),
        waiting: 0,
    };
    (row.get(0), session)
}

/// The latest sessions of these players on a server as they are stored, by player. Batched, because a server may list thousands.
pub(super) fn latest(conn: &mut Conn, server_n: i64, players: &[i64]) -> Result<HashMap<i64, LatestSession>> {
    let mut latest = HashMap::with_capacity(players.len());
    for batch in players.chunks(BATCH) {
        let mut values = pad_values(batch);
        let sql = format!(
            "select {COLUMNS} from sessions s
             where s.player_n in ({}) and s.server_n = ${} and s.left_at =
                   (select max(t.left_at) from sessions t where t.player_n = s.player_n and t.server_n = s.server_n)",
            placeholders(batch.len()),
            values.len() + 1
        );
        values.push(server_n.into());
        latest.extend(conn.query(&sql, &values, read)?);
    }
    Ok(latest)
}

/// The running sessions of these players as they are stored, by player.
pub(super) fn running(conn: &mut Conn, players: &[i64]) -> Result<HashMap<i64, LatestSession>> {
    let mut running = HashMap::with_capacity(players.len());
    for batch in players.chunks(BATCH) {
        let sql = format!(
            "select {COLUMNS} from running_sessions r join sessions s on s.player_n = r.player_n
                 and s.joined_at = r.joined_at and s.server_n = r.server_n and s.left_at = r.left_at
             where r.player_n in ({})",
            placeholders(batch.len())
        );
        running.extend(conn.query(&sql, &pad_values(batch), read)?);
    }
    Ok(running)
}
