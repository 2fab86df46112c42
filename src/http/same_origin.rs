//! Whether a request comes from a page of ours. A browser says so by itself; whatever is no browser may say anything, and
//! has no visitor whose address it could use up.

use axum::http::header::{self, HeaderMap};

const FETCH_SITE: &str = "sec-fetch-site";

/// False when a browser says that another site's page asks.
pub fn is_own(headers: &HeaderMap, public_url: &str) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let site = text(FETCH_SITE).is_none_or(|site| site == "same-origin");
    let origin = text(header::ORIGIN.as_str()).is_none_or(|origin| {
        // Behind a proxy the host may be another than the one that clients see; without one, our own address may be.
        // Either way it is the same scheme: a page that was loaded without TLS must not act for a user of https.
        let host = text(header::HOST.as_str()).unwrap_or_default();
        let scheme = public_url.split_once("://").map(|(scheme, _)| scheme);
        let reached = origin.split_once("://").filter(|(its, authority)| {
            Some(*its) == scheme && authority.eq_ignore_ascii_case(host) && !host.is_empty()
        });
        is_origin_of(origin, public_url) || reached.is_some()
    });
    site && origin
}

/// `https://a.example` of `https://a.example/below`
fn is_origin_of(origin: &str, url: &str) -> bool {
    let rest = url.get(origin.len()..).unwrap_or("?");
    url.get(..origin.len()).is_some_and(|start| start.eq_ignore_ascii_case(origin))
        && (rest.is_empty() || rest.starts_with('/'))
        && origin.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    #[test]
    fn only_our_own_pages_may_ask() {
        for (headers, own) in [
            (&[][..], true),
            (&[("sec-fetch-site", "same-origin")], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("origin", "https://a.example")], true),
            (&[("origin", "https://A.example")], true),
            (&[("origin", "http://a.example")], false),
            (&[("origin", "https://a.example.evil")], false),
            (&[("origin", "https://a.exampl")], false),
            (&[("origin", "https:")], false),
            (&[("origin", "https://a.example"), ("sec-fetch-site", "cross-site")], false),
            (&[("origin", "null"), ("host", "a.example")], false),
            (&[("origin", "https://127.0.0.1:80"), ("host", "127.0.0.1:80")], true),
            (&[("origin", "https://Inner"), ("host", "inner")], true),
            (&[("origin", "http://127.0.0.1:80"), ("host", "127.0.0.1:80")], false),
            (&[("origin", "https://127.0.0.1:81"), ("host", "127.0.0.1:80")], false),
            (&[("origin", "https://a.example:444"), ("host", "a.example")], false),
            (&[("origin", "http://"), ("host", "")], false),
        ] {
            let map: HeaderMap = headers
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
                .collect();
            assert_eq!(is_own(&map, "https://a.example/roll"), own, "{headers:?}");
        }
    }
}
