//! Header templates per thread. A response has about twenty headers, and all but a few are the same for every response of
//! its kind: cloning the map and replacing those is faster than inserting all of them.

use std::cell::RefCell;

use axum::http::header::{HeaderMap, HeaderName, HeaderValue};

use super::common_headers::Hsts;
use super::compression::Encoding;

/// Determines every header that does not vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateKey {
    pub max_age: u32,
    pub content_type: &'static str,
    pub encoding: Option<Encoding>,
    pub not_modified: bool,
    pub hsts: Hsts,
}

struct Template {
    key: TemplateKey,
    headers: HeaderMap,
    /// For each header its index among the varying ones.
    varying: Vec<Option<usize>>,
}

thread_local! {
    /// Per thread, because shared header values have reference counts that all cores write.
    static TEMPLATES: RefCell<Vec<Template>> = const { RefCell::new(Vec::new()) };
}

/// The headers of this kind, with these values for the varying names. `build` makes them from scratch, always the same apart
/// from the varying ones.
pub fn fill<const VARYING: usize>(
    key: TemplateKey,
    names: &[HeaderName; VARYING],
    mut values: [HeaderValue; VARYING],
    build: impl FnOnce() -> HeaderMap,
) -> HeaderMap {
    TEMPLATES.with_borrow_mut(|templates| {
        if let Some(template) = templates.iter().find(|template| template.key == key) {
            let mut headers = template.headers.clone();
            for (index, value) in template.varying.iter().zip(headers.values_mut()) {
                if let Some(index) = *index {
                    std::mem::swap(value, &mut values[index]);
                }
            }
            return headers;
        }
        let headers = build();
        let varying: Vec<Option<usize>> =
            headers.keys().map(|name| names.iter().position(|varying| varying == name)).collect();
        // Only if every varying name occurs exactly once can the next response be made from this one.
        if varying.iter().flatten().count() == VARYING && varying.len() == headers.len() {
            let mut headers = headers.clone();
            for (index, value) in varying.iter().zip(headers.values_mut()) {
                if index.is_some() {
                    *value = HeaderValue::from_static("");
                }
            }
            templates.push(Template { key, headers, varying });
        }
        headers
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::header;

    const NUMBER: HeaderName = HeaderName::from_static("x-number");

    fn build(max_age: u32, number: u32) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain"));
        headers.insert(NUMBER, number.into());
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_str(&format!("max-age={max_age}")).unwrap());
        headers.insert(header::ETAG, HeaderValue::from_str(&format!("\"{number}\"")).unwrap());
        headers
    }

    fn fill_template(max_age: u32, number: u32) -> HeaderMap {
        let key =
            TemplateKey { max_age, content_type: "text/plain", encoding: None, not_modified: false, hsts: Hsts::Off };
        let etag = HeaderValue::from_str(&format!("\"{number}\"")).unwrap();
        fill(key, &[header::ETAG, NUMBER], [etag, number.into()], || build(max_age, number))
    }

    #[test]
    fn a_filled_template_equals_headers_built_from_scratch() {
        for (max_age, number) in [(1, 1), (1, 2), (2, 3), (1, 4), (2, 5), (2, 5)] {
            assert_eq!(fill_template(max_age, number), build(max_age, number));
        }
    }

    #[test]
    fn headers_without_a_varying_name_are_not_a_template() {
        let key = TemplateKey {
            max_age: 9,
            content_type: "text/plain",
            encoding: None,
            not_modified: true,
            hsts: Hsts::Host,
        };
        for number in [1, 2] {
            assert_eq!(fill(key, &[header::AGE], [number.into()], || build(9, number)), build(9, number));
        }
    }
}
