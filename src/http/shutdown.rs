//! Reasons to end a connection from our side: its idle timeout, a new client when there are too many connections, and
//! the shutdown of the service.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::FuturesUnordered;
use tokio::sync::watch;

use super::idle_timeout::IdleTimer;
use super::metrics;

/// Each future is polled only when it is woken. A `select!` would poll all of them whenever the client sends a byte.
pub struct CloseSignals(FuturesUnordered<BoxFuture<'static, Fired>>);

enum Fired {
    /// Idle for too long, evicted, or the second signal of the shutdown.
    Close,
    Shutdown(watch::Receiver<()>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseSignal {
    /// Close at once.
    Close,
    /// Finish the request, then close. It comes once; the next signal is [`Self::Close`].
    Shutdown,
}

impl CloseSignals {
    pub fn new(idle_timer: Arc<IdleTimer>, timeout: Duration, shutdown: watch::Receiver<()>) -> Self {
        let idle = {
            let idle_timer = idle_timer.clone();
            async move {
                idle_timer.expired(timeout).await;
                Fired::Close
            }
        };
        let evicted = async move {
            while !idle_timer.must_close().await {}
            metrics::evicted("connection");
            Fired::Close
        };
        let shutdown = async move { Fired::Shutdown(changed(shutdown).await) };
        Self([idle.boxed(), evicted.boxed(), shutdown.boxed()].into_iter().collect())
    }

    pub async fn next(&mut self) -> CloseSignal {
        match self.0.next().await {
            Some(Fired::Shutdown(shutdown)) => {
                let at_once = async move {
                    changed(shutdown).await;
                    Fired::Close
                };
                self.0.push(at_once.boxed());
                CloseSignal::Shutdown
            }
            Some(Fired::Close) | None => CloseSignal::Close,
        }
    }
}

async fn changed(mut shutdown: watch::Receiver<()>) -> watch::Receiver<()> {
    let _ = shutdown.changed().await;
    shutdown
}
