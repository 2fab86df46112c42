//! Everything that is derived from rows and kept beside them, computed anew from the rows. Live writes keep these
//! figures current by themselves; this is for imports, for seeds, and for what a change of visibility reaches.

mod gains;
mod ordinals;
mod players;
mod servers;
mod textures;

use std::collections::BTreeSet;

use super::{Conn, Result, Value, changes};
use crate::values;

/// Row numbers whose figures may have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    pub servers: BTreeSet<i64>,
    pub players: BTreeSet<i64>,
    pub textures: BTreeSet<i64>,
}

impl Touched {
    pub fn len(&self) -> usize {
        self.servers.len() + self.players.len() + self.textures.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[derive(Clone, Debug)]
pub enum Scope {
    All,
    Touched(Touched),
}

/// The resources that carry totals. Each has a temporary table `touched_…` with the row numbers in scope, so that
/// one SQL text serves both scopes.
const RESOURCES: [&str; 3] = ["servers", "players", "textures"];

/// Brings every total in scope to what its rows say, and stamps the scope as changed. Writes only what differs.
/// A player's totals count public servers only: whoever changes a server's visibility names [`players_of`] it too.
pub fn recompute(conn: &mut Conn, scope: &Scope) -> Result<()> {
    conn.transaction(|conn| {
        mark(conn, scope)?;
        ordinals::number(conn, "votes", "voted_at")?;
        ordinals::number(conn, "reviews", "created_at")?;
        ordinals::number_posts(conn)?;
        servers::total(conn)?;
        textures::total(conn)?;
        gains::total(conn)?;
        players::total(conn)?;
        stamp(conn, scope)?;
        for resource in RESOURCES {
            conn.batch(&format!("drop table touched_{resource}"))?;
        }
        Ok(())
    })
}

/// The players with rows at a server.
pub fn players_of(conn: &mut Conn, server_n: i64) -> Result<Vec<i64>> {
    conn.query(
        "select player_n from sessions where server_n = $1
         union select player_n from player_stats where server_n = $1
         union select player_n from votes where server_n = $1 and player_n is not null
         union select player_n from reviews where server_n = $1 and player_n is not null",
        values![server_n],
        |row| row.get(0),
    )
}

fn mark(conn: &mut Conn, scope: &Scope) -> Result<()> {
    for resource in RESOURCES {
        let table = format!("touched_{resource}");
        make(conn, &table, "n bigint primary key")?;
        match scope {
            Scope::All => {
                conn.execute(&format!("insert into {table} select n from {resource}"), &[])?;
            }
            Scope::Touched(touched) => {
                let rows = match resource {
                    "servers" => &touched.servers,
                    "players" => &touched.players,
                    _ => &touched.textures,
                };
                conn.bulk_insert(&table, &["n"], |insert| rows.iter().try_for_each(|&n| insert(values![n])))?;
            }
        }
        measure(conn, &table)?;
    }
    Ok(())
}

fn stamp(conn: &mut Conn, scope: &Scope) -> Result<()> {
    if let Scope::All = scope {
        changes::raise_epoch(conn)?;
        return Ok(());
    }
    let rev = changes::raise(conn)?;
    for resource in RESOURCES {
        let sql = format!("update {resource} set rev = $1 where n in (select n from touched_{resource})");
        conn.execute(&sql, values![rev])?;
    }
    Ok(())
}

/// A temporary table for this computation alone; what an earlier one left behind is gone.
fn make(conn: &mut Conn, table: &str, columns: &str) -> Result<()> {
    conn.batch(&format!("drop table if exists {table}; create temp table {table} ({columns})"))
}

/// Makes a temporary table out of computed rows, for an `update … from`.
fn fill(conn: &mut Conn, table: &str, columns: &[(&str, &str)], rows: &[Vec<Value>]) -> Result<()> {
    let definition: Vec<String> = columns.iter().map(|(name, kind)| format!("{name} {kind}")).collect();
    make(conn, table, &definition.join(", "))?;
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    conn.bulk_insert(table, &names, |insert| rows.iter().try_for_each(|row| insert(row)))?;
    measure(conn, table)
}

/// PostgreSQL plans by statistics, and a table filled a moment ago has none. SQLite plans by the indexes.
fn measure(conn: &mut Conn, table: &str) -> Result<()> {
    if conn.is_postgres() { conn.batch(&format!("analyze {table}")) } else { Ok(()) }
}
