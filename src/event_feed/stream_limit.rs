//! How many streams are open: per key, and in total.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::config;

pub struct OpenStreams {
    per_key: u32,
    max: u32,
    open: Arc<Mutex<OpenCounts>>,
}

#[derive(Default)]
struct OpenCounts {
    total: u32,
    by_key: HashMap<String, u32>,
}

/// Held as long as a stream is open.
pub struct StreamSlot {
    key: String,
    open: Arc<Mutex<OpenCounts>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamRefusal {
    OfKey,
    OfAll,
}

const UNPOISONED: &str = "nothing panics under this lock";

impl OpenStreams {
    pub fn new(settings: &config::Events) -> Self {
        Self { per_key: settings.streams_per_key, max: settings.max_streams, open: Arc::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.open.lock().expect(UNPOISONED).total == 0
    }

    pub fn try_open(&self, key: &str) -> Result<StreamSlot, StreamRefusal> {
        let mut counts = self.open.lock().expect(UNPOISONED);
        if counts.by_key.get(key).copied().unwrap_or(0) >= self.per_key {
            return Err(StreamRefusal::OfKey);
        }
        if counts.total >= self.max {
            return Err(StreamRefusal::OfAll);
        }
        counts.total += 1;
        *counts.by_key.entry(key.to_owned()).or_default() += 1;
        metrics::gauge!("rollcall_event_streams").set(f64::from(counts.total));
        Ok(StreamSlot { key: key.to_owned(), open: self.open.clone() })
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut counts = self.open.lock().expect(UNPOISONED);
        counts.total -= 1;
        metrics::gauge!("rollcall_event_streams").set(f64::from(counts.total));
        if let Some(open) = counts.by_key.get_mut(&self.key) {
            *open -= 1;
            if *open == 0 {
                counts.by_key.remove(&self.key);
            }
        }
    }
}
