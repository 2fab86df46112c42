use std::sync::Arc;

use super::Holder;
use super::ledger::Ledger;
use crate::clock::Clock;

/// One request of a known key, to be recorded when it ends.
pub struct Visit {
    holder: Arc<Holder>,
    ledger: Arc<Ledger>,
    clock: Clock,
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
    pub(super) fn new(holder: Arc<Holder>, ledger: Arc<Ledger>, clock: Clock) -> Self {
        Self { holder, ledger, clock, endpoint: ELSEWHERE, status: ABANDONED, bytes: 0 }
    }

    /// What was answered.
    pub fn end(mut self, status: u16, bytes: u64) {
        (self.status, self.bytes) = (status, bytes);
    }
}

/// However it ends, it is recorded once.
impl Drop for Visit {
    fn drop(&mut self) {
        let meter = &self.holder.meter;
        meter.record(self.endpoint, self.status, self.bytes, self.clock.now());
        self.ledger.list(meter);
    }
}
