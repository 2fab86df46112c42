//! The query of a list page: parameters of the API, links between pages, and the address for search engines.

use super::paging::Paging;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::web::layout::Layout;
use crate::web::view::View;
use rollcall_model::resources::Pagination;

pub struct ListQuery {
    /// Of the page; the API has the same below `/v1`.
    path: &'static str,
    pub query: Query,
}

impl ListQuery {
    /// Of the running request.
    pub fn current(path: &'static str) -> Result<Self, ApiError> {
        Ok(Self { path, query: Query::parse(View::current().query())? })
    }

    /// The parameters. The page reports a wrong value in the form and then shows the list without filters.
    pub fn params<P>(&self, read: impl Fn(&Query) -> Result<P, ApiError>) -> Result<(P, Option<String>), ApiError> {
        match read(&self.query) {
            Ok(params) => Ok((params, None)),
            Err(ApiError::BadRequest(message)) => Ok((read(&Query::default())?, Some(message))),
            Err(error) => Err(error),
        }
    }

    pub fn layout(&self) -> Layout {
        let canonical = format!("{}{}", self.path, self.query.with("page", self.query.get("page")));
        let json = format!("/v1{canonical}");
        Layout::public(self.path, canonical).with_json(json)
    }

    pub fn paging(&self, pagination: &Pagination) -> Paging {
        Paging::new(self.path, self.query.clone(), pagination)
    }
}
