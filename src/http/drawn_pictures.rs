//! Pictures that are drawn on request: their cache, and the limits of the work. The key of a picture names all that it shows,
//! so that a cached one is never outdated.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use bytes::Bytes;
use moka::future::Cache;
use tokio::sync::Semaphore;
use xxhash_rust::xxh3::xxh3_128;

use crate::error::ApiError;
use crate::limits::{AttemptLimiter, bucket};
use rollcall_model::time::MINUTE;

const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// Pictures that no one asked for in this time are dropped.
const MAX_IDLE: Duration = Duration::from_secs(3600);

pub struct DrawnPictures {
    cache: Cache<String, DrawnPicture>,
    limiter: AttemptLimiter<IpAddr>,
    /// One picture per core at a time: more would only take turns, and their memory adds up.
    drawing: Arc<Semaphore>,
}

#[derive(Clone)]
pub struct DrawnPicture {
    pub bytes: Bytes,
    pub etag: HeaderValue,
}

impl DrawnPicture {
    pub fn new(bytes: Vec<u8>) -> Self {
        let etag = format!("\"{:032x}\"", xxh3_128(&bytes));
        Self { bytes: bytes.into(), etag: HeaderValue::from_str(&etag).expect("an ETag is hexadecimal") }
    }
}

impl DrawnPictures {
    /// `per_minute`: requests of one client IP.
    pub fn new(per_minute: u32) -> Self {
        let weigh = |key: &String, picture: &DrawnPicture| {
            u32::try_from(picture.bytes.len() + key.len() + 256).unwrap_or(u32::MAX)
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            cache: Cache::builder().time_to_idle(MAX_IDLE).max_capacity(MAX_BYTES).weigher(weigh).build(),
            limiter: AttemptLimiter::new(per_minute, MINUTE),
            drawing: Arc::new(Semaphore::new(cores)),
        }
    }

    pub fn set_per_minute(&self, max: u32) {
        self.limiter.set_max(max);
    }

    /// Counts a request. When there are too many: the seconds until the next.
    pub fn admit(&self, client: IpAddr, now: i64) -> Result<(), i64> {
        self.limiter.take(bucket(client), now)
    }

    /// From the cache, else drawn by what `prepare` returns, on a thread that may block. Concurrent requests for one picture
    /// wait for a single drawing. Errors are not cached.
    pub async fn get<Draw>(
        &self,
        key: &str,
        prepare: impl Future<Output = Result<Draw, ApiError>>,
    ) -> Result<DrawnPicture, ApiError>
    where
        Draw: FnOnce() -> Result<Vec<u8>, ApiError> + Send + 'static,
    {
        let draw = async {
            let draw = prepare.await?;
            let permit = self.drawing.clone().acquire_owned().await.expect("the semaphore is never closed");
            let work = move || {
                // Held until it ends, even if no one waits for it any more.
                let _permit = permit;
                draw()
            };
            let bytes = tokio::task::spawn_blocking(work).await;
            let bytes = bytes.map_err(|error| ApiError::Internal(format!("cannot draw: {error}")))?;
            bytes.map(DrawnPicture::new)
        };
        let entry = self.cache.entry_by_ref(key).or_try_insert_with(draw).await;
        entry.map(|entry| entry.into_value()).map_err(|error| (*error).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_picture_is_drawn_once_and_an_error_is_not_kept() {
        let pictures = DrawnPictures::new(1);
        let failed = pictures.get("a", async { Err::<fn() -> Result<Vec<u8>, ApiError>, _>(ApiError::Busy) }).await;
        assert_eq!(failed.err(), Some(ApiError::Busy));
        let first = pictures.get("a", async { Ok(|| Ok(vec![1])) }).await.ok().map(|picture| picture.bytes);
        let second = pictures.get("a", async { Ok(|| Ok(vec![2])) }).await.ok().map(|picture| picture.bytes);
        assert_eq!((first.as_deref(), second.as_deref()), (Some(&[1][..]), Some(&[1][..])));
    }

    #[test]
    fn clients_are_counted_apart() {
        let pictures = DrawnPictures::new(1);
        let client = |text: &str| text.parse().unwrap();
        assert_eq!(pictures.admit(client("192.0.2.1"), 0), Ok(()));
        assert_eq!(pictures.admit(client("192.0.2.1"), 0), Err(60));
        assert_eq!(pictures.admit(client("192.0.2.2"), 0), Ok(()));
    }
}
