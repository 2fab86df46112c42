//! Figures and lists that cannot be.

use serde_json::{Value, json};

use super::{End, Kind, borne, java, says};
use crate::hostile::host::Tcp;
use crate::hostile::wire::status;

fn players(name: &'static str, online: Value, held: fn(&Value)) -> Kind {
    says(name, json!({"players": {"online": online.clone(), "max": online}}), held)
}

fn raw(name: &'static str, json: &str, end: End) -> Kind {
    java(name, Tcp::Says(status(json.as_bytes())), end)
}

fn online(json: &Value, count: i64) {
    assert_eq!(json["players"], count, "{json}");
}

/// Lines of a list, of so many players.
fn crowd(count: usize, name: impl Fn(usize) -> String, id: impl Fn(usize) -> String) -> Value {
    let lines: Vec<Value> = (0..count).map(|i| json!({"name": name(i), "id": id(i)})).collect();
    json!({"players": {"online": 1_000_000, "max": 1, "sample": lines}})
}

fn bounded(json: &Value) {
    let count = json["sample"].as_array().expect("a list").len();
    assert!((1..=200).contains(&count), "{count}");
}

pub fn kinds() -> Vec<Kind> {
    let uuid = |i: usize| format!("{:08x}-0000-4000-8000-{:012x}", i * 7919, i);
    let one = |_: usize| "069a79f4-44e9-4726-a5be-fca90e38aaf5".to_owned();
    let million = format!(r#"{{"players":{{"sample":[{}0]}}}}"#, r#"{"name":"p"},"#.repeat(1_000_000));
    vec![
        players("fewer than nobody", json!(-5), |json| online(json, -5)),
        players("as many as a number holds", json!(i64::MAX), |json| online(json, i64::MAX)),
        players("more than a number holds", json!(u64::MAX), |json| online(json, i64::MAX)),
        players("ten to the three hundred", json!(1e300), |json| online(json, i64::MAX)),
        players("a fraction", json!(-0.5), |json| online(json, 0)),
        players("words for figures", json!("many"), |json| online(json, 0)),
        players("an object for a figure", json!({"online": {}}), |json| online(json, 0)),
        raw("ten to the four hundred", r#"{"players":{"online":1e400}}"#, End::Told(|json| online(json, 0))),
        raw(
            "a number of 90,000 digits",
            &format!(r#"{{"players":{{"online":{}}}}}"#, "9".repeat(90_000)),
            End::Told(|json| online(json, 0)),
        ),
        raw("a fraction of 90,000 digits", &format!(r#"{{"x":0.{}}}"#, "9".repeat(90_000)), End::Told(borne)),
        says("a protocol that no version has", json!({"version": {"name": "x", "protocol": i64::MAX}}), |json| {
            assert_eq!(json["protocol"], 0, "{json}");
        }),
        says("players that are a list", json!({"players": [1, 2, 3]}), |json| online(json, 0)),
        raw("nothing", "null", End::Strange),
        raw("a list", "[]", End::Strange),
        raw("an empty object", "{}", End::Told(borne)),
        raw("the same field twice", r#"{"players":{"online":1},"players":{"online":3}}"#, End::Told(borne)),
        raw("more after the end", "{}{}", End::Strange),
        raw("a list of a million players", &million, End::Strange),
        says("as many players as fit", crowd(900, |i| format!("Player{i:03}"), uuid), bounded),
        says("one id for all", crowd(200, |i| format!("Twin{i}"), one), bounded),
        says("one name for all", crowd(200, |_| "Notch".into(), uuid), bounded),
        says("the same players as others", crowd(200, |i| format!("Shared{i}"), uuid), bounded),
        says("adverts for players", crowd(50, |i| format!("§6Vote now! {i}"), |_| "x".into()), bounded),
        says(
            "ids of nobody",
            crowd(50, |i| format!("Nobody{i}"), |_| "00000000-0000-0000-0000-000000000000".into()),
            bounded,
        ),
        says("a list that is none", json!({"players": {"online": 1, "max": 1, "sample": {"name": "x"}}}), borne),
        says("lines that are none", json!({"players": {"online": 1, "sample": [null, 7, "x", [], {"id": 1}]}}), borne),
    ]
}
