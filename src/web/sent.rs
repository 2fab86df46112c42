//! A form that was sent: by a page of ours, by whom that page was made for, and no longer than a form is.

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap, HeaderName};

use super::page::{self, Told};
use super::visitor::{Visitor, Who};
use crate::accounts::token;
use crate::app::App;
use crate::v1::Query;

/// Bytes; the longest form asks for a reason in a thousand characters.
const LONGEST: usize = 16 * 1024;
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The field that every form brings along.
const TOKEN: &str = "token";

pub struct Sent<W> {
    pub who: W,
    fields: Query,
}

impl<W> Sent<W> {
    /// Without the blanks around it; empty when it was not sent.
    pub fn text(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// As it was typed: a password may end with a blank.
    pub fn raw(&self, name: &str) -> &str {
        self.fields.given(name).unwrap_or_default()
    }
}

impl<W: Who> FromRequest<Arc<App>> for Sent<W> {
    type Rejection = Told;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Self::Rejection> {
        let (parts, body) = request.into_parts();
        if !is_from_here(&parts.headers, &app.public_url) {
            let text = "This form was sent by another site than this one, so nothing was done.";
            return Err(page::trouble(StatusCode::FORBIDDEN, "That did not come from here", text).into());
        }
        let formed = parts
            .headers
            .get(header::CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().to_ascii_lowercase().starts_with(b"application/x-www-form-urlencoded"));
        if !formed {
            let text = "A form is sent as application/x-www-form-urlencoded.";
            return Err(page::trouble(StatusCode::UNSUPPORTED_MEDIA_TYPE, "That is no form", text).into());
        }
        let bytes = axum::body::to_bytes(body, LONGEST).await.map_err(|_| {
            let text = "A form may have 16 KiB, and this one has more, or did not arrive.";
            page::trouble(StatusCode::PAYLOAD_TOO_LARGE, "That is too much", text)
        })?;
        let fields = read(&bytes).ok_or_else(|| {
            page::trouble(StatusCode::BAD_REQUEST, "That cannot be read", "The fields of a form are UTF-8 text.")
        })?;
        let visitor = Visitor::of(&parts, app).await?;
        // Hashes are compared, so that time tells nothing of the token.
        if token::hash(fields.given(TOKEN).unwrap_or_default()) != token::hash(&visitor.token()) {
            let text = "Nothing was done. Go back, load the page anew, and send it once more; cookies must be allowed.";
            return Err(page::trouble(StatusCode::FORBIDDEN, "This form is no longer good", text).into());
        }
        let who = W::admit(visitor, "/dashboard")?;
        Ok(Self { who, fields })
    }
}

/// `None` for what is no text, or has a NUL in it, which PostgreSQL cannot keep.
fn read(bytes: &[u8]) -> Option<Query> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0') && !text.contains("%00"))?;
    Query::parse(text).ok()
}

/// Browsers say where a form comes from, and scripts of other sites cannot make them say otherwise.
fn is_from_here(headers: &HeaderMap, public_url: &str) -> bool {
    let said = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if said(FETCH_SITE).is_some_and(|site| site != "same-origin") {
        return false;
    }
    let Some(origin) = said(header::ORIGIN) else { return false };
    let (scheme, rest) = public_url.split_once("://").unwrap_or_default();
    let public = rest.split('/').next().unwrap_or_default();
    // Under whatever name he reached us, the page he came from must have had the same.
    let reached = said(header::HOST).unwrap_or(public);
    let Some((its_scheme, its_host)) = origin.split_once("://") else { return false };
    its_scheme == scheme && (its_host.eq_ignore_ascii_case(public) || its_host.eq_ignore_ascii_case(reached))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_pages_may_send_forms() {
        let from = |public: &str, pairs: &[(&'static str, &str)]| {
            let headers = pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
            is_from_here(&headers.collect(), public)
        };
        let https = "https://stats.example";
        for (public, pairs, ours) in [
            (https, &[("origin", "https://stats.example"), ("host", "stats.example")][..], true),
            (https, &[("origin", "https://Stats.Example"), ("sec-fetch-site", "same-origin")], true),
            (https, &[("origin", "https://stats.example"), ("host", "inner:8080")], true),
            ("http://127.0.0.1:8080", &[("origin", "http://localhost:8080"), ("host", "localhost:8080")], true),
            (https, &[("host", "stats.example")], false),
            (https, &[("origin", "null"), ("host", "stats.example")], false),
            (https, &[("origin", "http://stats.example"), ("host", "stats.example")], false),
            (https, &[("origin", "https://evil.example"), ("host", "stats.example")], false),
            (https, &[("origin", "https://stats.example.evil"), ("host", "stats.example")], false),
            (https, &[("origin", "https://stats.example:444"), ("host", "stats.example")], false),
            (https, &[("origin", "https://stats.example"), ("sec-fetch-site", "same-site")], false),
            (https, &[("origin", "https://stats.example"), ("sec-fetch-site", "cross-site")], false),
            ("http://127.0.0.1:8080", &[("origin", "http://127.0.0.1:9090"), ("host", "127.0.0.1:8080")], false),
        ] {
            assert_eq!(from(public, pairs), ours, "{public} {pairs:?}");
        }
    }
}
