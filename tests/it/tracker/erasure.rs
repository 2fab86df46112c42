//! Neither a ping nor a report brings back a player who opted out.

use rollcall_model::time::SECOND;
use serde_json::json;

use super::TrackerFixture;
use super::players::{JEB, NOTCH, playing, with};
use crate::harness::Engine;

#[test]
fn a_player_who_opted_out_stays_out() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let both = [("Notch", NOTCH), ("jeb_", JEB)];
        fixture.java("a.example", with(2, &both).expect("a status"));
        fixture.command(&["add", "a.example", "--name", "Alpha"]);
        let token = fixture.command(&["token", "alpha"]);
        fixture.track();
        fixture.polls(2);
        fixture.until("/players/Notch", |data| data["player"]["sessionCount"] == 1);
        let erased = fixture.store().rollcall(&["player", "erase", "notch", "--yes"]);
        assert!(erased.status.success(), "{}", String::from_utf8_lossy(&erased.stderr));
        fixture.until("/players", |data| data["pagination"]["total"] == 1);
        // The same list again, by a ping and by a report.
        fixture.polls(3);
        let listed: Vec<_> = both.iter().map(|(name, uuid)| json!({"name": name, "uuid": uuid})).collect();
        let moves = json!([{"name": "Notch", "uuid": NOTCH, "ago": 5}]);
        let counters = json!([{"name": "Notch", "uuid": NOTCH, "counters": {"kills": 3}}]);
        assert_eq!(fixture.report(&token, &json!({"players": listed, "joins": moves})).data()["players"], 1);
        fixture.advance(10 * SECOND);
        assert_eq!(fixture.report(&token, &json!({"players": counters})).data()["players"], 0);
        // Until lists of pings count again.
        fixture.polls(3);
        fixture.until("/players/jeb_", |data| data["player"]["totalPlayTime"].as_i64() > Some(0));
        let list = fixture.get("/players");
        assert_eq!(list["pagination"]["total"], 1, "{list}");
        for id in ["Notch", NOTCH] {
            assert_eq!(fixture.server.run(fixture.server.get(&format!("/players/{id}"))).status, 404);
        }
        assert_eq!(playing(&fixture), ["jeb_"]);
        // The server's own figures still count both.
        assert_eq!(fixture.get("/servers/alpha")["server"]["currentPlayers"], 2);
        let stored = fixture.store().change(|conn| {
            conn.query_one(
                "select (select count(*) from players) + (select count(*) from reported_names)",
                &[],
                |row| row.get::<i64>(0),
            )
        });
        assert_eq!(stored, 2, "one player with one reported name");
    }
}

#[test]
fn a_name_without_an_id_does_not_bring_a_player_back() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let server = fixture.java("a.example", with(1, &[("Notch", NOTCH)]).expect("a status"));
        fixture.command(&["add", "a.example", "--name", "Alpha"]);
        fixture.track();
        fixture.until("/players/Notch", |data| data["player"]["gameUuid"] == NOTCH);
        let erased = fixture.store().rollcall(&["player", "erase", NOTCH, "--yes"]);
        assert!(erased.status.success());
        let nil = "00000000-0000-0000-0000-000000000000";
        fixture.set_reply(&server, with(2, &[("NOTCH", nil), ("Someone", JEB)]));
        fixture.polls(2);
        fixture.until("/players", |data| data["players"][0]["mainNickname"] == "Someone");
        assert_eq!(fixture.get("/players")["pagination"]["total"], 1);
        // Another person may have the name by now.
        fixture.set_reply(&server, with(2, &[("Notch", "11111111-2222-4333-8444-555555555555"), ("Someone", JEB)]));
        fixture.polls(1);
        fixture.until("/players/Notch", |data| data["player"]["gameUuid"] == "11111111-2222-4333-8444-555555555555");
    }
}
