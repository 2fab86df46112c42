//! Conditional requests: `ETag` and `If-None-Match`.

use axum::http::header::{self, HeaderMap};

/// Whether `If-None-Match` names the tag. Weak and strong tags compare equal, as RFC 9110 wants it for this header.
pub fn is_not_modified(headers: &HeaderMap, etag: &str) -> bool {
    let if_none_match = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if_none_match.is_some_and(|tags| matches(tags, etag))
}

fn matches(if_none_match: &str, etag: &str) -> bool {
    if_none_match.trim() == "*" || if_none_match.split(',').any(|tag| opaque(tag) == opaque(etag))
}

/// The tag without its weakness indicator.
fn opaque(tag: &str) -> &str {
    tag.trim().trim_start_matches("W/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ETAG: &str = "W/\"0123456789abcdef\"";

    #[test]
    fn tags_match_weakly() {
        assert!(matches(ETAG, ETAG) && matches("*", ETAG) && matches("\"x\", \"0123456789abcdef\"", ETAG));
        assert!(!matches("\"x\"", ETAG) && !matches("", ETAG));
    }

    proptest! {
        #[test]
        fn no_other_tag_matches(tags in "[ -~\t]{0,40}") {
            prop_assume!(!tags.contains("0123456789abcdef"));
            prop_assert_eq!(matches(&tags, ETAG), tags.trim() == "*");
            let with_it = format!("\"x\", {ETAG},{tags}");
            prop_assert!(matches(&with_it, ETAG));
        }
    }
}
