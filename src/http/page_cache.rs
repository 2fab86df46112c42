//! A short-lived cache of the public pages, which are the same for everyone: a flood of requests renders each page once
//! every few seconds.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;

use crate::error::ApiError;
use crate::http::response::CachedResponse;

const TTL: Duration = Duration::from_secs(5);

/// Rendered pages by path.
pub struct PageCache(Cache<&'static str, Arc<CachedResponse>>);

impl Default for PageCache {
    fn default() -> Self {
        Self(Cache::builder().time_to_live(TTL).build())
    }
}

impl PageCache {
    /// Concurrent requests for one page wait for a single render. Errors are not cached.
    pub async fn get(
        &self,
        path: &'static str,
        render: impl Future<Output = Result<String, ApiError>>,
    ) -> Result<Arc<CachedResponse>, ApiError> {
        let render = async { render.await.map(|html| Arc::new(CachedResponse::new(html.into_bytes()))) };
        self.0.try_get_with(path, render).await.map_err(|error| (*error).clone())
    }
}
