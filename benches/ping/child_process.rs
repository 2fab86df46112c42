//! Child processes that read commands line by line, with their CPU time and memory. Reads `/proc`, so it works only on Linux.

use std::io::{BufRead, BufReader};
use std::ops::{AddAssign, Sub};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The unit of time in `/proc` on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;
/// Indexes of the two fields after the name in `/proc/PID/stat`.
const USER_FIELD: usize = 11;
const SYSTEM_FIELD: usize = 12;

pub struct ChildProcess {
    child: Child,
    /// Held open, since the child ends at the end of its input.
    #[allow(dead_code, reason = "not every benchmark sends commands")]
    pub stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

/// CPU time in seconds.
#[derive(Clone, Copy, Default)]
pub struct CpuSeconds {
    pub user: f64,
    pub system: f64,
}

impl CpuSeconds {
    pub fn total(self) -> f64 {
        self.user + self.system
    }
}

impl Sub for CpuSeconds {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { user: self.user - other.user, system: self.system - other.system }
    }
}

impl AddAssign for CpuSeconds {
    fn add_assign(&mut self, other: Self) {
        *self = Self { user: self.user + other.user, system: self.system + other.system };
    }
}

impl ChildProcess {
    /// Starts this program again with other arguments.
    pub fn same_program(core: Option<usize>, args: &[&str]) -> Self {
        let program = std::env::current_exe().expect("the path of this program");
        Self::start(core, &[program.to_str().expect("the path is UTF-8").to_owned()], args)
    }

    /// Pins the process to a core if one is given, there are several, and `taskset` is installed.
    pub fn start(core: Option<usize>, program: &[String], args: &[&str]) -> Self {
        let mut words = program.to_vec();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if let Some(core) = core.filter(|core| *core < cores)
            && cores > 1
            && ["/usr/bin/taskset", "/bin/taskset"].iter().any(|path| Path::new(path).exists())
        {
            words.splice(0..0, ["taskset".to_owned(), "-c".to_owned(), core.to_string()]);
        }
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {words:?}: {error}"));
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Self { stdin: child.stdin.take(), stdout, child }
    }

    pub fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("read the output of a child process");
        line.trim_end().to_owned()
    }

    pub fn cpu(&self) -> CpuSeconds {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("/proc is available");
        let (_, rest) = stat.rsplit_once(')').expect("the name is in parentheses");
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let seconds = |index: usize| fields[index].parse::<f64>().expect("a number") / TICKS_PER_SECOND;
        CpuSeconds { user: seconds(USER_FIELD), system: seconds(SYSTEM_FIELD) }
    }

    /// Resident memory in bytes.
    pub fn resident(&self) -> u64 {
        1024 * self.proc_field("status", "VmRSS:")
    }

    /// A number from a file below `/proc/PID`.
    pub fn proc_field(&self, file: &str, name: &str) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).expect("/proc is available");
        let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("the field exists");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        if let Ok(Some(status)) = self.child.try_wait() {
            println!("process {} ended early: {status}", self.child.id());
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
