//! A finished response: its body, its ETag and each compressed form, made at most once.

use std::sync::OnceLock;

use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use bytes::Bytes;
use xxhash_rust::xxh3::xxh3_128;

use super::compression::Encoding;
use super::etag;
use super::last_modified::LastModified;

/// A body that is not compressed yet.
pub struct UncompressedBody {
    pub bytes: Vec<u8>,
    pub content_type: &'static str,
    /// The query string of the next page, of a body that cannot hold it.
    pub next_page: Option<String>,
}

const JSON: &str = "application/json";

impl From<Vec<u8>> for UncompressedBody {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, content_type: JSON, next_page: None }
    }
}

pub struct CachedResponse {
    pub body: Bytes,
    /// JSON, unless the response says otherwise.
    pub content_type: &'static str,
    /// Weak, because all encodings share it.
    etag: HeaderValue,
    /// Part of the hash in the tag.
    pub content_hash: u64,
    /// The header `Link`.
    pub link: Option<HeaderValue>,
    /// Of responses of the API.
    pub last_modified: Option<LastModified>,
    zstd: OnceLock<Bytes>,
    brotli: OnceLock<Bytes>,
    gzip: OnceLock<Bytes>,
}

/// A response to one client.
#[derive(Default)]
pub struct Representation {
    /// The client has it already and gets a 304.
    pub not_modified: bool,
    pub bytes: Bytes,
    pub encoding: Option<Encoding>,
}

impl Representation {
    pub fn status(&self) -> StatusCode {
        if self.not_modified { StatusCode::NOT_MODIFIED } else { StatusCode::OK }
    }
}

/// About as many headers as a response has in the end; a map that grows is rebuilt several times.
const HEADER_CAPACITY: usize = 24;
/// Below this the headers outweigh what compression saves.
const MIN_COMPRESSED_BYTES: usize = 1024;

impl CachedResponse {
    pub fn new(body: Vec<u8>) -> Self {
        Self::of(body.into())
    }

    pub fn of(UncompressedBody { bytes: body, content_type, next_page }: UncompressedBody) -> Self {
        // Equal bodies have equal tags on every machine. Not a security boundary: a forced collision would only keep a client
        // from seeing a newer response.
        let hash = xxh3_128(&body);
        let etag = format!("W/\"{hash:032x}\"");
        let etag = HeaderValue::from_str(&etag).expect("an ETag is hexadecimal");
        let link = next_page.and_then(|query| HeaderValue::try_from(format!("<{query}>; rel=\"next\"")).ok());
        let (zstd, brotli, gzip) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self {
            body: body.into(),
            content_type,
            etag,
            content_hash: hash as u64,
            link,
            last_modified: None,
            zstd,
            brotli,
            gzip,
        }
    }

    /// The body in the best encoding the client accepts.
    pub fn encoded(&self, accept: Option<&str>) -> (Bytes, Option<Encoding>) {
        if self.body.len() < MIN_COMPRESSED_BYTES && !accept.is_some_and(Encoding::is_required) {
            return (self.body.clone(), None);
        }
        let Some(encoding) = accept.and_then(Encoding::negotiate) else { return (self.body.clone(), None) };
        (self.compressed(encoding).clone(), Some(encoding))
    }

    fn compressed(&self, encoding: Encoding) -> &Bytes {
        let compressed = match encoding {
            Encoding::Zstd => &self.zstd,
            Encoding::Brotli => &self.brotli,
            Encoding::Gzip => &self.gzip,
        };
        compressed.get_or_init(|| encoding.compress(&self.body))
    }

    /// Whether the client has it already. A tag wins over a date.
    fn is_not_modified(&self, request_headers: &HeaderMap) -> bool {
        match &self.last_modified {
            Some(last_modified) if !request_headers.contains_key(header::IF_NONE_MATCH) => {
                last_modified.is_not_modified(request_headers)
            }
            _ => etag::is_not_modified(request_headers, self.tag()),
        }
    }

    /// Nothing if the client has it already, else the body in the best encoding they accept.
    pub fn negotiate(&self, request_headers: &HeaderMap) -> Representation {
        if self.is_not_modified(request_headers) {
            return Representation { not_modified: true, ..Representation::default() };
        }
        let accept_encoding = request_headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
        let (bytes, encoding) = self.encoded(accept_encoding);
        Representation { not_modified: false, bytes, encoding }
    }

    /// The whole response, or a 304 if the client has it already.
    pub fn respond(
        &self,
        request_headers: &HeaderMap,
        content_type: &'static str,
        vary: &'static str,
    ) -> Response<Bytes> {
        let representation = self.negotiate(request_headers);
        let status = representation.status();
        let mut response = Response::new(representation.bytes);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.reserve(HEADER_CAPACITY);
        if !representation.not_modified {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        }
        if let Some(encoding) = representation.encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
        }
        headers.insert(header::ETAG, self.etag());
        if let Some(last_modified) = &self.last_modified {
            headers.insert(header::LAST_MODIFIED, last_modified.header());
        }
        if let Some(link) = &self.link {
            headers.insert(header::LINK, link.clone());
        }
        headers.insert(header::VARY, HeaderValue::from_static(vary));
        response
    }

    pub fn etag(&self) -> HeaderValue {
        self.etag.clone()
    }

    fn tag(&self) -> &str {
        self.etag.to_str().expect("an ETag is hexadecimal")
    }

    /// Its size in the cache, compressed forms included (each is at most about a quarter).
    pub fn weight(&self) -> u64 {
        self.body.len() as u64 * 2 + 256
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_responses_are_not_compressed() {
        let small = CachedResponse::new(b"{}".to_vec());
        assert_eq!(small.encoded(Some("gzip")).1, None);
        assert_eq!(small.encoded(Some("gzip, identity;q=0")).1, Some(Encoding::Gzip));
    }
}
