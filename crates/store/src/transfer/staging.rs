//! Merges rows in batches: a batch is copied into a temporary table and merged from there in one statement. An
//! existing row keeps its row number.

use super::table::{AffectedTotals, Column, IfNull, ListTable, StagedRow, StagedTable, TotalsOf};
use super::touched_row_tracker::TouchedRowTracker;
use crate::{Conn, Result, Value, totals, values};

/// Rows per merge. Large enough to amortise the cost of a statement, small enough for memory.
const BATCH: usize = 20_000;

/// The temporary tables `staged` and `staged_<list>`, and the rows gathered for them.
pub struct Staging {
    table: &'static StagedTable,
    /// The values of each row begin with its line number.
    rows: Vec<StagedRow>,
}

impl Staging {
    pub fn open(conn: &mut Conn, table: &'static StagedTable) -> Result<Self> {
        create_table(conn, "staged", "line integer primary key", table.columns)?;
        for list in table.lists {
            create_table(conn, &format!("staged_{}", list.table), "line bigint", list.columns)?;
        }
        Ok(Self { table, rows: Vec::new() })
    }

    /// Adds a row. `line` is unique; the row of the lower line is inserted first.
    pub fn push(&mut self, line: u64, mut row: StagedRow) {
        let line = Value::Int(line.cast_signed());
        row.lists.iter_mut().flatten().for_each(|item| item.insert(0, line.clone()));
        row.values.insert(0, line);
        self.rows.push(row);
    }

    pub fn is_full(&self) -> bool {
        self.rows.len() >= BATCH
    }

    /// Merges the gathered rows into the table.
    pub fn merge(&mut self, conn: &mut Conn, touched: &mut TouchedRowTracker, now: i64) -> Result<()> {
        self.fill(conn)?;
        touched.count_merged(self.rows.len());
        self.track_before(conn, touched)?;
        let uses_now = self.table.columns.iter().any(|column| column.if_null == IfNull::ExistingOrNow);
        let parameters = values![now];
        conn.execute(&self.merge_sql(), if uses_now { parameters } else { &[] })?;
        self.merge_lists(conn)?;
        self.track_after(conn, touched)?;
        self.rows.clear();
        Ok(())
    }

    /// Drops the temporary tables.
    pub fn close(self, conn: &mut Conn) -> Result<()> {
        for list in self.table.lists {
            conn.execute_batch(&format!("drop table staged_{}", list.table))?;
        }
        conn.execute_batch("drop table staged")?;
        if conn.is_postgres() {
            // The totals are computed in this transaction, before autovacuum could analyze the new rows.
            conn.execute_batch(&format!("analyze {}", self.table.name))?;
        }
        Ok(())
    }

    /// Replaces the content of the temporary tables by the gathered rows.
    fn fill(&self, conn: &mut Conn) -> Result<()> {
        // PostgreSQL would scan deleted rows until the transaction ends. SQLite truncates on `delete from`.
        let clear = if conn.is_postgres() { "truncate" } else { "delete from" };
        conn.execute_batch(&format!("{clear} staged"))?;
        conn.bulk_insert("staged", &staged_columns(self.table.columns), |insert| {
            self.rows.iter().try_for_each(|row| insert(&row.values))
        })?;
        for (i, list) in self.table.lists.iter().enumerate() {
            let table = format!("staged_{}", list.table);
            conn.execute_batch(&format!("{clear} {table}"))?;
            conn.bulk_insert(&table, &staged_columns(list.columns), |insert| {
                self.rows.iter().flat_map(|row| &row.lists[i]).try_for_each(|item| insert(item))
            })?;
        }
        Ok(())
    }

    fn merge_sql(&self) -> String {
        let StagedTable { name, key, columns, computed, .. } = self.table;
        let names: Vec<&str> = columns.iter().map(|column| column.name).chain(computed.iter().copied()).collect();
        let inserted = columns.iter().map(|column| match column.if_null {
            IfNull::ExistingOrNow => format!("coalesce(g.{0}, e.{0}, $1)", column.name),
            IfNull::ExistingOrZero => format!("coalesce(g.{0}, e.{0}, 0)", column.name),
            IfNull::Null | IfNull::KeepOrdinal => format!("g.{}", column.name),
        });
        let inserted: Vec<String> = inserted.chain(computed.iter().map(|_| "0".to_owned())).collect();
        let existing = if columns.iter().any(Column::reads_existing) {
            format!("left join {name} e on e.{key} = g.{key}")
        } else {
            String::new()
        };
        let updated: Vec<String> = columns
            .iter()
            .map(|column| match column.if_null {
                IfNull::KeepOrdinal => format!(
                    "{0} = case when {name}.server_n = excluded.server_n then {name}.{0} else excluded.{0} end",
                    column.name
                ),
                _ => format!("{0} = excluded.{0}", column.name),
            })
            .collect();
        format!(
            "insert into {name} ({}) select {} from staged g {existing} where true order by g.line
             on conflict ({key}) do update set {}",
            names.join(", "),
            inserted.join(", "),
            updated.join(", ")
        )
    }

    fn merge_lists(&self, conn: &mut Conn) -> Result<()> {
        let name = self.table.name;
        for ListTable { table, parent, columns } in self.table.lists {
            conn.execute(
                &format!(
                    "delete from {table} where {parent} in (select e.n from staged g join {name} e on e.id = g.id)"
                ),
                &[],
            )?;
            let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
            conn.execute(
                &format!(
                    "insert into {table} ({parent}, {0}) select e.n, i.{1}
                     from staged_{table} i join staged g on g.line = i.line join {name} e on e.id = g.id",
                    names.join(", "),
                    names.join(", i.")
                ),
                &[],
            )?;
        }
        Ok(())
    }

    /// Before the merge: tracks the rows whose totals lose something.
    fn track_before(&self, conn: &mut Conn, touched: &mut TouchedRowTracker) -> Result<()> {
        let name = self.table.name;
        for affected in self.table.affects {
            match *affected {
                AffectedTotals::OfReferenced(column, totals_of) => {
                    let sql = format!(
                        "select e.{column} from staged g join {name} e on e.id = g.id where e.{column} is not null"
                    );
                    track(conn, touched, totals_of, &sql)?;
                }
                AffectedTotals::OfRow(TotalsOf::Servers) => track_players_of_changed_visibility(conn, touched)?,
                AffectedTotals::OfRow(_) => {}
            }
        }
        Ok(())
    }

    /// After the merge: tracks the rows whose totals gain something.
    fn track_after(&self, conn: &mut Conn, touched: &mut TouchedRowTracker) -> Result<()> {
        let name = self.table.name;
        for affected in self.table.affects {
            let (sql, totals_of) = match *affected {
                AffectedTotals::OfRow(totals_of) => {
                    (format!("select e.n from staged g join {name} e on e.id = g.id"), totals_of)
                }
                AffectedTotals::OfReferenced(column, totals_of) => {
                    (format!("select {column} from staged where {column} is not null"), totals_of)
                }
            };
            track(conn, touched, totals_of, &sql)?;
        }
        Ok(())
    }
}

/// Tracks the row numbers that a query returns.
fn track(conn: &mut Conn, touched: &mut TouchedRowTracker, totals_of: TotalsOf, sql: &str) -> Result<()> {
    let Some(tracked) = touched.tracked() else { return Ok(()) };
    let rows = match totals_of {
        TotalsOf::Servers => &mut tracked.servers,
        TotalsOf::Players => &mut tracked.players,
        TotalsOf::Textures => &mut tracked.textures,
    };
    conn.for_each(sql, &[], |row| {
        rows.insert(row.get(0));
    })
}

/// A player's totals count public servers only, so a change of visibility affects everyone who played there.
fn track_players_of_changed_visibility(conn: &mut Conn, touched: &mut TouchedRowTracker) -> Result<()> {
    let Some(tracked) = touched.tracked() else { return Ok(()) };
    let changed = "select e.n from staged g join servers e on e.id = g.id where e.visibility <> g.visibility";
    for server in conn.query(changed, &[], |row| row.get::<i64>(0))? {
        tracked.players.extend(totals::players_of(conn, server)?);
    }
    Ok(())
}

fn create_table(conn: &mut Conn, table: &str, line: &str, columns: &[Column]) -> Result<()> {
    let columns: Vec<String> = columns.iter().map(|column| format!("{} {}", column.name, column.sql_type)).collect();
    conn.execute_batch(&format!(
        "drop table if exists {table}; create temp table {table} ({line}, {})",
        columns.join(", ")
    ))
}

fn staged_columns(columns: &[Column]) -> Vec<&'static str> {
    std::iter::once("line").chain(columns.iter().map(|column| column.name)).collect()
}
