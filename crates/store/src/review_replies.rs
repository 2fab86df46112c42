//! Replies of owners to reviews. They are shown on the site and are no part of the API.

use std::collections::HashMap;

use super::audit::{self, Author};
use super::moderation::{self, ItemKind, NewItem};
use super::{Conn, Result, Value, placeholders};
use crate::values;
use rollcall_model::message::translatable;

#[derive(Clone, Debug)]
pub struct ReviewReply {
    pub content: String,
    pub replied_at: i64,
}

/// The replies to these reviews, by review.
pub fn of_reviews(conn: &mut Conn, reviews: &[String]) -> Result<HashMap<String, ReviewReply>> {
    let Some(last) = reviews.last() else { return Ok(HashMap::new()) };
    let mut values: Vec<Value> = reviews.iter().map(Value::from).collect();
    values.resize(reviews.len().next_power_of_two(), last.into());
    let sql = format!(
        "select review_id, content, replied_at from review_replies where review_id in ({})",
        placeholders(reviews.len())
    );
    let replies =
        conn.query(&sql, &values, |row| (row.get(0), ReviewReply { content: row.get(1), replied_at: row.get(2) }))?;
    Ok(replies.into_iter().collect())
}

/// Sets the reply of a server to one of its reviews; an empty one removes it. False if the server has no such review. Call it in
/// a transaction.
pub fn set(conn: &mut Conn, server_n: i64, review_id: &str, content: &str, author: &Author) -> Result<bool> {
    let reviewed = "select 1 from reviews where id = $1 and server_n = $2";
    if conn.query_optional(reviewed, values![review_id, server_n], |_| ())?.is_none() {
        return Ok(false);
    }
    if content.is_empty() {
        conn.execute("delete from review_replies where review_id = $1", values![review_id])?;
        audit::log_owned_server(conn, server_n, translatable("reply to a review removed"), author)?;
        return Ok(true);
    }
    conn.execute(
        "insert into review_replies (review_id, server_n, content, replied_at) values ($1, $2, $3, $4)
         on conflict (review_id) do update set content = excluded.content, replied_at = excluded.replied_at",
        values![review_id, server_n, content, author.at],
    )?;
    audit::log_owned_server(conn, server_n, translatable("replied to a review"), author)?;
    Ok(true)
}

/// Reports a review of a server to the moderators. False if the server has no such review. Call it in a transaction.
pub fn report(conn: &mut Conn, server_n: i64, review_id: &str, why: &str, author: &Author) -> Result<bool> {
    let reviewed = "select account_n from reviews where id = $1 and server_n = $2";
    let found = conn.query_optional(reviewed, values![review_id, server_n], |row| row.get::<Option<i64>>(0))?;
    let Some(author_n) = found else { return Ok(false) };
    let item = NewItem { kind: ItemKind::Report, subject: review_id, server_n: Some(server_n), author_n, why };
    moderation::open(conn, &item, author.at)?;
    audit::log_owned_server(conn, server_n, translatable("review reported"), author)?;
    Ok(true)
}
