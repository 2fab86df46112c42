//! Reports of skins and capes to the moderators.

use super::collections::lock;
use crate::audit::{self, Author};
use crate::moderation::{self, ItemKind, NewItem};
use crate::{Conn, Result, values};
use rollcall_model::message::translatable;
use rollcall_model::time::DAY;

/// In the audit log of the reporter, which counts the reports.
const REPORTED: &str = translatable("skin or cape reported");
/// Reports of one account within a day.
pub const REPORTS_PER_DAY: i64 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureReportOutcome {
    Reported,
    /// The account has reported it within a day.
    AlreadyReported,
    /// The account has made [`REPORTS_PER_DAY`].
    TooMany,
    /// The texture or the account no longer exists.
    Gone,
}

/// Opens an item of the moderation queue; call it in a transaction.
pub fn report(
    conn: &mut Conn,
    texture_n: i64,
    reporter_n: i64,
    why: &str,
    author: &Author,
) -> Result<TextureReportOutcome> {
    if !lock(conn, reporter_n)? {
        return Ok(TextureReportOutcome::Gone);
    }
    let sql = "select id, slug, owner_n from textures where n = $1 and not hidden";
    let found = conn.query_optional(sql, values![texture_n], |row| {
        (row.get::<String>(0), row.get::<String>(1), row.get::<i64>(2))
    })?;
    let Some((id, slug, owner_n)) = found else { return Ok(TextureReportOutcome::Gone) };
    let since = author.at - DAY;
    let sql = "select 1 from audit where account_n = $1 and action = $2 and at > $3 and detail = $4 limit 1";
    if conn.query_optional(sql, values![reporter_n, REPORTED, since, &slug], |_| ())?.is_some() {
        return Ok(TextureReportOutcome::AlreadyReported);
    }
    if audit::count_since(conn, reporter_n, REPORTED, since)? >= REPORTS_PER_DAY {
        return Ok(TextureReportOutcome::TooMany);
    }
    let item = NewItem { kind: ItemKind::TextureReport, subject: &id, server_n: None, author_n: Some(owner_n), why };
    moderation::open(conn, &item, author.at)?;
    audit::log_account(conn, Some(reporter_n), REPORTED, &slug, author)?;
    Ok(TextureReportOutcome::Reported)
}
