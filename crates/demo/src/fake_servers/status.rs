//! The status that a fake server reports, and where it comes from.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tokio::time::Instant;

use super::java;
use rollcall_minecraft::codec::{Json, flatten};

/// Independent of the protocol.
#[derive(Clone, Debug, Default)]
pub struct FakeStatus {
    pub version: String,
    pub protocol: i64,
    pub players: i64,
    pub max_players: i64,
    /// Names and UUIDs of listed players. The protocols send all of them, so the source must limit their number.
    pub sample: Vec<(String, String)>,
    /// A text with `§` codes, or a chat component.
    pub motd: Value,
    /// PNG bytes.
    pub icon: Option<Arc<[u8]>>,
    /// Simulated latency: each response is delayed by it.
    pub delay: Duration,
}

impl FakeStatus {
    /// The MOTD with `§` codes, for protocols without chat components.
    pub(super) fn motd_with_codes(&self) -> String {
        flatten(&Json::from(&self.motd))
    }
}

/// Returns the current status, or `None` while the server is offline. It is called repeatedly.
pub type StatusSource = Arc<dyn Fn() -> Option<FakeStatus> + Send + Sync>;

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
