//! Update posts in an import or export.

use super::dialect::Dialect;
use super::row;
use super::table::{AffectedTotals, StagedRow, StagedTable, TotalsOf, int, text};
use crate::{Conn, Result, Value};

pub struct TransferUpdatePost<Ref> {
    pub id: String,
    pub server: Ref,
    pub account: Ref,
    pub title: String,
    pub content: String,
    /// Empty if the content is plain text.
    pub html: String,
    pub status: String,
    pub created_at: i64,
    pub updated_at: i64,
}

pub static TABLE: StagedTable = StagedTable {
    name: "update_posts",
    key: "id",
    columns: &[
        int("server_n"),
        // Null until the totals are recomputed.
        int("ordinal"),
        text("id"),
        int("account_n"),
        text("title"),
        text("content"),
        text("html"),
        text("status"),
        int("created_at"),
        int("updated_at"),
    ],
    computed: &[],
    lists: &[],
    affects: &[AffectedTotals::OfReferenced("server_n", TotalsOf::Servers)],
};

impl From<TransferUpdatePost<i64>> for StagedRow {
    fn from(post: TransferUpdatePost<i64>) -> Self {
        let TransferUpdatePost { id, server, account, title, content, html, status, created_at, updated_at } = post;
        Self::from(row![server, Value::Null, id, account, title, content, html, status, created_at, updated_at])
    }
}

pub fn for_each(conn: &mut Conn, mut read: impl FnMut(TransferUpdatePost<String>)) -> Result<()> {
    let sql = format!(
        "select p.id, s.id, a.id, p.title, p.content, p.html, p.status, p.created_at, p.updated_at
         from update_posts p join servers s on s.n = p.server_n join accounts a on a.n = p.account_n
         order by s.id{0}, p.created_at, p.id{0}",
        Dialect::of(conn).byte_collation
    );
    conn.for_each(&sql, &[], |row| {
        read(TransferUpdatePost {
            id: row.get(0),
            server: row.get(1),
            account: row.get(2),
            title: row.get(3),
            content: row.get(4),
            html: row.get(5),
            status: row.get(6),
            created_at: row.get(7),
            updated_at: row.get(8),
        });
    })
}
