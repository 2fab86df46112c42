//! `GET /skins`

use crate::catalogue::TextureSort;
use crate::model::resources::{Pagination, SkinList};
use crate::v1::endpoint::{Call, Endpoint, Plan, data, listing};
use crate::v1::error::ApiError;
use crate::v1::params::{Choice, PAGE};
use crate::v1::textures::{LIMIT, ListParams, OWNER, SEARCH, TAG};

const SORT: Choice<TextureSort> = Choice {
    name: "sort",
    about: "Sort order: newest first, or the highest figure first, or by name.",
    values: &[
        ("recent", TextureSort::Recent),
        ("popular", TextureSort::Popular),
        ("likes", TextureSort::Likes),
        ("favorites", TextureSort::Favorites),
        ("views", TextureSort::Views),
        ("downloads", TextureSort::Downloads),
        ("name", TextureSort::Name),
        ("usage", TextureSort::Usage),
    ],
    default: Some("recent"),
};
const MODEL: Choice<&str> = Choice {
    name: "model",
    about: "Arms four pixels wide, or three.",
    values: &[("classic", "classic"), ("slim", "slim")],
    default: None,
};

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/skins",
    name: "listSkins",
    tag: "Skins and capes",
    summary: "List skins",
    description: "A page of the community's skins.",
    path_param: None,
    params: &[&PAGE, &LIMIT, &SORT, &SEARCH, &TAG, &OWNER, &MODEL],
    max_age: 30,
    data: data::<SkinList>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    let mut params = ListParams::read(&call.query, &SORT)?;
    params.filter.model = MODEL.read_any_case(&call.query)?.map(str::to_owned);
    Plan::new(params, |app, params| async move {
        let page = params.page;
        let skins = app.catalogue.skins();
        let (entries, total) = skins.page(&params.filter, params.sort, page.offset(), page.limit as usize);
        let pagination = Pagination::new(page.page, page.limit, total);
        listing("skins", entries.iter().map(|entry| &entry.summary[..]), &pagination)
    })
}
