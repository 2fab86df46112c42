//! Search and paging of the long lists: accounts and keys.

use axum::body::Body;
use axum::http::Response;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::http::query::Query;
use crate::web::csrf_form::CsrfForm;
use crate::web::page;

pub const ROWS_PER_PAGE: usize = 100;

/// What a list request asks for.
#[derive(Clone)]
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
    /// Where this page starts, if it is not the first.
    pub before: Option<i64>,
    /// Where the next page starts.
    pub older: Option<i64>,
}

impl ListControls {
    /// `rows` holds one row more than a page if there is another page; it is cut off.
    pub fn new<T>(request: ListRequest, rows: &mut Vec<T>, number: impl Fn(&T) -> i64) -> Self {
        let more = rows.len() > ROWS_PER_PAGE;
        rows.truncate(ROWS_PER_PAGE);
        let before = Some(request.before).filter(|before| *before != i64::MAX);
        Self { search: request.search, before, older: rows.last().filter(|_| more).map(number) }
    }
}

/// Back to the list that a form was sent from, with its search and its page.
pub fn back_to<U>(path: &str, done: &str, form: &CsrfForm<U>) -> Response<Body> {
    let mut to = format!("{path}?done={done}");
    for name in ["find", "before"] {
        if !form.text(name).is_empty() {
            to += &format!("&{name}={}", utf8_percent_encode(form.text(name), NON_ALPHANUMERIC));
        }
    }
    page::redirect(&to)
}
