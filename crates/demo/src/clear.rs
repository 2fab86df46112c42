//! Empties the store of what a generator fills, children before their parents. Keys, other accounts and the
//! built-in skins stay.

use super::accounts;
use super::rng::Seed;
use rollcall_store::builtin_skins;
use rollcall_store::values;
use rollcall_store::{Conn, Result};

const TABLES: &[&str] = &[
    "player_stats",
    "sessions",
    "update_posts",
    "reviews",
    "vote_days",
    "votes",
    "player_nicknames",
    "players",
    "texture_likes",
    "texture_favorites",
    "samples",
    "samples_5m",
    "samples_hour",
    "samples_day",
    "server_tags",
    "outages",
    "tracking",
    "servers",
];

pub fn clear(conn: &mut Conn) -> Result<()> {
    for table in TABLES {
        conn.execute(&format!("delete from {table}"), &[])?;
    }
    let [classic, slim] = builtin_skins::default_skin_ids();
    conn.execute("delete from textures where id not in ($1, $2)", values![classic, slim])?;
    let seed: Option<i64> = conn.one("select demo_seed from store_state", &[], |row| row.get(0))?;
    if let Some(seed) = seed {
        accounts::clear(conn, Seed(seed.cast_unsigned()))?;
    }
    Ok(())
}
