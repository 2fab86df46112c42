//! The real program when things go wrong: killed, out of disk, without its database, among hostile clients.
//! `cargo test --test faults -- --nocapture` shows the figures.

#![expect(clippy::print_stdout, reason = "the figures are worth reading")]

#[path = "../it/harness/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the other tests need more of it")]
mod harness;

mod caller;
mod garbage;
mod hostile;
mod kill;
mod outage;
mod postgres;
mod sign_ins;
mod sockets;
mod stalls;
mod tracker;
mod year;

use std::time::{Duration, Instant};

use harness::{Engine, Program, Store};

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];
/// Far beyond any promise: a busy machine is slow, and a test that waits in vain must end.
const PATIENCE: Duration = Duration::from_secs(180);

/// A key of the store with this limit per minute and no other that matters.
fn create_key(store: &Store, per_minute: u32) -> String {
    let (per_minute, plenty) = (per_minute.to_string(), "100000000");
    let limits = ["--per-minute", &per_minute, "--per-day", plenty, "--per-month", plenty];
    let output = store.rollcall(&[&["key", "create"], &limits[..]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("plain text").trim_end().to_owned()
}

/// Tries until it gives something.
fn until<T>(what: &str, mut attempt: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = attempt() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn start(engine: Engine) -> (Store, Program) {
    let store = Store::new(engine);
    let program = Program::start(store.command(&SERVE));
    (store, program)
}
