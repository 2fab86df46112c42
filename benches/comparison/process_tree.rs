//! Child processes with their descendants: CPU time, memory, pause and end. Reads `/proc`, so it works only on Linux.

use std::collections::{HashMap, HashSet};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Processes to kill on Ctrl-C, when no destructor runs.
static STARTED: Mutex<Vec<u32>> = Mutex::new(Vec::new());
/// Time between SIGTERM and SIGKILL.
const TERM_TIMEOUT: Duration = Duration::from_secs(4);

/// A process with its descendants. They end when this is dropped.
pub struct ProcessTree {
    child: Child,
}

impl ProcessTree {
    pub fn start(command: &mut Command) -> Result<Self, String> {
        let child = command.stdin(Stdio::piped()).spawn().map_err(|error| format!("{command:?}: {error}"))?;
        STARTED.lock().expect("lock not poisoned").push(child.id());
        Ok(Self { child })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    pub fn pause(&self) {
        signal("-STOP", &with_descendants(self.child.id()));
    }

    pub fn resume(&self) {
        signal("-CONT", &with_descendants(self.child.id()));
    }

    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        let all = with_descendants(self.child.id());
        signal("-TERM", &all);
        // A stopped process does not handle SIGTERM.
        signal("-CONT", &all);
        let started = Instant::now();
        while !self.has_ended() && started.elapsed() < TERM_TIMEOUT {
            #[expect(clippy::disallowed_methods, reason = "polls with a timeout in a destructor")]
            std::thread::sleep(Duration::from_millis(20));
        }
        let alive: Vec<u32> = all.into_iter().filter(|id| is_alive(*id)).collect();
        signal("-KILL", &alive);
        let _ = self.child.wait();
        STARTED.lock().expect("lock not poisoned").retain(|id| *id != self.child.id());
    }
}

/// Kills everything that was started.
pub fn kill_all() {
    let started = STARTED.lock().expect("lock not poisoned").clone();
    let all: Vec<u32> = started.into_iter().flat_map(with_descendants).collect();
    signal("-KILL", &all);
}

fn signal(signal: &str, ids: &[u32]) {
    if !ids.is_empty() {
        let ids = ids.iter().map(u32::to_string);
        let _ = Command::new("kill").arg(signal).args(ids).stderr(Stdio::null()).status();
    }
}

fn is_alive(id: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// A process and its direct and indirect children.
pub fn with_descendants(id: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(child) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        if let Some(parent) = parent {
            children.entry(parent).or_default().push(child);
        }
    }
    let (mut all, mut visited, mut queue) = (Vec::new(), HashSet::new(), vec![id]);
    while let Some(id) = queue.pop() {
        if visited.insert(id) {
            all.push(id);
            queue.extend(children.get(&id).into_iter().flatten());
        }
    }
    all
}

/// CPU time of all threads of these processes, in nanoseconds.
pub fn cpu_nanos(ids: &[u32]) -> u64 {
    let tasks = ids.iter().flat_map(|id| std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten());
    let used = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    used.sum()
}

/// Memory in bytes. Pages shared by several processes count once for each.
#[derive(Clone, Copy)]
pub struct ProcessMemory {
    pub resident: u64,
    /// The part of `resident` that is mapped files, which the kernel can reclaim.
    pub mapped_files: u64,
    /// The highest `resident` so far.
    pub peak: u64,
}

pub fn memory(ids: &[u32]) -> ProcessMemory {
    let field = |id: &u32, name: &str| {
        let text = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().to_owned();
        1024 * line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0)
    };
    let sum = |name: &str| ids.iter().map(|id| field(id, name)).sum();
    ProcessMemory { resident: sum("VmRSS:"), mapped_files: sum("RssFile:"), peak: sum("VmHWM:") }
}
