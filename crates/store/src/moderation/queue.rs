//! Reading the moderation queue, and taking items from it.

use super::LOCK;
use super::item::{Item, ItemKind, ItemState, SELECT, read};
use crate::{Conn, Result, Value, values};

/// How often [`take_next`] tries again when other moderators are faster.
const TAKE_TRIES: usize = 8;

pub fn find(conn: &mut Conn, id: &str) -> Result<Option<Item>> {
    conn.query_optional(&format!("{SELECT} where i.id = $1"), values![id], read)
}

/// Items after the number `after`, oldest first.
pub fn list(conn: &mut Conn, state: ItemState, kind: Option<ItemKind>, after: i64, limit: i64) -> Result<Vec<Item>> {
    let of_kind = if kind.is_some() { "i.kind = $4" } else { "true" };
    let mut values: Vec<Value> = values![state.as_str(), after, limit].to_vec();
    values.extend(kind.map(|kind| Value::from(kind.as_str())));
    conn.query(&format!("{SELECT} where i.state = $1 and i.n > $2 and {of_kind} order by i.n limit $3"), &values, read)
}

/// Open items by kind.
pub fn count_open(conn: &mut Conn) -> Result<Vec<(String, i64)>> {
    let sql = "select kind, count(*) from moderation_items where state = 'open' group by kind order by kind";
    conn.query(sql, &[], |row| (row.get(0), row.get(1)))
}

/// Takes an open item for a moderator. Of simultaneous tries one succeeds; the moderator who has it can renew it. Call it in a
/// transaction.
pub fn lock(conn: &mut Conn, id: &str, moderator_n: i64, now: i64) -> Result<bool> {
    let locked = conn.execute(
        "update moderation_items set locked_by = $2, locked_until = $3
         where id = $1 and state = 'open' and (locked_by is null or locked_by = $2 or locked_until <= $4)",
        values![id, moderator_n, now + LOCK, now],
    )?;
    Ok(locked > 0)
}

/// Gives an item back.
pub fn unlock(conn: &mut Conn, id: &str, moderator_n: i64) -> Result<()> {
    let sql = "update moderation_items set locked_by = null, locked_until = 0 where id = $1 and locked_by = $2";
    conn.execute(sql, values![id, moderator_n])?;
    Ok(())
}

/// Takes the oldest open item that no one else has and that the moderator did not write. Returns its id. Call it in a
/// transaction.
pub fn take_next(conn: &mut Conn, kind: Option<ItemKind>, moderator_n: i64, now: i64) -> Result<Option<String>> {
    let of_kind = if kind.is_some() { "kind = $3" } else { "true" };
    let sql = format!(
        "select id from moderation_items where state = 'open' and {of_kind}
           and (locked_by is null or locked_by = $1 or locked_until <= $2) and (author_n is null or author_n <> $1)
         order by n limit 1"
    );
    let mut values: Vec<Value> = values![moderator_n, now].to_vec();
    values.extend(kind.map(|kind| Value::from(kind.as_str())));
    for _ in 0..TAKE_TRIES {
        let Some(id) = conn.query_optional(&sql, &values, |row| row.get::<String>(0))? else { return Ok(None) };
        if lock(conn, &id, moderator_n, now)? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}
