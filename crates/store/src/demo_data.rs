//! The state of a store that holds generated demo data, and how that data is cleared.

use std::collections::HashSet;

use super::{Conn, Result, builtin_skins};
use crate::values;
use rollcall_model::server_token::ServerToken;

/// Tables that hold only generated rows in a demo store, children before their parents.
const GENERATED_TABLES: &[&str] = &[
    "player_stats",
    "running_sessions",
    "sessions",
    "moderation_items",
    "post_drafts",
    "update_posts",
    "review_replies",
    "submitted_reviews",
    "reviews",
    "vote_deliveries",
    "vote_receivers",
    "vote_guards",
    "vote_days",
    "votes",
    "player_nicknames",
    "player_links",
    "join_codes",
    "account_link_codes",
    "erased_players",
    "players",
    "texture_visits",
    "texture_trends",
    "favorite_places",
    "favorite_collections",
    "texture_uploads",
    "texture_removals",
    "texture_likes",
    "texture_favorites",
    "samples",
    "samples_5m",
    "samples_hour",
    "samples_day",
    "server_tags",
    "outages",
    "tracking",
    "server_reports",
    "server_tokens",
    "server_claims",
    "server_editors",
    "listings",
    "attendance",
    "events",
    "server_removals",
    "server_groups",
    "servers",
];

/// Which demo world a store holds. Both fields are `None` in a store without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemoState {
    pub seed: Option<u64>,
    /// The time at which the generated history ends.
    pub generated_until: Option<i64>,
}

pub fn state(conn: &mut Conn) -> Result<DemoState> {
    conn.query_one("select demo_seed, demo_until from store_state", &[], |row| DemoState {
        seed: row.get::<Option<i64>>(0).map(i64::cast_unsigned),
        generated_until: row.get(1),
    })
}

pub fn set_state(conn: &mut Conn, seed: u64, generated_until: i64) -> Result<()> {
    conn.execute(
        "update store_state set demo_seed = $1, demo_until = $2",
        values![seed.cast_signed(), generated_until],
    )?;
    Ok(())
}

pub fn has_servers(conn: &mut Conn) -> Result<bool> {
    conn.query_one("select count(*) from servers", &[], |row| row.get::<i64>(0) > 0)
}

/// Deletes all rows that a generator writes, except accounts. API keys and the built-in skins stay.
pub fn clear(conn: &mut Conn) -> Result<()> {
    for table in GENERATED_TABLES {
        conn.execute(&format!("delete from {table}"), &[])?;
    }
    let [classic, slim] = builtin_skins::default_skin_ids();
    conn.execute("delete from textures where id not in ($1, $2)", values![classic, slim])?;
    Ok(())
}

/// Deletes those of the given accounts that have no API key.
pub fn delete_accounts_without_keys(conn: &mut Conn, ids: impl Iterator<Item = String>) -> Result<()> {
    let existing: HashSet<String> = conn.query("select id from accounts", &[], |row| row.get(0))?.into_iter().collect();
    for id in ids.filter(|id| existing.contains(id)) {
        conn.execute(
            "delete from accounts where id = $1 and not exists (select 1 from keys where keys.account_n = accounts.n)",
            values![id],
        )?;
    }
    Ok(())
}

/// Paths of a server's pictures, with the texts that they show.
pub struct ServerPictures {
    pub id: String,
    pub motd_raw: String,
    pub icon: String,
    pub banner: String,
    pub motd_image: String,
}

pub fn server_pictures(conn: &mut Conn) -> Result<Vec<ServerPictures>> {
    conn.query("select id, motd_raw, icon, banner, motd_image from servers", &[], |row| ServerPictures {
        id: row.get(0),
        motd_raw: row.get(1),
        icon: row.get(2),
        banner: row.get(3),
        motd_image: row.get(4),
    })
}

/// Ids of the skins (`kind` "skin") or capes ("cape") with the paths of their pictures.
pub fn texture_pictures(conn: &mut Conn, kind: &str) -> Result<Vec<(String, String)>> {
    conn.query("select id, png from textures where kind = $1", values![kind], |row| (row.get(0), row.get(1)))
}

/// Account ids with the paths of their avatars.
pub fn account_avatars(conn: &mut Conn) -> Result<Vec<(String, String)>> {
    conn.query("select id, avatar from accounts", &[], |row| (row.get(0), row.get(1)))
}

/// Server ids with the paths of their icons.
pub fn server_icons(conn: &mut Conn) -> Result<Vec<(String, String)>> {
    conn.query("select id, icon from servers", &[], |row| (row.get(0), row.get(1)))
}

/// Tables whose rows are numbered per server.
#[derive(Clone, Copy, Debug)]
pub enum OrdinalTable {
    Votes,
    Reviews,
}

/// The highest ordinal of a server; 0 without rows.
pub fn last_ordinal(conn: &mut Conn, table: OrdinalTable, server_n: i64) -> Result<i64> {
    let table = match table {
        OrdinalTable::Votes => "votes",
        OrdinalTable::Reviews => "reviews",
    };
    let sql = format!("select coalesce(max(ordinal), 0) from {table} where server_n = $1");
    conn.query_one(&sql, values![server_n], |row| row.get(0))
}

/// The players who voted for a server at or after `since`.
pub fn voters_since(conn: &mut Conn, server_n: i64, since: i64) -> Result<Vec<i64>> {
    conn.query(
        "select distinct player_n from votes where server_n = $1 and voted_at >= $2 and player_n is not null",
        values![server_n, since],
        |row| row.get(0),
    )
}

/// The players who reviewed a server.
pub fn reviewers(conn: &mut Conn, server_n: i64) -> Result<Vec<i64>> {
    conn.query(
        "select distinct player_n from reviews where server_n = $1 and player_n is not null",
        values![server_n],
        |row| row.get(0),
    )
}

pub fn server_numbers(conn: &mut Conn) -> Result<HashSet<i64>> {
    Ok(conn.query("select n from servers", &[], |row| row.get(0))?.into_iter().collect())
}

/// Sets where the votes of servers are sent to: number, host and v2 token of each.
pub fn set_vote_receivers(conn: &mut Conn, servers: &[(i64, String, String)], port: i64, now: i64) -> Result<()> {
    for (n, host, token) in servers {
        conn.execute(
            "insert into vote_receivers (server_n, protocol, host, port, secret, repeats_uncertain, failures, retry_at, changed_at)
             select s.n, 'v2', $2, $3, $4, false, 0, 0, $5 from servers s where s.n = $1
             on conflict (server_n) do nothing",
            values![*n, host, port, token, now],
        )?;
    }
    Ok(())
}

/// Gives servers new tokens for reports; those of an earlier start end. Servers that were removed get none.
pub fn set_server_tokens(conn: &mut Conn, tokens: Vec<(i64, ServerToken)>, now: i64) -> Result<()> {
    for (n, token) in tokens {
        conn.execute("delete from server_tokens where server_n = $1", values![n])?;
        conn.execute(
            "insert into server_tokens (hash, server_n, hint, created_at) select $2, s.n, $3, $4 from servers s where s.n = $1",
            values![n, token.hash(), token.hint(), now],
        )?;
    }
    Ok(())
}
