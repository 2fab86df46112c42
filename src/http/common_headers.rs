//! What every answer says besides what it was asked for: an id that the log knows, and what a browser may do with it.

use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};

use super::envelope::RESOURCE_POLICY;
use super::request_id::RequestId;

pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const NOTHING_ALLOWED: &str = "default-src 'none'; frame-ancestors 'none'";

#[derive(Clone, Copy)]
pub struct EdgeHeaders {
    pub id: RequestId,
    /// Clients come by https, to us or to a proxy in front.
    pub by_https: bool,
}

impl EdgeHeaders {
    /// Nothing here is a page: no answer may run, load or be framed by anything, unless it says otherwise itself.
    pub fn write(&self, headers: &mut HeaderMap) {
        headers.insert(REQUEST_ID, self.id.header());
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.entry(header::REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
        // Any site may show the pictures and call the API.
        headers.entry(RESOURCE_POLICY).or_insert(HeaderValue::from_static("cross-origin"));
        headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(NOTHING_ALLOWED));
        if self.by_https {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
        }
    }
}
