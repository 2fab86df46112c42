//! Detects stalls of the machine itself. On a shared machine CPU and disk may stall for a second; tests that check times add
//! what was lost.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Pause between two checks.
const EVERY: Duration = Duration::from_millis(10);
/// Longer than a sleep, a write and a sync take on a machine that is not stalled.
const STALL: Duration = Duration::from_millis(60);

pub struct MachineStalls {
    micros: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
}

impl MachineStalls {
    pub fn watch() -> Self {
        let stalls = Self { micros: Arc::default(), over: Arc::default() };
        let (micros, over) = (stalls.micros.clone(), stalls.over.clone());
        let mut file = tempfile::tempfile().expect("a file");
        std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                let started = Instant::now();
                #[expect(clippy::disallowed_methods, reason = "measures how late the thread wakes up")]
                std::thread::sleep(EVERY);
                file.write_all(b"\n").and_then(|()| file.sync_all()).expect("a byte is written");
                let took = started.elapsed();
                if took > STALL {
                    micros.fetch_add(took.as_micros() as u64, Ordering::Relaxed);
                }
            }
        });
        stalls
    }

    /// Total time lost so far.
    pub fn lost(&self) -> Duration {
        Duration::from_micros(self.micros.load(Ordering::Relaxed))
    }
}

impl Drop for MachineStalls {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
