//! Pictures: named by their content, so they may be kept for ever.

use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;

use crate::app::App;
use crate::http::request_id::RequestId;

pub async fn respond(app: &App, path: &str, asked: &HeaderMap) -> Response<Body> {
    // The name is the hash of the bytes: whoever has the tag has the picture.
    let etag = format!("\"{}\"", path.rsplit('/').next().unwrap_or_default().trim_end_matches(".png"));
    let picture = match app.media.get(path).await {
        Ok(Some(picture)) => picture,
        Ok(None) => return (StatusCode::NOT_FOUND, "There is no such picture.\n").into_response(),
        Err(error) => {
            tracing::error!(id = %RequestId::current(), %error, path, "a picture cannot be read");
            return (StatusCode::INTERNAL_SERVER_ERROR, "The picture cannot be read.\n").into_response();
        }
    };
    let known = asked
        .get(header::IF_NONE_MATCH)
        .and_then(|tags| tags.to_str().ok())
        .is_some_and(|tags| tags.split(',').any(|tag| tag.trim().trim_start_matches("W/") == etag));
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, "image/png")], picture).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::ETAG, HeaderValue::from_str(&etag).expect("a path that was found is plain text"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}
