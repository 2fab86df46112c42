//! Drops the indexes of large tables during a load. Building an index afterwards is a single sort.

use super::{Conn, Result};
use crate::values;

const LARGE_TABLES: &[&str] = &["votes", "sessions", "players", "reviews", "player_stats", "servers"];

/// Definitions of the indexes that [`drop_indexes`] dropped.
pub struct DroppedIndexes(Vec<String>);

/// Drops every index of the large tables that does not belong to a constraint.
pub fn drop_indexes(conn: &mut Conn) -> Result<DroppedIndexes> {
    let sql = if conn.is_postgres() {
        "select i.indexname, i.indexdef from pg_indexes i
         where i.schemaname = current_schema() and i.tablename = $1
           and not exists (select 1 from pg_constraint c where c.conname = i.indexname)"
    } else {
        "select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name = $1"
    };
    let mut found = Vec::new();
    for table in LARGE_TABLES {
        found.extend(conn.query(sql, values![*table], |row| (row.get::<String>(0), row.get::<String>(1)))?);
    }
    for (name, _) in &found {
        conn.execute_batch(&format!("drop index {name}"))?;
    }
    Ok(DroppedIndexes(found.into_iter().map(|(_, definition)| definition).collect()))
}

impl DroppedIndexes {
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Builds the indexes again, and calls `on_built` after each.
    pub fn recreate(self, conn: &mut Conn, mut on_built: impl FnMut()) -> Result<()> {
        for definition in self.0 {
            conn.execute_batch(&definition)?;
            on_built();
        }
        Ok(())
    }
}
