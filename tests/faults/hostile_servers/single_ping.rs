//! `rollcall server ping` of each hostile server: it ends within its timeout and names the error.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Output;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::cases::{self, Expected, HostileCase, Protocol};
use super::listener::HostileListener;
use crate::harness::{Engine, Store};

const TIMEOUT: Duration = Duration::from_secs(1);
/// Timeout of a retry on a stalled machine.
const LONG_TIMEOUT: Duration = Duration::from_secs(10);
/// What a busy machine may add.
const SLACK: Duration = Duration::from_secs(2);
/// Concurrent pings.
const CONCURRENCY: usize = 12;

/// A case that listens on loopback.
pub struct RunningCase {
    pub case: HostileCase,
    pub game: HostileListener,
    pub query: Option<HostileListener>,
}

impl RunningCase {
    pub async fn start(case: HostileCase) -> Self {
        let game = match &case.protocol {
            Protocol::Java(tcp) => HostileListener::tcp(tcp.clone()).await,
            Protocol::Bedrock(udp) => HostileListener::udp(udp.clone()).await,
        };
        let query = match &case.query {
            Some(udp) => Some(HostileListener::udp(udp.clone()).await),
            None => None,
        };
        Self { case, game, query }
    }

    pub fn edition(&self) -> &'static str {
        match self.case.protocol {
            Protocol::Java(_) => "java",
            Protocol::Bedrock(_) => "bedrock",
        }
    }
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

#[test]
fn every_ping_ends_within_its_timeout_and_names_the_error() {
    let runtime = runtime();
    let running_cases = runtime.block_on(async {
        let mut running_cases = Vec::new();
        for case in cases::all() {
            running_cases.push(RunningCase::start(case).await);
        }
        running_cases
    });
    let mut names: Vec<&str> = running_cases.iter().map(|running| running.case.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), running_cases.len(), "names are unique");
    let store = Store::new(Engine::Sqlite);
    let (next, slowest, wrong) = (AtomicUsize::new(0), Mutex::new((Duration::ZERO, "")), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..CONCURRENCY {
            scope.spawn(|| {
                while let Some(running) = running_cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (output, took) = ping(&store, running, TIMEOUT);
                    let passes = |output: &Output, took: Duration, timeout: Duration| {
                        catch_unwind(AssertUnwindSafe(|| check(&running.case, output, took, timeout))).is_ok()
                    };
                    // A stalled machine may time out.
                    let again = || {
                        let (output, took) = ping(&store, running, LONG_TIMEOUT);
                        passes(&output, took, LONG_TIMEOUT)
                    };
                    if !passes(&output, took, TIMEOUT) && !again() {
                        wrong.lock().unwrap().push(running.case.name);
                    }
                    let mut slowest = slowest.lock().unwrap();
                    *slowest = (*slowest).max((took, running.case.name));
                }
            });
        }
    });
    let (took, name) = slowest.into_inner().unwrap();
    println!("{} hostile servers with a timeout of {TIMEOUT:?}; the slowest {took:?}: {name}", running_cases.len());
    assert_eq!(wrong.into_inner().unwrap(), Vec::<&str>::new());
}

fn ping(store: &Store, running: &RunningCase, timeout: Duration) -> (Output, Duration) {
    let address = running.game.address.to_string();
    let mut args = vec!["server", "ping", &address, "--edition", running.edition()];
    args.extend(["--allow-private-addresses", "--json"]);
    let query = running.query.as_ref().map(|host| host.address.port().to_string());
    if let Some(port) = &query {
        args.extend(["--query", port]);
    }
    let mut command = store.command(&args);
    command.env("ROLLCALL_TRACKER_DEADLINE", timeout.as_secs().to_string());
    let started = Instant::now();
    (command.output().expect("the program starts"), started.elapsed())
}

fn check(case: &HostileCase, output: &Output, took: Duration, timeout: Duration) {
    let stderr = String::from_utf8(output.stderr.clone()).expect("plain text");
    assert!(took < timeout + SLACK, "{} took {took:?}", case.name);
    assert!(stderr.len() < 500 && !stderr.contains("panicked"), "{}: {stderr}", case.name);
    match (case.expected, case.expected.message()) {
        (Expected::Reply(check_reply), _) => {
            assert!(output.status.success(), "{}: {stderr}", case.name);
            let printed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            check_limits(case.name, &printed);
            check_reply(&printed);
        }
        (_, message) => {
            let printed = String::from_utf8_lossy(&output.stdout);
            assert!(!output.status.success() && printed.is_empty(), "{}: {printed}", case.name);
            assert!(stderr.contains(message.unwrap_or_default()), "{}: {stderr}", case.name);
        }
    }
}

/// The output is bounded and has no control characters.
fn check_limits(name: &str, printed: &Value) {
    let length = |field: &str| printed[field].as_str().map_or(0, |text| text.chars().count());
    assert!(length("version") <= 100 && length("motdRaw") <= 4_096, "{name}");
    assert!(length("icon") <= 64 * 1024, "{name}");
    let lines = printed["sample"].as_array().expect("a list");
    assert!(lines.len() <= 2_000, "{name}: {}", lines.len());
    let names = lines.iter().map(|line| &line["name"]);
    for text in [&printed["version"], &printed["motdRaw"], &printed["motd"]].into_iter().chain(names) {
        let text = text.as_str().expect("a text");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{name}: {text:?}");
    }
}
