//! `Last-Modified` and `If-Modified-Since`: when this process first saw the content that a response has now.

use std::sync::Mutex;

use axum::http::header::{self, HeaderMap, HeaderValue};

use rollcall_model::time::{SECOND, http_date, parse_http_date};

/// When a response became what it is.
pub struct LastModified {
    /// The content is this old at least: the second after the one in which it was first seen. An HTTP date has whole seconds, so a
    /// client that read the content before in that second must not take the new one for it.
    by: i64,
    header: HeaderValue,
}

impl LastModified {
    /// Of content that was first seen at `since`. The header is never later than the response.
    fn new(since: i64, now: i64) -> Self {
        let by = since - since.rem_euclid(SECOND) + SECOND;
        let header = HeaderValue::from_str(&http_date(by.min(now))).expect("a date is ASCII");
        Self { by, header }
    }

    pub fn header(&self) -> HeaderValue {
        self.header.clone()
    }

    /// Whether the client has seen this content. A date that cannot be read counts as none.
    pub fn is_not_modified(&self, request: &HeaderMap) -> bool {
        let since = request.get(header::IF_MODIFIED_SINCE).and_then(|date| date.to_str().ok());
        since.and_then(parse_http_date).is_some_and(|since| since >= self.by)
    }
}

/// What responses contained lately. Each has one slot: a response that takes the slot of another lets that one look newer than it is,
/// and its client gets it once more.
pub struct SeenContents([Mutex<Box<[Seen]>>; SHARDS]);

#[derive(Clone, Copy, Default)]
struct Seen {
    /// Hash of the cache key.
    response: u64,
    content: u64,
    since: i64,
}

const SHARDS: usize = 16;
/// 1.5 MiB in all.
const SLOTS: usize = 4_096;

impl SeenContents {
    pub fn new() -> Self {
        Self(std::array::from_fn(|_| Mutex::new(vec![Seen::default(); SLOTS].into_boxed_slice())))
    }

    /// Notes the content of a response, by hashes.
    pub fn see(&self, response: u64, content: u64, now: i64) -> LastModified {
        let mut slots = self.0[response as usize % SHARDS].lock().expect("nothing panics under this lock");
        let slot = &mut slots[(response >> 8) as usize % SLOTS];
        if (slot.response, slot.content) != (response, content) {
            *slot = Seen { response, content, since: now };
        }
        LastModified::new(slot.since, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: i64 = 1_780_495_200_000;

    fn asked(date: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::IF_MODIFIED_SINCE, HeaderValue::from_str(date).unwrap())])
    }

    fn shown(seen: &LastModified) -> String {
        seen.header().to_str().unwrap().to_owned()
    }

    #[test]
    fn the_date_stays_until_the_content_changes() {
        let seen = SeenContents::new();
        assert_eq!(shown(&seen.see(1, 7, T + 300)), "Wed, 03 Jun 2026 14:00:00 GMT");
        for later in [SECOND, 9 * SECOND] {
            assert_eq!(shown(&seen.see(1, 7, T + later)), "Wed, 03 Jun 2026 14:00:01 GMT");
        }
        assert_eq!(shown(&seen.see(1, 8, T + 9_500)), "Wed, 03 Jun 2026 14:00:09 GMT");
        assert_eq!(shown(&seen.see(2, 7, T + 20_000)), "Wed, 03 Jun 2026 14:00:20 GMT");
    }

    /// Content that changes twice within a second gets different dates.
    #[test]
    fn a_client_never_keeps_content_that_has_changed() {
        let seen = SeenContents::new();
        for (content, at) in [(1, 100), (2, 200), (3, 999), (3, 1_000), (4, 1_500)] {
            let before = shown(&seen.see(1, content, T + at));
            let changed = seen.see(1, content + 10, T + at);
            assert!(!changed.is_not_modified(&asked(&before)), "{content}");
            seen.see(1, content, T + at);
        }
    }

    #[test]
    fn an_unchanged_response_is_recognised() {
        let seen = SeenContents::new();
        seen.see(1, 1, T);
        let date = shown(&seen.see(1, 1, T + 5_000));
        let later = seen.see(1, 1, T + 60_000);
        assert!(later.is_not_modified(&asked(&date)) && later.is_not_modified(&asked("Thu, 04 Jun 2026 00:00:00 GMT")));
        for other in ["Wed, 03 Jun 2026 13:59:59 GMT", "yesterday", ""] {
            assert!(!later.is_not_modified(&asked(other)), "{other}");
        }
    }
}
