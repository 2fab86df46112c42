//! Who is seen becomes a player, and how long he is seen a session.

use rollcall_demo::fake_servers::Says;
use serde_json::{Value, json};

use super::{Ground, STEP, says, tell};
use crate::harness::{Engine, NOW};

const NOTCH: &str = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
const JEB: &str = "853c80ef-3c37-49fd-aa49-938b674adae6";

fn with(players: i64, sample: &[(&str, &str)]) -> Option<Says> {
    let sample = sample.iter().map(|(name, uuid)| ((*name).to_owned(), (*uuid).to_owned())).collect();
    Some(Says { sample, ..says(players) })
}

fn moment(rounds: i64) -> Value {
    json!(rollcall_model::time::iso(NOW + rounds * STEP))
}

fn sessions(player: &Value) -> Vec<(Value, Value, Value)> {
    let sessions = player["player"]["recentSessions"].as_array().expect("sessions");
    sessions.iter().map(|s| (s["joinedAt"].clone(), s["leftAt"].clone(), s["totalPlayTime"].clone())).collect()
}

#[test]
fn players_in_samples_have_sessions() {
    Engine::BOTH.into_iter().for_each(players_in_samples_have_sessions_on);
}

fn players_in_samples_have_sessions_on(engine: Engine) {
    let mut ground = Ground::new(engine);
    let adverts = [("§6Vote!", "00000000-0000-0000-0000-000000000000"), ("Notch", NOTCH), ("play.a.example", JEB)];
    let line = ground.java("a.example", with(1, &adverts).unwrap());
    ground.command(&["add", "a.example", "--name", "Alpha"]);
    ground.track();
    ground.rounds(2);
    let notch = ground.until("/players/Notch", |data| data["player"]["totalPlayTime"] == 2 * STEP / 1000);
    assert_eq!(sessions(&notch), [(moment(0), moment(2), json!(2 * STEP / 1000))]);
    let player = &notch["player"];
    assert_eq!((&player["gameUuid"], &player["sessionCount"]), (&json!(NOTCH), &json!(1)));
    assert_eq!((&player["nicknameHistory"], &player["createdAt"]), (&json!(["Notch"]), &moment(0)));
    assert_eq!(ground.get("/players")["pagination"]["total"], 1, "adverts are nobody");
    assert_eq!(ground.get("/live")["stats"]["newPlayersToday"], 1);
    // The list is whole, so whoever is missing for three rounds has left; a shorter absence is none.
    tell(&line, with(1, &[("jeb_", JEB)]));
    ground.round();
    tell(&line, with(2, &[("jeb_", JEB), ("Notch", NOTCH)]));
    ground.round();
    let notch = ground.until("/players/Notch", |data| data["player"]["totalPlayTime"] == 4 * STEP / 1000);
    assert_eq!(sessions(&notch).len(), 1);
    tell(&line, with(1, &[("jeb_", JEB)]));
    ground.rounds(4);
    tell(&line, with(2, &[("jeb_", JEB), ("Notch", NOTCH)]));
    ground.round();
    let notch = ground.until("/players/Notch", |data| data["player"]["sessionCount"] == 2);
    let expected = [(moment(9), moment(9), json!(0)), (moment(0), moment(4), json!(4 * STEP / 1000))];
    assert_eq!(sessions(&notch), expected);
    let skins = ground.get("/skins?search=default");
    let worn: i64 = skins["skins"].as_array().unwrap().iter().map(|skin| skin["usageCount"].as_i64().unwrap()).sum();
    assert_eq!(worn, 2, "both wear a built-in skin");
}

#[test]
fn names_change_and_lists_without_ids_find_who_is_known() {
    Engine::BOTH.into_iter().for_each(names_change_and_lists_without_ids_find_who_is_known_on);
}

fn names_change_and_lists_without_ids_find_who_is_known_on(engine: Engine) {
    let mut ground = Ground::new(engine);
    let line = ground.java("a.example", with(2, &[("Notch", NOTCH)]).unwrap());
    ground.java("q.example", with(2, &[]).unwrap());
    let list = std::sync::Arc::new(std::sync::Mutex::new(with(2, &[("notch", ""), ("Stranger", "")])));
    ground.query("q.example", &list);
    ground.command(&["add", "a.example", "--name", "Alpha"]);
    ground.track();
    ground.command(&["add", "q.example", "--name", "Queried", "--query-port", "25565"]);
    ground.rounds(2);
    let notch = ground.until("/players/Notch", |data| data["player"]["serversPlayed"].as_array().unwrap().len() == 2);
    assert_eq!(notch["player"]["gameUuid"], NOTCH);
    assert_eq!(ground.get("/players")["pagination"]["total"], 2);
    // A name lasts 30 days, whatever a server says.
    tell(&line, with(2, &[("Markus", NOTCH)]));
    ground.round();
    assert_eq!(ground.get("/players/Notch")["player"]["nicknameHistory"], json!(["Notch"]));
    ground.clock().set(ground.clock().now() + 31 * 86_400_000);
    ground.settle();
    let markus = ground.until("/players/Markus", |data| data["player"]["gameUuid"] == NOTCH);
    assert_eq!(markus["player"]["nicknameHistory"], json!(["Notch", "Markus"]));
}

#[test]
fn what_happens_on_an_unlisted_server_shows_nowhere() {
    Engine::BOTH.into_iter().for_each(what_happens_on_an_unlisted_server_shows_nowhere_on);
}

fn what_happens_on_an_unlisted_server_shows_nowhere_on(engine: Engine) {
    let mut ground = Ground::new(engine);
    ground.java("a.example", with(1, &[("Notch", NOTCH)]).unwrap());
    ground.command(&["add", "a.example", "--name", "Alpha", "--visibility", "unlisted"]);
    ground.track();
    ground.rounds(2);
    let notch = ground.until("/players/Notch", |_| true);
    assert_eq!((&notch["player"]["totalPlayTime"], &notch["player"]["sessionCount"]), (&json!(0), &json!(0)));
    assert_eq!(sessions(&notch), []);
    assert_eq!(ground.get("/live")["stats"]["totalPlayers"], 0);
    ground.command(&["set", "alpha", "--visibility", "public"]);
    let notch = ground.until("/players/Notch", |data| data["player"]["sessionCount"] == 1);
    assert_eq!(notch["player"]["totalPlayTime"], 2 * STEP / 1000);
}
