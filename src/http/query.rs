//! The query string: decoded once, read parameter by parameter.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::error::ApiError;

/// Characters that are encoded in a value.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// The query parameter that may hold the API key.
const API_KEY: &str = "api_key";

/// Decoded names and values in request order. The API key is never among them.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    pub fn parse(raw: &str) -> Result<Self, ApiError> {
        let mut pairs = Vec::new();
        for (name, value) in split(raw) {
            let name = decode(name).ok_or_else(|| not_utf8("a parameter name"))?;
            if name == API_KEY {
                continue;
            }
            let value = decode(value).ok_or_else(|| not_utf8(&name))?;
            pairs.push((name, value));
        }
        Ok(Self { pairs })
    }

    /// The API key in the query string, if any. The rest of the string may be malformed.
    pub fn api_key(raw: &str) -> Option<String> {
        split(raw).find(|(name, _)| decode(name).as_deref() == Some(API_KEY)).and_then(|(_, value)| decode(value))
    }

    /// A cheap test that is never false when there is a key.
    pub fn may_hold_api_key(raw: &str) -> bool {
        raw.contains("key") || raw.contains('%')
    }

    /// The query string without the API key: for cache keys, logs and forwarding.
    pub fn without_api_key(raw: &str) -> String {
        let others = raw.split('&').filter(|pair| {
            let name = pair.split_once('=').map_or(*pair, |(name, _)| name);
            decode(name).as_deref() != Some(API_KEY)
        });
        others.collect::<Vec<_>>().join("&")
    }

    /// All parameters but one.
    pub fn without(&self, name: &str) -> Self {
        Self { pairs: self.pairs.iter().filter(|(n, _)| n != name).cloned().collect() }
    }

    /// The first value; an empty one counts as not given.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.given(name).filter(|value| !value.is_empty())
    }

    /// The first value, even an empty one.
    pub fn given(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// `?a=1&b=2` with another value of one parameter, or without it; without empty parameters and `page`, which belong to
    /// the old list. Empty if no parameter is left.
    pub fn with(&self, name: &str, value: Option<&str>) -> String {
        let kept = self.pairs.iter().filter(|(n, v)| n != name && n != "page" && !v.is_empty());
        let kept = kept.map(|(n, v)| (n.as_str(), v.as_str()));
        let pairs: Vec<String> =
            kept.chain(value.map(|value| (name, value))).map(|(n, v)| format!("{}={}", encode(n), encode(v))).collect();
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    }
}

/// Percent-encodes a value for a query string or a path segment.
pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

fn split(raw: &str) -> impl Iterator<Item = (&str, &str)> {
    raw.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(|text| text.into_owned())
}

/// Decodes a path segment, where `+` is a plus.
pub fn decode_segment(text: &str) -> Result<Cow<'_, str>, ApiError> {
    percent_decode_str(text).decode_utf8().map_err(|_| not_utf8("the path"))
}

fn not_utf8(what: &str) -> ApiError {
    ApiError::BadRequest(format!("{what} must be percent-encoded UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn first_value_wins_and_empty_counts_as_not_given() {
        let query = Query::parse("a=1&a=2&b=&c&%64=x%20y+z&api_key=rc_secret").unwrap();
        assert_eq!(
            (query.get("a"), query.get("b"), query.get("c"), query.get("d")),
            (Some("1"), None, None, Some("x y z"))
        );
        assert_eq!(query.given("b"), Some(""));
        assert!(!format!("{query:?}").contains("secret"));
        assert!(!format!("{:?}", Query::parse("%61pi_key=rc_secret").unwrap()).contains("secret"));
        let raw = "api_key=a&b=api_key&%61pi%5fkey=c&api_key&&d";
        assert_eq!(Query::without_api_key(raw), "b=api_key&&d");
    }

    #[test]
    fn links_change_one_parameter() {
        let query = Query::parse("sort=votes&page=3&country=&tag=a%26b").unwrap();
        assert_eq!(query.with("sort", Some("name")), "?tag=a%26b&sort=name");
        assert_eq!(query.with("page", Some("4")), "?sort=votes&tag=a%26b&page=4");
        assert_eq!(Query::default().with("sort", None), "");
    }

    #[test]
    fn invalid_utf8_is_rejected() {
        assert_eq!(Query::parse("search=%ff").unwrap_err().message(), "search must be percent-encoded UTF-8");
        assert_eq!(Query::api_key("search=%ff&api_key=k").as_deref(), Some("k"));
    }

    proptest! {
        #[test]
        fn any_string_parses_or_is_rejected(raw in ".{0,200}") {
            let _ = (Query::parse(&raw), Query::api_key(&raw), decode_segment(&raw));
        }
    }
}
