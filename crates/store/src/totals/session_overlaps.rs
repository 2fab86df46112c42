//! Counts each moment of a player once: where sessions on several public servers overlap, the time counts for the session that
//! began first. Hidden servers take no time from public ones.

use std::collections::{BTreeSet, HashSet};

use super::ScopeSql;
use crate::values;
use crate::{Conn, Result, Value, pad_values, placeholders, servers};
use rollcall_model::time::SECOND;

/// Players per query.
const BATCH: usize = 256;

pub(super) fn recompute(conn: &mut Conn, scope: &ScopeSql) -> Result<()> {
    let hidden: HashSet<i64> = servers::hidden(conn)?.into_iter().collect();
    let players: Vec<i64> = overlapping_players(conn, scope, &hidden)?.into_iter().collect();
    for batch in players.chunks(BATCH) {
        recompute_players(conn, batch, &hidden)?;
    }
    Ok(())
}

/// The players in scope who have overlapping sessions, or had some before.
fn overlapping_players(conn: &mut Conn, scope: &ScopeSql, hidden: &HashSet<i64>) -> Result<BTreeSet<i64>> {
    let rows = scope.rows("sessions", "player_n", "players");
    let mut players = BTreeSet::new();
    conn.for_each(&format!("select r.player_n from {rows} and r.full_time is not null"), &[], |row| {
        players.insert(row.get(0));
    })?;
    let (mut player, mut counted_until) = (0, i64::MIN);
    // All columns are in one index, in this order.
    let sql =
        format!("select r.player_n, r.server_n, r.joined_at, r.play_time from {rows} order by r.player_n, r.joined_at");
    conn.for_each(&sql, &[], |row| {
        let (player_n, joined_at): (i64, i64) = (row.get(0), row.get(2));
        if player_n != player {
            (player, counted_until) = (player_n, i64::MIN);
        }
        if !hidden.contains(&row.get::<i64>(1)) {
            if joined_at < counted_until {
                players.insert(player_n);
            }
            counted_until = counted_until.max(end_of(joined_at, row.get(3)));
        }
    })?;
    Ok(players)
}

/// Earlier versions imported any play time.
fn end_of(joined_at: i64, seconds: i64) -> i64 {
    joined_at.saturating_add(seconds.saturating_mul(SECOND))
}

fn recompute_players(conn: &mut Conn, players: &[i64], hidden: &HashSet<i64>) -> Result<()> {
    let (mut sessions, mut played_until): (Vec<Vec<Value>>, Vec<Vec<Value>>) = (Vec::new(), Vec::new());
    let (mut player, mut counted_until) = (0, i64::MIN);
    let sql = format!(
        "select n, player_n, server_n, joined_at, play_time, full_time from sessions
         where player_n in ({}) order by player_n, joined_at, n",
        placeholders(players.len())
    );
    conn.for_each(&sql, &pad_values(players), |row| {
        let (player_n, joined_at, stored): (i64, i64, i64) = (row.get(1), row.get(3), row.get(4));
        if player_n != player {
            (player, counted_until) = (player_n, i64::MIN);
        }
        let stored_full: Option<i64> = row.get(5);
        let full_time = stored_full.unwrap_or(stored);
        let mut play_time = full_time;
        if !hidden.contains(&row.get::<i64>(2)) {
            let ends_at = end_of(joined_at, full_time);
            play_time = ends_at.saturating_sub(counted_until.max(joined_at)).max(0) / SECOND;
            counted_until = counted_until.max(ends_at);
            played_until.push(values![player_n, counted_until].to_vec());
        }
        let full_time = (play_time != full_time).then_some(full_time);
        if (play_time, full_time) != (stored, stored_full) {
            sessions.push(values![row.get::<i64>(0), play_time, full_time].to_vec());
        }
    })?;
    conn.execute_many(
        "update sessions set play_time = v.column2, full_time = v.column3 from (values {rows}) v
         where sessions.n = v.column1",
        &["bigint"; 3],
        &sessions,
    )?;
    conn.execute_many(
        "update players set played_until = v.until
         from (select w.column1 as n, max(w.column2) as until from (values {rows}) w group by w.column1) v
         where players.n = v.n and players.played_until < v.until",
        &["bigint"; 2],
        &played_until,
    )
}
