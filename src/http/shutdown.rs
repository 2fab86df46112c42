//! What ends a connection from our side: its idle timeout, and the shutdown of the service.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::FuturesUnordered;
use tokio::sync::watch;

use super::idle_timeout::IdleTimer;

/// Each future is polled only when it is woken. A `select!` would poll all of them whenever the client sends a byte.
pub struct CloseSignals(FuturesUnordered<BoxFuture<'static, Fired>>);

enum Fired {
    Idle,
    Shutdown(watch::Receiver<()>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseSignal {
    Idle,
    /// The first one asks a connection to finish its request, the second one to close at once.
    Shutdown,
}

impl CloseSignals {
    pub fn new(idle_timer: Arc<IdleTimer>, timeout: Duration, shutdown: watch::Receiver<()>) -> Self {
        let idle = async move {
            idle_timer.expired(timeout).await;
            Fired::Idle
        };
        Self([idle.boxed(), next(shutdown)].into_iter().collect())
    }

    pub async fn next(&mut self) -> CloseSignal {
        match self.0.next().await {
            Some(Fired::Shutdown(shutdown)) => {
                self.0.push(next(shutdown));
                CloseSignal::Shutdown
            }
            Some(Fired::Idle) | None => CloseSignal::Idle,
        }
    }
}

fn next(mut shutdown: watch::Receiver<()>) -> BoxFuture<'static, Fired> {
    async move {
        let _ = shutdown.changed().await;
        Fired::Shutdown(shutdown)
    }
    .boxed()
}
