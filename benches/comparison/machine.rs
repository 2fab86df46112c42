//! Describes the machine and the versions of a run.

use std::process::Command;

/// Names and values for a table. No value identifies the machine.
pub fn describe(postgres: Option<String>) -> Vec<(String, String)> {
    let model = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned());
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let gib = memory_mib() as f64 / 1024.0;
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let mut all = vec![
        ("CPU".to_owned(), format!("{model}, {cores} cores")),
        ("memory".to_owned(), format!("{gib:.0} GiB")),
        ("kernel".to_owned(), format!("Linux {}", kernel.trim())),
        (
            "Rollcall".to_owned(),
            format!("{} ({})", env!("CARGO_PKG_VERSION"), output("git", &["rev-parse", "--short", "HEAD"])),
        ),
        ("rustc".to_owned(), output("rustc", &["--version"])),
        ("SQLite in Rollcall".to_owned(), rusqlite::version().to_owned()),
        ("PostgreSQL".to_owned(), postgres.unwrap_or_else(|| "skipped".to_owned())),
        ("Node.js".to_owned(), output("node", &["--version"])),
        ("Python".to_owned(), output("python3", &["--version"])),
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

fn output(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    output.map_or_else(|_| "unknown".to_owned(), |out| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}
