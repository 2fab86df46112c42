//! Impossible counts and player lists.

use serde_json::{Value, json};

use super::{Expected, HostileCase, any_reply, java, replies};
use crate::hostile_servers::listener::TcpBehavior;
use crate::hostile_servers::packets::status;

fn players(name: &'static str, online: Value, check: fn(&Value)) -> HostileCase {
    replies(name, json!({"players": {"online": online.clone(), "max": online}}), check)
}

fn raw(name: &'static str, json: &str, expected: Expected) -> HostileCase {
    java(name, TcpBehavior::Reply(status(json.as_bytes())), expected)
}

fn online(json: &Value, count: i64) {
    assert_eq!(json["players"], count, "{json}");
}

/// A status with this many listed players.
fn player_list(count: usize, name: impl Fn(usize) -> String, id: impl Fn(usize) -> String) -> Value {
    let lines: Vec<Value> = (0..count).map(|i| json!({"name": name(i), "id": id(i)})).collect();
    json!({"players": {"online": 1_000_000, "max": 1, "sample": lines}})
}

fn bounded(json: &Value) {
    let count = json["sample"].as_array().expect("a JSON list").len();
    assert!((1..=200).contains(&count), "{count}");
}

pub fn cases() -> Vec<HostileCase> {
    let uuid = |i: usize| format!("{:08x}-0000-4000-8000-{:012x}", i * 7919, i);
    let one = |_: usize| "069a79f4-44e9-4726-a5be-fca90e38aaf5".to_owned();
    let million = format!(r#"{{"players":{{"sample":[{}0]}}}}"#, r#"{"name":"p"},"#.repeat(1_000_000));
    vec![
        players("a negative count", json!(-5), |json| online(json, -5)),
        players("the largest count", json!(i64::MAX), |json| online(json, i64::MAX)),
        players("a count above i64", json!(u64::MAX), |json| online(json, i64::MAX)),
        players("ten to the three hundred", json!(1e300), |json| online(json, i64::MAX)),
        players("a fraction", json!(-0.5), |json| online(json, 0)),
        players("text for a count", json!("many"), |json| online(json, 0)),
        players("an object for a count", json!({"online": {}}), |json| online(json, 0)),
        raw("ten to the four hundred", r#"{"players":{"online":1e400}}"#, Expected::Reply(|json| online(json, 0))),
        raw(
            "a number of 90,000 digits",
            &format!(r#"{{"players":{{"online":{}}}}}"#, "9".repeat(90_000)),
            Expected::Reply(|json| online(json, 0)),
        ),
        raw("a fraction of 90,000 digits", &format!(r#"{{"x":0.{}}}"#, "9".repeat(90_000)), Expected::Reply(any_reply)),
        replies("a protocol that no version has", json!({"version": {"name": "x", "protocol": i64::MAX}}), |json| {
            assert_eq!(json["protocol"], 0, "{json}");
        }),
        replies("players that are a list", json!({"players": [1, 2, 3]}), |json| online(json, 0)),
        raw("a JSON null", "null", Expected::InvalidReply),
        raw("a JSON list", "[]", Expected::InvalidReply),
        raw("an empty object", "{}", Expected::Reply(any_reply)),
        raw("the same field twice", r#"{"players":{"online":1},"players":{"online":3}}"#, Expected::Reply(any_reply)),
        raw("data after the end", "{}{}", Expected::InvalidReply),
        raw("a list of a million players", &million, Expected::InvalidReply),
        replies("as many players as fit", player_list(900, |i| format!("Player{i:03}"), uuid), bounded),
        replies("one UUID for all players", player_list(200, |i| format!("Twin{i}"), one), bounded),
        replies("one name for all players", player_list(200, |_| "Notch".into(), uuid), bounded),
        replies("the same players as others", player_list(200, |i| format!("Shared{i}"), uuid), bounded),
        replies("adverts in the player list", player_list(50, |i| format!("§6Vote now! {i}"), |_| "x".into()), bounded),
        replies(
            "nil UUIDs",
            player_list(50, |i| format!("Nobody{i}"), |_| "00000000-0000-0000-0000-000000000000".into()),
            bounded,
        ),
        replies(
            "an object for the player list",
            json!({"players": {"online": 1, "max": 1, "sample": {"name": "x"}}}),
            any_reply,
        ),
        replies(
            "invalid entries in the player list",
            json!({"players": {"online": 1, "sample": [null, 7, "x", [], {"id": 1}]}}),
            any_reply,
        ),
    ]
}
