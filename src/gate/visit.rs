use std::sync::Arc;

use super::Holder;

/// One request of a known key, to be recorded when it ends.
pub struct Visit {
    holder: Arc<Holder>,
    /// When the request came.
    at: i64,
    /// What was asked for; bounded in kind, since it is kept.
    pub endpoint: &'static str,
    status: u16,
    bytes: u64,
}

/// For what is none of ours.
const ELSEWHERE: &str = "other";
/// The client went away before there was an answer.
const ABANDONED: u16 = 499;

impl Visit {
    pub(super) fn new(holder: Arc<Holder>, at: i64) -> Self {
        Self { holder, at, endpoint: ELSEWHERE, status: ABANDONED, bytes: 0 }
    }

    pub(super) fn holder(&self) -> &Holder {
        &self.holder
    }

    /// What was answered.
    pub fn end(mut self, status: u16, bytes: u64) {
        (self.status, self.bytes) = (status, bytes);
    }
}

/// However it ends, it is recorded once.
impl Drop for Visit {
    fn drop(&mut self) {
        let Holder { meter, ledger, .. } = &*self.holder;
        meter.record(self.endpoint, self.status, self.bytes, self.at);
        ledger.list(meter);
    }
}
