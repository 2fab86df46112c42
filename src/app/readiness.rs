//! Whether the service can answer requests, for `/readyz` and the load balancer behind it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::App;
use rollcall_model::time::SECOND;
use rollcall_store::{Error, clock_skew, key_quota, refuse_newer, revision};

/// What the process is doing, for the load balancer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum ServingState {
    Loading,
    Serving,
    /// Serves for a while longer, so that the load balancer can notice.
    Stopping,
}

/// A load balancer that asks whether this process is ready does not wait for long either.
const READINESS_TIMEOUT: Duration = Duration::from_secs(5);

impl App {
    /// Whether the catalogue is loaded, the store and its ledger answer, quota can be written and the clock is right. The error
    /// says what is wrong.
    pub async fn readiness(&self) -> Result<(), String> {
        if self.is_stopping() {
            return Err("the service is stopping".into());
        }
        if self.state.load(Ordering::Acquire) == ServingState::Loading as u8 {
            return Err("the catalogue is loading".into());
        }
        if !self.auth.is_healthy() {
            return Err("quota and usage cannot be written".into());
        }
        let clock = self.clock.clone();
        let store = self.pool.read(move |conn| {
            refuse_newer(conn)?;
            let skew = clock_skew::measure(conn, &clock)?;
            metrics::gauge!("rollcall_clock_skew_seconds").set(skew as f64 / SECOND as f64);
            clock_skew::refuse(skew)?;
            revision::current(conn)
        });
        let ledger = self.ledger.read(key_quota::recalled);
        match tokio::time::timeout(READINESS_TIMEOUT, async { tokio::try_join!(store, ledger) }).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error @ (Error::ClockSkew(_) | Error::NewerSchema(_)))) => Err(error.to_string()),
            Ok(Err(_)) => Err("the store cannot be reached".into()),
            Err(_) => Err("the store does not answer".into()),
        }
    }

    /// From now on `/readyz` fails, and responses ask clients to close their connections. Requests are still served.
    pub fn announce_stop(&self) {
        self.state.store(ServingState::Stopping as u8, Ordering::Release);
    }

    pub fn is_stopping(&self) -> bool {
        self.state.load(Ordering::Relaxed) == ServingState::Stopping as u8
    }
}
