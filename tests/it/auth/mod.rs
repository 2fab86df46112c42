//! API keys and their quota.

mod authentication;
mod key_changes;
mod quota;
mod quota_ledger;
mod units;
mod usage;
mod wrong_keys;

use rollcall_model::time::parse_iso;

use crate::harness::{Server, Store, TestResponse, until};

const SECOND: i64 = 1000;

fn at(text: &str) -> i64 {
    parse_iso(text).unwrap()
}

/// The values of the six `X-RateLimit` headers (limit and remaining per minute, day and month) and of `Retry-After`.
fn quota_headers(response: &TestResponse) -> ([u32; 6], Option<i64>) {
    let names = ["limit-minute", "remaining-minute", "limit-day", "remaining-day", "limit-month", "remaining-month"];
    let number = |name: &str| response.header(&format!("x-ratelimit-{name}")).expect(name).parse().expect(name);
    (names.map(number), response.header("retry-after").map(|seconds| seconds.parse().unwrap()))
}

/// The output of `rollcall key ARGS`.
fn key_command(store: &Store, args: &[&str]) -> String {
    let output = store.rollcall(&[&["key"], args].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("plain text")
}

/// The id of the key with this limit per minute.
fn id_of(store: &Store, per_minute: u32) -> String {
    let keys: Vec<serde_json::Value> = serde_json::from_str(&key_command(store, &["list", "--json"])).expect("keys");
    let key = keys.iter().find(|key| key["perMinute"] == per_minute).expect("the key is listed");
    key["id"].as_str().expect("an id").to_owned()
}

/// Sends requests until the status is this one; returns the response and the number of requests.
async fn until_status(server: &Server, key: &str, status: u16) -> (TestResponse, u32) {
    let mut requests = 0;
    until(async || {
        let response = server.get_as(key, "/servers").await;
        requests += 1;
        if response.status == status { Ok((response, requests)) } else { Err(format!("still {}", response.status)) }
    })
    .await
}
