//! A path parameter. A malformed one is a page that does not exist.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

use super::error_page::not_found;
use super::page::PageRejection;

pub struct Segment(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Segment {
    type Rejection = PageRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let Path(segment) = Path::from_request_parts(parts, state).await.map_err(|_| not_found())?;
        Ok(Self(segment))
    }
}
