//! Shared by all pictures: the limit per client IP, the name in the URL, and the response headers.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts, Path};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::request::Parts;
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;

use crate::app::App;
use crate::error::ApiError;
use crate::http::drawn_pictures::DrawnPicture;
use crate::http::query::Query;
use crate::http::request_id::RequestId;
use crate::http::{client_ip, etag};

pub const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=60");
pub const PNG: &str = "image/png";

pub type ImageResult = Result<Response<Body>, ImageRejection>;

/// A request for a picture, counted against the limit of its client IP.
pub struct ImageRequest {
    pub app: Arc<App>,
    /// The last segment of the path, decoded.
    file: String,
    pub query: Query,
    pub headers: HeaderMap,
}

/// An error as a line of text.
pub enum ImageRejection {
    Failed(ApiError),
    /// Too many requests: the seconds until the next.
    TooMany(i64),
}

impl From<ApiError> for ImageRejection {
    fn from(error: ApiError) -> Self {
        Self::Failed(error)
    }
}

impl From<rollcall_store::Error> for ImageRejection {
    fn from(error: rollcall_store::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl FromRequestParts<Arc<App>> for ImageRequest {
    type Rejection = ImageRejection;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Self::Rejection> {
        let client = client_ip::of(&parts.extensions);
        app.drawn_pictures.admit(client, app.clock.now()).map_err(ImageRejection::TooMany)?;
        // A path that is not UTF-8 names nothing.
        let path: Result<Path<String>, _> = Path::from_request_parts(parts, app).await;
        let file = path.map_or_else(|_| String::new(), |Path(file)| file);
        let query = Query::parse(parts.uri.query().unwrap_or_default())?;
        Ok(Self { app: app.clone(), file, query, headers: parts.headers.clone() })
    }
}

impl ImageRequest {
    /// The name before the ending.
    pub fn name(&self, ending: &str) -> Result<&str, ApiError> {
        let name = self.file.strip_suffix(ending).filter(|name| !name.is_empty());
        name.ok_or_else(|| ApiError::NotFound(format!("Not found: the address ends in {ending}")))
    }

    /// The whole last segment, of an address without an ending.
    pub fn segment(&self) -> &str {
        &self.file
    }

    /// The picture, or a 304 if the client has it already.
    pub fn respond(&self, picture: &DrawnPicture, content_type: &'static str) -> Response<Body> {
        respond(&self.headers, picture, content_type, CACHE_CONTROL)
    }
}

pub fn respond(
    request_headers: &HeaderMap,
    picture: &DrawnPicture,
    content_type: &'static str,
    cache_control: HeaderValue,
) -> Response<Body> {
    let tag = picture.etag.to_str().unwrap_or_default();
    let mut response = if etag::is_not_modified(request_headers, tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, content_type)], picture.bytes.clone()).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::ETAG, picture.etag.clone());
    headers.insert(header::CACHE_CONTROL, cache_control);
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

impl IntoResponse for ImageRejection {
    fn into_response(self) -> Response<Body> {
        let error = match self {
            Self::TooMany(seconds) => {
                let text = "Too many pictures for this IP address in this minute, try again in the next\n";
                return (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, seconds.to_string())], text)
                    .into_response();
            }
            Self::Failed(error) => error,
        };
        if let ApiError::Internal(cause) = &error {
            tracing::error!(id = %RequestId::current(), cause, "cannot draw a picture");
        }
        let mut response = (error.status(), format!("{}\n", error.message())).into_response();
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        if let Some(seconds) = error.retry_after() {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
        }
        response
    }
}
