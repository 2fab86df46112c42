//! Update posts of server owners. Only approved posts have an ordinal, and only those are read.

use super::{Conn, Result};
use crate::values;

pub const APPROVED: &str = "APPROVED";

pub struct PostRow {
    pub id: String,
    pub account_id: String,
    pub title: String,
    pub content: String,
    pub created_at: i64,
    pub updated_at: i64,
}

/// A post with its server, for feeds.
pub struct FeedPost {
    pub id: String,
    pub title: String,
    pub content: String,
    pub created_at: i64,
    pub server_slug: String,
    pub server_name: String,
}

/// The newest posts of public servers, or of one server.
pub fn recent(conn: &mut Conn, server_n: Option<i64>, limit: i64) -> Result<Vec<FeedPost>> {
    let (condition, order, values) = match server_n {
        Some(n) => ("u.server_n = $2", "u.ordinal", values![limit, n].to_vec()),
        None => ("true", "u.created_at", values![limit].to_vec()),
    };
    let sql = format!(
        "select u.id, u.title, u.content, u.created_at, s.slug, s.name from update_posts u join servers s on s.n = u.server_n
         where u.ordinal is not null and s.visibility = 'PUBLIC' and {condition} order by {order} desc limit $1"
    );
    conn.query(&sql, &values, |row| FeedPost {
        id: row.get(0),
        title: row.get(1),
        content: row.get(2),
        created_at: row.get(3),
        server_slug: row.get(4),
        server_name: row.get(5),
    })
}

/// Posts with ordinals from `from` down to `to`, both included: newest first.
pub fn page(conn: &mut Conn, server_n: i64, from: i64, to: i64) -> Result<Vec<PostRow>> {
    conn.query(
        "select u.id, a.id, u.title, u.content, u.created_at, u.updated_at
         from update_posts u join accounts a on a.n = u.account_n
         where u.server_n = $1 and u.ordinal <= $2 and u.ordinal >= $3 order by u.ordinal desc",
        values![server_n, from, to],
        |row| PostRow {
            id: row.get(0),
            account_id: row.get(1),
            title: row.get(2),
            content: row.get(3),
            created_at: row.get(4),
            updated_at: row.get(5),
        },
    )
}

pub fn latest_at(conn: &mut Conn, server_n: i64, total: i64) -> Result<Option<i64>> {
    conn.query_optional(
        "select created_at from update_posts where server_n = $1 and ordinal = $2",
        values![server_n, total],
        |row| row.get(0),
    )
}
