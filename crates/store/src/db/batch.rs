//! Multi-row statements: on PostgreSQL one round trip per row would take most of the time.

use std::fmt::Write;

use super::{Conn, Result, Row, Value};

/// Rows in the largest statement. Smaller ones have a power of two, so that few statements are prepared.
const MAX_ROWS: usize = 64;

impl Conn {
    /// Runs a statement for all rows, in as few statements as possible. `sql` contains `{rows}`: `values {rows}` in an insert,
    /// `(values {rows}) v` elsewhere, with columns that both engines name `column1`, `column2`, … `types` are the column types:
    /// PostgreSQL treats an untyped value as text.
    pub(crate) fn execute_many(&mut self, sql: &str, types: &[&str], rows: &[Vec<Value>]) -> Result<()> {
        self.in_batches(sql, types, rows, |conn, sql, values| conn.execute(sql, values).map(drop))
    }

    /// Streams what a query finds for all rows, in as few statements as possible. `sql` and `types` as in [`Self::execute_many`].
    pub(crate) fn for_each_of_many(
        &mut self,
        sql: &str,
        types: &[&str],
        rows: &[Vec<Value>],
        mut read: impl FnMut(&Row),
    ) -> Result<()> {
        self.in_batches(sql, types, rows, |conn, sql, values| conn.for_each(sql, values, &mut read))
    }

    fn in_batches(
        &mut self,
        sql: &str,
        types: &[&str],
        rows: &[Vec<Value>],
        mut run: impl FnMut(&mut Self, &str, &[Value]) -> Result<()>,
    ) -> Result<()> {
        let mut rest = rows;
        while !rest.is_empty() {
            let count = MAX_ROWS.min(1 << rest.len().ilog2());
            let (batch, remaining) = rest.split_at(count);
            let values: Vec<Value> = batch.iter().flatten().cloned().collect();
            run(self, &sql.replace("{rows}", &row_placeholders(types, count)), &values)?;
            rest = remaining;
        }
        Ok(())
    }
}

/// `(cast($1 as bigint), cast($2 as text)), …`, written in one piece: it is long, and made for each statement.
fn row_placeholders(types: &[&str], rows: usize) -> String {
    let mut text = String::new();
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { "), (" });
        for (column, kind) in types.iter().enumerate() {
            let separator = if column == 0 { "" } else { ", " };
            let number = row * types.len() + column + 1;
            write!(text, "{separator}cast(${number} as {kind})").expect("a String accepts any write");
        }
    }
    text.push(')');
    text
}
