//! Command line options of the comparison.

use std::time::Duration;

pub const HELP: &str = "\
Compares Rollcall with other services in one run, and writes benches/RESULTS.md.

Usage: ./bench [--quick] [--max-wait MINUTES] [--only WORKLOAD,...] [--services NAME,...]

  --quick             3 minutes: fewer and shorter rounds, on the large data if it exists already, else on the small;
                      peers and latency at half load only where a target is set
  --max-wait MINUTES  total time to wait while other virtual machines use the host's CPU: 10, or 1 with --quick
  --only WORKLOAD,... only these workloads, by prefix, such as list,search
                      (also: pages, encodings, tracking, changes, intake, gallery, streams for the measurements that follow)
  --services A,...    only these and the ceiling: sqlite, postgres, fastify, fastapi, datasette
  --help              print this text

With --only or --services nothing is written to benches/RESULTS.md.";

#[derive(Clone, Debug, Default)]
pub struct BenchOptions {
    pub quick: bool,
    max_wait_minutes: Option<u32>,
    only: Vec<String>,
    services: Vec<String>,
}

impl BenchOptions {
    /// `Err` holds the text to print instead of measuring, and whether that is a failure.
    pub fn parse(args: impl Iterator<Item = String>) -> Result<Self, (String, bool)> {
        let mut options = Self::default();
        // Cargo adds this argument.
        let mut args = args.filter(|arg| arg != "--bench");
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| (format!("{arg} needs a value\n\n{HELP}"), true));
            let list = |value: String| value.split(',').map(str::to_owned).collect();
            match arg.as_str() {
                "--quick" => options.quick = true,
                "--only" => options.only = list(value()?),
                "--services" | "--contenders" => options.services = list(value()?),
                "--max-wait" | "--patience" => options.max_wait_minutes = Some(minutes(&arg, &value()?)?),
                "--help" | "-h" => return Err((HELP.to_owned(), false)),
                _ => return Err((format!("unknown option {arg}\n\n{HELP}"), true)),
            }
        }
        Ok(options)
    }

    /// Total time to wait for an idle host. After that the run continues, and the report states the steal time.
    pub fn max_wait(&self) -> Duration {
        let minutes = self.max_wait_minutes.unwrap_or(if self.quick { 1 } else { 10 });
        Duration::from_mins(u64::from(minutes))
    }

    pub fn includes_workload(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| name.starts_with(only.as_str()))
    }

    pub fn includes_service(&self, name: &str) -> bool {
        self.services.is_empty() || self.services.iter().any(|only| only == name)
    }

    /// Whether everything is measured, so that the results may be written.
    pub fn is_complete(&self) -> bool {
        self.only.is_empty() && self.services.is_empty()
    }

    /// The command that repeats a complete run.
    pub fn command(&self) -> String {
        let quick = if self.quick { " --quick" } else { "" };
        let max_wait = self.max_wait_minutes.map(|minutes| format!(" --max-wait {minutes}")).unwrap_or_default();
        format!("./bench{quick}{max_wait}")
    }
}

fn minutes(option: &str, value: &str) -> Result<u32, (String, bool)> {
    value.parse().map_err(|_| (format!("{option} must be a whole number of minutes, not {value:?}\n\n{HELP}"), true))
}
