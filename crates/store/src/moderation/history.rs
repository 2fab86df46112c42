//! Decisions on the texts of one author.

use super::item::{Item, ItemKind, SELECT, read};
use crate::{Conn, Result, values};

/// The number of decisions on texts of an author, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuthorRecord {
    pub open: i64,
    pub approved: i64,
    pub rejected: i64,
    pub hidden: i64,
}

pub fn record(conn: &mut Conn, author_n: i64) -> Result<AuthorRecord> {
    let sql = "select state, count(*) from moderation_items where author_n = $1 group by state";
    let counts = conn.query(sql, values![author_n], |row| (row.get::<String>(0), row.get::<i64>(1)))?;
    let mut record = AuthorRecord::default();
    for (state, count) in counts {
        match state.as_str() {
            "open" => record.open = count,
            "approved" => record.approved = count,
            "rejected" => record.rejected = count,
            _ => record.hidden += count,
        }
    }
    Ok(record)
}

/// The newest items of an author, for moderators.
pub fn newest(conn: &mut Conn, author_n: i64, limit: i64) -> Result<Vec<Item>> {
    conn.query(&format!("{SELECT} where i.author_n = $1 order by i.n desc limit $2"), values![author_n, limit], read)
}

/// The items that an author may see, before the number `before`, newest first. A report that is open or was not followed is none
/// of theirs.
pub fn of_author(conn: &mut Conn, author_n: i64, before: i64, limit: i64) -> Result<Vec<Item>> {
    let sql = format!(
        "{SELECT} where i.author_n = $1 and i.n < $2
           and (i.kind not in ($4, $5) or i.state in ('rejected', 'hidden') or i.appealed_at is not null)
         order by i.n desc limit $3"
    );
    let reports = [ItemKind::Report.as_str(), ItemKind::TextureReport.as_str()];
    conn.query(&sql, values![author_n, before, limit, reports[0], reports[1]], read)
}
