//! `/media/{kind}/{name}`: pictures. The name is the hash of the content, so clients may cache them for ever.

use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;

use crate::app::App;
use crate::http::etag;
use crate::http::request_id::RequestId;
use crate::texture_uploads::PRIVATE_KIND;
use rollcall_store::media::kind_of;

pub async fn respond(app: &App, path: &str, request_headers: &HeaderMap) -> Response<Body> {
    // What no moderator has approved is not for everyone.
    if kind_of(path) == Some(PRIVATE_KIND) {
        return (StatusCode::NOT_FOUND, "Picture not found.\n").into_response();
    }
    let etag = format!("\"{}\"", path.rsplit('/').next().unwrap_or_default().trim_end_matches(".png"));
    let picture = match app.media.get(path).await {
        Ok(Some(picture)) => picture,
        Ok(None) => return (StatusCode::NOT_FOUND, "Picture not found.\n").into_response(),
        Err(error) => {
            tracing::error!(id = %RequestId::current(), %error, path, "cannot read a picture");
            return (StatusCode::INTERNAL_SERVER_ERROR, "Internal server error, try again later.\n").into_response();
        }
    };
    let mut response = if etag::is_not_modified(request_headers, &etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, "image/png")], picture).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::ETAG, HeaderValue::from_str(&etag).expect("the path of a stored picture is ASCII"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}
