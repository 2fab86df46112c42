//! Detects that our own network is down. If many online servers become unreachable in a row, a DNS query decides whether the
//! fault is ours; while it is, failed polls are not counted as outages.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rollcall_minecraft::Resolver;

/// Online servers that must become unreachable in a row before the network is checked.
const CHECK_AFTER: u32 = 16;
/// How long the result of a check is reused.
const CHECK_TTL: Duration = Duration::from_secs(10);

#[derive(Default)]
pub struct ConnectivityMonitor {
    state: Mutex<ConnectivityState>,
    /// Held during a check, so that concurrent polls share one. Polls with a reply do not wait for it.
    checking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct ConnectivityState {
    unreachable_in_a_row: u32,
    last_check: Option<NetworkCheck>,
}

#[derive(Clone, Copy)]
struct NetworkCheck {
    at: Instant,
    offline: bool,
}

impl ConnectivityMonitor {
    /// Records that a server replied or refused, which proves that the network works.
    pub fn record_response(&self) {
        let previous = std::mem::take(&mut *self.state());
        if previous.last_check.is_some_and(|check| check.offline) {
            tracing::info!("network connection restored; failed polls count as outages again");
        }
    }

    /// Records that an online server became unreachable. Returns whether our own network is the cause.
    pub async fn record_unreachable(&self, resolver: &Resolver) -> bool {
        if self.count_unreachable() < CHECK_AFTER {
            return false;
        }
        let _checking = self.checking.lock().await;
        let previous = self.state().last_check;
        if let Some(check) = previous
            && check.at.elapsed() < CHECK_TTL
        {
            return check.offline;
        }
        let offline = !resolver.network_is_up().await;
        self.state().last_check = Some(NetworkCheck { at: Instant::now(), offline });
        if offline && !previous.is_some_and(|check| check.offline) {
            tracing::warn!(
                "network connection lost: neither game servers nor name servers reply; failed polls are not counted as outages"
            );
        }
        offline
    }

    fn count_unreachable(&self) -> u32 {
        let mut state = self.state();
        state.unreachable_in_a_row = state.unreachable_in_a_row.saturating_add(1);
        state.unreachable_in_a_row
    }

    fn state(&self) -> MutexGuard<'_, ConnectivityState> {
        self.state.lock().expect("no panic while this lock is held")
    }
}
