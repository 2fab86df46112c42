//! When a request is sent again, and how long to wait before. Decides only; the callers wait.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use crate::Error;

const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT_WITHOUT_ADVICE: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryOptions {
    pub(crate) retries: u32,
    pub(crate) max_wait: Duration,
}

impl RetryOptions {
    /// How long to wait before the attempt with this number (from 1) after an error; `None`: give up.
    pub(crate) fn wait_before(&self, attempt: u32, error: &Error) -> Option<Duration> {
        if attempt > self.retries || !passes(error) {
            return None;
        }
        let wait = error.retry_after().unwrap_or_else(|| back_off(attempt));
        (wait <= self.max_wait).then_some(wait)
    }
}

/// Whether it is a limit used up, or a failure that passes.
pub(crate) fn passes(error: &Error) -> bool {
    match error {
        Error::Transport(_) | Error::Timeout(_) => true,
        Error::Api { status, .. } => matches!(status, 429 | 500 | 502 | 503 | 504),
        _ => false,
    }
}

/// Some randomness: clients that failed together should not come back together.
fn back_off(attempt: u32) -> Duration {
    let longest = FIRST_WAIT.saturating_mul(1 << (attempt - 1).min(16)).min(LONGEST_WAIT_WITHOUT_ADVICE);
    let random = RandomState::new().hash_one(attempt) as f64 / u64::MAX as f64;
    longest.mul_f64(0.5 + random / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, retry_after: Option<u64>) -> Error {
        let retry_after = retry_after.map(Duration::from_secs);
        Error::Api { status, message: String::new(), request_id: None, retry_after }
    }

    #[test]
    fn waits_as_long_as_the_service_says_but_not_for_too_long() {
        let options = RetryOptions { retries: 2, max_wait: Duration::from_secs(60) };
        assert_eq!(options.wait_before(1, &refused(429, Some(60))), Some(Duration::from_secs(60)));
        assert_eq!(options.wait_before(1, &refused(429, Some(61))), None);
        assert_eq!(options.wait_before(3, &refused(503, Some(1))), None);
        for status in [400, 401, 403, 404] {
            assert_eq!(options.wait_before(1, &refused(status, None)), None, "{status}");
        }
    }

    #[test]
    fn without_advice_the_wait_doubles_up_to_half_a_minute() {
        let options = RetryOptions { retries: 100, max_wait: Duration::from_secs(60) };
        for (attempt, longest) in [(1, 500), (2, 1_000), (3, 2_000), (7, 30_000), (100, 30_000)] {
            let wait = options.wait_before(attempt, &refused(503, None)).expect("a wait").as_millis();
            assert!((longest / 2..=longest).contains(&wait), "attempt {attempt}: {wait} ms");
        }
    }
}
