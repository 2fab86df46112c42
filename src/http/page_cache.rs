//! A short-lived cache of the public pages: a flood of requests renders each page once every few seconds.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;

use crate::error::ApiError;
use crate::http::response::CachedResponse;

const TTL: Duration = Duration::from_secs(5);
/// Compressed forms included.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// Rendered pages by everything they depend on, apart from the data and the time.
pub struct PageCache(Cache<String, Arc<CachedResponse>>);

impl Default for PageCache {
    fn default() -> Self {
        let weigh = |key: &String, page: &Arc<CachedResponse>| {
            u32::try_from(page.weight() + key.len() as u64).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().time_to_live(TTL).max_capacity(MAX_BYTES).weigher(weigh).build())
    }
}

impl PageCache {
    /// Concurrent requests for one page wait for a single render. Errors are not cached.
    pub async fn get(
        &self,
        key: &str,
        render: impl Future<Output = Result<String, ApiError>>,
    ) -> Result<Arc<CachedResponse>, ApiError> {
        let render = async { render.await.map(|html| Arc::new(CachedResponse::new(html.into_bytes()))) };
        self.0
            .entry_by_ref(key)
            .or_try_insert_with(render)
            .await
            .map(|entry| entry.into_value())
            .map_err(|error| (*error).clone())
    }
}
