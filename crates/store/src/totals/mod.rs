//! Everything that is derived from rows and kept beside them, computed anew from the rows. Live writes keep these
//! figures current by themselves; this is for imports, for seeds, and for what a change of visibility reaches.

mod ordinals;
mod players;
mod servers;
mod stat_deltas;
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

/// The resources that carry totals. When only some rows are in scope, each has a temporary table `touched_…` with
/// their numbers.
const RESOURCES: [&str; 3] = ["servers", "players", "textures"];

/// The words in which a statement names the rows in scope: one SQL text serves both scopes, and a computation over
/// everything reads the tables from end to end instead of row by row.
struct Reach {
    all: bool,
}

impl Reach {
    /// The rows `r` of a table whose `column` is the number of a resource in scope, up to and with the `where`.
    fn rows(&self, table: &str, column: &str, resource: &str) -> String {
        if self.all {
            format!("{table} r where r.{column} is not null")
        } else {
            format!("touched_{resource} t cross join {table} r where r.{column} = t.n")
        }
    }

    /// Whether `column` is the number of a resource in scope.
    fn holds(&self, column: &str, resource: &str) -> String {
        if self.all { "true".to_owned() } else { format!("{column} in (select n from touched_{resource})") }
    }
}

/// Brings every total in scope to what its rows say, and stamps the scope as changed. Writes only what differs.
/// A player's totals count public servers only: whoever changes a server's visibility names [`players_of`] it too.
pub fn recompute(conn: &mut Conn, scope: &Scope) -> Result<()> {
    conn.transaction(|conn| {
        let reach = mark(conn, scope)?;
        ordinals::number(conn, &reach, "votes", "voted_at")?;
        ordinals::number(conn, &reach, "reviews", "created_at")?;
        ordinals::number_posts(conn, &reach)?;
        servers::total(conn, &reach)?;
        textures::total(conn, &reach)?;
        stat_deltas::total(conn, &reach)?;
        players::total(conn, &reach)?;
        stamp(conn, &reach)
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

fn mark(conn: &mut Conn, scope: &Scope) -> Result<Reach> {
    let Scope::Touched(touched) = scope else { return Ok(Reach { all: true }) };
    for (resource, rows) in RESOURCES.into_iter().zip([&touched.servers, &touched.players, &touched.textures]) {
        let rows: Vec<_> = rows.iter().map(|&n| values![n].to_vec()).collect();
        fill(conn, &format!("touched_{resource}"), &[NUMBER], &rows)?;
    }
    Ok(Reach { all: false })
}

fn stamp(conn: &mut Conn, reach: &Reach) -> Result<()> {
    if reach.all {
        changes::raise_epoch(conn)?;
        return Ok(());
    }
    let rev = changes::raise(conn)?;
    for resource in RESOURCES {
        let sql = format!("update {resource} set rev = $1 where n in (select n from touched_{resource})");
        conn.execute(&sql, values![rev])?;
        conn.batch(&format!("drop table touched_{resource}"))?;
    }
    Ok(())
}

/// A row number, as a column of a temporary table.
const NUMBER: (&str, &str) = ("n", "bigint not null primary key");

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
