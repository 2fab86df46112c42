//! The id of a request, in the log and in `X-Request-Id`.

use std::fmt;
use std::future::Future;

use axum::http::HeaderValue;

#[derive(Clone, Copy, Debug)]
pub struct RequestId(u64);

tokio::task_local! {
    static CURRENT: RequestId;
}

impl RequestId {
    pub fn random() -> Self {
        Self(rand::random())
    }

    /// The id of the current request; zero outside of one.
    pub fn current() -> Self {
        CURRENT.try_with(|id| *id).unwrap_or(Self(0))
    }

    /// Runs the future as the request of this id.
    pub fn scope<F: Future>(self, work: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(self, work)
    }

    pub fn header(self) -> HeaderValue {
        let nibble = |i: u32| b"0123456789abcdef"[(self.0 >> (60 - 4 * i)) as usize & 15];
        let digits: [u8; 16] = std::array::from_fn(|i| nibble(i as u32));
        HeaderValue::from_bytes(&digits).expect("an id is hexadecimal")
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_and_log_show_the_same_id() {
        for id in [0, 1, 0xabcd_ef01_2345_6789, u64::MAX].map(RequestId) {
            assert_eq!(id.header(), id.to_string());
        }
    }
}
