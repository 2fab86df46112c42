//! Parts of a private page that follow live. Each has a tag of its content; the browser sends the tags it has, and the answer
//! holds the parts that changed, compressed. Parts must hold no secret, no CSRF token and no text of the request: then the
//! size of a compressed response reveals nothing (BREACH).

use std::fmt;

use askama::Template;
use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use xxhash_rust::xxh3::xxh3_64;

use super::page::{self, RESOURCE_POLICY};
use crate::error::ApiError;
use crate::http::query::Query;
use crate::http::response::CachedResponse;

/// Displayed as an element with its id and tag.
pub struct LivePart {
    id: &'static str,
    tag: String,
    html: String,
}

impl LivePart {
    pub fn new(id: &'static str, content: &impl Template) -> Result<Self, ApiError> {
        let html = page::render(content)?;
        // With the id: two parts may have the same content.
        let tag = format!("{:016x}", xxh3_64(format!("{id}\n{html}").as_bytes()));
        Ok(Self { id, tag, html })
    }
}

impl fmt::Display for LivePart {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { id, tag, html } = self;
        write!(f, "<div id=\"{id}\" data-tag=\"{tag}\">{html}</div>")
    }
}

/// The parts that the browser does not have (parameter `have`: their tags, separated by dots); 204 if it has all.
pub fn respond(parts: &[LivePart], query: &Query, request_headers: &HeaderMap) -> Response<Body> {
    let known: Vec<&str> = query.get("have").unwrap_or_default().split('.').collect();
    let changed = parts.iter().filter(|part| !known.contains(&part.tag.as_str()));
    let body: String = changed.map(LivePart::to_string).collect();
    let mut response = Response::new(Body::empty());
    if body.is_empty() {
        *response.status_mut() = StatusCode::NO_CONTENT;
    } else {
        let accepted = request_headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
        let (bytes, encoding) = CachedResponse::new(body.into_bytes()).encoded(accepted);
        *response.body_mut() = Body::from(bytes);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        if let Some(encoding) = encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
        }
        // Opened as a page it can load and run nothing.
        let policy = "default-src 'none'; frame-ancestors 'none'";
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    }
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    response
}
