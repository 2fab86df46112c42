//! Each kind by itself, asked by the command line: it ends in time, and says what happened.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Output;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::host::Host;
use super::kinds::{self, End, Kind, Manner};
use crate::harness::{Engine, Store};

const DEADLINE: Duration = Duration::from_secs(1);
/// For a second try.
const PATIENT: Duration = Duration::from_secs(10);
/// For the start of a process on a busy machine.
const SLACK: Duration = Duration::from_secs(2);
/// Processes at once.
const AT_ONCE: usize = 12;

/// A kind that is there: its host, and the one for queries.
pub struct Standing {
    pub kind: Kind,
    pub host: Host,
    pub query: Option<Host>,
}

impl Standing {
    pub async fn up(kind: Kind) -> Self {
        let host = match &kind.manner {
            Manner::Java(tcp) => Host::tcp(tcp.clone()).await,
            Manner::Bedrock(udp) => Host::udp(udp.clone()).await,
        };
        let query = match &kind.query {
            Some(udp) => Some(Host::udp(udp.clone()).await),
            None => None,
        };
        Self { kind, host, query }
    }

    pub fn edition(&self) -> &'static str {
        match self.kind.manner {
            Manner::Java(_) => "java",
            Manner::Bedrock(_) => "bedrock",
        }
    }
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

#[test]
fn whatever_a_server_does_an_ask_ends_in_time_and_says_why() {
    let runtime = runtime();
    let standing = runtime.block_on(async {
        let mut standing = Vec::new();
        for kind in kinds::all() {
            standing.push(Standing::up(kind).await);
        }
        standing
    });
    let mut names: Vec<&str> = standing.iter().map(|one| one.kind.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), standing.len(), "a name tells one kind");
    let store = Store::new(Engine::Sqlite);
    let (next, slowest, wrong) = (AtomicUsize::new(0), Mutex::new((Duration::ZERO, "")), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(one) = standing.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (output, took) = ask(&store, one, DEADLINE);
                    let judged = |output: &Output, took: Duration, deadline: Duration| {
                        catch_unwind(AssertUnwindSafe(|| judge(&one.kind, output, took, deadline))).is_ok()
                    };
                    // Where the machine stood still meanwhile, nothing was heard in time.
                    let again = || {
                        let (output, took) = ask(&store, one, PATIENT);
                        judged(&output, took, PATIENT)
                    };
                    if !judged(&output, took, DEADLINE) && !again() {
                        wrong.lock().unwrap().push(one.kind.name);
                    }
                    let mut slowest = slowest.lock().unwrap();
                    *slowest = (*slowest).max((took, one.kind.name));
                }
            });
        }
    });
    let (took, name) = slowest.into_inner().unwrap();
    println!(
        "{} kinds of hostile servers, each asked within {DEADLINE:?}; the slowest {took:?}: {name}",
        standing.len()
    );
    assert_eq!(wrong.into_inner().unwrap(), Vec::<&str>::new());
}

fn ask(store: &Store, one: &Standing, deadline: Duration) -> (Output, Duration) {
    let address = one.host.address.to_string();
    let mut args = vec!["server", "ping", &address, "--edition", one.edition()];
    args.extend(["--allow-private-addresses", "--json"]);
    let query = one.query.as_ref().map(|host| host.address.port().to_string());
    if let Some(port) = &query {
        args.extend(["--query", port]);
    }
    let mut command = store.command(&args);
    command.env("ROLLCALL_TRACKER_DEADLINE", deadline.as_secs().to_string());
    let began = Instant::now();
    (command.output().expect("it runs"), began.elapsed())
}

fn judge(kind: &Kind, output: &Output, took: Duration, deadline: Duration) {
    let said = String::from_utf8(output.stderr.clone()).expect("plain text");
    assert!(took < deadline + SLACK, "{} took {took:?}", kind.name);
    assert!(said.len() < 500 && !said.contains("panicked"), "{}: {said}", kind.name);
    match (kind.end, kind.end.words()) {
        (End::Told(held), _) => {
            assert!(output.status.success(), "{}: {said}", kind.name);
            let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            sane(kind.name, &told);
            held(&told);
        }
        (_, words) => {
            let told = String::from_utf8_lossy(&output.stdout);
            assert!(!output.status.success() && told.is_empty(), "{}: {told}", kind.name);
            assert!(said.contains(words.unwrap_or_default()), "{}: {said}", kind.name);
        }
    }
}

/// Whatever was said, what is told of it has an end, and is text.
fn sane(name: &str, told: &Value) {
    let length = |field: &str| told[field].as_str().map_or(0, |text| text.chars().count());
    assert!(length("version") <= 100 && length("motdRaw") <= 4_096, "{name}");
    assert!(length("icon") <= 64 * 1024, "{name}");
    let lines = told["sample"].as_array().expect("a list");
    assert!(lines.len() <= 2_000, "{name}: {}", lines.len());
    let names = lines.iter().map(|line| &line["name"]);
    for text in [&told["version"], &told["motdRaw"], &told["motd"]].into_iter().chain(names) {
        let text = text.as_str().expect("a text");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{name}: {text:?}");
    }
}
