//! What the tests stand on: stores of both engines, servers that run on them, and answers checked against the
//! document.

mod document;
mod engine;
mod server;

pub use document::check;
pub use engine::{Engine, Store};
pub use server::{Answer, Server, both, shared};

/// The moment at which the shared servers stand: a Wednesday afternoon.
pub const NOW: i64 = 1_780_495_200_000;
/// Which world the shared servers show.
pub const SEED: u64 = 7;
/// What picture addresses begin with.
pub const PUBLIC_URL: &str = "https://rollcall.test";

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
