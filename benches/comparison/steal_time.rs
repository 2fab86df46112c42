//! Steal time: CPU time that the host of this virtual machine gives to other machines. Rounds that lost too much of it are
//! repeated, within a total wait budget.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::options::BenchOptions;

/// Steal time shows only while the CPU is wanted: a probe keeps all cores busy for this long.
const PROBE: Duration = Duration::from_millis(100);
/// The kernel counts in ticks, so one or two of them in a short round mean nothing.
const MAX_STEAL: f64 = 0.06;
const PAUSE: Duration = Duration::from_secs(2);

static WAIT_BUDGET_MS: AtomicU64 = AtomicU64::new(0);
static WAITED_MS: AtomicU64 = AtomicU64::new(0);

/// Must be called before the first measurement.
pub fn set_wait_budget(options: &BenchOptions) {
    WAIT_BUDGET_MS.store(options.max_wait().as_millis() as u64, Ordering::Relaxed);
}

/// Returns when the host is idle or the wait budget is spent.
pub async fn wait_until_idle() {
    loop {
        let started = Instant::now();
        if !has_budget() || !tokio::task::block_in_place(is_host_busy) {
            return;
        }
        tokio::time::sleep(PAUSE).await;
        add_waited(started.elapsed());
    }
}

/// Repeats a measurement until its steal time is low or the wait budget is spent.
pub async fn measure_undisturbed<T>(measure: impl AsyncFn() -> T) -> T {
    loop {
        let (started, before) = (Instant::now(), CpuTicks::now());
        let measured = measure().await;
        if before.stolen_since() <= MAX_STEAL || !has_budget() {
            return measured;
        }
        add_waited(started.elapsed());
        wait_until_idle().await;
    }
}

/// Total time spent on waiting and on discarded rounds.
pub fn time_waited() -> Duration {
    Duration::from_millis(WAITED_MS.load(Ordering::Relaxed))
}

fn add_waited(time: Duration) {
    WAITED_MS.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
}

fn has_budget() -> bool {
    WAITED_MS.load(Ordering::Relaxed) < WAIT_BUDGET_MS.load(Ordering::Relaxed)
}

fn is_host_busy() -> bool {
    let before = CpuTicks::now();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let started = Instant::now();
                while started.elapsed() < PROBE {
                    std::hint::spin_loop();
                }
            });
        }
    });
    before.stolen_since() > MAX_STEAL
}

/// CPU ticks of this machine since boot.
pub struct CpuTicks {
    total: u64,
    stolen: u64,
}

impl CpuTicks {
    pub fn now() -> Self {
        let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
        let fields = text.lines().next().unwrap_or_default().split_whitespace().skip(1).take(8);
        let ticks: Vec<u64> = fields.filter_map(|field| field.parse().ok()).collect();
        // user, nice, system, idle, iowait, irq, softirq, steal
        Self { total: ticks.iter().sum(), stolen: ticks.get(7).copied().unwrap_or(0) }
    }

    /// The share of CPU time stolen since then.
    pub fn stolen_since(&self) -> f64 {
        let now = Self::now();
        now.stolen.saturating_sub(self.stolen) as f64 / now.total.saturating_sub(self.total).max(1) as f64
    }
}
