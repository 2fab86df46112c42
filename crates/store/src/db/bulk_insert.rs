//! Inserts of many rows at once: COPY on PostgreSQL, one prepared statement on SQLite.

use std::fmt::Write;

use super::{Conn, Driver, Value};
use crate::Result;

impl Conn {
    /// Inserts many rows. `rows` calls its argument once per row, with the values in the order of `columns`.
    pub(crate) fn bulk_insert(
        &mut self,
        table: &str,
        columns: &[&str],
        rows: impl FnOnce(&mut dyn FnMut(&[Value]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let names = columns.join(", ");
        match &mut self.driver {
            Driver::Sqlite { conn, .. } => {
                let marks: Vec<String> = (1..=columns.len()).map(|i| format!("?{i}")).collect();
                let sql = format!("insert into {table} ({names}) values ({})", marks.join(", "));
                let mut statement = conn.prepare(&sql)?;
                rows(&mut |values| {
                    statement.execute(rusqlite::params_from_iter(values))?;
                    Ok(())
                })
            }
            Driver::Postgres(server) => server.copy_in(&format!("copy {table} ({names}) from stdin"), |send| {
                let mut line = String::new();
                rows(&mut |values| {
                    line.clear();
                    copy_line(values, &mut line);
                    send(&line)
                })
            }),
        }
    }
}

/// A line in PostgreSQL's COPY text format: tab-separated, `\N` for null, backslash escapes.
fn copy_line(values: &[Value], line: &mut String) {
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            line.push('\t');
        }
        match value {
            Value::Null => line.push_str("\\N"),
            Value::Int(v) => write!(line, "{v}").expect("a String accepts any write"),
            Value::Real(v) => write!(line, "{v:?}").expect("a String accepts any write"),
            Value::Bool(v) => line.push(if *v { 't' } else { 'f' }),
            Value::Bytes(v) => {
                line.push_str("\\\\x");
                v.iter().for_each(|byte| write!(line, "{byte:02x}").expect("a String accepts any write"));
            }
            Value::Text(v) => {
                for c in v.chars() {
                    match c {
                        '\\' => line.push_str("\\\\"),
                        '\t' => line.push_str("\\t"),
                        '\n' => line.push_str("\\n"),
                        '\r' => line.push_str("\\r"),
                        c => line.push(c),
                    }
                }
            }
        }
    }
    line.push('\n');
}
