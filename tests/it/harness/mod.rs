//! What the tests stand on: stores of both engines, servers that run on them, and answers checked against the
//! document.

mod document;
mod engine;
mod guest;
mod listing;
mod program;
mod server;

pub use document::{check, document, validator};
pub use engine::{Engine, Store};
pub use guest::{Guest, PASSWORD};
pub use listing::{both, every, query};
pub use program::{Program, fetch};
pub use server::{Answer, PLENTY, Server, create_key, shared};

/// The moment at which the shared servers stand: a Wednesday afternoon.
pub const NOW: i64 = 1_780_495_200_000;
/// Which world the shared servers show.
pub const SEED: u64 = 7;
/// What picture addresses begin with.
pub const PUBLIC_URL: &str = "https://rollcall.test";

/// Runs what blocks on a thread of its own: the store and a second runtime may not block an async test.
pub fn aside<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Asserts a whole answer against the snapshot of this name, which both engines share. Names of pictures are
/// hashes of their bytes and are left out.
#[macro_export]
macro_rules! assert_answer {
    ($name:expr, $answer:expr) => {{
        let answer = $answer;
        insta::with_settings!({filters => vec![(r"/media/([a-z]+)/[0-9a-f]{32}\.png", "/media/$1/….png")]}, {
            insta::assert_json_snapshot!($name, answer.json());
        })
    }};
}
