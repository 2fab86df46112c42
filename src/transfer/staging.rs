//! Checked lines on their way into a table: gathered, copied into a temporary table, and merged from there by key in
//! one statement. A row that is there already keeps its row number.

use super::Staged;
use super::context::Marks;
use rollcall_store::values;
use rollcall_store::{Conn, Result, Value, totals};

/// Lines merged at once: enough that a statement's cost is spread thin, few enough to stay small in memory.
pub(super) const BATCH: usize = 20_000;

pub(super) struct Table {
    pub name: &'static str,
    /// What makes a row the same row.
    pub key: &'static str,
    /// In the order in which a checked line gives its values.
    pub columns: &'static [Column],
    /// Totals and figures, which are computed: 0 in a new row, and left alone in one that is there.
    pub computed: &'static [&'static str],
    pub lists: &'static [List],
    /// Whose totals a row of this table counts in.
    pub touches: &'static [Touch],
}

/// A table with one row per item of a list of the line. The rows of a line replace those it had.
pub(super) struct List {
    pub table: &'static str,
    pub parent: &'static str,
    pub columns: &'static [Column],
}

pub(super) struct Column {
    pub name: &'static str,
    kind: &'static str,
    silent: Silent,
}

/// What a column takes when the line says nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Silent {
    Null,
    /// What the row holds; in a new row the time of the import.
    KeptOrNow,
    /// What the row holds; in a new row 0.
    KeptOrZero,
    /// Never taken from the line: the place among the rows of the same server stays, until totals are recomputed.
    Place,
}

pub(super) const fn text(name: &'static str) -> Column {
    Column { name, kind: "text", silent: Silent::Null }
}

pub(super) const fn int(name: &'static str) -> Column {
    Column { name, kind: "bigint", silent: Silent::Null }
}

pub(super) const fn real(name: &'static str) -> Column {
    Column { name, kind: "double precision", silent: Silent::Null }
}

pub(super) const fn flag(name: &'static str) -> Column {
    Column { name, kind: "boolean", silent: Silent::Null }
}

pub(super) const fn place(name: &'static str) -> Column {
    Column { name, kind: "bigint", silent: Silent::Place }
}

impl Column {
    pub const fn kept_or_now(self) -> Self {
        Self { silent: Silent::KeptOrNow, ..self }
    }

    pub const fn kept_or_zero(self) -> Self {
        Self { silent: Silent::KeptOrZero, ..self }
    }

    fn keeps(&self) -> bool {
        matches!(self.silent, Silent::KeptOrNow | Silent::KeptOrZero)
    }
}

#[derive(Clone, Copy)]
pub(super) enum Touch {
    /// The row itself carries totals.
    Itself(Total),
    /// The row that this column names carries totals, before the change as after it.
    Named(&'static str, Total),
}

#[derive(Clone, Copy)]
pub(super) enum Total {
    Servers,
    Players,
    Textures,
}

pub(super) struct Incoming {
    table: &'static Table,
    /// Each row begins with the number of its line.
    lines: Vec<Staged>,
}

impl Incoming {
    pub fn open(conn: &mut Conn, table: &'static Table) -> Result<Self> {
        create(conn, "incoming", "line integer primary key", table.columns)?;
        for list in table.lists {
            create(conn, &format!("incoming_{}", list.table), "line bigint", list.columns)?;
        }
        Ok(Self { table, lines: Vec::new() })
    }

    pub fn push(&mut self, line: u64, mut staged: Staged) {
        let line = Value::Int(line.cast_signed());
        staged.lists.iter_mut().flatten().for_each(|item| item.insert(0, line.clone()));
        staged.values.insert(0, line);
        self.lines.push(staged);
    }

    pub fn is_full(&self) -> bool {
        self.lines.len() >= BATCH
    }

    /// Moves the gathered lines into the table.
    pub fn merge(&mut self, conn: &mut Conn, marks: &mut Marks, now: i64) -> Result<()> {
        self.stage(conn)?;
        marks.rows(self.lines.len());
        self.mark(conn, marks, true)?;
        let sql = self.merge_sql();
        let silent = if self.table.columns.iter().any(|column| column.silent == Silent::KeptOrNow) {
            values![now].to_vec()
        } else {
            Vec::new()
        };
        conn.execute(&sql, &silent)?;
        self.merge_lists(conn)?;
        self.mark(conn, marks, false)?;
        self.lines.clear();
        Ok(())
    }

    pub fn close(self, conn: &mut Conn) -> Result<()> {
        for list in self.table.lists {
            conn.batch(&format!("drop table incoming_{}", list.table))?;
        }
        conn.batch("drop table incoming")
    }

    fn stage(&self, conn: &mut Conn) -> Result<()> {
        // Emptied rows would stay in PostgreSQL's way until the transaction ends; SQLite truncates by itself.
        let clear = if conn.is_postgres() { "truncate" } else { "delete from" };
        conn.batch(&format!("{clear} incoming"))?;
        conn.bulk_insert("incoming", &staged_names(self.table.columns), |insert| {
            self.lines.iter().try_for_each(|staged| insert(&staged.values))
        })?;
        for (i, list) in self.table.lists.iter().enumerate() {
            let table = format!("incoming_{}", list.table);
            conn.batch(&format!("{clear} {table}"))?;
            conn.bulk_insert(&table, &staged_names(list.columns), |insert| {
                self.lines.iter().flat_map(|staged| &staged.lists[i]).try_for_each(|item| insert(item))
            })?;
        }
        Ok(())
    }

    fn merge_sql(&self) -> String {
        let Table { name, key, columns, computed, .. } = self.table;
        let names: Vec<&str> = columns.iter().map(|column| column.name).chain(computed.iter().copied()).collect();
        let given = columns.iter().map(|column| match column.silent {
            Silent::KeptOrNow => format!("coalesce(g.{0}, e.{0}, $1)", column.name),
            Silent::KeptOrZero => format!("coalesce(g.{0}, e.{0}, 0)", column.name),
            Silent::Null | Silent::Place => format!("g.{}", column.name),
        });
        let given: Vec<String> = given.chain(computed.iter().map(|_| "0".to_owned())).collect();
        let existing = if columns.iter().any(Column::keeps) {
            format!("left join {name} e on e.{key} = g.{key}")
        } else {
            String::new()
        };
        let replaced: Vec<String> = columns
            .iter()
            .map(|column| match column.silent {
                Silent::Place => format!(
                    "{0} = case when {name}.server_n = excluded.server_n then {name}.{0} else excluded.{0} end",
                    column.name
                ),
                _ => format!("{0} = excluded.{0}", column.name),
            })
            .collect();
        format!(
            "insert into {name} ({}) select {} from incoming g {existing} where true order by g.line
             on conflict ({key}) do update set {}",
            names.join(", "),
            given.join(", "),
            replaced.join(", ")
        )
    }

    fn merge_lists(&self, conn: &mut Conn) -> Result<()> {
        let name = self.table.name;
        for List { table, parent, columns } in self.table.lists {
            conn.execute(
                &format!(
                    "delete from {table} where {parent} in (select e.n from incoming g join {name} e on e.id = g.id)"
                ),
                &[],
            )?;
            let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
            conn.execute(
                &format!(
                    "insert into {table} ({parent}, {0}) select e.n, i.{1}
                     from incoming_{table} i join incoming g on g.line = i.line join {name} e on e.id = g.id",
                    names.join(", "),
                    names.join(", i.")
                ),
                &[],
            )?;
        }
        Ok(())
    }

    /// Notes whose totals the rows count in: before the merge those they leave, after it those they join.
    fn mark(&self, conn: &mut Conn, marks: &mut Marks, before: bool) -> Result<()> {
        let Some(touched) = marks.touched() else { return Ok(()) };
        let name = self.table.name;
        for touch in self.table.touches {
            let (sql, total) = match (*touch, before) {
                (Touch::Itself(total), false) => {
                    (format!("select e.n from incoming g join {name} e on e.id = g.id"), total)
                }
                (Touch::Named(column, total), false) => {
                    (format!("select {column} from incoming where {column} is not null"), total)
                }
                (Touch::Named(column, total), true) => (
                    format!(
                        "select e.{column} from incoming g join {name} e on e.id = g.id where e.{column} is not null"
                    ),
                    total,
                ),
                (Touch::Itself(Total::Servers), true) => {
                    let changed = "select e.n from incoming g join servers e on e.id = g.id
                                   where e.visibility <> g.visibility";
                    for server in conn.query(changed, &[], |row| row.get::<i64>(0))? {
                        touched.players.extend(totals::players_of(conn, server)?);
                    }
                    continue;
                }
                (Touch::Itself(_), true) => continue,
            };
            let rows = match total {
                Total::Servers => &mut touched.servers,
                Total::Players => &mut touched.players,
                Total::Textures => &mut touched.textures,
            };
            conn.for_each(&sql, &[], |row| {
                rows.insert(row.get(0));
            })?;
        }
        Ok(())
    }
}

fn create(conn: &mut Conn, table: &str, line: &str, columns: &[Column]) -> Result<()> {
    let columns: Vec<String> = columns.iter().map(|column| format!("{} {}", column.name, column.kind)).collect();
    conn.batch(&format!("drop table if exists {table}; create temp table {table} ({line}, {})", columns.join(", ")))
}

fn staged_names(columns: &[Column]) -> Vec<&'static str> {
    std::iter::once("line").chain(columns.iter().map(|column| column.name)).collect()
}
