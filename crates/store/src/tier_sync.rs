//! Tiers that are taken over from a tier list.

use std::collections::HashMap;

use super::{Conn, Result, Value, placeholders, player_totals, revision};
use crate::values;
use rollcall_model::time::LATEST;

/// Profiles that are asked for in one round.
const MAX_PROFILES: i64 = 200;

/// A player as the tier list ranks them; `None` if it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerTier {
    /// In its canonical form.
    pub game_uuid: String,
    pub ranking: Option<Ranking>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// One of `tier::LABELS`.
    pub tier: &'static str,
    pub points: i64,
    /// The place on the whole list, from 1.
    pub rank: i64,
}

/// Claims the next round, if one is due: moves it to `next`. Of several nodes one gets it.
pub fn claim(conn: &mut Conn, now: i64, next: i64) -> Result<bool> {
    Ok(conn.execute("update tier_sync set due_at = $2 where due_at <= $1", values![now, next])? > 0)
}

pub fn is_due(conn: &mut Conn, now: i64) -> Result<bool> {
    conn.query_one("select due_at from tier_sync", &[], |row| row.get::<i64>(0) <= now)
}

/// Makes the next round due at another time.
pub fn set_due(conn: &mut Conn, at: i64) -> Result<()> {
    conn.execute("update tier_sync set due_at = $1", values![at.min(LATEST)])?;
    Ok(())
}

/// Takes over the tiers of those of these players that are known. Call it in a transaction.
pub fn apply(conn: &mut Conn, tiers: &[PlayerTier], now: i64) -> Result<usize> {
    if tiers.is_empty() {
        return Ok(0);
    }
    let rev = revision::bump(conn)?;
    let known = numbers(conn, tiers)?;
    let mut count = 0;
    for tier in tiers {
        let Some(&n) = known.get(&tier.game_uuid) else { continue };
        let (label, points, rank, at) = match &tier.ranking {
            Some(ranking) => (ranking.tier, ranking.points, Some(ranking.rank), Some(now)),
            None => (rollcall_model::tier::from_points(0), 0, None, None),
        };
        conn.execute(
            "update players set tier_overall = $2, tier_points = $3, tier_rank = $4, last_tier_sync_at = $5, rev = $6
             where n = $1",
            values![n, label, points, rank, at, rev],
        )?;
        // Achievements depend on the points.
        player_totals::change(conn, n, rev, |_| ())?;
        count += 1;
    }
    Ok(count)
}

fn numbers(conn: &mut Conn, tiers: &[PlayerTier]) -> Result<HashMap<String, i64>> {
    let mut values: Vec<Value> = tiers.iter().map(|tier| Value::from(tier.game_uuid.as_str())).collect();
    let last = values[values.len() - 1].clone();
    values.resize(tiers.len().next_power_of_two(), last);
    let sql = format!("select game_uuid, n from players where game_uuid in ({})", placeholders(tiers.len()));
    Ok(conn.query(&sql, &values, |row| (row.get(0), row.get(1)))?.into_iter().collect())
}

/// The UUIDs of ranked or linked players whom a round that began at `since` has not met, those synced longest ago first.
pub fn missed(conn: &mut Conn, since: i64) -> Result<Vec<String>> {
    conn.query(
        "select p.game_uuid from players p
         where (p.last_tier_sync_at < $1 or p.last_tier_sync_at is null and exists (
                    select 1 from player_links l where l.player_n = p.n))
         order by coalesce(p.last_tier_sync_at, $1), p.n limit $2",
        values![since, MAX_PROFILES],
        |row| row.get(0),
    )
}
