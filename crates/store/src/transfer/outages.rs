//! Outages in an import or export.

use super::dialect::Dialect;
use super::row;
use super::table::{StagedRow, StagedTable, int, text};
use crate::{Conn, Result};

pub struct TransferOutage<Ref> {
    pub server: Ref,
    pub began_at: i64,
    pub ended_at: Option<i64>,
    pub reason: String,
}

pub static TABLE: StagedTable = StagedTable {
    name: "outages",
    key: "server_n, began_at",
    columns: &[int("server_n"), int("began_at"), int("ended_at"), text("reason")],
    computed: &[],
    lists: &[],
    affects: &[],
};

impl From<TransferOutage<i64>> for StagedRow {
    fn from(outage: TransferOutage<i64>) -> Self {
        let TransferOutage { server, began_at, ended_at, reason } = outage;
        Self::from(row![server, began_at, ended_at, reason])
    }
}

pub fn for_each(conn: &mut Conn, mut read: impl FnMut(TransferOutage<String>)) -> Result<()> {
    let sql = format!(
        "select s.id, x.began_at, x.ended_at, x.reason from servers s cross join outages x where x.server_n = s.n
         order by s.id{}, x.began_at",
        Dialect::of(conn).byte_collation
    );
    conn.for_each(&sql, &[], |row| {
        read(TransferOutage { server: row.get(0), began_at: row.get(1), ended_at: row.get(2), reason: row.get(3) });
    })
}
