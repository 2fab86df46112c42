//! Lets work that anybody may ask for at any time take only a small share of it.

use std::time::{Duration, Instant};

#[derive(Debug, Default)]
pub struct Pace {
    rests_until: Option<Instant>,
}

/// One part work, so many parts rest.
const REST: u32 = 20;

impl Pace {
    pub fn has_rested(&self) -> bool {
        self.rests_until.is_none_or(|end| Instant::now() >= end)
    }

    pub fn worked(&mut self, took: Duration) {
        self.rests_until = Some(Instant::now() + took * REST);
    }
}
