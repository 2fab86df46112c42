//! Waits while the host gives this machine's processor to others: what is measured meanwhile tells of them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::args::Args;
use crate::machine::Processor;

/// A processor that nobody wants is not taken away: to see whether it would be, all cores are kept busy for so long.
const LOOK: Duration = Duration::from_millis(100);
/// The kernel counts in ticks, of which one more or less says nothing.
const MUCH: f64 = 0.06;
const PAUSE: Duration = Duration::from_secs(2);
/// In all; then it goes on as it is, and the share is told.
const PATIENCE: Duration = Duration::from_mins(10);
const QUICK_PATIENCE: Duration = Duration::from_mins(1);

static WAITED_MS: AtomicU64 = AtomicU64::new(0);

/// Comes back when the host is quiet, or patience is at its end.
pub async fn moment(args: &Args) {
    let patience = if args.quick { QUICK_PATIENCE } else { PATIENCE };
    let began = Instant::now();
    let before = waited();
    while before + began.elapsed() < patience && tokio::task::block_in_place(is_busy) {
        tokio::time::sleep(PAUSE).await;
        WAITED_MS.store((before + began.elapsed()).as_millis() as u64, Ordering::Relaxed);
    }
}

/// In all of this run so far.
pub fn waited() -> Duration {
    Duration::from_millis(WAITED_MS.load(Ordering::Relaxed))
}

fn is_busy() -> bool {
    let before = Processor::now();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let began = Instant::now();
                while began.elapsed() < LOOK {
                    std::hint::spin_loop();
                }
            });
        }
    });
    before.stolen_since() > MUCH
}
