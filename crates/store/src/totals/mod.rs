//! Recomputes stored totals (counts, ordinals, gains, achievements) from the rows. Live writes keep totals current themselves;
//! this is for imports, seeding and changes of visibility.

mod players;
mod renumber;
mod servers;
mod session_overlaps;
pub(crate) mod stat_deltas;
mod textures;

use std::collections::BTreeSet;

use super::{Conn, Result, Value, revision, running_sessions};
use crate::values;

/// Row numbers whose totals may have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TouchedRows {
    pub servers: BTreeSet<i64>,
    pub players: BTreeSet<i64>,
    pub textures: BTreeSet<i64>,
}

impl TouchedRows {
    pub fn len(&self) -> usize {
        self.servers.len() + self.players.len() + self.textures.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The rows whose totals are recomputed.
#[derive(Clone, Debug)]
pub enum RecomputeScope {
    All,
    Touched(TouchedRows),
}

/// The tables with totals. If only some rows are in scope, each has a temporary table `touched_…` with their numbers.
const RESOURCES: [&str; 3] = ["servers", "players", "textures"];

/// SQL fragments that select the rows in scope. The full scope scans the tables; the other one joins the `touched_…` tables.
struct ScopeSql {
    all: bool,
}

impl ScopeSql {
    /// `from` and `where` clauses for the rows `r` of a table whose `column` is the number of a resource in scope.
    fn rows(&self, table: &str, column: &str, resource: &str) -> String {
        if self.all {
            format!("{table} r where r.{column} is not null")
        } else {
            format!("touched_{resource} t cross join {table} r where r.{column} = t.n")
        }
    }

    /// A condition that `column` is the number of a resource in scope.
    fn condition(&self, column: &str, resource: &str) -> String {
        if self.all { "true".to_owned() } else { format!("{column} in (select n from touched_{resource})") }
    }
}

/// Recomputes every total in scope and stamps the scope as changed. Writes only what differs. A player's totals count public
/// servers only: after a change of visibility, include [`players_of`] the server.
pub fn recompute(conn: &mut Conn, scope: &RecomputeScope) -> Result<()> {
    conn.transaction(|conn| {
        end_running_sessions(conn, scope)?;
        let scope = create_scope_tables(conn, scope)?;
        renumber::number(conn, &scope, "votes", "voted_at")?;
        renumber::number(conn, &scope, "reviews", "created_at")?;
        renumber::number_posts(conn, &scope)?;
        servers::recompute(conn, &scope)?;
        textures::recompute(conn, &scope)?;
        stat_deltas::recompute(conn, &scope)?;
        session_overlaps::recompute(conn, &scope)?;
        players::recompute(conn, &scope)?;
        bump_revision(conn, &scope)
    })
}

/// Writes the sessions in scope that run, so that the rows hold all time that counts.
fn end_running_sessions(conn: &mut Conn, scope: &RecomputeScope) -> Result<()> {
    let players = match scope {
        RecomputeScope::All => running_sessions::players(conn)?,
        RecomputeScope::Touched(touched) => {
            let mut players: Vec<i64> = touched.players.iter().copied().collect();
            for &server_n in &touched.servers {
                players.extend(running_sessions::players_on(conn, server_n)?);
            }
            players
        }
    };
    running_sessions::write(conn, &players)
}

/// The players with sessions, stats, votes or reviews on a server.
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

fn create_scope_tables(conn: &mut Conn, scope: &RecomputeScope) -> Result<ScopeSql> {
    let RecomputeScope::Touched(touched) = scope else { return Ok(ScopeSql { all: true }) };
    for (resource, rows) in RESOURCES.into_iter().zip([&touched.servers, &touched.players, &touched.textures]) {
        let rows: Vec<_> = rows.iter().map(|&n| values![n].to_vec()).collect();
        fill_temp_table(conn, &format!("touched_{resource}"), &[NUMBER], &rows)?;
    }
    Ok(ScopeSql { all: false })
}

fn bump_revision(conn: &mut Conn, scope: &ScopeSql) -> Result<()> {
    if scope.all {
        revision::bump_epoch(conn)?;
        return Ok(());
    }
    let rev = revision::bump(conn)?;
    for resource in RESOURCES {
        let sql = format!("update {resource} set rev = $1 where n in (select n from touched_{resource})");
        conn.execute(&sql, values![rev])?;
        conn.execute_batch(&format!("drop table touched_{resource}"))?;
    }
    Ok(())
}

/// The row number column of a temporary table.
const NUMBER: (&str, &str) = ("n", "bigint not null primary key");

/// Creates a temporary table; one left over from an earlier computation is dropped.
fn create_temp_table(conn: &mut Conn, table: &str, columns: &str) -> Result<()> {
    conn.execute_batch(&format!("drop table if exists {table}; create temp table {table} ({columns})"))
}

/// Creates a temporary table with computed rows, for an `update … from`.
fn fill_temp_table(conn: &mut Conn, table: &str, columns: &[(&str, &str)], rows: &[Vec<Value>]) -> Result<()> {
    let definition: Vec<String> = columns.iter().map(|(name, kind)| format!("{name} {kind}")).collect();
    create_temp_table(conn, table, &definition.join(", "))?;
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    conn.bulk_insert(table, &names, |insert| rows.iter().try_for_each(|row| insert(row)))?;
    analyze(conn, table)
}

/// PostgreSQL has no statistics for a new table and would plan badly. SQLite plans by the indexes.
fn analyze(conn: &mut Conn, table: &str) -> Result<()> {
    if conn.is_postgres() { conn.execute_batch(&format!("analyze {table}")) } else { Ok(()) }
}
