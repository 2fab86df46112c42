//! `GET /capes`

use crate::catalogue::{ListPosition, TextureSort};
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::cursor::{self, AFTER, CursorPosition};
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, listing};
use crate::v1::item_fields::ItemFields;
use crate::v1::params::PAGE;
use crate::v1::textures::{CAPE_SORT, LIMIT, ListParams, OWNER, SEARCH, TAG};
use rollcall_model::resources::{CapeList, CapeSummary, Pagination};
use utoipa::PartialSchema;

const FIELDS: ItemFields = ItemFields(&[("/capes", <CapeSummary as PartialSchema>::schema)]);

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/capes",
    name: "listCapes",
    tag: "Skins and capes",
    summary: "List capes",
    description: "A page of the community capes.",
    path_param: None,
    params: &[&PAGE, &LIMIT, &CAPE_SORT, &SEARCH, &TAG, &OWNER, &FIELDS, &AFTER],
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
    let params = params(&call.query)?;
    let position: Option<CursorPosition<ListPosition<TextureSort>>> = AFTER.read_sorted(&call.query, params.sort)?;
    Plan::new((params, position), |app, (params, position)| async move {
        let page = params.page;
        let capes = app.catalogue.capes();
        if let Some(position) = position {
            let found = capes.page_after(&params.filter, params.sort, position.after().as_ref(), page.limit as usize);
            let pagination = Pagination::new(page.page, page.limit, found.total);
            let body = listing("capes", found.items.iter().map(|entry| &entry.summary[..]), &pagination)?;
            return cursor::page(&body, found.next.as_ref().map(cursor::encode));
        }
        let (entries, total) = capes.page(&params.filter, params.sort, page.offset(), page.limit as usize);
        let pagination = Pagination::new(page.page, page.limit, total);
        listing("capes", entries.iter().map(|entry| &entry.summary[..]), &pagination)
    })
}
