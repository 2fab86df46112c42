//! Actions on skins and capes. A count changes in the transaction of the act, so that it always equals the rows.

pub mod collections;
pub mod reports;
pub mod visits;

use super::audit::{self, Author};
use super::{Conn, Result, revision};
use crate::values;
use rollcall_model::message::translatable;
use rollcall_model::score;
use rollcall_model::time::start_of_day;

/// Favorites of one account.
pub const MAX_FAVORITES: i64 = 5_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    Like,
    Favorite,
}

impl MarkKind {
    /// The table of the marks, and the column of their count.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Like => ("texture_likes", "like_count"),
            Self::Favorite => ("texture_favorites", "favorite_count"),
        }
    }

    /// In `texture_visits`.
    fn act(self) -> &'static str {
        match self {
            Self::Like => "like",
            Self::Favorite => "favorite",
        }
    }
}

/// A like or favorite to set or to remove.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub kind: MarkKind,
    pub texture_n: i64,
    pub account_n: i64,
    pub is_set: bool,
    pub at: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkOutcome {
    Changed,
    /// It was like this before.
    Unchanged,
    /// The texture or the account no longer exists.
    Gone,
    /// The account has [`MAX_FAVORITES`].
    TooMany,
}

/// Sets and removes a batch of marks; call it in a transaction.
pub fn set_marks(conn: &mut Conn, marks: &[Mark]) -> Result<Vec<MarkOutcome>> {
    // An action without effect takes no revision: caches stay valid.
    let mut changes = false;
    for mark in marks {
        changes = changes || is_set(conn, mark)? != mark.is_set;
    }
    if !changes {
        return Ok(vec![MarkOutcome::Unchanged; marks.len()]);
    }
    // It orders the marks of all nodes, and deletions of accounts and textures.
    let rev = revision::bump(conn)?;
    marks.iter().map(|mark| set_mark(conn, mark, rev)).collect()
}

fn is_set(conn: &mut Conn, mark: &Mark) -> Result<bool> {
    let (table, _) = mark.kind.names();
    let sql = format!("select 1 from {table} where texture_n = $1 and account_n = $2");
    Ok(conn.query_optional(&sql, values![mark.texture_n, mark.account_n], |_| ())?.is_some())
}

fn set_mark(conn: &mut Conn, mark: &Mark, rev: i64) -> Result<MarkOutcome> {
    let exist = "select 1 from textures t, accounts a where t.n = $1 and a.n = $2 and not t.hidden";
    if conn.query_optional(exist, values![mark.texture_n, mark.account_n], |_| ())?.is_none() {
        return Ok(MarkOutcome::Gone);
    }
    if mark.is_set && mark.kind == MarkKind::Favorite && count_favorites(conn, mark.account_n)? >= MAX_FAVORITES {
        return Ok(if is_set(conn, mark)? { MarkOutcome::Unchanged } else { MarkOutcome::TooMany });
    }
    let (table, count) = mark.kind.names();
    let sql = match mark.is_set {
        true => format!("insert into {table} (texture_n, account_n) values ($1, $2) on conflict do nothing"),
        false => format!("delete from {table} where texture_n = $1 and account_n = $2"),
    };
    if conn.execute(&sql, values![mark.texture_n, mark.account_n])? == 0 {
        return Ok(MarkOutcome::Unchanged);
    }
    let change: i64 = if mark.is_set { 1 } else { -1 };
    let sql = format!("update textures set {count} = {count} + $2, rev = $3 where n = $1");
    conn.execute(&sql, values![mark.texture_n, change, rev])?;
    if mark.kind == MarkKind::Favorite {
        collections::follow_mark(conn, mark)?;
    }
    // Liking again and again moves no trend.
    let visitor = format!("{}:account:{}", mark.kind.act(), mark.account_n);
    if mark.is_set && take_day(conn, mark.texture_n, start_of_day(mark.at), &visitor)? {
        add_to_trend(conn, mark.texture_n, MARK_WEIGHT, mark.at)?;
    }
    Ok(MarkOutcome::Changed)
}

pub fn count_favorites(conn: &mut Conn, account_n: i64) -> Result<i64> {
    let sql = "select count(*) from texture_favorites where account_n = $1";
    conn.query_one(sql, values![account_n], |row| row.get(0))
}

/// How much acts move a trend, in the proportions of the popularity.
const MARK_WEIGHT: f64 = 3.0;
const DOWNLOAD_WEIGHT: f64 = 1.0;
const VIEW_WEIGHT: f64 = 0.1;

/// Notes an act of a day. False if the visitor has done it on this day.
fn take_day(conn: &mut Conn, texture_n: i64, day: i64, visitor: &str) -> Result<bool> {
    let sql = "insert into texture_visits (texture_n, day, visitor) values ($1, $2, $3) on conflict do nothing";
    Ok(conn.execute(sql, values![texture_n, day, visitor])? > 0)
}

/// The caller stamps the texture with its revision.
fn add_to_trend(conn: &mut Conn, texture_n: i64, weight: f64, at: i64) -> Result<()> {
    let sql = "select trend from texture_trends where texture_n = $1";
    let before = conn.query_optional(sql, values![texture_n], |row| row.get(0))?.unwrap_or(f64::NEG_INFINITY);
    conn.execute(
        "insert into texture_trends (texture_n, trend) values ($1, $2)
         on conflict (texture_n) do update set trend = excluded.trend",
        values![texture_n, score::add_act(before, weight, at)],
    )?;
    Ok(())
}

/// Shows a texture as featured, or no longer. False if it no longer exists. Call it in a transaction.
pub fn set_featured(conn: &mut Conn, texture_n: i64, is_featured: bool, author: &Author) -> Result<bool> {
    let rev = revision::bump(conn)?;
    let sql = "select owner_n, slug, is_featured from textures where n = $1";
    let found = conn
        .query_optional(sql, values![texture_n], |row| (row.get::<i64>(0), row.get::<String>(1), row.get::<bool>(2)))?;
    let Some((owner_n, slug, was_featured)) = found else { return Ok(false) };
    if was_featured == is_featured {
        return Ok(true);
    }
    let sql = "update textures set is_featured = $2, rev = $3 where n = $1";
    conn.execute(sql, values![texture_n, is_featured, rev])?;
    let action = match is_featured {
        true => translatable("featured by a moderator"),
        false => translatable("no longer featured by a moderator"),
    };
    audit::log_account(conn, Some(owner_n), action, &slug, author)?;
    Ok(true)
}
