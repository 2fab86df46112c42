//! Events that may happen on every connection are logged at most now and then.

use std::sync::Mutex;
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_secs(10);

#[derive(Default)]
pub struct LogThrottle(Mutex<Option<Instant>>);

impl LogThrottle {
    /// Whether it is time to log again.
    pub fn is_due(&self) -> bool {
        let mut last = self.0.lock().expect("nothing panics under this lock");
        let due = last.is_none_or(|last| last.elapsed() >= INTERVAL);
        if due {
            *last = Some(Instant::now());
        }
        due
    }
}
