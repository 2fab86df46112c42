//! The number by which a request is known in the log and to its client.

use std::fmt;
use std::future::Future;

use axum::http::HeaderValue;
use bytes::Bytes;

#[derive(Clone, Copy, Debug)]
pub struct RequestId(u64);

tokio::task_local! {
    static CURRENT: RequestId;
}

impl RequestId {
    pub fn random() -> Self {
        Self(rand::random())
    }

    /// Of the request that is being answered; nobody's where there is none.
    pub fn current() -> Self {
        CURRENT.try_with(|id| *id).unwrap_or(Self(0))
    }

    /// Answers a request under this id.
    pub fn scope<F: Future>(self, work: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(self, work)
    }

    pub fn header(self) -> HeaderValue {
        HeaderValue::from_maybe_shared(Bytes::from(self.to_string())).expect("an id is hexadecimal")
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
