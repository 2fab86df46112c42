//! Heads of answers, as each thread wrote them before. An answer has some twenty lines, and all but a few are the same in
//! every answer of its kind: to copy them is quicker than to find the place of each anew.

use std::cell::RefCell;

use axum::http::header::{HeaderMap, HeaderName, HeaderValue};

use super::response::Encoding;

/// What decides about all other lines of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub max_age: u32,
    pub encoding: Option<Encoding>,
    /// The client has it already.
    pub known: bool,
    pub by_https: bool,
}

struct Head {
    kind: Kind,
    headers: HeaderMap,
    /// Which of the lines that differ stands at each place.
    places: Vec<Option<usize>>,
}

thread_local! {
    /// A thread's own: what threads share they have to count together.
    static WRITTEN: RefCell<Vec<Head>> = const { RefCell::new(Vec::new()) };
}

/// A head of this kind in which lines of these names have these values, whoever asks. `write` writes one from the beginning, and
/// always the same but for them.
pub fn like<const LINES: usize>(
    kind: Kind,
    names: &[HeaderName; LINES],
    mut values: [HeaderValue; LINES],
    write: impl FnOnce() -> HeaderMap,
) -> HeaderMap {
    WRITTEN.with_borrow_mut(|written| {
        if let Some(head) = written.iter().find(|head| head.kind == kind) {
            let mut headers = head.headers.clone();
            for (place, value) in head.places.iter().zip(headers.values_mut()) {
                if let Some(line) = *place {
                    std::mem::swap(value, &mut values[line]);
                }
            }
            return headers;
        }
        let mut headers = write();
        let line_of = |name: &HeaderName| names.iter().position(|other| other == name);
        let places: Vec<Option<usize>> = headers.keys().map(line_of).collect();
        let whole = headers.clone();
        for (place, value) in places.iter().zip(headers.values_mut()) {
            if place.is_some() {
                *value = HeaderValue::from_static("");
            }
        }
        // A place for each line, or the next head would lack one.
        if places.iter().flatten().count() == LINES && places.len() == headers.len() {
            written.push(Head { kind, headers, places });
        }
        whole
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::header;

    const NUMBER: HeaderName = HeaderName::from_static("x-number");

    fn write(max_age: u32, number: u32) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain"));
        headers.insert(NUMBER, number.into());
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_str(&format!("max-age={max_age}")).unwrap());
        headers.insert(header::ETAG, HeaderValue::from_str(&format!("\"{number}\"")).unwrap());
        headers
    }

    fn ask(max_age: u32, number: u32) -> HeaderMap {
        let kind = Kind { max_age, encoding: None, known: false, by_https: false };
        let etag = HeaderValue::from_str(&format!("\"{number}\"")).unwrap();
        like(kind, &[header::ETAG, NUMBER], [etag, number.into()], || write(max_age, number))
    }

    #[test]
    fn a_copied_head_is_the_one_that_would_be_written() {
        for (max_age, number) in [(1, 1), (1, 2), (2, 3), (1, 4), (2, 5), (2, 5)] {
            assert_eq!(ask(max_age, number), write(max_age, number));
        }
    }

    #[test]
    fn a_head_without_a_place_for_a_line_is_never_copied() {
        let kind = Kind { max_age: 9, encoding: None, known: true, by_https: true };
        for number in [1, 2] {
            assert_eq!(like(kind, &[header::AGE], [number.into()], || write(9, number)), write(9, number));
        }
    }
}
