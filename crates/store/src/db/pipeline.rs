//! Several reads of PostgreSQL in one round trip.

use super::Value;
use tokio_postgres::Row;

/// A query and its parameters.
type Read = (String, Vec<Value>);

/// Handling of the queries of a connection.
#[derive(Default)]
pub enum Pipeline {
    /// They are sent.
    #[default]
    Off,
    /// They are noted, and have no rows.
    Recording(Vec<Read>),
    /// Those that were noted have been sent together, and their rows are here. Others are sent.
    Answering(Vec<(Read, Vec<Row>)>),
}

impl Pipeline {
    pub fn is_off(&self) -> bool {
        matches!(self, Self::Off)
    }

    /// Notes a query; `false` if it is not recording.
    pub fn record(&mut self, sql: &str, values: &[Value]) -> bool {
        let Self::Recording(reads) = self else { return false };
        if !reads.iter().any(|(noted, with)| noted == sql && with == values) {
            reads.push((sql.to_owned(), values.to_vec()));
        }
        true
    }

    /// The rows of a query that was noted.
    pub fn rows(&self, sql: &str, values: &[Value]) -> Option<&[Row]> {
        let Self::Answering(answers) = self else { return None };
        let (_, rows) = answers.iter().find(|((noted, with), _)| noted == sql && with == values)?;
        Some(rows)
    }
}
