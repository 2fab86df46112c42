//! Whether the schema and the values of a backup are ours. A backup may come from anyone, so nothing is read from it before its
//! schema is known to be the one that our own migrations create: a view, a generated column or a check with the right name would
//! run attacker-controlled SQL.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::db::{CheckedColumn, ColumnKind};
use crate::{Conn, Result, backup, migrate_ledger_like, migrate_like};
use rollcall_model::time::{DAY, LATEST};

/// Tables and indexes by name, each with its normalised definition. Indexes of constraints have none.
type Objects = BTreeMap<String, Option<String>>;

const MIGRATIONS: &str = "migrations";

/// Result of a check of the schema.
pub enum SchemaCheck {
    /// It is the one that these migrations create.
    Ours(Vec<i64>),
    /// It was written by a newer version.
    Newer(i64),
    /// It is something else; the reason.
    Foreign(String),
}

/// Compares the schema of a backup with the one that its migrations create.
pub fn check_schema(file: &mut Conn) -> Result<SchemaCheck> {
    file.with_step_limit(|file| {
        let Some(found) = objects(file)? else {
            return Ok(SchemaCheck::Foreign("it does not contain a store as written by `rollcall backup`".into()));
        };
        let mut reference = Conn::in_memory()?;
        migrate_like(&mut reference, &[])?;
        let known = objects(&mut reference)?.unwrap_or_default();
        if found.get(MIGRATIONS) != known.get(MIGRATIONS) {
            return Ok(SchemaCheck::Foreign("it does not contain a store as written by `rollcall backup`".into()));
        }
        let migrations = backup::migrations(file)?;
        if let Some(number) = backup::unknown_migration(&migrations) {
            return Ok(SchemaCheck::Newer(number));
        }
        if migrations.is_empty() {
            return Ok(SchemaCheck::Foreign("it does not contain a store as written by `rollcall backup`".into()));
        }
        let expected = objects(&mut reference_backup(&migrations)?)?.unwrap_or_default();
        Ok(match first_difference(&found, &expected) {
            Some(name) => SchemaCheck::Foreign(format!("table {name} differs from what its migrations create")),
            None => SchemaCheck::Ours(migrations),
        })
    })
}

/// Above any real count, and low enough that sums over all rows do not overflow; an import has the same bound.
const MAX_COUNT: i64 = i32::MAX as i64;
/// Far above any other number. In milliseconds it still fits, if it is a number of seconds.
const MAX_NUMBER: i64 = 1 << 53;
const MAX_PORT: i64 = u16::MAX as i64;
const MAX_LIMIT: i64 = u32::MAX as i64;

/// The numbers that a column may hold, by its name, which means the same in every table.
fn range_of(column: &str) -> RangeInclusive<i64> {
    match column {
        // Random numbers, bit masks, and what a server or an import may choose freely.
        "demo_seed" | "holder" | "made" | "reckoning" | "achievements" | "protocol" | "tier_rank" => {
            i64::MIN..=i64::MAX
        }
        "port" | "query_port" => 1..=MAX_PORT,
        "per_minute" | "per_day" | "per_month" => 0..=MAX_LIMIT,
        "watched_ms" | "online_ms" => 0..=DAY,
        "player_ms" => 0..=DAY * MAX_COUNT,
        "players" | "current_players" | "max_players" | "rejected_players" | "sample_players" | "peak"
        | "peak_told" | "low" | "latency" | "play_time" | "full_time" | "tier_points" | "kills_gain"
        | "deaths_gain" | "wins_gain" | "view_count" | "download_count" => 0..=MAX_COUNT,
        // Times that an import bounds, too. Others are computed from them.
        "at" | "day" | "hour" | "last_ping" | "created_at" | "updated_at" | "joined_at" | "left_at" | "voted_at"
        | "last_seen_at" | "last_tier_sync_at" | "began_at" | "ended_at" => 0..=LATEST,
        _ => -MAX_NUMBER..=MAX_NUMBER,
    }
}

/// The first value that is not of the type of its column, or a number that no store holds, with its place and what is wrong.
pub fn first_invalid(file: &mut Conn, migrations: &[i64]) -> Result<Option<String>> {
    let mut reference = reference_backup(migrations)?;
    for table in objects(&mut reference)?.unwrap_or_default().into_keys() {
        let sql = "select name, type from pragma_table_info($1)";
        let declared = reference.query(sql, crate::values![&table], |row| (row.get(0), row.get::<String>(1)))?;
        let kinds = declared.into_iter().filter_map(|(name, kind): (String, _)| {
            let (kind, range) = (ColumnKind::of_declared(&kind)?, range_of(&name));
            Some(CheckedColumn { name, kind, range })
        });
        let columns: Vec<CheckedColumn> = kinds.collect();
        // Indexes have no columns here.
        if columns.is_empty() {
            continue;
        }
        if let Some(fault) = file.first_invalid(&table, &columns)? {
            return Ok(Some(format!("{table}.{fault}")));
        }
    }
    Ok(None)
}

/// An empty backup of a store that has run these migrations.
fn reference_backup(migrations: &[i64]) -> Result<Conn> {
    let mut conn = Conn::in_memory()?;
    migrate_like(&mut conn, migrations)?;
    migrate_ledger_like(&mut conn, migrations)?;
    backup::add_pictures(&mut conn, |_| Ok::<_, crate::Error>(()))?;
    backup::write_header(&mut conn, 0, "", &[])?;
    Ok(conn)
}

/// `None` if the file holds anything but tables and indexes with pages of their own.
fn objects(conn: &mut Conn) -> Result<Option<Objects>> {
    // As bytes: nothing says that they are UTF-8.
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let rows = conn.query(
        "select cast(coalesce(type, '') as blob), cast(coalesce(name, '') as blob), coalesce(cast(rootpage as integer), 0),
                cast(sql as blob) from sqlite_master",
        &[],
        |row| (text(row.get(0)), text(row.get(1)), row.get::<i64>(2), row.get::<Option<Vec<u8>>>(3).map(text)),
    )?;
    let is_plain = |kind: &str, page: i64| matches!(kind, "table" | "index") && page > 0;
    if !rows.iter().all(|(kind, _, page, _)| is_plain(kind, *page)) {
        return Ok(None);
    }
    Ok(Some(rows.into_iter().map(|(_, name, _, sql)| (name, sql.as_deref().map(normalise))).collect()))
}

fn first_difference<'a>(found: &'a Objects, expected: &'a Objects) -> Option<&'a str> {
    let differs = |(name, definition): &(&String, &Option<String>)| found.get(*name) != Some(definition);
    let missing_or_changed = expected.iter().find(differs).map(|(name, _)| name.as_str());
    missing_or_changed.or_else(|| found.keys().find(|name| !expected.contains_key(*name)).map(String::as_str))
}

/// A definition without comments and white space, which may change between versions. Quoted parts stay as they are: a comment
/// mark in them begins no comment.
fn normalise(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(c) = rest.chars().next() {
        let close = match c {
            '\'' | '"' | '`' => Some(c),
            '[' => Some(']'),
            _ => None,
        };
        let length = if let Some(close) = close {
            let quoted = rest[1..].find(close).map_or(rest.len(), |end| end + 1 + close.len_utf8());
            out.push_str(&rest[..quoted]);
            quoted
        } else if rest.starts_with("--") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |end| end + 4)
        } else {
            if !c.is_whitespace() {
                out.extend(c.to_lowercase());
            }
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_spaces_do_not_matter_and_quotes_do() {
        let plain = normalise("CREATE TABLE t (a text check (a in ('x', 'y')))");
        assert_eq!(normalise("create table t ( -- a 'comment'\n a text /* 'x' */ check (a in ('x', 'y')))"), plain);
        for other in [
            "create table t (a text check (a in ('X', 'y')))",
            "create table t (a text check (a in ('x-- ', evil(), '\n', 'y')))",
            "create table t (a text check (a in ('x', 'y')) /* ",
        ] {
            assert_ne!(normalise(other), plain, "{other}");
        }
    }
}
