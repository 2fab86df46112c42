//! Scripts, styles and the logo, compiled in. Their names contain a hash of the content, so browsers cache them forever.

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::Path;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;

use crate::http::response::CachedResponse;

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

static RESPONSES: LazyLock<HashMap<&str, CachedResponse>> =
    LazyLock::new(|| FILES.iter().map(|(name, bytes)| (*name, CachedResponse::new(bytes.to_vec()))).collect());

pub async fn show(Path(name): Path<String>, headers: HeaderMap) -> Response<Body> {
    serve(&name, &headers)
}

/// By file name or path.
pub fn serve(name: &str, headers: &HeaderMap) -> Response<Body> {
    let name = name.strip_prefix("/assets/").unwrap_or(name);
    let Some(file) = RESPONSES.get(name) else {
        return (StatusCode::NOT_FOUND, "Not found.\n").into_response();
    };
    let mut response = file.respond(headers, content_type(name), "Accept-Encoding").map(Body::from);
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    response.headers_mut().insert(header::CACHE_CONTROL, forever);
    response
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "js")) => "text/javascript",
        Some((_, "css")) => "text/css",
        Some((_, "svg")) => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
