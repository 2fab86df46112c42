//! Waits while the host gives this machine's processor to others: what is measured meanwhile tells of them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::args::Args;
use crate::machine::Processor;

/// A processor that nobody wants is not taken away: to see whether it would be, all cores are kept busy for so long.
const LOOK: Duration = Duration::from_millis(100);
/// The kernel counts in ticks, of which one or two more or less say nothing.
const MUCH: f64 = 0.06;
const PAUSE: Duration = Duration::from_secs(2);

static PATIENCE_MS: AtomicU64 = AtomicU64::new(0);
static WAITED_MS: AtomicU64 = AtomicU64::new(0);

/// To be called before anything is measured.
pub fn begin(args: &Args) {
    PATIENCE_MS.store(args.patience().as_millis() as u64, Ordering::Relaxed);
}

/// Comes back when the host is quiet, or patience is at its end.
pub async fn moment() {
    loop {
        let began = Instant::now();
        if !is_patient() || !tokio::task::block_in_place(is_busy) {
            return;
        }
        tokio::time::sleep(PAUSE).await;
        lost(began.elapsed());
    }
}

/// Measures until the host was quiet meanwhile, or patience is at its end.
pub async fn during<T>(measure: impl AsyncFn() -> T) -> T {
    loop {
        let (began, before) = (Instant::now(), Processor::now());
        let measured = measure().await;
        if before.stolen_since() <= MUCH || !is_patient() {
            return measured;
        }
        lost(began.elapsed());
        moment().await;
    }
}

/// In all of this run so far.
pub fn waited() -> Duration {
    Duration::from_millis(WAITED_MS.load(Ordering::Relaxed))
}

fn lost(time: Duration) {
    WAITED_MS.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
}

fn is_patient() -> bool {
    WAITED_MS.load(Ordering::Relaxed) < PATIENCE_MS.load(Ordering::Relaxed)
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
