//! The open connections, and which of them is closed for a new client when there are too many: an idle one of the network
//! that has the most.

use std::net::IpAddr;
use std::sync::Arc;

use super::idle_timeout::{Awaited, IdleTimer};
use super::log_throttle::LogThrottle;
use crate::limits::{BusiestFirst, Registration};

pub struct OpenConnections {
    all: Arc<BusiestFirst<Arc<IdleTimer>>>,
    log: LogThrottle,
}

impl OpenConnections {
    pub fn new() -> Self {
        Self { all: BusiestFirst::new(), log: LogThrottle::default() }
    }

    /// Counted until the registration is dropped.
    pub fn insert(&self, peer: IpAddr, is_proxy: bool, timer: Arc<IdleTimer>) -> Registration<Arc<IdleTimer>> {
        self.all.insert(peer, is_proxy, timer)
    }

    /// Asks the connection that has been idle for the longest time to close. One that sends a response is asked only if the
    /// client does not read it and no other waits for its client.
    pub fn evict_one(&self) {
        let wait = |timer: &Arc<IdleTimer>| timer.awaited().filter(|_| !timer.is_evicted());
        let idle = |timer: &Arc<IdleTimer>| wait(timer).filter(|(awaited, _)| *awaited != Awaited::Read);
        let (picked, is_sending) = match self.all.pick(idle) {
            Some(picked) => (picked, false),
            None => match self.all.pick(wait) {
                Some(picked) => (picked, true),
                None => return,
            },
        };
        picked.entry.evict(is_sending);
        if self.log.is_due() {
            let network = picked.network.map(|network| network.to_string()).unwrap_or_else(|| "a trusted proxy".into());
            tracing::warn!(
                network,
                connections = picked.in_network,
                "http.max_connections is reached, closing idle connections of the busiest network for new clients"
            );
        }
    }
}
