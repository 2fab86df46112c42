//! Counts per key and window of time, bounded in memory.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Mutex;

use crate::model::time::SECOND;

/// Keys counted at once; beyond them a new one is treated as one that is full.
const KEYS: usize = 100_000;

pub struct Tally<K> {
    most: u32,
    window: i64,
    counted: Mutex<Counted<K>>,
}

struct Counted<K> {
    start: i64,
    counts: HashMap<K, u32>,
}

impl<K: Eq + Hash> Tally<K> {
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
            return Err(full);
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
        }
    }
}
