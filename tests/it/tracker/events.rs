//! Events that pings and reports cause, from fake game servers to the API.

use rollcall_model::time::{DAY, HOUR, MINUTE, iso};
use rollcall_store::Conn;
use serde_json::{Value, json};

use super::players::{JEB, NOTCH, with};
use super::{TrackerFixture, says};
use crate::harness::Engine;

/// The types and data of events, oldest first.
fn told(data: &Value) -> Vec<(String, Value)> {
    let events = data["events"].as_array().expect("events");
    events.iter().map(|event| (event["type"].as_str().expect("a type").to_owned(), event["data"].clone())).collect()
}

fn types(data: &Value) -> Vec<String> {
    told(data).into_iter().map(|(kind, _)| kind).collect()
}

#[test]
fn pings_tell_when_a_server_comes_and_goes_and_what_changes() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let alpha = fixture.java("a.example", says(10));
        fixture.command(&["add", "a.example", "--name", "Alpha"]);
        fixture.track();
        let first = fixture.until("/events", |data| !data["events"].as_array().unwrap().is_empty());
        assert_eq!(told(&first), [("server.online".to_owned(), json!({"offlineSince": null}))], "{engine:?}");
        let after = |cursor: &Value| format!("/events?after={}", cursor.as_str().unwrap());
        let cursor = &first["next"];
        // Nothing changes.
        fixture.polls(2);
        assert_eq!(fixture.get(&after(cursor))["events"], json!([]));
        // A response is cached until the store changes, so each of these waits.
        let events =
            |path: &str, count: usize| fixture.until(path, |data| data["events"].as_array().unwrap().len() == count);
        let newer = rollcall_demo::fake_servers::FakeStatus { version: "1.21.5".into(), ..says(30) };
        fixture.set_reply(&alpha, Some(newer));
        fixture.advance(HOUR);
        fixture.poll();
        let changed = events(&after(cursor), 2);
        assert_eq!(
            told(&changed),
            [
                ("server.version".to_owned(), json!({"version": "1.21.5", "previousVersion": "1.21.4"})),
                ("server.peak".to_owned(), json!({"players": 30, "previousPlayers": 10})),
            ],
            "{engine:?}"
        );
        fixture.set_reply(&alpha, None);
        fixture.polls(2);
        let down = events(&after(&changed["next"]), 1);
        assert_eq!(types(&down), ["server.offline"]);
        assert_eq!(down["events"][0]["data"]["reason"], "refused");
        assert_eq!(down["events"][0]["server"]["slug"], "alpha");
        fixture.set_reply(&alpha, Some(says(5)));
        fixture.polls(1);
        let up = events(&after(&down["next"]), 2);
        assert_eq!(types(&up), ["server.online", "server.version"], "{engine:?}");
        assert_eq!(up["events"][0]["data"]["offlineSince"], down["events"][0]["data"]["unreachableSince"]);
        assert_eq!(types(&events("/events?type=server.offline,server.peak", 2)), ["server.peak", "server.offline"]);
        // Hidden at once.
        fixture.command(&["set", "alpha", "--visibility", "hidden"]);
        events("/events", 0);
    }
}

#[test]
fn reports_tell_who_joins_and_leaves_in_turn() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(2);
        let notch = json!({"name": "Notch", "uuid": NOTCH});
        let jeb = json!({"name": "jeb_", "uuid": JEB});
        let send = |body: Value| assert_eq!(fixture.report(&token, &body).status, 200, "{body}");
        send(json!({"players": [notch, jeb]}));
        fixture.advance(MINUTE);
        send(json!({
            "players": [notch, jeb],
            "leaves": [{"name": "Notch", "uuid": NOTCH, "ago": 50}], "joins": [{"name": "Notch", "uuid": NOTCH, "ago": 20}],
        }));
        fixture.advance(MINUTE);
        send(json!({"players": [jeb]}));
        let players = fixture
            .until("/events?type=player.joined,player.left", |data| data["events"].as_array().unwrap().len() == 5);
        let moves: Vec<String> = players["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| {
                format!("{} {}", event["type"].as_str().unwrap(), event["player"]["nickname"].as_str().unwrap())
            })
            .collect();
        assert_eq!(
            moves[..2].iter().map(String::as_str).collect::<std::collections::BTreeSet<_>>(),
            ["player.joined Notch", "player.joined jeb_"].into(),
            "{engine:?}"
        );
        assert_eq!(moves[2..], ["player.left Notch", "player.joined Notch", "player.left Notch"], "{engine:?}");
        assert_eq!(types(&fixture.get("/events?player=Notch")).len(), 4);
        assert_eq!(types(&fixture.get("/events?player=Notch&server=alpha&type=player.left")).len(), 2);
        // A page at a time: every event once.
        let mut seen: Vec<String> = Vec::new();
        let first = |conn: &mut Conn| conn.query_one("select min(n) - 1 from events", &[], |row| row.get::<i64>(0));
        let mut cursor = rollcall_model::event::id(fixture.store().change(first));
        loop {
            let page = fixture.get(&format!("/events?limit=2&after={cursor}"));
            let events = page["events"].as_array().unwrap();
            if events.is_empty() {
                break;
            }
            seen.extend(events.iter().map(|event| event["id"].as_str().unwrap().to_owned()));
            cursor = page["next"].as_str().unwrap().to_owned();
        }
        let all = fixture.get("/events?limit=100");
        let ids: Vec<String> =
            all["events"].as_array().unwrap().iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(seen, ids, "{engine:?}");
        assert!(ids.is_sorted());
        // A player who opts out disappears.
        assert!(fixture.store().rollcall(&["player", "erase", "Notch", "--yes"]).status.success());
        fixture.until("/events?type=player.joined,player.left", |data| types(data) == ["player.joined"]);
    }
}

#[test]
fn a_new_nickname_is_one_event() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let alpha = fixture.java("a.example", with(2, &[("Notch", NOTCH)]).unwrap());
        fixture.command(&["add", "a.example", "--name", "Alpha"]);
        fixture.track();
        fixture.until("/players/Notch", |data| data["player"]["gameUuid"] == NOTCH);
        fixture.set_reply(&alpha, with(2, &[("Markus", NOTCH)]));
        fixture.advance(31 * DAY);
        fixture.settle();
        let renamed =
            fixture.until("/events?type=player.renamed", |data| !data["events"].as_array().unwrap().is_empty());
        let player = fixture.get("/players/Markus")["player"].clone();
        let mut event = renamed["events"][0].clone();
        event.as_object_mut().unwrap().remove("id");
        assert_eq!(
            (renamed["events"].as_array().unwrap().len(), event),
            (
                1,
                json!({
                    "type": "player.renamed",
                    "at": iso(fixture.clock().now()),
                    "server": null,
                    "player": {"id": player["id"], "gameUuid": NOTCH, "nickname": "Markus"},
                    "data": {"nickname": "Markus", "previousNickname": "Notch"},
                })
            ),
            "{engine:?}"
        );
        fixture.poll();
        assert_eq!(types(&fixture.get("/events?type=player.renamed")).len(), 1);
    }
}
