//! Times and lists of words as parameters.

use serde_json::{Value, json};

use super::params::{Param, invalid};
use crate::error::ApiError;
use crate::http::query::Query;
use rollcall_model::time;

/// A time as ISO 8601, or a date for its first millisecond; both in UTC.
pub struct Time {
    pub name: &'static str,
    pub about: &'static str,
}

impl Time {
    pub fn read(&self, query: &Query) -> Result<Option<i64>, ApiError> {
        let Some(text) = query.get(self.name) else { return Ok(None) };
        match time::parse_iso(text).or_else(|| time::parse_iso(&format!("{text}T00:00:00Z"))) {
            Some(at) => Ok(Some(at)),
            None => Err(invalid(self.name, "a UTC time like 2026-01-31T09:30:00Z or a date like 2026-01-31", text)),
        }
    }

    /// The error for a time that does not fit the others.
    pub fn misplaced(&self, what: &str, got: i64) -> ApiError {
        invalid(self.name, what, &time::iso(got))
    }
}

impl Param for Time {
    fn name(&self) -> &'static str {
        self.name
    }
    fn about(&self) -> &'static str {
        self.about
    }
    fn schema(&self) -> Value {
        json!({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z)?$"})
    }
}
