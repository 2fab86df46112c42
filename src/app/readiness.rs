//! Whether the service can answer requests, for `/readyz` and the load balancer behind it.

use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::App;
use rollcall_model::clock::Clock;
use rollcall_model::time::SECOND;
use rollcall_store::{Error, Pool, clock_skew, key_quota, refuse_newer, revision};

/// State of the process for the load balancer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum ServingState {
    Loading,
    Serving,
    /// Serves for a while longer, so that the load balancer can notice.
    Stopping,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    /// The store is lost, but much can still be answered from memory.
    Degraded(&'static str),
}

/// Why a node is not ready.
#[derive(Debug)]
pub enum Unready {
    /// The store does not answer, which all nodes notice at the same time.
    StoreLost(&'static str),
    /// Any other reason.
    Other(String),
}

impl Unready {
    pub fn reason(self) -> String {
        match self {
            Self::StoreLost(reason) => reason.to_owned(),
            Self::Other(reason) => reason,
        }
    }
}

/// A load balancer that asks whether this process is ready does not wait for long either.
const READINESS_TIMEOUT: Duration = Duration::from_secs(5);

const UNREACHABLE: Unready = Unready::StoreLost("the store cannot be reached");
const SILENT: Unready = Unready::StoreLost("the store does not answer");
const READ_ONLY: Unready = Unready::StoreLost("quota and usage cannot be written");

/// Keeps a node ready for a while after the store is lost: all nodes lose it at once, and a load balancer without nodes answers
/// nothing at all.
pub(super) struct StoreLoss {
    grace: Duration,
    /// When the first failed check began.
    since: Mutex<Option<Instant>>,
}

impl StoreLoss {
    pub fn new(grace: Duration) -> Self {
        Self { grace, since: Mutex::new(None) }
    }

    fn assess(&self, checked_at: Instant, check: Result<(), Unready>) -> Result<Readiness, String> {
        let mut since = self.since.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match check {
            Ok(()) => {
                *since = None;
                Ok(Readiness::Ready)
            }
            Err(Unready::StoreLost(reason)) if since.get_or_insert(checked_at).elapsed() < self.grace => {
                Ok(Readiness::Degraded(reason))
            }
            Err(unready) => Err(unready.reason()),
        }
    }
}

/// Whether the store answers, its schema is known and the clock is right.
pub async fn store_readiness(store: &Pool, clock: &Clock) -> Result<(), Unready> {
    let clock = clock.clone();
    let check = store.read(move |conn| {
        refuse_newer(conn)?;
        let skew = clock_skew::measure(conn, &clock)?;
        metrics::gauge!("rollcall_clock_skew_seconds").set(skew as f64 / SECOND as f64);
        clock_skew::refuse(skew)?;
        revision::current(conn)
    });
    match tokio::time::timeout(READINESS_TIMEOUT, check).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error @ (Error::ClockSkew(_) | Error::NewerSchema(_)))) => Err(Unready::Other(error.to_string())),
        Ok(Err(_)) => Err(UNREACHABLE),
        Err(_) => Err(SILENT),
    }
}

impl App {
    /// Whether the catalogue is loaded, the store and its ledger answer, quota can be written and the clock is right. The error
    /// says what is wrong.
    pub async fn readiness(&self) -> Result<Readiness, String> {
        if self.is_stopping() {
            return Err("the service is stopping".into());
        }
        if self.state.load(Ordering::Acquire) == ServingState::Loading as u8 {
            return Err("the catalogue is loading".into());
        }
        let checked_at = Instant::now();
        self.store_loss.assess(checked_at, self.check_store().await)
    }

    async fn check_store(&self) -> Result<(), Unready> {
        if !self.auth.is_healthy() {
            return Err(READ_ONLY);
        }
        let ledger = async {
            match tokio::time::timeout(READINESS_TIMEOUT, self.ledger.read(key_quota::recalled)).await {
                Ok(Ok(_)) => Ok(()),
                Ok(Err(_)) => Err(UNREACHABLE),
                Err(_) => Err(SILENT),
            }
        };
        tokio::try_join!(store_readiness(&self.pool, &self.clock), ledger).map(|_| ())
    }

    /// From now on `/readyz` fails, and responses ask clients to close their connections. Requests are still served.
    pub fn announce_stop(&self) {
        self.state.store(ServingState::Stopping as u8, Ordering::Release);
        self.events.wake_all();
    }

    pub fn is_stopping(&self) -> bool {
        self.state.load(Ordering::Relaxed) == ServingState::Stopping as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_store_leaves_the_node_ready_for_a_while() {
        let loss = StoreLoss::new(Duration::from_secs(10));
        let now = Instant::now();
        assert_eq!(loss.assess(now, Err(SILENT)), Ok(Readiness::Degraded("the store does not answer")));
        assert_eq!(loss.assess(now, Err(Unready::Other("the clock".into()))), Err("the clock".into()));
        assert_eq!(loss.assess(now, Ok(())), Ok(Readiness::Ready));
        // The first failed check began long ago.
        assert!(loss.assess(now - Duration::from_secs(11), Err(UNREACHABLE)).is_err());
        assert!(loss.assess(now, Err(UNREACHABLE)).is_err());
    }
}
