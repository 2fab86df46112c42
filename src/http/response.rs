//! A finished answer: its bytes, their tag, and each compressed form, made at most once.

use std::io::Write;
use std::sync::{Arc, OnceLock};

use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode};
use bytes::Bytes;
use xxhash_rust::xxh3::xxh3_128;

pub struct Answer {
    pub body: Bytes,
    /// Weak, because the compressed forms share it.
    etag: HeaderValue,
    /// Of which this is a copy.
    original: Option<Arc<Answer>>,
    zstd: OnceLock<Bytes>,
    brotli: OnceLock<Bytes>,
    gzip: OnceLock<Bytes>,
}

/// What is sent of an answer.
#[derive(Default)]
pub struct Form {
    /// The client has it already, and gets a 304.
    pub known: bool,
    pub bytes: Bytes,
    pub encoding: Option<Encoding>,
}

impl Form {
    pub fn status(&self) -> StatusCode {
        if self.known { StatusCode::NOT_MODIFIED } else { StatusCode::OK }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Zstd,
    Brotli,
    Gzip,
}

impl Encoding {
    pub fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// The best of what a client accepts: the highest `q`, and of equals the one quickest to unpack.
    pub fn negotiate(accept: &str) -> Option<Self> {
        let quality = |name: &str| {
            let mut found = None;
            for part in accept.split(',') {
                let mut pieces = part.split(';').map(str::trim);
                let coding = pieces.next().unwrap_or_default();
                let q = pieces
                    .find_map(|piece| piece.strip_prefix("q=").or_else(|| piece.strip_prefix("Q=")))
                    .map_or(1.0, |q| q.parse().unwrap_or(0.0f32));
                if coding.eq_ignore_ascii_case(name) {
                    return q;
                }
                if coding == "*" {
                    found = Some(q);
                }
            }
            found.unwrap_or(0.0)
        };
        let mut best = None;
        for encoding in [Self::Zstd, Self::Brotli, Self::Gzip] {
            let q = quality(encoding.name());
            if q > 0.0 && best.is_none_or(|(most, _)| q > most) {
                best = Some((q, encoding));
            }
        }
        best.map(|(_, encoding)| encoding)
    }
}

/// About as many headers as an answer has in the end; a map that grows is built several times.
const HEADERS: usize = 24;
/// Below this the head of the answer outweighs what compression saves.
const WORTH_COMPRESSING: usize = 1024;
/// Levels that cost about as much time as they save on a fast line.
const ZSTD_LEVEL: i32 = 3;
const BROTLI_LEVEL: i32 = 4;
const GZIP_LEVEL: u32 = 5;

impl Answer {
    pub fn new(body: Vec<u8>) -> Self {
        // The same bytes have the same tag on every machine, and others another one but for chance. It guards nothing: a
        // game server that found two texts of one tag would keep a client from seeing the newer of them.
        let etag = format!("W/\"{:032x}\"", xxh3_128(&body));
        let etag = HeaderValue::from_str(&etag).expect("a tag is hexadecimal");
        Self::with(body.into(), etag, None)
    }

    /// In memory of its own, for a thread that gives it often. What is compressed is copied, too, and not compressed again.
    pub fn copy_of(original: Arc<Self>) -> Self {
        Self::with(copy(&original.body), original.etag(), Some(original))
    }

    fn with(body: Bytes, etag: HeaderValue, original: Option<Arc<Self>>) -> Self {
        let (zstd, brotli, gzip) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { body, etag, original, zstd, brotli, gzip }
    }

    /// The body in the best form the client accepts.
    pub fn encoded(&self, accept: Option<&str>) -> (Bytes, Option<Encoding>) {
        if self.body.len() < WORTH_COMPRESSING {
            return (self.body.clone(), None);
        }
        let Some(encoding) = accept.and_then(Encoding::negotiate) else { return (self.body.clone(), None) };
        (self.compressed(encoding).clone(), Some(encoding))
    }

    fn compressed(&self, encoding: Encoding) -> &Bytes {
        let (form, compress): (_, fn(&[u8]) -> Bytes) = match encoding {
            Encoding::Zstd => (&self.zstd, zstd),
            Encoding::Brotli => (&self.brotli, brotli),
            Encoding::Gzip => (&self.gzip, gzip),
        };
        form.get_or_init(|| match &self.original {
            Some(original) => copy(original.compressed(encoding)),
            None => compress(&self.body),
        })
    }

    /// What is sent of it to a client who asked so: nothing if they have it already, else the best form that they accept.
    pub fn form(&self, asked: &HeaderMap) -> Form {
        let asked = |name: HeaderName| asked.get(name).and_then(|value| value.to_str().ok());
        if asked(header::IF_NONE_MATCH).is_some_and(|tags| self.is_known(tags)) {
            return Form { known: true, ..Form::default() };
        }
        let (bytes, encoding) = self.encoded(asked(header::ACCEPT_ENCODING));
        Form { known: false, bytes, encoding }
    }

    /// The whole answer, or a 304 to a client that has it already.
    pub fn respond(&self, asked: &HeaderMap, content_type: &'static str, vary: &'static str) -> Response<Bytes> {
        let form = self.form(asked);
        let status = form.status();
        let mut response = Response::new(form.bytes);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.reserve(HEADERS);
        if !form.known {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        }
        if let Some(encoding) = form.encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
        }
        headers.insert(header::ETAG, self.etag());
        headers.insert(header::VARY, HeaderValue::from_static(vary));
        response
    }

    /// Cores that give the same answer would have to count together who holds its tag, so each gets one of its own.
    pub fn etag(&self) -> HeaderValue {
        match self.original {
            Some(_) => self.etag.clone(),
            None => HeaderValue::from_bytes(self.etag.as_bytes()).expect("it was one before"),
        }
    }

    fn tag(&self) -> &str {
        self.etag.to_str().expect("a tag is hexadecimal")
    }

    /// What it weighs in the cache, its compressed forms included (each is at most about a quarter).
    pub fn weight(&self) -> u64 {
        self.body.len() as u64 * 2 + 256
    }

    /// Whether the client's `If-None-Match` names this answer.
    pub fn is_known(&self, if_none_match: &str) -> bool {
        fn strong(tag: &str) -> &str {
            tag.trim().trim_start_matches("W/")
        }
        if_none_match.trim() == "*" || if_none_match.split(',').any(|tag| strong(tag) == strong(self.tag()))
    }
}

fn copy(bytes: &[u8]) -> Bytes {
    Bytes::copy_from_slice(bytes)
}

fn zstd(body: &[u8]) -> Bytes {
    zstd::bulk::compress(body, ZSTD_LEVEL).expect("compressing into memory").into()
}

fn brotli(body: &[u8]) -> Bytes {
    let params = brotli::enc::BrotliEncoderParams { quality: BROTLI_LEVEL, ..Default::default() };
    let mut out = Vec::with_capacity(body.len() / 4);
    brotli::BrotliCompress(&mut &body[..], &mut out, &params).expect("compressing into memory");
    out.into()
}

fn gzip(body: &[u8]) -> Bytes {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(GZIP_LEVEL));
    encoder.write_all(body).and_then(|()| encoder.finish()).expect("compressing into memory").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_best_accepted_encoding_is_chosen() {
        for (accept, expected) in [
            ("gzip, deflate, br, zstd", Some(Encoding::Zstd)),
            ("gzip, br", Some(Encoding::Brotli)),
            ("GZIP", Some(Encoding::Gzip)),
            ("br;q=0.5, gzip;q=0.8", Some(Encoding::Gzip)),
            ("zstd;q=0, *", Some(Encoding::Brotli)),
            ("*;q=0", None),
            ("identity", None),
            ("", None),
            ("br;q=x", None),
        ] {
            assert_eq!(Encoding::negotiate(accept), expected, "{accept}");
        }
    }

    #[test]
    fn a_copy_is_the_same_answer() {
        let original = Arc::new(Answer::new(vec![b'x'; 10_000]));
        let copy = Answer::copy_of(original.clone());
        for accept in [None, Some("zstd"), Some("br"), Some("gzip")] {
            assert_eq!(copy.encoded(accept), original.encoded(accept), "{accept:?}");
        }
        assert_eq!((copy.etag(), copy.weight()), (original.etag(), original.weight()));
        assert!(copy.is_known(original.tag()) && !copy.is_known("\"x\""));
    }

    #[test]
    fn small_answers_stay_plain_and_tags_match_weakly() {
        let answer = Answer::new(b"{}".to_vec());
        assert_eq!(answer.encoded(Some("gzip")).1, None);
        assert!(answer.is_known(answer.tag()) && answer.is_known("*"));
        assert!(answer.is_known(&format!("\"x\", {}", answer.tag().trim_start_matches("W/"))));
        assert!(!answer.is_known("\"x\""));
    }

    /// What a header may hold as text, more often the pieces of the two that are read here.
    fn header() -> impl Strategy<Value = String> {
        let pieces =
            ["gzip", "br", "zstd", "*", "identity", ";q=", "Q=", "0", "0.5", "1e9", "nan", "inf", "W/", "\"", ",", " "];
        let piece =
            prop_oneof![4 => proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned), 1 => "[ -~\t]{0,9}"];
        proptest::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn only_what_is_named_is_sent(accept in header()) {
            if let Some(encoding) = Encoding::negotiate(&accept) {
                let named = accept.to_ascii_lowercase().contains(encoding.name());
                prop_assert!(named || accept.contains('*'), "{accept} is answered with {encoding:?}");
            }
        }

        #[test]
        fn nobody_has_an_answer_whose_tag_he_does_not_know(tags in header()) {
            let answer = Answer::new(b"{}".to_vec());
            prop_assert_eq!(answer.is_known(&tags), tags.trim() == "*");
            let with_it = format!("\"x\", {},{tags}", answer.tag());
            prop_assert!(answer.is_known(&with_it));
        }
    }
}
