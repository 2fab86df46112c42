//! Play sessions in an import or export.

use super::dialect::Dialect;
use super::row;
use super::table::{AffectedTotals, StagedRow, StagedTable, TotalsOf, int, text};
use crate::{Conn, Result};

pub struct TransferSession<Ref> {
    pub id: String,
    pub player: Ref,
    pub server: Ref,
    pub joined_at: i64,
    pub left_at: i64,
    /// Seconds, before time on other servers is subtracted: the totals are recomputed after an import.
    pub play_time: i64,
}

pub static TABLE: StagedTable = StagedTable {
    name: "sessions",
    key: "id",
    columns: &[
        text("id"),
        int("player_n"),
        int("server_n"),
        int("joined_at"),
        int("left_at"),
        int("play_time"),
        int("full_time"),
    ],
    computed: &[],
    lists: &[],
    affects: &[AffectedTotals::OfReferenced("player_n", TotalsOf::Players)],
};

impl From<TransferSession<i64>> for StagedRow {
    fn from(session: TransferSession<i64>) -> Self {
        let TransferSession { id, player, server, joined_at, left_at, play_time } = session;
        Self::from(row![id, player, server, joined_at, left_at, play_time, None::<i64>])
    }
}

pub fn for_each(conn: &mut Conn, mut read: impl FnMut(TransferSession<String>)) -> Result<()> {
    let sql = format!(
        "select x.id, p.id, s.id, x.joined_at, x.left_at, coalesce(x.full_time, x.play_time)
         from sessions x cross join players p cross join servers s
         where p.n = x.player_n and s.n = x.server_n order by x.id{}",
        Dialect::of(conn).byte_collation
    );
    conn.for_each(&sql, &[], |row| {
        read(TransferSession {
            id: row.get(0),
            player: row.get(1),
            server: row.get(2),
            joined_at: row.get(3),
            left_at: row.get(4),
            play_time: row.get(5),
        });
    })
}
