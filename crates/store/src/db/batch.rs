//! Many rows in one statement: a round trip for each row would be most of the time on PostgreSQL.

use super::{Conn, Result, Value};

/// Rows of the largest statement. Smaller ones are powers of two, so that few statements are ever prepared.
const MOST_ROWS: usize = 64;

impl Conn {
    /// Runs a statement for all rows, in as few statements as it takes. `sql` has `{rows}` where the rows belong, as
    /// `values {rows}` in an insert or `(values {rows}) v` elsewhere, whose columns both engines call `column1`, `column2`, …
    /// `types` are those of the columns: PostgreSQL would take an unmarked value for text.
    pub fn execute_many(&mut self, sql: &str, types: &[&str], rows: &[Vec<Value>]) -> Result<()> {
        let mut rest = rows;
        while !rest.is_empty() {
            let count = MOST_ROWS.min(1 << rest.len().ilog2());
            let (now, later) = rest.split_at(count);
            let values: Vec<Value> = now.iter().flatten().cloned().collect();
            self.execute(&sql.replace("{rows}", &marks(types, count)), &values)?;
            rest = later;
        }
        Ok(())
    }
}

fn marks(types: &[&str], rows: usize) -> String {
    let row = |row: usize| {
        let marks = types.iter().enumerate();
        let marks: Vec<String> =
            marks.map(|(column, kind)| format!("cast(${} as {kind})", row * types.len() + column + 1)).collect();
        format!("({})", marks.join(", "))
    };
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}
