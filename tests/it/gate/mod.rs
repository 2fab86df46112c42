//! Who gets in, and how often.

mod entry;
mod guesses;
mod keys;
mod ledger;
mod limits;
mod usage;

use rollcall_model::time::parse_iso;

use crate::harness::{Answer, Server, Store};

const SECOND: i64 = 1000;

fn at(text: &str) -> i64 {
    parse_iso(text).unwrap()
}

/// What the six rate headers and Retry-After say: limits and what remains, minute, day, month.
fn told(answer: &Answer) -> ([u32; 6], Option<i64>) {
    let names = ["limit-minute", "remaining-minute", "limit-day", "remaining-day", "limit-month", "remaining-month"];
    let number = |name: &str| answer.header(&format!("x-ratelimit-{name}")).expect(name).parse().expect(name);
    (names.map(number), answer.header("retry-after").map(|seconds| seconds.parse().unwrap()))
}

/// What `rollcall key ARGS` prints.
fn key_command(store: &Store, args: &[&str]) -> String {
    let output = store.rollcall(&[&["key"], args].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("plain text")
}

/// The id of the key that may ask so often per minute.
fn id_of(store: &Store, per_minute: u32) -> String {
    let keys: Vec<serde_json::Value> = serde_json::from_str(&key_command(store, &["list", "--json"])).expect("keys");
    let key = keys.iter().find(|key| key["perMinute"] == per_minute).expect("the key is listed");
    key["id"].as_str().expect("an id").to_owned()
}

/// Asks until the answer is this, and says how often that was.
async fn until_status(server: &Server, key: &str, status: u16) -> (Answer, u32) {
    // The promise is a second; a busy machine gets more.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    for asked in 1.. {
        let answer = server.get_as(key, "/servers").await;
        if answer.status == status {
            return (answer, asked);
        }
        assert!(std::time::Instant::now() < deadline, "still {}", answer.status);
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    unreachable!()
}
