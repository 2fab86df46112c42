//! How tests wait: they look again until they find what they wait for.

use std::fmt::Display;
use std::time::{Duration, Instant};

use super::DEADLINE;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// Looks until it finds what the test waits for, and returns that. The error of a look says what is there instead; the
/// last one fails the test after [`DEADLINE`].
pub async fn until<T, E: Display>(mut look: impl AsyncFnMut() -> Result<T, E>) -> T {
    let started = Instant::now();
    loop {
        match look().await {
            Ok(found) => return found,
            Err(instead) => assert!(started.elapsed() < DEADLINE, "after {DEADLINE:?}: {instead}"),
        }
        tokio::time::sleep(PAUSE).await;
    }
}
