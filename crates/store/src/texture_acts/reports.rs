//! Reports of skins and capes to the moderators, and what they decide.

use super::collections::lock;
use crate::audit::{self, Author};
use crate::moderation::{self, ItemKind, NewItem};
use crate::{Conn, Result, builtin_skins, revision, values};
use rollcall_model::message::translatable;
use rollcall_model::time::DAY;

/// In the audit log of the reporter, which counts the reports.
const REPORTED: &str = translatable("skin or cape reported");
/// Reports of one account within a day.
pub const REPORTS_PER_DAY: i64 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportOutcome {
    Reported,
    /// The account has reported it within a day.
    AlreadyReported,
    /// The account has made [`REPORTS_PER_DAY`].
    TooMany,
    /// The texture or the account no longer exists.
    Gone,
}

/// Opens an item of the moderation queue; call it in a transaction.
pub fn report(conn: &mut Conn, texture_n: i64, reporter_n: i64, why: &str, author: &Author) -> Result<ReportOutcome> {
    if !lock(conn, reporter_n)? {
        return Ok(ReportOutcome::Gone);
    }
    let sql = "select id, slug, owner_n from textures where n = $1 and not hidden";
    let found = conn.query_optional(sql, values![texture_n], |row| {
        (row.get::<String>(0), row.get::<String>(1), row.get::<i64>(2))
    })?;
    let Some((id, slug, owner_n)) = found else { return Ok(ReportOutcome::Gone) };
    let since = author.at - DAY;
    let sql = "select 1 from audit where account_n = $1 and action = $2 and at > $3 and detail = $4 limit 1";
    if conn.query_optional(sql, values![reporter_n, REPORTED, since, &slug], |_| ())?.is_some() {
        return Ok(ReportOutcome::AlreadyReported);
    }
    if audit::count_since(conn, reporter_n, REPORTED, since)? >= REPORTS_PER_DAY {
        return Ok(ReportOutcome::TooMany);
    }
    let item = NewItem { kind: ItemKind::TextureReport, subject: &id, server_n: None, author_n: Some(owner_n), why };
    moderation::open(conn, &item, author.at)?;
    audit::log_account(conn, Some(reporter_n), REPORTED, &slug, author)?;
    Ok(ReportOutcome::Reported)
}

/// Hides a texture, or shows it again. Who wears a hidden skin gets the default one. The default skins stay. Runs in the
/// transaction of the decision; `rev` is its revision.
pub(crate) fn set_hidden(conn: &mut Conn, texture_id: &str, is_hidden: bool, rev: i64) -> Result<()> {
    let [classic, slim] = builtin_skins::default_skin_ids();
    if texture_id == classic || texture_id == slim {
        return Ok(());
    }
    let sql = "update textures set hidden = $2, is_featured = case when $2 then false else is_featured end, rev = $3
               where id = $1 and hidden <> $2 returning n";
    let Some(n) = conn.query_optional(sql, values![texture_id, is_hidden, rev], |row| row.get::<i64>(0))? else {
        return Ok(());
    };
    if !is_hidden {
        return Ok(());
    }
    for (default_id, condition) in [(slim, "p.skin_model = 'slim'"), (classic, "true")] {
        let sql = format!(
            "update players as p set skin = case when p.skin = o.png then d.png else p.skin end, linked_skin_n = d.n, rev = $3
             from textures d, textures o where d.id = $2 and o.n = $1 and p.linked_skin_n = $1 and {condition}"
        );
        let moved = conn.execute(&sql, values![n, &default_id, rev])?;
        let sql = "update textures set usage_count = usage_count + $2, rev = $3 where id = $1";
        conn.execute(sql, values![&default_id, moved as i64, rev])?;
    }
    conn.execute("update players set cape_n = null, rev = $2 where cape_n = $1", values![n, rev])?;
    conn.execute("update textures set usage_count = 0 where n = $1", values![n])?;
    // Read models add and replace rows; what is gone needs a full load.
    revision::bump_epoch(conn)?;
    Ok(())
}
