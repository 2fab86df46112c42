//! What a hostile server can say about players: it takes over no one, adds no play time beyond the clock, and renames no one
//! whom another server still reports.

use rollcall_demo::fake_servers::{FakeServer, FakeStatus};
use rollcall_model::score::{RankInput, rank_score};
use rollcall_store::values;
use serde_json::{Value, json};

use super::players::{JEB, NOTCH, with};
use super::{ControlledServer, STEP, TrackerFixture, source};
use crate::harness::Engine;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
const BOB: &str = "11111111-2222-4333-8444-555555555555";
const ANN: &str = "99999999-2222-4333-8444-555555555555";

/// The paths of the players with this name who have a session on the server.
fn paths(fixture: &TrackerFixture, name: &str, slug: &str) -> Vec<String> {
    let sql =
        "select distinct p.id from players p join sessions x on x.player_n = p.n join servers s on s.n = x.server_n
               where p.nickname = $1 and s.slug = $2";
    fixture
        .store()
        .change(|conn| conn.query(sql, values![name, slug], |row| format!("/players/{}", row.get::<String>(0))))
}

fn slugs(player: &Value) -> Vec<&str> {
    player["serversPlayed"].as_array().unwrap().iter().map(|server| server["slug"].as_str().unwrap()).collect()
}

/// A Java server in a network of its own, so that it is a source of its own.
fn java(fixture: &mut TrackerFixture, name: &str, says: FakeStatus) -> ControlledServer {
    let network = u8::try_from(fixture.hosts.len() + 1).expect("few servers");
    let open = |reply: &_| FakeServer::java([127, 0, network, 1].into(), 0, source(reply));
    let (reply, address) = fixture.host(name, 25_565, says, open);
    ControlledServer { reply, address }
}

fn show(fixture: &TrackerFixture, slug: &str) -> Value {
    serde_json::from_str(&fixture.command(&["show", slug, "--json"])).unwrap()
}

#[test]
fn a_name_without_an_id_is_no_player_of_another_server() {
    Engine::BOTH.into_iter().for_each(a_name_without_an_id_is_no_player_of_another_server_on);
}

fn a_name_without_an_id_is_no_player_of_another_server_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    let hostile = fixture.java("hostile.example", with(1, &[("Bob", BOB)]).unwrap());
    for host in ["first.example", "second.example"] {
        fixture.java(host, with(1, &[]).unwrap());
        fixture.query(host, with(1, &[("Bob", "")]).unwrap());
    }
    fixture.command(&["add", "hostile.example", "--name", "Hostile"]);
    fixture.track();
    fixture.until("/players/Bob", |data| data["player"]["gameUuid"] == BOB);
    for (host, name) in [("first.example", "First"), ("second.example", "Second")] {
        fixture.command(&["add", host, "--name", name, "--query-port", "25565"]);
    }
    fixture.settle();
    fixture.polls(3);
    fixture.until("/players", |data| data["pagination"]["total"] == 3);
    let of = |slug: &str, polls: i64| {
        let paths = paths(&fixture, "Bob", slug);
        assert_eq!(paths.len(), 1, "one Bob of {slug}");
        let bob = fixture.until(&paths[0], |data| data["player"]["totalPlayTime"] == polls * STEP / 1000);
        assert_eq!((slugs(&bob["player"]), &bob["player"]["sessionCount"]), (vec![slug], &json!(1)));
        bob["player"]["gameUuid"].as_str().unwrap().to_owned()
    };
    let stolen = of("first", 3);
    assert_eq!(of("hostile", 3), BOB);
    assert_ne!(stolen, of("second", 3));
    // The id that Rollcall made up for him is public, but no server can use it.
    fixture.set_reply(&hostile, with(1, &[("Evil", &stolen)]));
    fixture.polls(2);
    assert_ne!(fixture.until("/players/Evil", |_| true)["player"]["gameUuid"], json!(stolen));
    assert_eq!(of("first", 5), stolen);
}

#[test]
fn play_time_on_several_servers_at_once_counts_once() {
    Engine::BOTH.into_iter().for_each(play_time_on_several_servers_at_once_counts_once_on);
}

fn play_time_on_several_servers_at_once_counts_once_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    for name in ["alpha", "beta", "gamma"] {
        fixture.java(&format!("{name}.example"), with(1, &[("Notch", NOTCH)]).unwrap());
        fixture.command(&["add", &format!("{name}.example"), "--name", name]);
    }
    fixture.track();
    fixture.polls(5);
    fixture.kill_tracker();
    let clock = 5 * STEP / 1000;
    let check = |servers: i64| {
        let enough = |data: &Value| {
            let player = &data["player"];
            let listed = player["recentSessions"].as_array().map_or(0, |sessions| sessions.len() as i64);
            player["sessionCount"] == servers && listed == servers && player["totalPlayTime"] == clock
        };
        let player = fixture.until("/players/Notch", enough)["player"].clone();
        let sessions = player["recentSessions"].as_array().unwrap();
        let sum: i64 = sessions.iter().map(|session| session["totalPlayTime"].as_i64().unwrap()).sum();
        assert_eq!((sessions.len() as i64, sum), (servers, clock), "{player}");
        // The leaderboards follow every minute.
        fixture.advance(60_000);
        let input = RankInput { play_time_s: clock, sessions: servers, servers, ..RankInput::default() };
        for period in ["24h", "all-time"] {
            let path = format!("/leaderboards?metric=best&period={period}");
            fixture.until(&path, |data| data["leaderboard"]["entries"][0]["value"] == rank_score(&input));
        }
    };
    check(3);
    // Hidden servers take nothing from public ones, and give nothing twice when they are shown again.
    fixture.command(&["set", "alpha", "--visibility", "unlisted"]);
    check(2);
    fixture.command(&["set", "beta", "--visibility", "unlisted"]);
    check(1);
    fixture.command(&["set", "alpha", "--visibility", "public"]);
    fixture.command(&["set", "beta", "--visibility", "public"]);
    check(3);
}

#[test]
fn a_rename_needs_agreement_or_a_verified_source() {
    Engine::BOTH.into_iter().for_each(a_rename_needs_agreement_or_a_verified_source_on);
}

fn a_rename_needs_agreement_or_a_verified_source_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    let honest = java(&mut fixture, "honest.example", with(1, &[("Notch", NOTCH)]).unwrap());
    fixture.command(&["add", "honest.example", "--name", "Honest"]);
    fixture.track();
    // Two names of one hostile server are one source.
    let hostile = java(&mut fixture, "hostile.example", with(1, &[("Evil", NOTCH)]).unwrap());
    fixture.games.insert(("alias.example".to_owned(), 25_565), hostile.address);
    fixture.kill_tracker();
    fixture.command(&["add", "hostile.example", "--name", "Hostile"]);
    fixture.command(&["add", "alias.example", "--name", "Alias"]);
    fixture.advance(STEP);
    fixture.track();
    fixture.advance(31 * DAY);
    fixture.settle();
    fixture.polls(2);
    let nicknames = |wanted: Value| {
        fixture.until(&format!("/players/{NOTCH}"), |data| data["player"]["nicknameHistory"] == wanted);
    };
    nicknames(json!(["Notch"]));
    assert_eq!(fixture.get("/players/Notch")["player"]["gameUuid"], NOTCH);
    // The honest server agrees: now there are two sources.
    fixture.set_reply(&honest, with(1, &[("Evil", NOTCH)]));
    fixture.polls(2);
    nicknames(json!(["Notch", "Evil"]));
    // A verified source needs neither agreement nor the 30 days, and no one renames against it.
    fixture.command(&["set", "honest", "--trust", "verified"]);
    fixture.set_reply(&honest, with(1, &[("Markus", NOTCH)]));
    fixture.polls(2);
    nicknames(json!(["Notch", "Evil", "Markus"]));
    fixture.advance(31 * DAY);
    fixture.settle();
    fixture.poll();
    nicknames(json!(["Notch", "Evil", "Markus"]));
}

#[test]
fn ids_that_two_servers_contradict_make_a_server_suspicious() {
    Engine::BOTH.into_iter().for_each(ids_that_two_servers_contradict_make_a_server_suspicious_on);
}

fn ids_that_two_servers_contradict_make_a_server_suspicious_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    let (names, lies) =
        ([("Notch", NOTCH), ("jeb_", JEB), ("Bob", BOB)], [("Evil1", NOTCH), ("Evil2", JEB), ("Evil3", BOB)]);
    // The hostile server is there first and names the players.
    java(&mut fixture, "hostile.example", with(3, &lies).unwrap());
    let hosts =
        ["first", "second"].map(|name| java(&mut fixture, &format!("{name}.example"), with(3, &names).unwrap()));
    fixture.command(&["add", "hostile.example", "--name", "Hostile"]);
    fixture.track();
    fixture.until("/players/Evil1", |data| data["player"]["gameUuid"] == NOTCH);
    for name in ["first", "second"] {
        fixture.command(&["add", &format!("{name}.example"), "--name", name]);
    }
    fixture.polls(2);
    assert_eq!(show(&fixture, "hostile")["suspicion"], Value::Null, "too early");
    for _ in 0..3 {
        fixture.advance(HOUR);
        fixture.settle();
    }
    let shown = show(&fixture, "hostile");
    assert_eq!((&shown["trust"], &shown["trustSetBy"]), (&json!("suspicious"), &json!("tracker")));
    assert_eq!(shown["suspicion"]["evidence"], "lists 3 of 3 ids under names that other servers contradict");
    assert!(fixture.command(&["list"]).contains("suspicious"));
    for name in ["first", "second"] {
        assert_eq!(show(&fixture, name)["trust"], "sampled");
    }
    // The others name the players now, and the hostile server adds nothing any more.
    fixture.polls(2);
    fixture.until("/players/Notch", |data| data["player"]["nicknameHistory"] == json!(["Evil1", "Notch"]));
    fixture.until("/live", |data| data["stats"]["totalPlayers"] == 6);
    let last_seen = |fixture: &TrackerFixture| -> i64 {
        let sql = "select max(x.left_at) from sessions x join servers s on s.n = x.server_n where s.slug = $1";
        fixture.store().change(|conn| conn.query_one(sql, values!["hostile"], |row| row.get(0)))
    };
    let before = last_seen(&fixture);
    fixture.poll();
    assert_eq!(last_seen(&fixture), before);
    // An operator has the last word.
    fixture.command(&["set", "hostile", "--trust", "sampled"]);
    fixture.poll();
    assert!(last_seen(&fixture) > before);
    fixture.until("/live", |data| data["stats"]["totalPlayers"] == 9);
    fixture.command(&["set", "hostile", "--trust", "auto"]);
    let shown = show(&fixture, "hostile");
    assert_eq!((&shown["trust"], &shown["suspicion"]), (&json!("sampled"), &Value::Null));
    // One server alone cannot discredit another.
    fixture.set_reply(&hosts[0], with(1, &[("Ann", ANN)]));
    fixture.polls(2);
    assert_eq!(show(&fixture, "second")["trust"], "sampled");
}
