//! Headers of every response: the request id and the browser security policies.

use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};

use super::envelope::RESOURCE_POLICY;
use super::request_id::RequestId;

pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const DENY_ALL: &str = "default-src 'none'; frame-ancestors 'none'";

#[derive(Clone, Copy)]
pub struct CommonHeaders {
    pub id: RequestId,
    /// Clients use HTTPS, to us or to a proxy in front of us.
    pub is_https: bool,
}

impl CommonHeaders {
    /// The default policy denies everything; a page sets its own before this runs.
    pub fn write(&self, headers: &mut HeaderMap) {
        headers.insert(REQUEST_ID, self.id.header());
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.entry(header::REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
        // Any site may embed the pictures and call the API.
        headers.entry(RESOURCE_POLICY).or_insert(HeaderValue::from_static("cross-origin"));
        headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(DENY_ALL));
        if self.is_https {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
        }
    }
}
