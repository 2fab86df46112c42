//! Fault injection on the real program: crashes, full disks, lost databases, hostile clients and game servers.
//! `cargo test --test faults -- --nocapture` prints the measurements.

#![expect(clippy::print_stdout, reason = "prints measurements")]

#[path = "../it/harness/mod.rs"]
#[expect(dead_code, unused_imports, reason = "shared with the integration tests")]
mod harness;

mod crash;
mod event_streams;
mod history_year;
mod hostile_servers;
mod http_client;
mod login_flood;
mod machine_stalls;
mod malformed_requests;
mod migrations_at_size;
mod postgres_outage;
mod postgres_replicas;
mod postgres_stall;
mod slow_clients;
mod store_outage;
mod texture_likes;
mod tracker_crash;
mod vote_delivery;
mod webhook_delivery;

use std::time::{Duration, Instant};

use harness::{Engine, Program, Store};

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];
/// Longer than any expected time: a busy machine is slow, but a test must end.
const DEADLINE: Duration = Duration::from_secs(180);

/// Creates a key with this limit per minute.
fn create_key(store: &Store, per_minute: u32) -> String {
    let (per_minute, high) = (per_minute.to_string(), "100000000");
    let limits = ["--per-minute", &per_minute, "--per-day", high, "--per-month", high];
    let output = store.rollcall(&[&["key", "create"], &limits[..]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("plain text").trim_end().to_owned()
}

/// Repeats the attempt until it returns a value.
fn until<T>(what: &str, mut attempt: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = attempt() {
            return found;
        }
        assert!(started.elapsed() < DEADLINE, "timed out: {what}");
        #[expect(clippy::disallowed_methods, reason = "polls with a deadline in a blocking thread")]
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn start(engine: Engine) -> (Store, Program) {
    let store = Store::new(engine);
    let program = Program::start(store.command(&SERVE));
    (store, program)
}
