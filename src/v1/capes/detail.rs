//! `GET /capes/{slug}`

use crate::app::App;
use crate::catalogue::texture_owner;
use crate::error::ApiError;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::v1::textures::{SLUG, load_wearers};
use rollcall_model::resources::{CapeDetail, CapeDetailData};
use rollcall_store::Conn;

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/capes/{slug}",
    name: "capeDetail",
    tag: "Skins and capes",
    summary: "Get a cape",
    description: "One cape, the players who wear it, and whether the account of the API key likes, favorites or owns it.",
    path_param: Some(SLUG),
    params: &[],
    max_age: 30,
    per_account: true,
    units: Units::One,
    data: data::<CapeDetailData>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    Plan::reading((call.segment.clone(), call.account), |app, conn, (slug, account)| {
        envelope(&CapeDetailData { cape: load(app, conn, &slug, account)? })
    })
}

pub fn load(app: &App, conn: &mut Conn, slug: &str, account: Option<i64>) -> Result<CapeDetail, ApiError> {
    let row = app.catalogue.capes().by_slug(slug).map(|entry| entry.row.clone());
    let row = row.ok_or_else(|| ApiError::NotFound("Cape not found".into()))?;
    let wearers = load_wearers(app, conn, &row, account)?;
    Ok(CapeDetail {
        owner: texture_owner(&row, &app.catalogue.pictures),
        id: row.id,
        slug: row.slug,
        name: row.name,
        description: row.description,
        tags: row.tags,
        png_path: app.catalogue.pictures.url(&row.png),
        view_count: row.view_count,
        like_count: row.like_count,
        favorite_count: row.favorite_count,
        download_count: row.download_count,
        players_using: wearers.players,
        players_using_count: row.usage_count,
        viewer: wearers.viewer,
    })
}
