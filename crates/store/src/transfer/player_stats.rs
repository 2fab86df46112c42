//! Player stat reports in an import or export.

use super::dialect::Dialect;
use super::row;
use super::table::{AffectedTotals, StagedRow, StagedTable, TotalsOf, int, text};
use crate::{Conn, Result};

pub struct TransferPlayerStats<Ref> {
    pub id: String,
    pub player: Ref,
    pub server: Ref,
    pub at: i64,
    pub stats_json: String,
}

pub static TABLE: StagedTable = StagedTable {
    name: "player_stats",
    key: "id",
    columns: &[text("id"), int("player_n"), int("server_n"), int("at"), text("stats_json")],
    computed: &["kills_gain", "deaths_gain", "wins_gain"],
    lists: &[],
    affects: &[AffectedTotals::OfReferenced("player_n", TotalsOf::Players)],
};

impl From<TransferPlayerStats<i64>> for StagedRow {
    fn from(stats: TransferPlayerStats<i64>) -> Self {
        let TransferPlayerStats { id, player, server, at, stats_json } = stats;
        Self::from(row![id, player, server, at, stats_json])
    }
}

pub fn for_each(conn: &mut Conn, mut read: impl FnMut(TransferPlayerStats<String>)) -> Result<()> {
    let sql = format!(
        "select x.id, p.id, s.id, x.at, x.stats_json
         from player_stats x cross join players p cross join servers s
         where p.n = x.player_n and s.n = x.server_n order by x.id{}",
        Dialect::of(conn).byte_collation
    );
    conn.for_each(&sql, &[], |row| {
        read(TransferPlayerStats {
            id: row.get(0),
            player: row.get(1),
            server: row.get(2),
            at: row.get(3),
            stats_json: row.get(4),
        });
    })
}
