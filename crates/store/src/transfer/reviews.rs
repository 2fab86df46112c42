//! Reviews in an import or export.

use super::dialect::Dialect;
use super::row;
use super::table::{AffectedTotals, StagedRow, StagedTable, TotalsOf, int, ordinal, text};
use crate::{Conn, Result};

pub struct TransferReview<Ref> {
    pub id: String,
    pub server: Ref,
    pub account: Option<Ref>,
    pub player: Option<Ref>,
    pub game_username: String,
    pub rating: i64,
    pub content: String,
    pub created_at: i64,
    pub updated_at: i64,
}

pub static TABLE: StagedTable = StagedTable {
    name: "reviews",
    key: "id",
    columns: &[
        int("server_n"),
        ordinal("ordinal"),
        text("id"),
        int("account_n"),
        int("player_n"),
        text("game_username"),
        int("rating"),
        text("content"),
        int("created_at"),
        int("updated_at"),
    ],
    computed: &[],
    lists: &[],
    affects: &[
        AffectedTotals::OfReferenced("server_n", TotalsOf::Servers),
        AffectedTotals::OfReferenced("player_n", TotalsOf::Players),
    ],
};

impl TransferReview<i64> {
    /// `ordinal` is for a new row and must be free among the reviews of the server.
    pub fn into_staged(self, ordinal: i64) -> StagedRow {
        let Self { id, server, account, player, game_username, rating, content, created_at, updated_at } = self;
        StagedRow::from(row![
            server,
            ordinal,
            id,
            account,
            player,
            game_username,
            rating,
            content,
            created_at,
            updated_at
        ])
    }
}

/// Ordered by ordinal, so that an import of the result needs no renumbering.
pub fn for_each(conn: &mut Conn, mut read: impl FnMut(TransferReview<String>)) -> Result<()> {
    let sql = format!(
        "select r.id, s.id, a.id, p.id, r.game_username, r.rating, r.content, r.created_at, r.updated_at
         from servers s cross join reviews r
         left join accounts a on a.n = r.account_n left join players p on p.n = r.player_n
         where r.server_n = s.n order by s.id{}, r.ordinal",
        Dialect::of(conn).byte_collation
    );
    conn.for_each(&sql, &[], |row| {
        read(TransferReview {
            id: row.get(0),
            server: row.get(1),
            account: row.get(2),
            player: row.get(3),
            game_username: row.get(4),
            rating: row.get(5),
            content: row.get(6),
            created_at: row.get(7),
            updated_at: row.get(8),
        });
    })
}

pub fn last_ordinal(conn: &mut Conn, server_n: i64) -> Result<i64> {
    super::last_ordinal(conn, TABLE.name, server_n)
}
