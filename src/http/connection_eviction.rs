//! The open connections, and which of them is closed for a new client when there are too many: an idle one of the network
//! that has the most.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::idle_timeout::{Awaited, IdleTimer};
use super::log_throttle::LogThrottle;
use crate::limits::{BusiestFirst, Registration};

/// How long a client may pause while it reads. Without this bound a client that never reads would outlast idle ones.
const READ_GRACE: Duration = Duration::from_secs(1);

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

    /// Asks the connection that has been idle for the longest time to close. One whose client does not read its response
    /// counts as idle after a moment, or if there is no other.
    pub fn evict_one(&self) {
        let wait = |timer: &Arc<IdleTimer>| timer.awaited().filter(|_| !timer.is_evicted());
        let is_idle =
            |(awaited, since): &(Awaited, Instant)| *awaited != Awaited::Read || since.elapsed() >= READ_GRACE;
        let idle = |timer: &Arc<IdleTimer>| wait(timer).filter(is_idle);
        let Some(picked) = self.all.pick(idle).or_else(|| self.all.pick(wait)) else { return };
        let is_sending = matches!(picked.entry.awaited(), Some((Awaited::Read, _)));
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
