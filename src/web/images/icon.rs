//! `/icon-180.png` and others: the logo for phones, which take no SVG.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{HeaderMap, HeaderValue};

use super::request::{ImageResult, PNG, respond};
use crate::app::App;
use rollcall_paint::logo;

/// It changes only with a new version.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=86400");

/// For the home screen of phones that round the corners themselves.
pub async fn touch(State(app): State<Arc<App>>, headers: HeaderMap) -> ImageResult {
    show(&app, &headers, 180, false).await
}

pub async fn medium(State(app): State<Arc<App>>, headers: HeaderMap) -> ImageResult {
    show(&app, &headers, 192, true).await
}

/// Maskable: the system cuts any shape out of it.
pub async fn large(State(app): State<Arc<App>>, headers: HeaderMap) -> ImageResult {
    show(&app, &headers, 512, false).await
}

async fn show(app: &App, headers: &HeaderMap, size: u32, is_rounded: bool) -> ImageResult {
    let draw = async { Ok(move || Ok(logo(size, is_rounded))) };
    let picture = app.drawn_pictures.get(&format!("logo:{size}"), draw).await?;
    Ok(respond(headers, &picture, PNG, CACHE_CONTROL))
}
