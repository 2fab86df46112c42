//! Figures of this process, under the names that Prometheus clients share. Read from `/proc`; elsewhere than on Linux most of them
//! are missing.

use super::exposition::Exposition;
use rollcall_model::time::SECOND;

const KIB: f64 = 1024.0;
/// Linux reports CPU time in ticks of this many a second, whatever the kernel uses inside.
const TICKS_PER_SECOND: f64 = 100.0;

pub fn write(out: &mut Exposition, started_at: i64) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let open = std::fs::read_dir("/proc/self/fd").ok().map(|files| files.count() as f64);
    let max_open = rlimit::Resource::NOFILE.get().ok().map(|(soft, _)| soft as f64);
    for (name, value) in [
        ("process_cpu_seconds_total", cpu_seconds(&stat)),
        ("process_resident_memory_bytes", status_number(&status, "VmRSS:").map(|kib| kib * KIB)),
        ("process_virtual_memory_bytes", status_number(&status, "VmSize:").map(|kib| kib * KIB)),
        ("process_threads", status_number(&status, "Threads:")),
        ("process_open_fds", open),
        ("process_max_fds", max_open),
        ("process_start_time_seconds", Some(started_at as f64 / SECOND as f64)),
    ] {
        out.family(name);
        if let Some(value) = value {
            out.sample(&[], value);
        }
    }
}

/// User and system time: the 14th and 15th field. The name of the program, the second one, may contain anything but ends with the
/// last parenthesis.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / TICKS_PER_SECOND)
}

/// `VmRSS:     1234 kB`
fn status_number(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_read_whatever_the_program_is_called() {
        let stat = "7 (a) b c) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 4 0 100 1000 10";
        assert_eq!(cpu_seconds(stat), Some(3.0));
        assert_eq!(cpu_seconds(""), None);
        assert_eq!(status_number("Name:\tx\nVmRSS:\t    1234 kB\n", "VmRSS:"), Some(1234.0));
    }
}
