//! The current status of a fake server with what was encoded of it, for many requests.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::java;
use super::status::{FakeStatus, StatusSource};

/// How long a status is reused. A load test may ask thousands of times per second.
const CACHE_TTL: Duration = Duration::from_millis(500);

pub(super) struct CachedStatusSource {
    source: StatusSource,
    last: Mutex<Option<(Instant, Option<Arc<CachedStatus>>)>>,
}

impl CachedStatusSource {
    pub(super) fn new(source: StatusSource) -> Self {
        Self { source, last: Mutex::new(None) }
    }

    pub(super) fn current(&self) -> Option<Arc<CachedStatus>> {
        const NOT_POISONED: &str = "no thread panics while it holds this lock";
        let now = Instant::now();
        if let Some((at, status)) = &*self.last.lock().expect(NOT_POISONED)
            && now.duration_since(*at) < CACHE_TTL
        {
            return status.clone();
        }
        let status = (self.source)().map(|fields| Arc::new(CachedStatus { fields, java_response: OnceLock::new() }));
        *self.last.lock().expect(NOT_POISONED) = Some((now, status.clone()));
        status
    }
}

/// A status with its encoded Java response, which is expensive because of the icon.
pub(super) struct CachedStatus {
    pub fields: FakeStatus,
    java_response: OnceLock<Bytes>,
}

impl CachedStatus {
    pub(super) fn java_response(&self) -> &[u8] {
        self.java_response.get_or_init(|| java::encode_status(&self.fields).into())
    }
}
