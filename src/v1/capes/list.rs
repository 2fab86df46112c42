//! `GET /capes`

use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, listing};
use crate::v1::params::PAGE;
use crate::v1::textures::{CAPE_SORT, LIMIT, ListParams, OWNER, SEARCH, TAG};
use rollcall_model::resources::{CapeList, Pagination};

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/capes",
    name: "listCapes",
    tag: "Skins and capes",
    summary: "List capes",
    description: "A page of the community capes.",
    path_param: None,
    params: &[&PAGE, &LIMIT, &CAPE_SORT, &SEARCH, &TAG, &OWNER],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<CapeList>,
    plan,
};

/// Reads and checks the parameters.
pub fn params(query: &Query) -> Result<ListParams, ApiError> {
    ListParams::read(query, &CAPE_SORT)
}

fn plan(call: &Call) -> Result<Plan, ApiError> {
    Plan::new(params(&call.query)?, |app, params| async move {
        let page = params.page;
        let capes = app.catalogue.capes();
        let (entries, total) = capes.page(&params.filter, params.sort, page.offset(), page.limit as usize);
        let pagination = Pagination::new(page.page, page.limit, total);
        listing("capes", entries.iter().map(|entry| &entry.summary[..]), &pagination)
    })
}
