//! The picture of an upload, for its uploader and for moderators: the texture itself, and how it looks when it is worn.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, Response, header};

use crate::app::App;
use crate::error::ApiError;
use crate::web::current_user::CurrentUser;
use crate::web::page::{PageRejection, PageResult};
use crate::web::session::{PathId, or_not_found};
use rollcall_paint::{ArmModel, CapeTexture, WornSkin, render_cape, render_skin};
use rollcall_store::texture_uploads::{self, TextureUpload};

/// Height of the drawn figure in pixels.
const FIGURE_SIZE: u32 = 384;

pub async fn show_own(State(app): State<Arc<App>>, user: CurrentUser, PathId(id): PathId) -> PageResult {
    texture(&app, &own(&app, &user, id).await?).await
}

pub async fn show_own_figure(State(app): State<Arc<App>>, user: CurrentUser, PathId(id): PathId) -> PageResult {
    figure(&app, own(&app, &user, id).await?).await
}

async fn own(app: &App, user: &CurrentUser, id: String) -> Result<TextureUpload, PageRejection> {
    let account_n = user.account.n;
    or_not_found(app.pool.read(move |conn| texture_uploads::find_own(conn, account_n, &id)).await?)
}

pub async fn texture(app: &App, upload: &TextureUpload) -> PageResult {
    Ok(respond(load(app, upload).await?.into()))
}

pub async fn figure(app: &App, upload: TextureUpload) -> PageResult {
    let png = load(app, &upload).await?;
    let drawn = tokio::task::spawn_blocking(move || draw(&upload, &png)).await;
    let drawn = drawn.map_err(|error| ApiError::Internal(error.to_string()))?;
    Ok(respond(or_not_found(drawn)?.into()))
}

async fn load(app: &App, upload: &TextureUpload) -> Result<bytes::Bytes, PageRejection> {
    let picture = app.media.get(&upload.png).await.map_err(ApiError::from)?;
    or_not_found(picture)
}

fn draw(upload: &TextureUpload, png: &[u8]) -> Option<Vec<u8>> {
    if !upload.is_skin {
        return CapeTexture::decode(png).map(|cape| render_cape(&cape, FIGURE_SIZE));
    }
    let model = if upload.texts.model.as_deref() == Some("slim") { ArmModel::Slim } else { ArmModel::Classic };
    WornSkin::decode(png, model).map(|skin| render_skin(&skin, FIGURE_SIZE))
}

/// Never cached: it may be rejected, and then others must not see it. The name is fixed, whatever the uploader called
/// it.
fn respond(png: Body) -> Response<Body> {
    let mut response = Response::new(png);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/png"));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("inline; filename=\"texture.png\""));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    headers.insert(crate::web::page::RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    response
}
