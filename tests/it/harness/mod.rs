//! Test support: stores of both engines, servers over them, and responses checked against the OpenAPI document.

mod browser;
mod document;
mod engine;
mod listing;
mod postgres_server;
mod program;
mod s3;
mod security_lines;
mod server;
mod server_metrics;
mod templates;
mod until;
mod webhook_receiver;

use std::time::Duration;

pub use browser::{Browser, PASSWORD};
pub use document::{check, document, validator};
pub use engine::{Engine, Store};
pub use listing::{both, every, query};
pub use postgres_server::PostgresServer;
pub use program::{Program, fetch};
pub use s3::{Bucket, Proxy};
pub use security_lines::{capture_security_lines, security_lines};
pub use server::{HIGH_LIMITS, PASSWORD_MEMORY_KIB, Server, TestResponse, create_key, shared};
pub use until::until;
pub use webhook_receiver::{Answer, WebhookReceiver};

/// How long a test waits for what takes milliseconds on an idle machine. A test that passes never waits so long.
pub const DEADLINE: Duration = Duration::from_secs(120);
/// The time on the clock of the shared servers: a Wednesday afternoon.
pub const NOW: i64 = 1_780_495_200_000;
/// Seed of the demo world of the shared servers.
pub const SEED: u64 = 7;
/// Image URLs begin with this.
pub const PUBLIC_URL: &str = "https://rollcall.test";

/// Runs blocking work on another thread: the store and a second runtime must not block an async test.
pub fn run_blocking<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Compares a whole response with the snapshot of this name, which both engines share. Image names are content hashes and are
/// left out.
#[macro_export]
macro_rules! assert_answer {
    ($name:expr, $answer:expr) => {{
        let answer = $answer;
        insta::with_settings!({filters => vec![(r"/media/([a-z]+)/[0-9a-f]{32}\.png", "/media/$1/….png")]}, {
            insta::assert_json_snapshot!($name, answer.json());
        })
    }};
}

/// Fails a test that the machine cannot run, instead of letting it pass. Names in `TEST_SKIP` (comma-separated) are
/// reported as skipped; then the test returns.
#[expect(clippy::disallowed_methods, clippy::print_stderr, reason = "a setting of the tests, not of the program")]
pub fn skip_or_fail(test: &str, requirement: &str) {
    let skipped = std::env::var("TEST_SKIP").unwrap_or_default();
    let is_skipped = skipped.split(',').any(|name| name.trim() == test);
    assert!(is_skipped, "{test} needs {requirement}; to skip it, add its name to TEST_SKIP");
    eprintln!("SKIPPED {test}: needs {requirement}");
}
