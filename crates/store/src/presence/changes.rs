//! Changes of a batch of sightings: sessions and players, written together.

use std::collections::HashMap;

use super::known_players::{KnownPlayer, RunningSession};
use super::latest_session::LatestSession;
use super::play_time::CountedTime;
use crate::{Conn, Result, Value, values};
use rollcall_model::achievements;
use rollcall_model::id;
use rollcall_search::fold;

/// A session that begins.
pub(super) struct NewSession {
    pub player_n: i64,
    pub server_n: i64,
    pub joined_at: i64,
}

#[derive(Default)]
pub(super) struct PresenceChanges {
    pub begun: Vec<NewSession>,
    /// Sessions that became longer, by number.
    pub extended: HashMap<i64, LatestSession>,
    pub players: HashMap<i64, KnownPlayer>,
    /// Additions of this batch to public sessions.
    pub counted: CountedTime,
    /// When complete lists of this batch came, by server: sessions that run there have lasted until then.
    pub listed_at: HashMap<i64, i64>,
}

impl PresenceChanges {
    /// The player as this batch has left them.
    pub fn current<'p>(&'p self, player: &'p KnownPlayer) -> &'p KnownPlayer {
        self.players.get(&player.n).unwrap_or(player)
    }

    pub fn change(&mut self, player: &KnownPlayer) -> &mut KnownPlayer {
        self.players.entry(player.n).or_insert_with(|| player.clone())
    }

    /// How long a session has run.
    pub fn until(&self, running: &RunningSession) -> i64 {
        self.listed_at.get(&running.server_n).map_or(running.until, |at| running.until.max(*at))
    }

    /// Ends the running session of a player. `stored` is its row, unless it began in this batch.
    pub fn end_running(&mut self, player: &KnownPlayer, stored: Option<&LatestSession>) {
        let Some(running) = self.current(player).running else { return };
        let until = self.until(&running);
        let player = self.change(player);
        player.running = None;
        let is_stored = player.stored_running.is_some_and(|stored| stored.is_on(running.server_n, running.joined_at));
        let Some(mut session) = stored.filter(|_| is_stored).cloned() else { return };
        session.run_until(until);
        session.count_waiting(player);
        session.waiting = 0;
        let n = player.n;
        self.counted.add(n, session.n, session.span());
        self.extended.insert(session.n, session);
    }

    pub fn write(&self, conn: &mut Conn, rev: i64) -> Result<()> {
        self.write_sessions(conn)?;
        self.write_running(conn)?;
        self.write_players(conn, rev)
    }

    fn write_sessions(&self, conn: &mut Conn) -> Result<()> {
        let extended: Vec<Vec<Value>> = self
            .extended
            .values()
            .map(|session| values![session.n, session.left_at, session.play_time, session.full_time].to_vec())
            .collect();
        conn.execute_many(
            "update sessions set left_at = v.column2, play_time = v.column3, full_time = v.column4
             from (values {rows}) v where sessions.n = v.column1",
            &["bigint"; 4],
            &extended,
        )?;
        let begun: Vec<Vec<Value>> = self
            .begun
            .iter()
            .map(|session| {
                let id = id::encode(rand::random());
                values![id, session.player_n, session.server_n, session.joined_at].to_vec()
            })
            .collect();
        conn.execute_many(
            "insert into sessions (id, player_n, server_n, joined_at, left_at, play_time)
             select v.column1, v.column2, v.column3, v.column4, v.column4, 0 from (values {rows}) v",
            &["text", "bigint", "bigint", "bigint"],
            &begun,
        )
    }

    fn write_running(&self, conn: &mut Conn) -> Result<()> {
        let changed = self.players.values().filter(|player| player.running != player.stored_running);
        let (begun, ended): (Vec<_>, Vec<_>) = changed.partition(|player| player.running.is_some());
        let ended: Vec<Vec<Value>> = ended.iter().map(|player| values![player.n].to_vec()).collect();
        conn.execute_many(
            "delete from running_sessions where player_n in (select v.column1 from (values {rows}) v)",
            &["bigint"],
            &ended,
        )?;
        let begun: Vec<Vec<Value>> = begun
            .iter()
            .filter_map(|player| {
                let running = player.running?;
                Some(values![player.n, running.server_n, running.joined_at, running.left_at].to_vec())
            })
            .collect();
        conn.execute_many(
            "insert into running_sessions (player_n, server_n, joined_at, left_at)
             select v.column1, v.column2, v.column3, v.column4 from (values {rows}) v where true
             on conflict (player_n) do update set server_n = excluded.server_n, joined_at = excluded.joined_at,
                 left_at = excluded.left_at",
            &["bigint"; 4],
            &begun,
        )
    }

    fn write_players(&self, conn: &mut Conn, rev: i64) -> Result<()> {
        let rows: Vec<Vec<Value>> = self
            .players
            .values()
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
                "bigint", "bigint", "bigint", "bigint", "bigint", "bigint", "text", "text", "bigint", "bigint",
                "bigint", "bigint",
            ],
            &rows,
        )
    }
}
