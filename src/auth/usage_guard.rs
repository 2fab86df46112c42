use std::sync::Arc;

use super::Holder;
use super::key_quota::Answered;

/// One request of a known key, to be recorded when it ends.
pub struct Visit {
    holder: Arc<Holder>,
    /// When the request came.
    at: i64,
    answered: Answered,
}

/// For what is none of ours.
const ELSEWHERE: &str = "other";
/// The client went away before there was an answer.
const ABANDONED: u16 = 499;

impl Visit {
    pub(super) fn new(holder: Arc<Holder>, at: i64) -> Self {
        Self { holder, at, answered: Answered { endpoint: ELSEWHERE, status: ABANDONED, bytes: 0 } }
    }

    pub(super) fn holder(&self) -> &Holder {
        &self.holder
    }

    /// What was asked for.
    pub fn asks(&mut self, endpoint: &'static str) {
        self.answered.endpoint = endpoint;
    }

    /// What was answered.
    pub fn end(mut self, status: u16, bytes: u64) {
        (self.answered.status, self.answered.bytes) = (status, bytes);
    }
}

/// However it ends, it is recorded once.
impl Drop for Visit {
    fn drop(&mut self) {
        let Holder { meter, ledger, .. } = &*self.holder;
        meter.record(self.answered, self.at);
        ledger.list(meter);
    }
}
