//! Update posts of server owners. Only approved posts have an ordinal, and only those are read.

use std::collections::HashMap;

use super::events::{self, NewEvent};
use super::list_ordinals::{self, NumberedTable};
use super::{Conn, Result, Value, placeholders};
use crate::values;
use rollcall_model::event::EventKind;

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
    /// Empty if the content is plain text.
    pub html: String,
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
        "select u.id, u.title, u.content, u.html, u.created_at, s.slug, s.name
         from update_posts u join servers s on s.n = u.server_n
         where u.ordinal is not null and s.visibility = 'PUBLIC' and {condition} order by {order} desc limit $1"
    );
    conn.query(&sql, &values, |row| FeedPost {
        id: row.get(0),
        title: row.get(1),
        content: row.get(2),
        html: row.get(3),
        created_at: row.get(4),
        server_slug: row.get(5),
        server_name: row.get(6),
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

/// The posts among these that were written in Markdown, as HTML, by id. It was made safe when it was rendered.
pub fn html_of(conn: &mut Conn, ids: &[String]) -> Result<HashMap<String, String>> {
    let Some(last) = ids.last() else { return Ok(HashMap::new()) };
    let mut values: Vec<Value> = ids.iter().map(Value::from).collect();
    values.resize(ids.len().next_power_of_two(), last.into());
    let sql = format!("select id, html from update_posts where html <> '' and id in ({})", placeholders(ids.len()));
    Ok(conn.query(&sql, &values, |row| (row.get(0), row.get(1)))?.into_iter().collect())
}

/// Shows a post or takes it away. Call it in the transaction of the decision at `at`, whose revision is `rev`.
pub(crate) fn set_status(conn: &mut Conn, id: &str, status: &str, at: i64, rev: i64) -> Result<()> {
    let sql = "select server_n, ordinal, created_at from update_posts where id = $1";
    let found =
        conn.query_optional(sql, values![id], |row| (row.get::<i64>(0), row.get::<Option<i64>>(1), row.get::<i64>(2)))?;
    // The owner deleted it meanwhile.
    let Some((server_n, ordinal, created_at)) = found else { return Ok(()) };
    let is_shown = status == APPROVED;
    if is_shown == ordinal.is_some() {
        conn.execute("update update_posts set status = $2 where id = $1", values![id, status])?;
        return Ok(());
    }
    let new_ordinal = match ordinal {
        None => Some(list_ordinals::make_room(conn, NumberedTable::UpdatePosts, server_n, created_at, id)?),
        Some(_) => None,
    };
    conn.execute("update update_posts set status = $2, ordinal = $3 where id = $1", values![id, status, new_ordinal])?;
    if let Some(ordinal) = ordinal {
        list_ordinals::close_gap(conn, NumberedTable::UpdatePosts, server_n, ordinal)?;
    }
    let by = if is_shown { 1 } else { -1 };
    conn.execute(
        "update servers set update_count = update_count + $2, rev = $3 where n = $1",
        values![server_n, by, rev],
    )?;
    if !is_shown {
        return Ok(());
    }
    let event = NewEvent::of_server(EventKind::PostApproved, at, server_n);
    events::write_once(conn, NewEvent { subject: Some(id.to_owned()), ..event })
}
