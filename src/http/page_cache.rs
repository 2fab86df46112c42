//! Pages that are the same for everyone. They need no key, so they are made once in a while, however many ask.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;

use crate::error::ApiError;
use crate::http::response::Answer;

/// How long a page is shown before it is made anew.
const KEPT: Duration = Duration::from_secs(5);

/// By path.
pub struct Kept(Cache<&'static str, Arc<Answer>>);

impl Default for Kept {
    fn default() -> Self {
        Self(Cache::builder().time_to_live(KEPT).build())
    }
}

impl Kept {
    /// Many who ask at once wait for one who makes it. What fails is not kept.
    pub async fn get(
        &self,
        path: &'static str,
        make: impl Future<Output = Result<String, ApiError>>,
    ) -> Result<Arc<Answer>, ApiError> {
        let make = async { make.await.map(|html| Arc::new(Answer::new(html.into_bytes()))) };
        self.0.try_get_with(path, make).await.map_err(|error| (*error).clone())
    }
}
