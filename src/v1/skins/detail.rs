//! `GET /skins/{slug}`

use crate::app::App;
use crate::catalogue::texture_owner;
use crate::error::ApiError;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::v1::textures::{SLUG, load_wearers};
use rollcall_model::resources::{SkinDetail, SkinDetailData, Timestamp};
use rollcall_store::Conn;

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/skins/{slug}",
    name: "skinDetail",
    tag: "Skins and capes",
    summary: "Get a skin",
    description: "One skin, the players who wear it, and whether the account of the API key likes, favorites or owns it.",
    path_param: Some(SLUG),
    params: &[],
    max_age: 30,
    per_account: true,
    units: Units::One,
    data: data::<SkinDetailData>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    Plan::reading((call.segment.clone(), call.account), |app, conn, (slug, account)| {
        envelope(&SkinDetailData { skin: load(app, conn, &slug, account)? })
    })
}

pub fn load(app: &App, conn: &mut Conn, slug: &str, account: Option<i64>) -> Result<SkinDetail, ApiError> {
    let row = app.catalogue.skins().by_slug(slug).map(|entry| entry.row.clone());
    let row = row.ok_or_else(|| ApiError::NotFound("Skin not found".into()))?;
    let wearers = load_wearers(app, conn, &row, account)?;
    let pictures = &app.catalogue.pictures;
    Ok(SkinDetail {
        owner: texture_owner(&row, pictures),
        id: row.id,
        slug: row.slug,
        name: row.name,
        description: row.description,
        model: row.model.unwrap_or_default(),
        tags: row.tags,
        png_path: pictures.url(&row.png),
        view_count: row.view_count,
        like_count: row.like_count,
        favorite_count: row.favorite_count,
        download_count: row.download_count,
        created_at: Timestamp(row.created_at),
        owner_id: row.owner.id,
        players_using: wearers.players,
        players_using_count: row.usage_count,
        viewer: wearers.viewer,
    })
}
