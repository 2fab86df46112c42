//! What may be tried only so often, counted per key (a client address, an account) and window of time: wrong keys, wrong
//! passwords, human checks. What is good is never held up by what others get wrong.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Mutex;

use rollcall_model::time::SECOND;

/// Keys counted at once; beyond them the count begins anew. To refuse whoever is new would let anyone with many addresses
/// keep everybody out.
const KEYS: usize = 100_000;

pub struct AttemptLimiter<K> {
    most: u32,
    window: i64,
    counted: Mutex<Counted<K>>,
}

struct Counted<K> {
    start: i64,
    counts: HashMap<K, u32>,
}

impl<K: Eq + Hash> AttemptLimiter<K> {
    /// `window` in milliseconds, aligned to the epoch.
    pub fn new(most: u32, window: i64) -> Self {
        Self { most, window, counted: Mutex::new(Counted { start: 0, counts: HashMap::new() }) }
    }

    /// Counts one more. When there were too many: the whole seconds until the next window.
    pub fn take(&self, key: K, now: i64) -> Result<(), i64> {
        let mut counted = self.counted.lock().expect("nothing panics under this lock");
        let start = now - now.rem_euclid(self.window);
        if counted.start != start {
            *counted = Counted { start, counts: HashMap::new() };
        }
        let full = (start + self.window - now + SECOND - 1) / SECOND;
        if counted.counts.len() >= KEYS && !counted.counts.contains_key(&key) {
            counted.counts.clear();
        }
        let count = counted.counts.entry(key).or_default();
        if *count >= self.most {
            return Err(full);
        }
        *count += 1;
        Ok(())
    }

    /// What was counted turned out to be well.
    pub fn give_back(&self, key: &K) {
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
    fn each_key_has_its_own_count_and_each_window_begins_anew() {
        let limiter = AttemptLimiter::new(2, MINUTE);
        let taken = [1, 1, 1, 2].map(|key| limiter.take(key, 30_001));
        assert_eq!(taken, [Ok(()), Ok(()), Err(30), Ok(())]);
        limiter.give_back(&1);
        assert_eq!([limiter.take(1, 30_001), limiter.take(1, 30_001)], [Ok(()), Err(30)]);
        assert_eq!(limiter.take(1, 60_000), Ok(()));
        limiter.give_back(&7);
    }

    #[test]
    fn no_flood_of_keys_grows_it_without_end() {
        let limiter = AttemptLimiter::new(1, MINUTE);
        for key in 0..KEYS {
            assert_eq!(limiter.take(key, 0), Ok(()));
        }
        assert_eq!(limiter.take(0, 0), Err(60));
        assert_eq!(limiter.take(KEYS, 0), Ok(()), "nobody is kept out by others");
        assert_eq!(limiter.counted.lock().unwrap().counts.len(), 1);
    }
}
