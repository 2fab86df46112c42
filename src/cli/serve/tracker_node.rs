//! A node that only pings game servers. It holds no catalogue, and its listener answers health checks alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{FLUSH_TIMEOUT, Node};
use crate::app::{Readiness, store_readiness};
use crate::cli::Failure;
use crate::http;
use crate::server::{Router, health_routes};
use crate::worker_pool::WorkerPool;
use rollcall_model::clock::Clock;

impl Node<'_> {
    /// Tracks until a signal.
    pub(super) async fn track(self) -> Result<(), Failure> {
        let http = &self.config.http;
        let tracking = self.start_tracker()?;
        self.start_wal_upkeep()?;
        let is_stopping = Arc::new(AtomicBool::new(false));
        let (pool, stopping) = (self.pool.clone(), is_stopping.clone());
        let readiness = move || {
            let (pool, is_stopping) = (pool.clone(), stopping.load(Ordering::Relaxed));
            async move {
                match is_stopping {
                    true => Err("the service is stopping".to_owned()),
                    false => match store_readiness(&pool, &Clock::System).await {
                        Ok(()) => Ok(Readiness::Ready),
                        Err(unready) => Err(unready.reason()),
                    },
                }
            }
        };
        let router = Router::without_api(health_routes(readiness), http, &self.public_url);
        let delay = Duration::from_secs(http.shutdown_delay);
        let stop = self.stop.leave_load_balancer(|| is_stopping.store(true, Ordering::Relaxed), delay);
        http::serve(self.listener, WorkerPool::new(1, "http")?, router, http, self.tls, stop).await;
        if let Some(tracking) = tracking {
            let _ = tokio::time::timeout(FLUSH_TIMEOUT, tracking).await;
        }
        Ok(())
    }
}
