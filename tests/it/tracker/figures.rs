//! What is shown of a server that is asked.

use std::sync::Arc;

use rollcall_demo::fake_servers::{Host, Says};
use serde_json::{Value, json};

use super::{Ground, STEP, says, tell};
use crate::harness::{Engine, NOW};

/// The moment `rounds` rounds after the start.
fn moment(rounds: i64) -> String {
    rollcall_model::time::iso(NOW + rounds * STEP)
}

#[test]
fn shows_what_the_server_says() {
    Engine::BOTH.into_iter().for_each(shows_what_the_server_says_on);
}

fn shows_what_the_server_says_on(engine: Engine) {
    let mut ground = Ground::new(engine);
    let motd = json!({"text": "", "extra": [
        {"text": "Ember", "color": "#FF8800", "bold": true}, {"text": "fall\nzwölf 中文", "color": "gray"},
    ]});
    let icon: Arc<[u8]> = rollcall_paint::icon("Emberfall", 3).into();
    let full = Says { players: 40, motd, icon: Some(icon.clone()), ..says(40) };
    let line = ground.java("play.ember.example", full.clone());
    let slug = ground.command(&["add", "play.ember.example", "--name", "Emberfall", "--country", "de", "--tag", "pvp"]);
    assert_eq!(slug, "emberfall");
    ground.track();
    tell(&line, Some(Says { players: 60, ..full }));
    ground.round();
    ground.until("/servers", |data| data["servers"][0]["currentPlayers"] == 60);
    let shown = ground.get("/servers/emberfall");
    let server = &shown["server"];
    let expected = json!({
        "name": "Emberfall", "ip": "play.ember.example", "port": 25_565, "isOnline": true, "maxPlayers": 100,
        "version": "1.21.4", "protocol": 769, "country": "Germany", "uptime": 100.0, "tags": ["pvp"],
        "motd": "Emberfall\nzwölf 中文",
        "motdRaw": "§x§f§f§8§8§0§0§lEmber§r§7fall\nzwölf 中文",
        "latestStats": {"onlinePlayers": 60, "tps": null, "timestamp": moment(1)},
        "statsHistory": [
            {"timestamp": moment(0), "onlinePlayers": 40}, {"timestamp": moment(1), "onlinePlayers": 60},
        ],
    });
    for (field, value) in expected.as_object().unwrap() {
        // Uptime is made anew in the background of the program itself.
        if field != "uptime" {
            assert_eq!(&server[field], value, "{field}");
        }
    }
    // The first sample held until the second came; the second holds nothing yet.
    let whole = json!({"avgPlayers": 40.0, "peakPlayers": 40, "minPlayers": 40, "uptimePct": 100.0});
    for period in ["24h", "7d", "30d", "90d", "all-time"] {
        assert_eq!(server["periodStats"][period], whole, "{period}");
    }
    let list = ground.get("/servers");
    assert_eq!(list["servers"][0]["lastPing"], json!(moment(1)));
    let picture = |url: &Value| {
        let path = url.as_str().unwrap().strip_prefix(crate::harness::PUBLIC_URL).unwrap().to_owned();
        ground.server.run(ground.server.raw(reqwest::Method::GET, &path, &[])).body
    };
    // Drawn anew from its pixels, which are the same.
    assert_eq!(pixels(&picture(&server["iconUrl"])), pixels(&icon));
    let drawn = rollcall_paint::motd(server["motdRaw"].as_str().unwrap());
    assert_eq!(picture(&server["motdImageUrl"]), drawn);
    let live = ground.get("/live");
    assert_eq!(live["stats"]["totalPlayers"], 60);
    assert_eq!((&live["stats"]["latestPingAt"], &live["stats"]["stale"]), (&json!(moment(1)), &json!(false)));
    // All of them together are a sample of their own, which may come last.
    ground.until("/live/history", |data| data["history"][0]["totalPlayers"] == 40);
}

fn pixels(png: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("a picture");
    pixels
}

#[test]
fn two_failed_rounds_are_an_outage_and_one_is_none() {
    Engine::BOTH.into_iter().for_each(two_failed_rounds_are_an_outage_and_one_is_none_on);
}

fn two_failed_rounds_are_an_outage_and_one_is_none_on(engine: Engine) {
    let mut ground = Ground::new(engine);
    let line = ground.java("a.example", says(10));
    ground.java("b.example", says(5));
    ground.command(&["add", "a.example", "--name", "Alpha"]);
    ground.command(&["add", "b.example", "--name", "Beta"]);
    ground.track();
    tell(&line, None);
    // The port is closed within a second and a half.
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    ground.round();
    let after_one = ground.get("/servers/alpha");
    assert_eq!((&after_one["server"]["isOnline"], &after_one["server"]["currentPlayers"]), (&json!(true), &json!(10)));
    ground.round();
    ground.until("/servers?onlineOnly=true", |data| data["pagination"]["total"] == 1);
    let out = ground.get("/servers/alpha");
    assert_eq!(out["server"]["isOnline"], false);
    assert_eq!(out["server"]["currentPlayers"], 0);
    assert_eq!(ground.get("/live")["stats"]["onlineServers"], 1);
    let shown: Value = serde_json::from_str(&ground.command(&["show", "alpha", "--json"])).unwrap();
    assert_eq!(shown["outages"], json!([{"beganAt": moment(1), "endedAt": null, "reason": "refused"}]));
    tell(&line, Some(says(7)));
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    ground.round();
    ground.until("/servers/alpha", |data| data["server"]["isOnline"] == true);
    let shown: Value = serde_json::from_str(&ground.command(&["show", "alpha", "--json"])).unwrap();
    assert_eq!(shown["outages"], json!([{"beganAt": moment(1), "endedAt": moment(3), "reason": "refused"}]));
    // Up for one interval of three, since it was out from the first failure on.
    let stats = &ground.get("/servers/alpha")["server"]["periodStats"]["24h"];
    assert_eq!(stats, &json!({"avgPlayers": 3.33, "peakPlayers": 10, "minPlayers": 0, "uptimePct": 33.33}));
}

#[test]
fn bedrock_and_odd_figures() {
    Engine::BOTH.into_iter().for_each(bedrock_and_odd_figures_on);
}

fn bedrock_and_odd_figures_on(engine: Engine) {
    let mut ground = Ground::new(engine);
    let wild = Says { players: i64::from(i32::MAX), max_players: -1, ..says(0) };
    ground.java("wild.example", wild);
    ground.host("pocket.example", 19_132, says(3), |line| Host::bedrock([127, 0, 0, 1].into(), 0, super::source(line)));
    ground.command(&["add", "wild.example", "--name", "Wild"]);
    ground.command(&["add", "pocket.example", "--edition", "bedrock", "--name", "Pocket"]);
    ground.track();
    let wild = ground.until("/servers/wild", |data| data["server"]["isOnline"] == true);
    assert_eq!((&wild["server"]["currentPlayers"], &wild["server"]["maxPlayers"]), (&json!(1_000_000), &json!(0)));
    let shown: Value = serde_json::from_str(&ground.command(&["show", "wild", "--json"])).unwrap();
    assert_eq!(shown["note"], "says 2147483647 players, counted as 1000000; says -1 places, counted as 0");
    let pocket = ground.until("/servers/pocket", |data| data["server"]["isOnline"] == true);
    assert_eq!((&pocket["server"]["port"], &pocket["server"]["currentPlayers"]), (&json!(19_132), &json!(3)));
}
