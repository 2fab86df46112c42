//! `/media/{kind}/{name}`: pictures. The name is the hash of the content, so clients may cache them for ever.

use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;

use crate::app::App;
use crate::error::ApiError;
use crate::http::etag;
use crate::http::request_id::RequestId;
use bytes::Bytes;
use rollcall_store::hidden_textures::{UPLOAD, is_withheld};
use rollcall_store::media::kind_of;

/// The name of a picture is the hash of its content.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Uploads can be hidden, and caches must notice.
const AN_HOUR: HeaderValue = HeaderValue::from_static("public, max-age=3600");

/// Kinds of pictures that cannot be hidden, so that browsers may load them from the bucket. Skins and capes can, and only we know.
const PUBLIC_KINDS: [&str; 4] = ["avatar", "banner", "icon", "motd"];

/// URL from which a browser loads the picture, if not from us.
fn elsewhere(app: &App, path: &str) -> Option<Response<Body>> {
    let base = app.picture_url.as_ref()?;
    kind_of(path).filter(|kind| PUBLIC_KINDS.contains(kind))?;
    let location = HeaderValue::from_str(&format!("{base}/{path}")).ok()?;
    // For an hour: the operator may move the pictures.
    let headers = [(header::LOCATION, location), (header::CACHE_CONTROL, AN_HOUR)];
    Some((StatusCode::TEMPORARY_REDIRECT, headers).into_response())
}

/// `None` if there is no such picture, or it is not for everyone.
async fn load(app: &App, path: &str) -> Result<Option<Bytes>, ApiError> {
    let Some(picture) = app.media.get(path).await.map_err(ApiError::from)? else {
        return Ok(None);
    };
    let is_texture = matches!(kind_of(path), Some(UPLOAD | "skin" | "cape"));
    let name = path.to_owned();
    let is_withheld = is_texture && app.pool.read(move |conn| is_withheld(conn, &name)).await?;
    Ok(Some(picture).filter(|_| !is_withheld))
}

pub async fn respond(app: &App, path: &str, request_headers: &HeaderMap) -> Response<Body> {
    if let Some(redirect) = elsewhere(app, path) {
        return redirect;
    }
    let etag = format!("\"{}\"", path.rsplit('/').next().unwrap_or_default().trim_end_matches(".png"));
    let picture = match load(app, path).await {
        Ok(Some(picture)) => picture,
        Ok(None) => return (StatusCode::NOT_FOUND, "Picture not found.\n").into_response(),
        Err(error) => {
            if let ApiError::Internal(cause) = &error {
                tracing::error!(id = %RequestId::current(), cause, path, "cannot read a picture");
            }
            return (error.status(), "The picture cannot be loaded, try again later.\n").into_response();
        }
    };
    let mut response = if etag::is_not_modified(request_headers, &etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, "image/png")], picture).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::ETAG, HeaderValue::from_str(&etag).expect("the path of a stored picture is ASCII"));
    headers.insert(header::CACHE_CONTROL, if kind_of(path) == Some(UPLOAD) { AN_HOUR } else { FOR_EVER });
    // A picture never becomes a page, whatever a browser makes of it.
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("inline; filename=\"picture.png\""));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}
