//! The signals that stop the service.

use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Counts SIGTERM and SIGINT. A clone counts the same ones.
#[derive(Clone)]
pub struct StopSignal(watch::Receiver<u32>);

impl StopSignal {
    /// From now on the signals do not end the process.
    pub fn catch() -> std::io::Result<Self> {
        let (sender, receiver) = watch::channel(0_u32);
        let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                tracing::info!("stopping, draining connections");
                sender.send_modify(|signals| *signals = signals.saturating_add(1));
            }
        });
        Ok(Self(receiver))
    }

    /// Completes at the first signal.
    pub async fn received(mut self) {
        let _ = self.0.wait_for(|signals| *signals > 0).await;
    }

    /// Completes when the service should close its listener: some time after the signal, so that a load balancer sees that it is
    /// not ready and sends no more requests. A second signal ends the wait.
    pub async fn leave_load_balancer(mut self, announce_stop: impl FnOnce(), delay: Duration) {
        self.clone().received().await;
        announce_stop();
        let _ = tokio::time::timeout(delay, self.0.wait_for(|signals| *signals > 1)).await;
    }
}
