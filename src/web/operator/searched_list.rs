//! Search and paging of the long lists: accounts and keys.

use crate::http::query::Query;

pub const ROWS_PER_PAGE: usize = 100;

/// What a list request asks for.
pub struct ListRequest {
    pub search: String,
    /// Rows with a smaller number are shown.
    pub before: i64,
}

impl ListRequest {
    pub fn parse(query: Option<&str>) -> Self {
        let query = Query::parse(query.unwrap_or_default()).unwrap_or_default();
        Self {
            search: query.get("find").unwrap_or_default().trim().replace('\0', ""),
            before: query.get("before").and_then(|text| text.parse().ok()).unwrap_or(i64::MAX),
        }
    }
}

/// The search field and the link to the next page.
pub struct ListControls {
    pub search: String,
    /// Where the next page starts.
    pub older: Option<i64>,
}

impl ListControls {
    /// `rows` holds one row more than a page if there is another page; it is cut off.
    pub fn new<T>(search: String, rows: &mut Vec<T>, number: impl Fn(&T) -> i64) -> Self {
        let more = rows.len() > ROWS_PER_PAGE;
        rows.truncate(ROWS_PER_PAGE);
        Self { search, older: rows.last().filter(|_| more).map(number) }
    }
}
