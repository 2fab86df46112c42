//! `/render/face|head|body/{player}.png`: the skin that a player wears.

use axum::body::Body;
use axum::http::{Response, StatusCode};

use super::request::{ImageRejection, ImageRequest, ImageResult, PNG};
use super::size::{FIGURE, SQUARE, Sizes};
use super::texture::{Skin, SkinView, draw_skin};
use crate::v1::players::profile;
use rollcall_paint::{render_body, render_face, render_head};

pub async fn face(request: ImageRequest) -> ImageResult {
    show(request, &SQUARE, SkinView { name: "face", render: render_face }).await
}

pub async fn head(request: ImageRequest) -> ImageResult {
    show(request, &SQUARE, SkinView { name: "head", render: render_head }).await
}

pub async fn body(request: ImageRequest) -> ImageResult {
    show(request, &FIGURE, SkinView { name: "body", render: render_body }).await
}

/// An unknown player gets the default skin and the status 404: a page has a picture, and a program knows.
async fn show(request: ImageRequest, sizes: &Sizes, view: SkinView) -> ImageResult {
    let size = sizes.read(&request.query)?;
    let skin = worn_skin(&request).await?;
    let is_known = skin.is_some();
    let skin = skin.unwrap_or_else(|| Skin::default_of(&request.app));
    let picture = draw_skin(&request.app, skin, view, size).await?;
    let mut response: Response<Body> = request.respond(&picture, PNG);
    if !is_known && response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    Ok(response)
}

/// By id, game UUID or nickname, as in the API.
async fn worn_skin(request: &ImageRequest) -> Result<Option<Skin>, ImageRejection> {
    let player = request.name(".png")?.to_owned();
    let row = request.app.pool.read_replicated(move |conn| profile::find(conn, &player)).await?;
    Ok(row.map(|row| Skin::new(row.linked_skin_png, &row.linked_skin_model)))
}
