//! Sessions that run: on a server whose lists are complete, the session of a listed player lasts until the last reply of the
//! server. It is written when the player leaves; until then readers add what waits, as with samples (`pending_samples.rs`).

use std::collections::HashMap;

use super::{Conn, Result, pad_values, placeholders, presence, range_or_list, revision, server_presence};
use crate::values;
use rollcall_model::achievements::{self, PlayerTotals};

/// Joins the running session `x` of the player `p`, and the row `o` of its server.
pub(crate) const JOIN: &str =
    "left join running_sessions x on x.player_n = p.n left join tracking o on o.server_n = x.server_n";

/// The same for a session `s`; nothing for one that does not run.
pub(crate) const OF_SESSION: &str =
    "left join running_sessions x on x.player_n = s.player_n and x.server_n = s.server_n and x.joined_at = s.joined_at
     left join tracking o on o.server_n = x.server_n";

/// The seconds that the row of the session and the totals of its player lack, with one of these joins.
pub(crate) const WAITING: &str = "coalesce((o.sample_at - x.joined_at) / 1000 - (x.left_at - x.joined_at) / 1000, 0)";

/// Players per query, and per transaction of [`write_all`].
const BATCH: usize = 512;

/// A session as far as it is not written yet.
pub(crate) struct UnwrittenSession {
    pub server_n: i64,
    pub joined_at: i64,
    /// Seconds that its row lacks.
    pub waiting: i64,
}

impl UnwrittenSession {
    pub fn is(&self, server_n: i64, joined_at: i64) -> bool {
        (self.server_n, self.joined_at) == (server_n, joined_at)
    }
}

/// The play time of a player, as far as it is written, and what waits because their session runs.
pub(crate) struct PlayTime {
    pub written: i64,
    pub waiting: i64,
}

impl PlayTime {
    pub fn total(&self) -> i64 {
        self.written + self.waiting
    }

    /// Its progress while it is pending.
    pub fn earned(&self) -> i64 {
        if self.waiting == 0 {
            return 0;
        }
        let totals = PlayerTotals { play_time_s: self.total(), ..PlayerTotals::default() };
        achievements::earned(&totals).cast_signed()
    }
}

/// The running sessions of players, in ascending order, by player.
pub(crate) fn of_players(conn: &mut Conn, numbers: &[i64]) -> Result<HashMap<i64, UnwrittenSession>> {
    if numbers.is_empty() {
        return Ok(HashMap::new());
    }
    let (of_players, values) = range_or_list("x.player_n", numbers);
    let sql = format!(
        "select x.player_n, x.server_n, x.joined_at, {WAITING}
         from running_sessions x left join tracking o on o.server_n = x.server_n where {of_players}"
    );
    let rows = conn.query(&sql, &values, |row| {
        let session = UnwrittenSession { server_n: row.get(1), joined_at: row.get(2), waiting: row.get(3) };
        (row.get(0), session)
    })?;
    Ok(rows.into_iter().collect())
}

/// The players whose sessions run.
pub(crate) fn players(conn: &mut Conn) -> Result<Vec<i64>> {
    conn.query("select player_n from running_sessions order by player_n", &[], |row| row.get(0))
}

/// The players whose sessions may run on a server: those of its last list.
pub(crate) fn players_on(conn: &mut Conn, server_n: i64) -> Result<Vec<i64>> {
    let sql = "select present from tracking where server_n = $1";
    let present: Option<String> = conn.query_optional(sql, values![server_n], |row| row.get(0))?;
    Ok(server_presence::decode(&present.unwrap_or_default()))
}

/// Writes the running sessions of these players and ends them; those who stay run again with the next list. Call it in a
/// transaction.
pub(crate) fn write(conn: &mut Conn, players: &[i64]) -> Result<()> {
    let mut running: Vec<i64> = Vec::new();
    for batch in players.chunks(BATCH) {
        let sql = format!("select player_n from running_sessions where player_n in ({})", placeholders(batch.len()));
        running.extend(conn.query(&sql, &pad_values(batch), |row| row.get::<i64>(0))?);
    }
    if running.is_empty() {
        return Ok(());
    }
    let rev = revision::bump(conn)?;
    presence::end_running_sessions(conn, &running, rev)
}

/// The same of all players.
pub(crate) fn write_all(conn: &mut Conn) -> Result<()> {
    for batch in players(conn)?.chunks(BATCH) {
        conn.transaction(|conn| write(conn, batch))?;
    }
    Ok(())
}
