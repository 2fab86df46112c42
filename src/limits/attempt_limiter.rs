//! Limits attempts per key (a client IP, an account) and fixed window: wrong API keys, wrong passwords, captcha checks.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use rollcall_model::time::SECOND;

/// Bounds memory. When full, counting restarts: rejecting new keys would let an attacker with many IPs lock others out.
const MAX_KEYS: usize = 100_000;

pub struct AttemptLimiter<K> {
    max: AtomicU32,
    window: i64,
    counted: Mutex<Counted<K>>,
}

struct Counted<K> {
    start: i64,
    counts: HashMap<K, u32>,
}

impl<K: Eq + Hash> AttemptLimiter<K> {
    /// `window` in milliseconds, aligned to the epoch.
    pub fn new(max: u32, window: i64) -> Self {
        Self { max: AtomicU32::new(max), window, counted: Mutex::new(Counted { start: 0, counts: HashMap::new() }) }
    }

    /// Applies to the current window, too.
    pub fn set_max(&self, max: u32) {
        self.max.store(max, Ordering::Relaxed);
    }

    /// Counts one attempt. When there are too many: the whole seconds until the next window.
    pub fn take(&self, key: K, now: i64) -> Result<(), i64> {
        let mut counted = self.counted.lock().expect("nothing panics under this lock");
        let start = now - now.rem_euclid(self.window);
        if counted.start != start {
            *counted = Counted { start, counts: HashMap::new() };
        }
        let retry_after = (start + self.window - now + SECOND - 1) / SECOND;
        if counted.counts.len() >= MAX_KEYS && !counted.counts.contains_key(&key) {
            counted.counts.clear();
        }
        let count = counted.counts.entry(key).or_default();
        if *count >= self.max.load(Ordering::Relaxed) {
            return Err(retry_after);
        }
        *count += 1;
        Ok(())
    }

    /// Uncounts an attempt that turned out to be valid.
    pub fn refund(&self, key: &K) {
        let mut counted = self.counted.lock().expect("nothing panics under this lock");
        if let Some(count) = counted.counts.get_mut(key) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counted.counts.remove(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rollcall_model::time::MINUTE;

    #[test]
    fn keys_are_counted_apart_and_windows_reset() {
        let limiter = AttemptLimiter::new(2, MINUTE);
        let taken = [1, 1, 1, 2].map(|key| limiter.take(key, 30_001));
        assert_eq!(taken, [Ok(()), Ok(()), Err(30), Ok(())]);
        limiter.refund(&1);
        assert_eq!([limiter.take(1, 30_001), limiter.take(1, 30_001)], [Ok(()), Err(30)]);
        assert_eq!(limiter.take(1, 60_000), Ok(()));
        limiter.refund(&7);
    }

    #[test]
    fn a_flood_of_keys_stays_within_bounds() {
        let limiter = AttemptLimiter::new(1, MINUTE);
        for key in 0..MAX_KEYS {
            assert_eq!(limiter.take(key, 0), Ok(()));
        }
        assert_eq!(limiter.take(0, 0), Err(60));
        assert_eq!(limiter.take(MAX_KEYS, 0), Ok(()), "a new key is not locked out");
        assert_eq!(limiter.counted.lock().unwrap().counts.len(), 1);
    }
}
