//! Listed players become players of the API, and the time they are listed becomes sessions.

use rollcall_demo::fake_servers::FakeStatus;
use serde_json::{Value, json};

use super::{STEP, TrackerFixture, says};
use crate::harness::{Engine, NOW};

pub const NOTCH: &str = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
pub const JEB: &str = "853c80ef-3c37-49fd-aa49-938b674adae6";

pub fn with(players: i64, sample: &[(&str, &str)]) -> Option<FakeStatus> {
    let sample = sample.iter().map(|(name, uuid)| ((*name).to_owned(), (*uuid).to_owned())).collect();
    Some(FakeStatus { sample, ..says(players) })
}

/// The time of the poll with this number.
fn time_of(poll: i64) -> Value {
    json!(rollcall_model::time::iso(NOW + poll * STEP))
}

fn sessions(player: &Value) -> Vec<(Value, Value, Value)> {
    let sessions = player["player"]["recentSessions"].as_array().expect("sessions");
    sessions.iter().map(|s| (s["joinedAt"].clone(), s["leftAt"].clone(), s["totalPlayTime"].clone())).collect()
}

/// The players that the page of the only server shows as playing now.
pub fn playing(fixture: &TrackerFixture) -> Vec<String> {
    let conn = &mut fixture.store().conn();
    let players = rollcall_store::server_presence::players(conn, 1, fixture.clock().now()).expect("the players");
    players.into_iter().map(|player| player.nickname).collect()
}

#[test]
fn listed_players_have_sessions() {
    Engine::BOTH.into_iter().for_each(listed_players_have_sessions_on);
}

fn listed_players_have_sessions_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    let adverts = [("§6Vote!", "00000000-0000-0000-0000-000000000000"), ("Notch", NOTCH), ("play.a.example", JEB)];
    let server = fixture.java("a.example", with(1, &adverts).unwrap());
    fixture.command(&["add", "a.example", "--name", "Alpha"]);
    fixture.track();
    fixture.polls(2);
    let notch = fixture.until("/players/Notch", |data| data["player"]["totalPlayTime"] == 2 * STEP / 1000);
    assert_eq!(sessions(&notch), [(time_of(0), time_of(2), json!(2 * STEP / 1000))]);
    let player = &notch["player"];
    assert_eq!((&player["gameUuid"], &player["sessionCount"]), (&json!(NOTCH), &json!(1)));
    assert_eq!((&player["nicknameHistory"], &player["createdAt"]), (&json!(["Notch"]), &time_of(0)));
    assert_eq!(fixture.get("/players")["pagination"]["total"], 1, "adverts are not players");
    assert_eq!(fixture.get("/live")["stats"]["newPlayersToday"], 1);
    assert_eq!(playing(&fixture), ["Notch"]);
    // The list is complete, so a player who is missing from three polls has left. A shorter gap does not end the session.
    fixture.set_reply(&server, with(1, &[("jeb_", JEB)]));
    fixture.poll();
    fixture.set_reply(&server, with(2, &[("jeb_", JEB), ("Notch", NOTCH)]));
    fixture.poll();
    let notch = fixture.until("/players/Notch", |data| data["player"]["totalPlayTime"] == 4 * STEP / 1000);
    assert_eq!(sessions(&notch).len(), 1);
    fixture.set_reply(&server, with(1, &[("jeb_", JEB)]));
    fixture.polls(4);
    fixture.set_reply(&server, with(2, &[("jeb_", JEB), ("Notch", NOTCH)]));
    fixture.poll();
    let notch = fixture.until("/players/Notch", |data| data["player"]["sessionCount"] == 2);
    let expected = [(time_of(9), time_of(9), json!(0)), (time_of(0), time_of(4), json!(4 * STEP / 1000))];
    assert_eq!(sessions(&notch), expected);
    assert_eq!(playing(&fixture), ["jeb_", "Notch"]);
    fixture.set_reply(&server, None);
    fixture.polls(3);
    assert!(playing(&fixture).is_empty(), "the server is offline");
    let skins = fixture.get("/skins?search=default");
    let worn: i64 = skins["skins"].as_array().unwrap().iter().map(|skin| skin["usageCount"].as_i64().unwrap()).sum();
    assert_eq!(worn, 2, "both players wear a built-in skin");
}

#[test]
fn nicknames_change_and_lists_without_uuids_match_known_players() {
    Engine::BOTH.into_iter().for_each(nicknames_change_and_lists_without_uuids_match_known_players_on);
}

fn nicknames_change_and_lists_without_uuids_match_known_players_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    let server = fixture.java("a.example", with(2, &[("Notch", NOTCH)]).unwrap());
    fixture.query("a.example", with(2, &[("notch", ""), ("Stranger", "")]).unwrap());
    fixture.command(&["add", "a.example", "--name", "Alpha"]);
    fixture.track();
    // From now on the name comes without the UUID; the server is known to mean this player.
    fixture.command(&["set", "alpha", "--query-port", "25565"]);
    fixture.set_reply(&server, with(2, &[]));
    fixture.polls(2);
    let notch = fixture.until("/players/Notch", |data| data["player"]["totalPlayTime"] == 2 * STEP / 1000);
    assert_eq!(notch["player"]["gameUuid"], NOTCH);
    assert_eq!(fixture.get("/players")["pagination"]["total"], 2);
    fixture.command(&["set", "alpha", "--query-port", "0"]);
    // A nickname lasts 30 days, whatever a server says.
    fixture.set_reply(&server, with(2, &[("Markus", NOTCH)]));
    fixture.poll();
    assert_eq!(fixture.get("/players/Notch")["player"]["nicknameHistory"], json!(["Notch"]));
    // Earlier versions imported players without their current nickname.
    fixture.store().change(|conn| conn.execute("delete from player_nicknames", &[]).map(drop));
    fixture.clock().set(fixture.clock().now() + 31 * 86_400_000);
    assert_eq!(fixture.get("/players/Notch")["player"]["nicknameHistory"], json!(["Notch"]));
    fixture.settle();
    let markus = fixture.until("/players/Markus", |data| data["player"]["gameUuid"] == NOTCH);
    assert_eq!(markus["player"]["nicknameHistory"], json!(["Notch", "Markus"]));
}

#[test]
fn an_unlisted_server_adds_nothing_to_public_totals() {
    Engine::BOTH.into_iter().for_each(an_unlisted_server_adds_nothing_to_public_totals_on);
}

fn an_unlisted_server_adds_nothing_to_public_totals_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    fixture.java("a.example", with(1, &[("Notch", NOTCH)]).unwrap());
    fixture.command(&["add", "a.example", "--name", "Alpha", "--visibility", "unlisted"]);
    fixture.track();
    fixture.polls(2);
    let notch = fixture.until("/players/Notch", |_| true);
    assert_eq!((&notch["player"]["totalPlayTime"], &notch["player"]["sessionCount"]), (&json!(0), &json!(0)));
    assert_eq!(sessions(&notch), []);
    assert_eq!(fixture.get("/live")["stats"]["totalPlayers"], 0);
    fixture.command(&["set", "alpha", "--visibility", "public"]);
    let notch = fixture.until("/players/Notch", |data| data["player"]["sessionCount"] == 1);
    assert_eq!(notch["player"]["totalPlayTime"], 2 * STEP / 1000);
}
