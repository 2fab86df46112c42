//! Processes that we start: what they and their children use, and their end.

use std::collections::{HashMap, HashSet};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Everything that must end when we end, however we end.
static STARTED: Mutex<Vec<u32>> = Mutex::new(Vec::new());
const PATIENCE: Duration = Duration::from_secs(4);

/// A process with its children, which ends when this is dropped.
pub struct Tree {
    child: Child,
}

impl Tree {
    pub fn start(command: &mut Command) -> Result<Self, String> {
        let child = command.stdin(Stdio::piped()).spawn().map_err(|error| format!("{command:?}: {error}"))?;
        STARTED.lock().expect("nothing panics here").push(child.id());
        Ok(Self { child })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Lets it do nothing at all until it may go on.
    pub fn hold(&self) {
        signal("-STOP", &family(self.child.id()));
    }

    pub fn go_on(&self) {
        signal("-CONT", &family(self.child.id()));
    }

    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let all = family(self.child.id());
        signal("-TERM", &all);
        // Whoever stands still does not hear it.
        signal("-CONT", &all);
        let began = Instant::now();
        while !self.has_ended() && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
        }
        // Whoever is still there has not understood.
        let left: Vec<u32> = all.into_iter().filter(|id| is_there(*id)).collect();
        signal("-KILL", &left);
        let _ = self.child.wait();
        STARTED.lock().expect("nothing panics here").retain(|id| *id != self.child.id());
    }
}

/// Ends whatever was started: for Ctrl-C, when nothing is dropped.
pub fn end_all() {
    let started = STARTED.lock().expect("nothing panics here").clone();
    let all: Vec<u32> = started.into_iter().flat_map(family).collect();
    signal("-KILL", &all);
}

fn signal(which: &str, ids: &[u32]) {
    if !ids.is_empty() {
        let ids = ids.iter().map(u32::to_string);
        let _ = Command::new("kill").arg(which).args(ids).stderr(Stdio::null()).status();
    }
}

fn is_there(id: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// A process and all that it started, directly or not.
pub fn family(id: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(child) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        if let Some(parent) = parent {
            children.entry(parent).or_default().push(child);
        }
    }
    let (mut all, mut seen, mut next) = (Vec::new(), HashSet::new(), vec![id]);
    while let Some(id) = next.pop() {
        if seen.insert(id) {
            all.push(id);
            next.extend(children.get(&id).into_iter().flatten());
        }
    }
    all
}

/// Nanoseconds of a core that processes have had, all their threads together.
pub fn cpu(ids: &[u32]) -> u64 {
    let tasks = ids.iter().flat_map(|id| std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten());
    let used = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    used.sum()
}

/// Bytes of memory: resident now, how much of that is files that are mapped (the system takes it back when it needs it), and the
/// most that was resident. Pages that processes share count for each of them.
#[derive(Clone, Copy)]
pub struct Memory {
    pub resident: u64,
    pub files: u64,
    pub most: u64,
}

pub fn memory(ids: &[u32]) -> Memory {
    let figure = |id: &u32, name: &str| {
        let text = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().to_owned();
        1024 * line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0)
    };
    let sum = |name: &str| ids.iter().map(|id| figure(id, name)).sum();
    Memory { resident: sum("VmRSS:"), files: sum("RssFile:"), most: sum("VmHWM:") }
}
