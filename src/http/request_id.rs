//! The id of a request, in the log and in `X-Request-Id`.

use std::fmt;
use std::future::Future;

use axum::http::HeaderValue;

/// Bytes of an id from a proxy. A UUID has 36, a W3C trace context 55.
const MAX_GIVEN_BYTES: usize = 64;

#[derive(Clone, Debug)]
pub struct RequestId(Repr);

#[derive(Clone, Debug)]
enum Repr {
    Random(u64),
    /// From a trusted proxy.
    Given(HeaderValue),
}

tokio::task_local! {
    static CURRENT: RequestId;
}

impl RequestId {
    pub fn random() -> Self {
        Self(Repr::Random(rand::random()))
    }

    /// The id that a trusted proxy gave to the request, if it can stand in a log and a header.
    pub fn given(value: &HeaderValue) -> Option<Self> {
        let is_safe = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(byte);
        let bytes = value.as_bytes();
        let is_sane = (1..=MAX_GIVEN_BYTES).contains(&bytes.len()) && bytes.iter().all(is_safe);
        is_sane.then(|| Self(Repr::Given(value.clone())))
    }

    /// The id of the current request; zero outside of one.
    pub fn current() -> Self {
        CURRENT.try_with(Clone::clone).unwrap_or(Self(Repr::Random(0)))
    }

    /// Runs the future as the request of this id.
    pub fn scope<F: Future>(&self, work: F) -> impl Future<Output = F::Output> + use<F> {
        CURRENT.scope(self.clone(), work)
    }

    pub fn header(&self) -> HeaderValue {
        match &self.0 {
            Repr::Random(id) => {
                let nibble = |i: u32| b"0123456789abcdef"[(id >> (60 - 4 * i)) as usize & 15];
                let digits: [u8; 16] = std::array::from_fn(|i| nibble(i as u32));
                HeaderValue::from_bytes(&digits).expect("an id is hexadecimal")
            }
            Repr::Given(value) => value.clone(),
        }
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.0 {
            Repr::Random(id) => write!(f, "{id:016x}"),
            Repr::Given(value) => f.write_str(value.to_str().unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_and_log_show_the_same_id() {
        let random = [0, 1, 0xabcd_ef01_2345_6789, u64::MAX].map(|id| RequestId(Repr::Random(id)));
        let given = RequestId::given(&HeaderValue::from_static("0b1c-A_b.c:d")).unwrap();
        for id in random.into_iter().chain([given]) {
            assert_eq!(id.header(), id.to_string());
        }
    }

    #[test]
    fn an_id_that_is_long_or_unsafe_is_not_taken_over() {
        let long = "a".repeat(MAX_GIVEN_BYTES + 1);
        for text in ["", "a b", "a\"b", "a\tb", "{}", "a,b", "<a>", "a%0a", &long] {
            assert!(RequestId::given(&HeaderValue::from_str(text).unwrap()).is_none(), "{text}");
        }
        assert!(RequestId::given(&HeaderValue::from_bytes(b"\xff").unwrap()).is_none());
        assert!(RequestId::given(&HeaderValue::from_str(&long[1..]).unwrap()).is_some());
    }
}
