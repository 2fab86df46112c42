//! The playground: the API without a key, behind a CAPTCHA.

mod escapes;
mod limits;
mod page;
mod passes;
mod providers;
mod secrets;
mod sign_in;
mod sites;
mod solutions;

use std::sync::Arc;

use altcha::{Challenge, Payload, SolveChallengeOptions, solve_challenge};
use reqwest::Method;
use rollcall::config::Config;
use serde_json::{Value, json};

use crate::harness::{Engine, NOW, Server, Store, TestResponse, run_blocking};

const MINUTE: i64 = 60_000;
const JSON: (&str, &str) = ("content-type", "application/json");

/// A server with an empty store and these settings.
fn serving(engine: Engine, change: impl Fn(&mut Config) + Send) -> Server {
    Server::set_up(empty(engine), NOW, change)
}

fn empty(engine: Engine) -> Arc<Store> {
    run_blocking(|| Server::empty(engine).crash())
}

/// The same, trusting `X-Forwarded-For` from this machine.
fn behind_proxy(engine: Engine, change: impl Fn(&mut Config) + Send) -> Server {
    serving(engine, move |config| {
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
        change(config);
    })
}

async fn challenge(server: &Server, purpose: &str) -> Challenge {
    let answer = server.raw(Method::GET, &format!("/human/challenge?for={purpose}"), &[]).await;
    assert_eq!((answer.status, answer.header("cache-control")), (200, Some("no-store")));
    serde_json::from_value(answer.data()).expect("a challenge")
}

/// Solves the challenge like a browser.
fn solved(challenge: Challenge) -> Payload {
    let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap().expect("a solution");
    Payload { challenge, solution }
}

fn text(payload: &Payload) -> String {
    serde_json::to_string(payload).unwrap()
}

/// A valid solution for the playground.
async fn solution(server: &Server) -> String {
    solution_for(server, "playground").await
}

/// A valid solution for any page.
pub async fn solution_for(server: &Server, purpose: &str) -> String {
    text(&solved(challenge(server, purpose).await))
}

/// Sends a solution with these headers.
async fn send_solution(server: &Server, solution: &str, headers: &[(&str, &str)]) -> TestResponse {
    let headers = [&[JSON], headers].concat();
    let body = json!({"solution": solution}).to_string();
    server.exchange(Method::POST, "/playground/pass", &headers, body).await
}

/// A new pass for the client of these headers.
async fn pass_for(server: &Server, headers: &[(&str, &str)]) -> String {
    let answer = send_solution(server, &solution(server).await, headers).await;
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    answer.data()["pass"].as_str().expect("a pass").to_owned()
}

async fn pass(server: &Server) -> String {
    pass_for(server, &[]).await
}

async fn run_as(server: &Server, pass: &str, path: &str, headers: &[(&str, &str)]) -> TestResponse {
    let headers = [&[("x-playground-pass", pass)], headers].concat();
    server.raw(Method::GET, &format!("/playground/v1{path}"), &headers).await
}

async fn run(server: &Server, pass: &str, path: &str) -> TestResponse {
    run_as(server, pass, path, &[]).await
}

/// Status and message of an error in the JSON envelope.
fn error_of(answer: &TestResponse) -> (u16, String) {
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_same_origin_only(answer);
    let json = answer.json();
    assert_eq!(json, json!({"success": false, "error": json["error"]}));
    (answer.status, answer.error())
}

/// Asserts that other sites cannot read the response.
fn assert_same_origin_only(answer: &TestResponse) {
    assert!(answer.headers.keys().all(|name| !name.as_str().starts_with("access-control-")), "{:?}", answer.headers);
    assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
}

/// The rate limit headers: limit and remaining per minute and day, and the remaining runs of the pass.
fn rate_headers(answer: &TestResponse) -> [Option<i64>; 5] {
    let number = |name: &str| answer.header(name).map(|text| text.parse().expect("a number"));
    let rate = |name: &str| number(&format!("x-ratelimit-{name}"));
    let runs = number("x-playground-runs-left");
    [rate("limit-minute"), rate("remaining-minute"), rate("limit-day"), rate("remaining-day"), runs]
}

/// The number of rows of a ledger table.
fn rows(store: &Store, table: &str) -> i64 {
    run_blocking(|| {
        let mut conn = rollcall_store::Conn::open(&store.database.ledger()).expect("the ledger opens");
        conn.query_one(&format!("select count(*) from {table}"), &[], |row| row.get(0)).expect("a count")
    })
}

/// The payload with one value replaced.
fn with(payload: &Payload, pointer: &str, value: Value) -> String {
    let mut json = serde_json::to_value(payload).unwrap();
    *json.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
    json.to_string()
}
