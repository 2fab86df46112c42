//! Records a request of a known key when it ends, however it ends.

use std::sync::Arc;

use super::KeyEntry;
use super::key_state::RequestOutcome;

pub struct UsageGuard {
    key: Arc<KeyEntry>,
    received_at: i64,
    outcome: RequestOutcome,
}

/// The endpoint of unknown paths.
const OTHER: &str = "other";
/// The client disconnected before there was a response.
const CLIENT_CLOSED: u16 = 499;

impl UsageGuard {
    pub(super) fn new(key: Arc<KeyEntry>, received_at: i64) -> Self {
        Self { key, received_at, outcome: RequestOutcome { endpoint: OTHER, status: CLIENT_CLOSED, bytes: 0 } }
    }

    pub(super) fn key(&self) -> &KeyEntry {
        &self.key
    }

    /// The id of the key, for logs.
    pub fn key_id(&self) -> &str {
        &self.key.record.id
    }

    pub fn set_endpoint(&mut self, endpoint: &'static str) {
        self.outcome.endpoint = endpoint;
    }

    /// Ends the request with its response.
    pub fn finish(mut self, status: u16, bytes: u64) {
        (self.outcome.status, self.outcome.bytes) = (status, bytes);
    }
}

impl Drop for UsageGuard {
    fn drop(&mut self) {
        let KeyEntry { quota, ledger, .. } = &*self.key;
        quota.record(self.outcome, self.received_at);
        ledger.schedule_flush(quota);
    }
}
