//! Scripts, styles and the mark, compiled in. Their names change with their content, so they may be kept for ever.

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::Path;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;

use crate::http::response::Answer;

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

static ANSWERS: LazyLock<HashMap<&str, Answer>> =
    LazyLock::new(|| FILES.iter().map(|(name, bytes)| (*name, Answer::new(bytes.to_vec()))).collect());

pub async fn respond(Path(name): Path<String>, headers: HeaderMap) -> Response<Body> {
    serve(&name, &headers)
}

/// By name or address.
pub fn serve(name: &str, headers: &HeaderMap) -> Response<Body> {
    let name = name.strip_prefix("/assets/").unwrap_or(name);
    let Some(answer) = ANSWERS.get(name) else {
        return (StatusCode::NOT_FOUND, "There is nothing here.\n").into_response();
    };
    let mut response = answer.respond(headers, content_type(name), "Accept-Encoding").map(Body::from);
    let kept = HeaderValue::from_static("public, max-age=31536000, immutable");
    response.headers_mut().insert(header::CACHE_CONTROL, kept);
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
