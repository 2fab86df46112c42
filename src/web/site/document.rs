//! Public documents that are not pages: feeds, sitemaps, the manifest.

use std::future::Future;

use axum::body::Body;
use axum::http::Response;
use axum::http::header::{self, HeaderMap, HeaderValue};

use crate::app::App;
use crate::error::ApiError;
use crate::web::error_page::error_page;
use crate::web::view::View;

/// Seconds that clients and CDNs may cache a document.
const MAX_AGE: &str = "public, max-age=300";

/// A document from the cache of pages, else written anew.
pub async fn cached(
    app: &App,
    headers: &HeaderMap,
    content_type: &'static str,
    write: impl Future<Output = Result<String, ApiError>>,
) -> Response<Body> {
    match app.page_cache.get(&View::current().address, write).await {
        Ok(document) => {
            let mut response = document.respond(headers, content_type, "Accept-Encoding").map(Body::from);
            response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(MAX_AGE));
            response
        }
        Err(error) => error_page(&error),
    }
}

/// Text for XML: escaped, and without the control characters that XML forbids.
pub fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' => escaped.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_is_escaped_and_has_no_control_characters() {
        assert_eq!(xml("a<b>&\"c\"\u{0}\u{1b}\n\u{ffff}"), "a&lt;b&gt;&amp;&quot;c&quot;\n");
    }
}
