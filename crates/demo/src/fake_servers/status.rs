//! The status that a fake server reports, and where it comes from.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

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
