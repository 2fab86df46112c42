//! Votes in an import or export.

use super::dialect::Dialect;
use super::row;
use super::table::{AffectedTotals, StagedRow, StagedTable, TotalsOf, int, ordinal, text};
use crate::{Conn, Result};

pub struct TransferVote<Ref> {
    pub id: String,
    pub server: Ref,
    pub account: Option<Ref>,
    pub player: Option<Ref>,
    pub game_username: String,
    pub voted_at: i64,
}

pub static TABLE: StagedTable = StagedTable {
    name: "votes",
    key: "id",
    columns: &[
        int("server_n"),
        ordinal("ordinal"),
        text("id"),
        int("account_n"),
        int("player_n"),
        text("game_username"),
        int("voted_at"),
    ],
    computed: &[],
    lists: &[],
    affects: &[
        AffectedTotals::OfReferenced("server_n", TotalsOf::Servers),
        AffectedTotals::OfReferenced("player_n", TotalsOf::Players),
    ],
};

impl TransferVote<i64> {
    /// `ordinal` is for a new row and must be free among the votes of the server.
    pub fn into_staged(self, ordinal: i64) -> StagedRow {
        let Self { id, server, account, player, game_username, voted_at } = self;
        StagedRow::from(row![server, ordinal, id, account, player, game_username, voted_at])
    }
}

/// Ordered by ordinal, so that an import of the result needs no renumbering.
pub fn for_each(conn: &mut Conn, mut read: impl FnMut(TransferVote<String>)) -> Result<()> {
    let sql = format!(
        "select v.id, s.id, a.id, p.id, v.game_username, v.voted_at
         from servers s cross join votes v
         left join accounts a on a.n = v.account_n left join players p on p.n = v.player_n
         where v.server_n = s.n order by s.id{}, v.ordinal",
        Dialect::of(conn).byte_collation
    );
    conn.for_each(&sql, &[], |row| {
        read(TransferVote {
            id: row.get(0),
            server: row.get(1),
            account: row.get(2),
            player: row.get(3),
            game_username: row.get(4),
            voted_at: row.get(5),
        });
    })
}

pub fn last_ordinal(conn: &mut Conn, server_n: i64) -> Result<i64> {
    super::last_ordinal(conn, TABLE.name, server_n)
}
