//! The route of a request for metrics and the access log: a pattern such as `/servers/{slug}`, never a path, which may hold
//! anything.

use std::fmt;
use std::sync::{Arc, OnceLock};

use axum::extract::MatchedPath;
use axum::http::Request;

/// Of requests that no route serves.
const UNMATCHED: &str = "unmatched";

#[derive(Clone, Debug)]
pub enum RouteLabel {
    /// An endpoint of the API: its path below `/v1`.
    Api(&'static str),
    /// An endpoint for reports of game servers.
    Report(&'static str),
    Page(MatchedPath),
    Unmatched,
}

impl RouteLabel {
    /// The pattern; that of an API endpoint without `/v1`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Api(path) | Self::Report(path) => path,
            Self::Page(matched) => matched.as_str(),
            Self::Unmatched => UNMATCHED,
        }
    }
}

impl fmt::Display for RouteLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = if matches!(self, Self::Api(_)) { "/v1" } else { "" };
        write!(f, "{prefix}{}", self.as_str())
    }
}

/// In the extensions of a request: the router of the pages notes here which route it found, so that it is known even if the
/// request times out.
#[derive(Clone, Debug, Default)]
pub struct RouteNote(Arc<OnceLock<MatchedPath>>);

impl RouteNote {
    /// For the router of the pages: writes the note of a request.
    pub fn write<B>(request: Request<B>) -> Request<B> {
        if let (Some(note), Some(matched)) =
            (request.extensions().get::<Self>(), request.extensions().get::<MatchedPath>())
        {
            let _ = note.0.set(matched.clone());
        }
        request
    }

    pub fn read(&self) -> RouteLabel {
        self.0.get().cloned().map_or(RouteLabel::Unmatched, RouteLabel::Page)
    }
}
