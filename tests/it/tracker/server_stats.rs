//! What the API shows of a polled server.

use std::sync::Arc;

use rollcall_demo::fake_servers::FakeStatus;
use serde_json::{Value, json};

use super::{STEP, TrackerFixture, says};
use crate::harness::{Engine, NOW};

/// The time of the poll with this number.
fn time_of(poll: i64) -> String {
    rollcall_model::time::iso(NOW + poll * STEP)
}

#[test]
fn the_api_shows_what_the_server_replies() {
    Engine::BOTH.into_iter().for_each(the_api_shows_what_the_server_replies_on);
}

fn the_api_shows_what_the_server_replies_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    let motd = json!({"text": "", "extra": [
        {"text": "Ember", "color": "#FF8800", "bold": true}, {"text": "fall\nzwölf 中文", "color": "gray"},
    ]});
    let icon: Arc<[u8]> = rollcall_paint::icon("Emberfall", 3).into();
    let full = FakeStatus { players: 40, motd, icon: Some(icon.clone()), ..says(40) };
    let fake = fixture.java("play.ember.example", full.clone());
    let slug =
        fixture.command(&["add", "play.ember.example", "--name", "Emberfall", "--country", "de", "--tag", "pvp"]);
    assert_eq!(slug, "emberfall");
    fixture.track();
    fixture.settle_totals();
    fixture.set_reply(&fake, Some(FakeStatus { players: 60, ..full }));
    fixture.poll();
    fixture.until("/servers", |data| data["servers"][0]["currentPlayers"] == 60);
    let shown = fixture.get("/servers/emberfall");
    let server = &shown["server"];
    let expected = json!({
        "name": "Emberfall", "ip": "play.ember.example", "port": 25_565, "isOnline": true, "maxPlayers": 100,
        "version": "1.21.4", "protocol": 769, "country": "Germany", "uptime": 100.0, "tags": ["pvp"],
        "motd": "Emberfall\nzwölf 中文",
        "motdRaw": "§x§f§f§8§8§0§0§lEmber§r§7fall\nzwölf 中文",
        "latestStats": {"onlinePlayers": 60, "tps": null, "timestamp": time_of(1)},
        "statsHistory": [
            {"timestamp": time_of(0), "onlinePlayers": 40}, {"timestamp": time_of(1), "onlinePlayers": 60},
        ],
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&server[field], value, "{field}");
    }
    // Only the first sample covers any time yet.
    let whole = json!({"avgPlayers": 40.0, "peakPlayers": 40, "minPlayers": 40, "uptimePct": 100.0});
    for period in ["24h", "7d", "30d", "90d", "all-time"] {
        assert_eq!(server["periodStats"][period], whole, "{period}");
    }
    let list = fixture.get("/servers");
    assert_eq!(list["servers"][0]["lastPing"], json!(time_of(1)));
    let picture = |url: &Value| {
        let path = url.as_str().unwrap().strip_prefix(crate::harness::PUBLIC_URL).unwrap().to_owned();
        fixture.server.run(fixture.server.raw(reqwest::Method::GET, &path, &[])).body
    };
    // The icon is re-encoded; its pixels stay the same.
    assert_eq!(pixels(&picture(&server["iconUrl"])), pixels(&icon));
    let drawn = rollcall_paint::motd(server["motdRaw"].as_str().unwrap());
    assert_eq!(picture(&server["motdImageUrl"]), drawn);
    let live = fixture.get("/live");
    assert_eq!(live["stats"]["totalPlayers"], 60);
    assert_eq!((&live["stats"]["latestPingAt"], &live["stats"]["stale"]), (&json!(time_of(1)), &json!(false)));
    // The total over all servers is a sample of its own, which may be stored last.
    fixture.until("/live/history", |data| data["history"][0]["totalPlayers"] == 40);
}

fn pixels(png: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("a picture");
    pixels
}

#[test]
fn two_failed_polls_are_an_outage_and_one_is_not() {
    Engine::BOTH.into_iter().for_each(two_failed_polls_are_an_outage_and_one_is_not_on);
}

fn two_failed_polls_are_an_outage_and_one_is_not_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    let server = fixture.java("a.example", says(10));
    fixture.java("b.example", says(5));
    fixture.command(&["add", "a.example", "--name", "Alpha"]);
    fixture.command(&["add", "b.example", "--name", "Beta"]);
    fixture.track();
    fixture.set_reply(&server, None);
    fixture.poll();
    let after_one = fixture.get("/servers/alpha");
    assert_eq!((&after_one["server"]["isOnline"], &after_one["server"]["currentPlayers"]), (&json!(true), &json!(10)));
    fixture.poll();
    fixture.until("/servers?onlineOnly=true", |data| data["pagination"]["total"] == 1);
    let out = fixture.get("/servers/alpha");
    assert_eq!(out["server"]["isOnline"], false);
    assert_eq!(out["server"]["currentPlayers"], 0);
    assert_eq!(fixture.get("/live")["stats"]["onlineServers"], 1);
    let shown: Value = serde_json::from_str(&fixture.command(&["show", "alpha", "--json"])).unwrap();
    assert_eq!(shown["outages"], json!([{"beganAt": time_of(1), "endedAt": null, "reason": "refused"}]));
    fixture.set_reply(&server, Some(says(7)));
    fixture.poll();
    fixture.until("/servers/alpha", |data| data["server"]["isOnline"] == true);
    let shown: Value = serde_json::from_str(&fixture.command(&["show", "alpha", "--json"])).unwrap();
    assert_eq!(shown["outages"], json!([{"beganAt": time_of(1), "endedAt": time_of(3), "reason": "refused"}]));
    // Online for one of three intervals: the outage began with the first failed poll.
    let stats = &fixture.get("/servers/alpha")["server"]["periodStats"]["24h"];
    assert_eq!(stats, &json!({"avgPlayers": 3.33, "peakPlayers": 10, "minPlayers": 0, "uptimePct": 33.33}));
}

#[test]
fn bedrock_servers_and_out_of_range_counts() {
    Engine::BOTH.into_iter().for_each(bedrock_servers_and_out_of_range_counts_on);
}

fn bedrock_servers_and_out_of_range_counts_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    let wild = FakeStatus { players: i64::from(i32::MAX), max_players: -1, ..says(0) };
    fixture.java("wild.example", wild);
    fixture.bedrock("pocket.example", says(3));
    fixture.command(&["add", "wild.example", "--name", "Wild"]);
    fixture.command(&["add", "pocket.example", "--edition", "bedrock", "--name", "Pocket"]);
    fixture.track();
    let wild = fixture.until("/servers/wild", |data| data["server"]["isOnline"] == true);
    assert_eq!((&wild["server"]["currentPlayers"], &wild["server"]["maxPlayers"]), (&json!(1_000), &json!(0)));
    let shown: Value = serde_json::from_str(&fixture.command(&["show", "wild", "--json"])).unwrap();
    assert_eq!(
        shown["note"],
        "reports 2147483647 players, counted as 1000000; reports -1 slots, counted as 0; \
         reports 1000000 players, not counted: far above its history"
    );
    let pocket = fixture.until("/servers/pocket", |data| data["server"]["isOnline"] == true);
    assert_eq!((&pocket["server"]["port"], &pocket["server"]["currentPlayers"]), (&json!(19_132), &json!(3)));
}

#[test]
fn an_offline_server_has_no_tps_and_keeps_its_latency() {
    Engine::BOTH.into_iter().for_each(an_offline_server_has_no_tps_and_keeps_its_latency_on);
}

fn an_offline_server_has_no_tps_and_keeps_its_latency_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    let server = fixture.java("a.example", says(10));
    // Stays online: if no server replies, the tracker assumes that it is cut off itself.
    fixture.java("b.example", says(5));
    fixture.command(&["add", "a.example", "--name", "Alpha"]);
    fixture.command(&["add", "b.example", "--name", "Beta"]);
    fixture.command(&["add", "never.example", "--name", "Never"]);
    let token = fixture.command(&["token", "alpha"]);
    fixture.track();
    assert_eq!(fixture.report(&token, &json!({"tps": 19.5})).status, 200);
    fixture.until("/servers/alpha", |data| data["server"]["latestStats"]["tps"] == 19.5);
    let shown = |slug: &str| fixture.get(&format!("/servers/{slug}"))["server"]["latestStats"].clone();
    let latency = |name: &str| {
        let list = fixture.get("/servers");
        let listed = list["servers"].as_array().unwrap().iter().find(|server| server["name"] == name).cloned();
        listed.expect("both are listed")["latency"].as_i64().expect("a number")
    };
    assert_eq!(shown("alpha"), json!({"onlinePlayers": 10, "tps": 19.5, "timestamp": time_of(0)}));
    fixture.set_reply(&server, None);
    fixture.poll();
    fixture.poll();
    fixture.until("/servers?onlineOnly=true", |data| data["pagination"]["total"] == 1);
    assert_eq!(shown("alpha"), json!({"onlinePlayers": 0, "tps": null, "timestamp": time_of(2)}));
    // It replied once, if only within a millisecond; the other server never did.
    assert!(latency("Alpha") >= 1);
    assert_eq!((shown("never")["tps"].clone(), latency("Never")), (Value::Null, 0));
    fixture.set_reply(&server, Some(says(7)));
    fixture.poll();
    fixture.until("/servers/alpha", |data| data["server"]["isOnline"] == true);
    assert_eq!(shown("alpha"), json!({"onlinePlayers": 7, "tps": null, "timestamp": time_of(3)}));
}

#[test]
fn a_server_that_sleeps_at_its_host_is_offline() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let server = fixture.java("a.example", says(0));
        fixture.java("b.example", says(5));
        fixture.command(&["add", "a.example", "--name", "Alpha"]);
        fixture.command(&["add", "b.example", "--name", "Beta"]);
        fixture.track();
        fixture.until("/servers/alpha", |data| data["server"]["isOnline"] == true);
        let asleep = FakeStatus {
            version: "§4● Offline".into(),
            motd: json!("§cThis server is offline.\n§7Powered by aternos.org"),
            // Tells the fixture that the fake server has changed; the list has nobody else.
            sample: vec![("x".into(), "00000000-0000-0000-0000-000000000000".into())],
            ..says(0)
        };
        fixture.set_reply(&server, Some(asleep));
        fixture.polls(2);
        fixture.until("/servers/alpha", |data| data["server"]["isOnline"] == false);
        assert!(fixture.command(&["show", "alpha"]).contains("asleep at its host"), "{engine:?}");
    }
}
