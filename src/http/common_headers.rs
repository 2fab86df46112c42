//! Headers of every response: the request id and the browser security policies.

use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};

use super::envelope::RESOURCE_POLICY;
use super::request_id::RequestId;

pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const DENY_ALL: &str = "default-src 'none'; frame-ancestors 'none'";

/// Whether browsers are told to use HTTPS only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hsts {
    /// Clients use plain HTTP.
    Off,
    /// Clients use HTTPS, to us or to a proxy in front of us.
    Host,
    WithSubdomains,
}

impl Hsts {
    pub fn new(is_https: bool, include_subdomains: bool) -> Self {
        match (is_https, include_subdomains) {
            (false, _) => Self::Off,
            (true, false) => Self::Host,
            (true, true) => Self::WithSubdomains,
        }
    }

    fn header(self) -> Option<HeaderValue> {
        match self {
            Self::Off => None,
            Self::Host => Some(HeaderValue::from_static("max-age=31536000")),
            Self::WithSubdomains => Some(HeaderValue::from_static("max-age=31536000; includeSubDomains")),
        }
    }
}

#[derive(Clone)]
pub struct CommonHeaders {
    pub id: RequestId,
    pub hsts: Hsts,
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
        if let Some(value) = self.hsts.header() {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, value);
        }
    }
}
