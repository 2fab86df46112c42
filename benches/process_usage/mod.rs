//! CPU time and memory of this process.

/// User and system time of all threads.
pub fn cpu_seconds() -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").expect("/proc is available");
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(11).take(2);
    fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS_PER_SECOND
}

/// A field of `/proc/self/status` in KiB, such as `VmRSS:`.
pub fn memory_kib(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc is available");
    let size = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    size.split_whitespace().next().and_then(|kib| kib.parse().ok()).unwrap_or(0)
}
