//! Search and paging of the long lists: accounts, keys and servers. The pages of their rows and all acts keep both.

use axum::body::Body;
use axum::http::Response;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::http::query::Query;
use crate::web::csrf_form::CsrfForm;
use crate::web::page;

pub const ROWS_PER_PAGE: usize = 100;

/// Which part of a list is shown.
#[derive(Clone, Debug, Default)]
pub struct ListRequest {
    pub search: String,
    /// Start of the page, if it is not the first.
    pub before: Option<String>,
}

impl ListRequest {
    pub fn parse(query: Option<&str>) -> Self {
        let query = Query::parse(query.unwrap_or_default()).unwrap_or_default();
        let text = |name| query.get(name).unwrap_or_default().trim().replace('\0', "");
        Self::new(text("find"), text("before"))
    }

    pub fn of_form<U>(form: &CsrfForm<U>) -> Self {
        Self::new(form.text("find").to_owned(), form.text("before").to_owned())
    }

    fn new(search: String, before: String) -> Self {
        Self { search, before: Some(before).filter(|before| !before.is_empty()) }
    }

    /// Rows with a smaller number are shown.
    pub fn before_number(&self) -> i64 {
        self.before.as_deref().and_then(|text| text.parse().ok()).unwrap_or(i64::MAX)
    }

    /// A path of the operator with this search and page.
    pub fn link(&self, path: &str) -> String {
        self.link_after(path, "")
    }

    /// The same with a parameter before them.
    fn link_after(&self, path: &str, first: &str) -> String {
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let find =
            Some(&self.search).filter(|search| !search.is_empty()).map(|search| format!("find={}", encode(search)));
        let before = self.before.as_ref().map(|before| format!("before={}", encode(before)));
        let first = Some(first.to_owned()).filter(|first| !first.is_empty());
        let parameters: Vec<String> = [first, find, before].into_iter().flatten().collect();
        if parameters.is_empty() { path.to_owned() } else { format!("{path}?{}", parameters.join("&")) }
    }
}

/// The search field and the link to the next page.
pub struct ListControls {
    pub request: ListRequest,
    /// Start of the next page.
    pub older: Option<String>,
}

impl ListControls {
    /// `rows` holds one row more than a page if there is another page; it is cut off.
    pub fn new<T>(request: ListRequest, rows: &mut Vec<T>, position: impl Fn(&T) -> String) -> Self {
        let more = rows.len() > ROWS_PER_PAGE;
        rows.truncate(ROWS_PER_PAGE);
        Self { request, older: rows.last().filter(|_| more).map(position) }
    }

    /// The link to the next page.
    pub fn older_link(&self) -> Option<String> {
        let older = self.older.clone()?;
        Some(ListRequest { before: Some(older), ..self.request.clone() }.link(""))
    }
}

/// Back to the list that a form was sent from, with its search and its page.
pub fn back_to_list<U>(list: &str, done: &str, form: &CsrfForm<U>) -> Response<Body> {
    page::redirect(&ListRequest::of_form(form).link_after(list, &format!("done={done}")))
}

/// Back to the list, or to the page of the row if the form says that it was sent from there.
pub fn back_to<U>(list: &str, id: &str, done: &str, form: &CsrfForm<U>) -> Response<Body> {
    match form.text("from") {
        "page" => back_to_list(&format!("{list}/{id}"), done, form),
        _ => back_to_list(list, done, form),
    }
}
