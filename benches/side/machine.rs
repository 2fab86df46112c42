//! What it was measured on, and with which versions.

use std::process::Command;

/// Names and values, for a table. Nothing here names the machine itself.
pub fn describe(postgres: Option<String>) -> Vec<(String, String)> {
    let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned());
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let gib = memory_mib() as f64 / 1024.0;
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let mut all = vec![
        ("processor".to_owned(), format!("{processor}, {cores} cores")),
        ("memory".to_owned(), format!("{gib:.0} GiB")),
        ("kernel".to_owned(), format!("Linux {}", kernel.trim())),
        (
            "Rollcall".to_owned(),
            format!("{} ({})", env!("CARGO_PKG_VERSION"), said("git", &["rev-parse", "--short", "HEAD"])),
        ),
        ("rustc".to_owned(), said("rustc", &["--version"])),
        ("SQLite, ours".to_owned(), rusqlite::version().to_owned()),
        ("PostgreSQL".to_owned(), postgres.unwrap_or_else(|| "left out".to_owned())),
        ("Node.js".to_owned(), said("node", &["--version"])),
        ("Python".to_owned(), said("python3", &["--version"])),
    ];
    all.extend(crate::peers::versions());
    all
}

pub fn memory_mib() -> u64 {
    let memory = field("/proc/meminfo", "MemTotal").unwrap_or_default();
    memory.trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

/// Time of the processor so far, of which some may have gone to others on the same host.
pub struct Processor {
    all: u64,
    stolen: u64,
}

impl Processor {
    pub fn now() -> Self {
        let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
        let all = text.lines().next().unwrap_or_default().split_whitespace().skip(1).take(8);
        let all: Vec<u64> = all.filter_map(|ticks| ticks.parse().ok()).collect();
        // user, nice, system, idle, iowait, irq, softirq, steal
        Self { all: all.iter().sum(), stolen: all.get(7).copied().unwrap_or(0) }
    }

    /// The share that has gone to others since.
    pub fn stolen_since(&self) -> f64 {
        let now = Self::now();
        now.stolen.saturating_sub(self.stolen) as f64 / now.all.saturating_sub(self.all).max(1) as f64
    }
}

fn said(program: &str, args: &[&str]) -> String {
    let said = Command::new(program).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    said.map_or_else(|_| "unknown".to_owned(), |out| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}
