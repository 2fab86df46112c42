//! Multi-row statements: on PostgreSQL one round trip per row would take most of the time.

use super::{Conn, Result, Value};

/// Rows in the largest statement. Smaller ones have a power of two, so that few statements are prepared.
const MAX_ROWS: usize = 64;

impl Conn {
    /// Runs a statement for all rows, in as few statements as possible. `sql` contains `{rows}`: `values {rows}` in an insert,
    /// `(values {rows}) v` elsewhere, with columns that both engines name `column1`, `column2`, … `types` are the column types:
    /// PostgreSQL treats an untyped value as text.
    pub(crate) fn execute_many(&mut self, sql: &str, types: &[&str], rows: &[Vec<Value>]) -> Result<()> {
        let mut rest = rows;
        while !rest.is_empty() {
            let count = MAX_ROWS.min(1 << rest.len().ilog2());
            let (batch, remaining) = rest.split_at(count);
            let values: Vec<Value> = batch.iter().flatten().cloned().collect();
            self.execute(&sql.replace("{rows}", &row_placeholders(types, count)), &values)?;
            rest = remaining;
        }
        Ok(())
    }
}

fn row_placeholders(types: &[&str], rows: usize) -> String {
    let row = |row: usize| {
        let columns = types.iter().enumerate();
        let casts: Vec<String> =
            columns.map(|(column, kind)| format!("cast(${} as {kind})", row * types.len() + column + 1)).collect();
        format!("({})", casts.join(", "))
    };
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}
