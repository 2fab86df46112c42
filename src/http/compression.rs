//! Content encodings: negotiation and compression.

use std::io::Write;

use bytes::Bytes;

/// Levels that cost about as much time as they save on a fast connection.
const ZSTD_LEVEL: i32 = 3;
const BROTLI_LEVEL: i32 = 4;
const GZIP_LEVEL: u32 = 5;

/// The name of the plain body.
const IDENTITY: &str = "identity";

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

    /// The accepted encoding with the highest `q`; of equal ones the fastest to decompress. `None` if the plain body is
    /// preferred, or if nothing is accepted.
    pub fn negotiate(accept: &str) -> Option<Self> {
        // Unless it is named, the plain body is the last choice.
        let plain = quality(accept, IDENTITY).unwrap_or(0.0);
        let mut best = None;
        for encoding in [Self::Zstd, Self::Brotli, Self::Gzip] {
            let q = quality(accept, encoding.name()).unwrap_or(0.0);
            if q > 0.0 && q >= plain && best.is_none_or(|(most, _)| q > most) {
                best = Some((q, encoding));
            }
        }
        best.map(|(_, encoding)| encoding)
    }

    /// Whether the client refuses the plain body: with `identity;q=0`, or `*;q=0` without a word on `identity`.
    pub fn is_required(accept: &str) -> bool {
        // Most clients give no weights, or none of zero.
        accept.contains('0') && quality(accept, IDENTITY) == Some(0.0)
    }

    pub fn compress(self, body: &[u8]) -> Bytes {
        match self {
            Self::Zstd => zstd(body),
            Self::Brotli => brotli(body),
            Self::Gzip => gzip(body),
        }
    }
}

/// The `q` of an encoding, which may be that of `*`; `None` if neither is listed.
fn quality(accept: &str, name: &str) -> Option<f32> {
    let mut any = None;
    for part in accept.split(',') {
        let mut pieces = part.split(';').map(str::trim);
        let coding = pieces.next().unwrap_or_default();
        let q = pieces
            .find_map(|piece| piece.strip_prefix("q=").or_else(|| piece.strip_prefix("Q=")))
            .map_or(1.0, |q| q.parse().ok().filter(|q: &f32| q.is_finite()).unwrap_or(0.0));
        if coding.eq_ignore_ascii_case(name) {
            return Some(q);
        }
        if coding == "*" {
            any = Some(q);
        }
    }
    any
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
            ("identity;q=0", None),
            ("identity;q=0, gzip;q=0.1", Some(Encoding::Gzip)),
            ("identity;q=0, *;q=0.1", Some(Encoding::Zstd)),
            ("identity, gzip;q=0.5", None),
            ("identity;q=0.5, gzip;q=0.5", Some(Encoding::Gzip)),
            ("identity;q=0.5, gzip;q=0.4, br;q=0.6", Some(Encoding::Brotli)),
            ("gzip;q=0.5, *;q=0.8", Some(Encoding::Zstd)),
            ("gzip;q=0.5, zstd;q=0, br;q=0, *;q=0.8", None),
        ] {
            assert_eq!(Encoding::negotiate(accept), expected, "{accept}");
        }
    }

    #[test]
    fn the_plain_body_may_be_refused() {
        for (accept, is_required) in [
            ("identity;q=0", true),
            ("gzip, identity;q=0.0", true),
            ("gzip, *;q=0", true),
            ("*;q=0, identity;q=0.1", false),
            ("identity", false),
            ("gzip", false),
            ("", false),
        ] {
            assert_eq!(Encoding::is_required(accept), is_required, "{accept}");
        }
    }

    /// Text a header may hold, biased to what `Accept-Encoding` holds.
    fn header() -> impl Strategy<Value = String> {
        let pieces = ["gzip", "br", "zstd", "*", "identity", ";q=", "Q=", "0", "0.5", "1e9", "nan", "inf", ",", " "];
        let piece =
            prop_oneof![4 => proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned), 1 => "[ -~\t]{0,9}"];
        proptest::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn only_an_accepted_encoding_is_used(accept in header()) {
            if let Some(encoding) = Encoding::negotiate(&accept) {
                let named = accept.to_ascii_lowercase().contains(encoding.name());
                prop_assert!(named || accept.contains('*'), "{accept} got {encoding:?}");
            }
        }
    }
}
