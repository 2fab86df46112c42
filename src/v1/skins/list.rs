//! `GET /skins`

use crate::catalogue::{ListPosition, TextureSort};
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::cursor::{self, AFTER, CursorPosition};
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, listing};
use crate::v1::item_fields::ItemFields;
use crate::v1::params::{Choice, PAGE};
use crate::v1::textures::{LIMIT, ListParams, OWNER, SEARCH, SKIN_SORT, TAG};
use rollcall_model::resources::{Pagination, SkinList, SkinSummary};
use utoipa::PartialSchema;

const MODEL: Choice<&str> = Choice {
    name: "model",
    about: "Skin model: `classic` (arms 4 pixels wide) or `slim` (3 pixels).",
    values: &[("classic", "classic"), ("slim", "slim")],
    default: None,
};

const FIELDS: ItemFields = ItemFields(&[("/skins", <SkinSummary as PartialSchema>::schema)]);

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/skins",
    name: "listSkins",
    tag: "Skins and capes",
    summary: "List skins",
    description: "A page of the community skins.",
    path_param: None,
    params: &[&PAGE, &LIMIT, &SKIN_SORT, &SEARCH, &TAG, &OWNER, &MODEL, &FIELDS, &AFTER],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<SkinList>,
    plan,
};

/// Reads and checks the parameters.
pub fn params(query: &Query) -> Result<ListParams, ApiError> {
    let mut params = ListParams::read(query, &SKIN_SORT)?;
    params.filter.model = MODEL.read(query)?.map(str::to_owned);
    Ok(params)
}

fn plan(call: &Call) -> Result<Plan, ApiError> {
    let params = params(&call.query)?;
    let position: Option<CursorPosition<ListPosition<TextureSort>>> = AFTER.read_sorted(&call.query, params.sort)?;
    Plan::new((params, position), |app, (params, position)| async move {
        let page = params.page;
        let skins = app.catalogue.skins();
        if let Some(position) = position {
            let found = skins.page_after(&params.filter, params.sort, position.after().as_ref(), page.limit as usize);
            let pagination = Pagination::new(page.page, page.limit, found.total);
            let body = listing("skins", found.items.iter().map(|entry| &entry.summary[..]), &pagination)?;
            return cursor::page(&body, found.next.as_ref().map(cursor::encode));
        }
        let (entries, total) = skins.page(&params.filter, params.sort, page.offset(), page.limit as usize);
        let pagination = Pagination::new(page.page, page.limit, total);
        listing("skins", entries.iter().map(|entry| &entry.summary[..]), &pagination)
    })
}
