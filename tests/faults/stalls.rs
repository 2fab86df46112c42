//! Moments in which the machine itself stood still. Where it is shared, its processor and its disk may be somebody else's
//! for a second; what is promised in time is then held against the time that was there.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_millis(10);
/// A machine that is there wakes up, writes a byte and has it on the disk well within this.
const LONG: Duration = Duration::from_millis(60);

pub struct Stalls {
    micros: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
}

impl Stalls {
    pub fn watch() -> Self {
        let stalls = Self { micros: Arc::default(), over: Arc::default() };
        let (micros, over) = (stalls.micros.clone(), stalls.over.clone());
        let mut file = tempfile::tempfile().expect("a file");
        std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                let began = Instant::now();
                std::thread::sleep(EVERY);
                file.write_all(b"\n").and_then(|()| file.sync_all()).expect("the disk takes a byte");
                let took = began.elapsed();
                if took > LONG {
                    micros.fetch_add(took.as_micros() as u64, Ordering::Relaxed);
                }
            }
        });
        stalls
    }

    /// In all since it is watched.
    pub fn lost(&self) -> Duration {
        Duration::from_micros(self.micros.load(Ordering::Relaxed))
    }
}

impl Drop for Stalls {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
