//! Sets the indexes of large tables aside while they are filled: building one afterwards is a single sort.

use super::progress::Progress;
use rollcall_store::values;
use rollcall_store::{Conn, Result};

/// Tables that are filled in bulk.
const LARGE: &[&str] = &["votes", "sessions", "players", "reviews", "player_stats", "servers"];

pub struct SetAside(Vec<(String, String)>);

/// Drops every index that stands on its own and remembers how it was made.
pub fn set_aside(conn: &mut Conn) -> Result<SetAside> {
    let sql = if conn.is_postgres() {
        // An index behind a constraint belongs to the constraint.
        "select i.indexname, i.indexdef from pg_indexes i
         where i.schemaname = current_schema() and i.tablename = $1
           and not exists (select 1 from pg_constraint c where c.conname = i.indexname)"
    } else {
        "select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name = $1"
    };
    let mut found = Vec::new();
    for table in LARGE {
        found.extend(conn.query(sql, values![*table], |row| (row.get::<String>(0), row.get::<String>(1)))?);
    }
    for (name, _) in &found {
        conn.batch(&format!("drop index {name}"))?;
    }
    Ok(SetAside(found))
}

impl SetAside {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn put_back(self, conn: &mut Conn, progress: &Progress, units_each: u64) -> Result<()> {
        for (_, definition) in self.0 {
            conn.batch(&definition)?;
            progress.add(units_each);
        }
        Ok(())
    }
}
