//! Processes that take orders by lines, and what they use. Linux alone says the latter.

use std::io::{BufRead, BufReader};
use std::ops::{AddAssign, Sub};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What `/proc` counts time in, on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;
/// Places of the two figures after the name in `/proc/PID/stat`.
const USER: usize = 11;
const SYSTEM: usize = 12;

pub struct Process {
    child: Child,
    /// By which it gets orders. It is held, since its end would be theirs.
    #[allow(dead_code, reason = "not every bench gives orders")]
    pub input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// Seconds of a core.
#[derive(Clone, Copy, Default)]
pub struct Used {
    pub user: f64,
    pub system: f64,
}

impl Used {
    pub fn seconds(self) -> f64 {
        self.user + self.system
    }
}

impl Sub for Used {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self { user: self.user - before.user, system: self.system - before.system }
    }
}

impl AddAssign for Used {
    fn add_assign(&mut self, more: Self) {
        *self = Self { user: self.user + more.user, system: self.system + more.system };
    }
}

impl Process {
    /// This very program once more.
    pub fn this(core: Option<usize>, args: &[&str]) -> Self {
        Self::start(core, &[std::env::current_exe().expect("a path").to_str().expect("of text").to_owned()], args)
    }

    /// On a core of its own, if one is given and `taskset` is there.
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
            .unwrap_or_else(|error| panic!("{words:?} does not start: {error}"));
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Self { input: child.stdin.take(), output, child }
    }

    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a process speaks");
        line.trim_end().to_owned()
    }

    pub fn used(&self) -> Used {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("Linux");
        let (_, rest) = stat.rsplit_once(')').expect("a name in brackets");
        let figures: Vec<&str> = rest.split_whitespace().collect();
        let seconds = |place: usize| figures[place].parse::<f64>().expect("a number") / TICKS_PER_SECOND;
        Used { user: seconds(USER), system: seconds(SYSTEM) }
    }

    /// Bytes of memory.
    pub fn resident(&self) -> u64 {
        1024 * self.figure("status", "VmRSS:")
    }

    /// A figure that the system has of it under this name.
    pub fn figure(&self, file: &str, name: &str) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).expect("Linux");
        let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("a figure");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(Some(status)) = self.child.try_wait() {
            println!("process {} had ended before: {status}", self.child.id());
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
