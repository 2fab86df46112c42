//! Reports that game servers send about themselves, from the token to the API.

use reqwest::Method;
use rollcall_model::time::{DAY, HOUR, MINUTE, SECOND, iso};
use rollcall_store::revision;
use serde_json::{Value, json};

use super::players::{JEB, NOTCH, with};
use super::{STEP, TrackerFixture, says};
use crate::harness::{Engine, TestResponse};

impl TrackerFixture {
    /// Adds `a.example` as the server `alpha`, which is online with these players; its token.
    pub(super) fn reporter(&mut self, players: i64) -> String {
        self.java("a.example", says(players));
        self.command(&["add", "a.example", "--name", "Alpha"]);
        self.track();
        self.command(&["token", "alpha"])
    }

    pub(super) fn report(&self, token: &str, body: &Value) -> TestResponse {
        self.report_bytes(token, body.to_string().into_bytes())
    }

    fn report_bytes(&self, token: &str, body: Vec<u8>) -> TestResponse {
        let bearer = format!("Bearer {token}");
        self.server.run(self.server.exchange(Method::POST, "/report/v1", &[("authorization", &bearer)], body))
    }

    fn azlink(&self, method: Method, token: &str, body: &str) -> TestResponse {
        self.azlink_at("/api/azlink", method, token, body)
    }

    fn azlink_at(&self, path: &str, method: Method, token: &str, body: &str) -> TestResponse {
        let headers = [("azuriom-link-token", token), ("content-type", "application/json")];
        self.server.run(self.server.exchange(method, path, &headers, body.as_bytes()))
    }
}

fn accepted(players: usize, notes: &[&str]) -> Value {
    json!({"success": true, "data": {"status": "accepted", "players": players, "notes": notes}})
}

fn sessions(player: &Value) -> Vec<(Value, Value, Value)> {
    let sessions = player["player"]["recentSessions"].as_array().expect("sessions");
    sessions.iter().map(|s| (s["joinedAt"].clone(), s["leftAt"].clone(), s["totalPlayTime"].clone())).collect()
}

#[test]
fn a_report_gives_ticks_and_exact_sessions() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(2);
        let start = fixture.clock().now();
        let both = json!([{"name": "Notch", "uuid": NOTCH}, {"name": "jeb_", "uuid": JEB.replace('-', "")}]);
        let first = json!({
            "software": "Paper 1.21.4", "tps": 19.876, "mspt": 12.5, "players": both,
            "joins": [{"name": "Notch", "uuid": NOTCH, "ago": 42.5}, {"name": "jeb_", "uuid": JEB, "ago": 7}],
        });
        assert_eq!(fixture.report(&token, &first).json(), accepted(2, &[]));
        fixture.until("/servers/alpha", |data| data["server"]["latestStats"]["tps"] == 19.88);
        fixture.advance(MINUTE);
        let cut = ["tps 25 counts as 20, the most that a server has"];
        assert_eq!(fixture.report(&token, &json!({"tps": 25, "players": both})).json(), accepted(2, &cut));
        // Notch leaves and returns within a minute: two sessions, which a sample of the list could not tell apart.
        fixture.advance(MINUTE);
        let moves = json!({
            "players": both,
            "leaves": [{"name": "Notch", "uuid": NOTCH, "ago": 50}],
            "joins": [{"name": "Notch", "uuid": NOTCH, "ago": 20}],
        });
        assert_eq!(fixture.report(&token, &moves).json(), accepted(2, &[]));
        fixture.advance(MINUTE);
        let left = json!({"players": [], "leaves": [{"name": "jeb_", "uuid": JEB, "ago": 30}, {"name": "Notch", "uuid": NOTCH, "ago": 10}]});
        assert_eq!(fixture.report(&token, &left).json(), accepted(0, &[]));
        let at = |millis: i64| json!(iso(start + millis));
        let notch = fixture.until("/players/Notch", |data| data["player"]["sessionCount"] == 2);
        assert_eq!(
            sessions(&notch),
            [(at(100 * SECOND), at(170 * SECOND), json!(70)), (at(-42_500), at(70 * SECOND), json!(112)),],
            "{engine:?}"
        );
        let jeb = fixture.until("/players/jeb_", |data| data["player"]["totalPlayTime"] == 157);
        assert_eq!(sessions(&jeb), [(at(-7 * SECOND), at(150 * SECOND), json!(157))]);
    }
}

#[test]
fn samples_carry_the_reported_ticks_while_they_count() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(2);
        assert_eq!(fixture.report(&token, &json!({"tps": 18.5})).json(), accepted(0, &[]));
        fixture.polls(1);
        assert_eq!(fixture.get("/servers/alpha")["server"]["latestStats"]["tps"], 18.5);
        let stored: Option<f64> = fixture.store().change(|conn| {
            rollcall_store::samples::write_pending(conn)?;
            conn.query_one("select tps from samples where server_n = (select n from servers where slug = 'alpha') order by at desc limit 1", &[], |row| row.get(0))
        });
        assert_eq!(stored, Some(18.5), "{engine:?}");
        // The server stops reporting.
        fixture.polls(10);
        fixture.until("/servers/alpha", |data| data["server"]["latestStats"]["tps"].is_null());
    }
}

#[test]
fn ticks_alone_change_no_read_model() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(2);
        let revision = |fixture: &TrackerFixture| fixture.store().change(revision::current).rev;
        let before = revision(&fixture);
        assert_eq!(fixture.report(&token, &json!({"tps": 18.5, "mspt": 21})).json(), accepted(0, &[]));
        assert_eq!(revision(&fixture), before, "{engine:?}: thousands of servers report every minute");
        fixture.until("/servers/alpha", |data| data["server"]["latestStats"]["tps"] == 18.5);
        fixture.advance(MINUTE);
        let players = json!([{"name": "Notch", "uuid": NOTCH}]);
        assert_eq!(fixture.report(&token, &json!({"tps": 18.5, "players": players})).json(), accepted(1, &[]));
        assert!(revision(&fixture) > before, "{engine:?}: lists show the new player");
    }
}

#[test]
fn the_azlink_plugin_reports_without_a_plugin_of_ours() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(1);
        let empty = json!({"commands": {}, "users": []});
        let connected = fixture.azlink(Method::GET, &token, "");
        assert_eq!((connected.status, connected.json()), (200, empty.clone()));
        let full = json!({
            "platform": {"type": "BUKKIT", "name": "Paper", "version": "1.21.4"}, "version": "1.3.9",
            "players": [{"name": "Notch", "uuid": NOTCH}], "maxPlayers": 20,
            "system": {"ram": 2048.0, "cpu": 12.5}, "worlds": {"tps": 19.5, "chunks": 441, "entities": 12}, "full": true,
        });
        let sent = fixture.azlink(Method::POST, &token, &full.to_string());
        assert_eq!((sent.status, sent.json()), (200, empty.clone()));
        fixture.until("/servers/alpha", |data| data["server"]["latestStats"]["tps"] == 19.5);
        fixture.until("/players/Notch", |data| data["player"]["sessionCount"] == 1);
        let early = fixture.azlink(Method::POST, &token, &full.to_string());
        assert_eq!((early.status, early.json()), (200, empty), "the plugin logs an error otherwise");
        let wrong = fixture.azlink(Method::POST, "rcs_0000000000000000000000000000000000000000", &full.to_string());
        assert_eq!(
            (wrong.status, wrong.error().as_str()),
            (401, "Unknown server token: create a new one on the server's page")
        );
        assert_eq!(fixture.azlink(Method::PUT, &token, "{}").status, 405);
    }
}

#[test]
fn a_base_url_may_end_with_a_slash() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(1);
        let empty = json!({"commands": {}, "users": []});
        for (method, body) in [(Method::GET, ""), (Method::POST, "{}")] {
            let response = fixture.azlink_at("//api/azlink", method, &token, body);
            assert_eq!((response.status, response.json()), (200, empty.clone()));
        }
        fixture.advance(MINUTE);
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str())];
        let report = fixture.server.run(fixture.server.exchange(Method::POST, "//report/v1", &headers, b"{}".to_vec()));
        assert_eq!(report.json(), accepted(0, &[]));
    }
}

#[test]
fn players_of_bedrock_edition_may_have_spaces_in_their_names() {
    const GAMERTAG: &str = "00000000-0000-0000-0009-01f64f65c7c3";
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(2);
        let bob = json!([{"name": "Bob Smith", "uuid": GAMERTAG}]);
        assert_eq!(fixture.report(&token, &json!({"players": bob})).json(), accepted(1, &[]));
        let player = fixture.until("/players/Bob%20Smith", |data| data["player"]["sessionCount"] == 1);
        assert_eq!(player["player"]["gameUuid"], GAMERTAG, "{engine:?}");
        fixture.advance(MINUTE);
        // The plugin sends null for what a player or the platform has not.
        let azlink = json!({
            "platform": null, "version": null, "worlds": null,
            "players": [{"name": "Bob Smith", "uuid": GAMERTAG}, {"name": "jeb_", "uuid": null}],
        });
        assert_eq!(fixture.azlink(Method::POST, &token, &azlink.to_string()).status, 200);
        fixture.advance(MINUTE);
        let nobody = json!({"platform": {"name": null}, "players": null}).to_string();
        assert_eq!(fixture.azlink(Method::POST, &token, &nobody).status, 200);
        let played = |data: &Value| data["player"]["totalPlayTime"].as_i64().is_some_and(|seconds| seconds >= 60);
        fixture.until("/players/Bob%20Smith", played);
        let spaced = ["Bob  Smith", " Bob", "Vote now!"].map(|name| json!({"name": name, "uuid": GAMERTAG}));
        fixture.advance(MINUTE);
        let notes = ["3 entries are not players: players need a valid name and a UUID"];
        assert_eq!(fixture.report(&token, &json!({"players": spaced})).json(), accepted(0, &notes));
    }
}

#[test]
fn a_report_counts_once_and_not_too_often() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(1);
        let first = json!({"id": "r-1", "tps": 20});
        assert_eq!(fixture.report(&token, &first).json(), accepted(0, &[]));
        let duplicate = json!({"success": true, "data": {"status": "duplicate", "players": 0, "notes": []}});
        assert_eq!(fixture.report(&token, &first).json(), duplicate);
        for body in [json!({"id": "r-2"}), json!({})] {
            let early = fixture.report(&token, &body);
            assert_eq!((early.status, early.header("retry-after")), (429, Some("10")), "{engine:?} {body}");
            assert_eq!(early.error(), "A server may send one report every 10 seconds");
        }
        fixture.advance(10 * SECOND);
        assert_eq!(fixture.report(&token, &json!({"id": "r-2"})).json(), accepted(0, &[]));
        fixture.advance(10 * SECOND);
        assert_eq!(fixture.report(&token, &first).json(), duplicate, "an older one is known, too");
        let status = fixture.server.run(fixture.server.raw(Method::GET, "/report/v1", &[])).status;
        assert_eq!(status, 405);
    }
}

#[test]
fn a_report_is_accepted_only_as_far_as_pings_agree() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        // Stays online: if no server replies, the tracker assumes that it is cut off itself.
        fixture.java("b.example", says(5));
        fixture.command(&["add", "b.example", "--name", "Beta"]);
        let token = fixture.reporter(2);
        let names: Vec<Value> = (0..40)
            .map(|i| json!({"name": format!("Player{i}"), "uuid": format!("069a79f4-44e9-4726-a5be-{i:012}")}))
            .collect();
        let many = fixture.report(&token, &json!({"players": names}));
        assert_eq!(many.json(), accepted(12, &["12 of 40 listed players are counted: the last ping saw 2 online"]));
        fixture.advance(MINUTE);
        let no_players = json!({"players": [{"name": "§aVote now", "uuid": NOTCH}, {"name": "Notch", "uuid": "x"}]});
        let notes = ["2 entries are not players: players need a valid name and a UUID"];
        assert_eq!(fixture.report(&token, &no_players).json(), accepted(0, &notes));
        // Nobody plays on a server that does not answer.
        let server = fixture.games[&("a.example".to_owned(), 25_565)];
        let server = super::ControlledServer { reply: fixture.replies[1].clone(), address: server };
        fixture.set_reply(&server, None);
        fixture.polls(3);
        let offline = fixture.report(&token, &json!({"tps": 20, "players": [{"name": "Notch", "uuid": NOTCH}]}));
        assert_eq!(offline.json(), accepted(0, &["players are not counted: the last ping did not reach the server"]));
        assert!(fixture.get("/servers/alpha")["server"]["latestStats"]["tps"].is_null());
        assert_eq!(fixture.server.run(fixture.server.get("/players/Notch")).status, 404, "{engine:?}");
    }
}

#[test]
fn a_wrong_report_says_what_is_right() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(1);
        for (body, status, error) in [
            ("{", 400, "The report is not JSON: the error is at line 1 column 1"),
            ("[]", 400, "The report must be a JSON object, not a list"),
            (r#"{"tps":"20"}"#, 400, "tps must be a number, not a text"),
            (r#"{"tps":-3}"#, 400, "tps must be a number from 0 to 20, not -3"),
            (r#"{"joins":[{"ago":86400}]}"#, 400, "ago must be a number of seconds from 0 to 900, not 86400"),
            (&format!("\"{}\"", "x".repeat(64 * 1024)), 413, "A report must not exceed 64 KiB"),
        ] {
            let response = fixture.report_bytes(&token, body.as_bytes().to_vec());
            assert_eq!((response.status, response.error().as_str()), (status, error));
        }
        let none = fixture.server.run(fixture.server.exchange(Method::POST, "/report/v1", &[], b"{}".to_vec()));
        let required = "Server token required: send it in the header Authorization: Bearer rcs_…";
        assert_eq!((none.status, none.error().as_str()), (401, required));
        let long = format!("rcs_{}", "x".repeat(1_000_000 / 1_000));
        assert_eq!(fixture.report(&long, &json!({})).status, 401);
        assert_eq!(fixture.report(&token, &json!({"players": [{"name": "x".repeat(60_000)}]})).status, 200);
    }
}

#[test]
fn counters_become_totals_that_equal_a_recount() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(2);
        let notch = |kills: i64| json!({"name": "Notch", "uuid": NOTCH, "counters": {"kills": kills, "deaths": 2, "blocks": 9}});
        let send = |body: Value| {
            let answer = fixture.report(&token, &body).json();
            fixture.advance(MINUTE);
            answer
        };
        assert_eq!(send(json!({"players": [notch(10)]})), accepted(1, &[]));
        assert_eq!(send(json!({"players": [notch(15)]})), accepted(1, &[]));
        // A reset, and then an implausible increase.
        assert_eq!(send(json!({"players": [notch(3)]})), accepted(1, &[]));
        let notes = ["counters of 1 players are not counted: they grew too fast"];
        assert_eq!(send(json!({"players": [notch(2_000_000_000)]})), accepted(1, &notes));
        fixture.advance(2 * HOUR);
        assert_eq!(send(json!({"players": [notch(4)]})), accepted(1, &[]));
        let player = fixture.until("/players/Notch", |data| data["player"]["totalKills"] == 19);
        assert_eq!((&player["player"]["totalDeaths"], &player["player"]["totalWins"]), (&json!(2), &json!(0)));
        let totals = |fixture: &TrackerFixture| {
            fixture.store().change(|conn| {
                let sql = "select total_kills, total_deaths, total_play_time, session_count, achievements from players order by n";
                conn.query(sql, &[], |row| (0..5).map(|i| row.get::<i64>(i)).collect::<Vec<_>>())
            })
        };
        let live = totals(&fixture);
        fixture
            .store()
            .change(|conn| rollcall_store::totals::recompute(conn, &rollcall_store::totals::RecomputeScope::All));
        assert_eq!(totals(&fixture), live, "{engine:?}");
        let rows: i64 =
            fixture.store().change(|conn| conn.query_one("select count(*) from player_stats", &[], |row| row.get(0)));
        assert_eq!(rows, 3, "one row for each hour, and one after the reset");
    }
}

#[test]
fn a_rotated_token_works_for_another_day() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let old = fixture.reporter(1);
        let new = fixture.command(&["token", "alpha"]);
        let now = rollcall_model::clock::Clock::System.now();
        // The command line uses the clock of the system.
        fixture.clock().set(now + DAY - MINUTE);
        assert_eq!(fixture.report(&old, &json!({})).status, 200);
        fixture.clock().set(now + DAY + MINUTE);
        // The service remembers who has sent reports; the store decides.
        assert_eq!(fixture.azlink(Method::POST, &old, "{}").status, 401, "{engine:?}");
        assert_eq!(fixture.report(&old, &json!({})).status, 401, "{engine:?}");
        assert_eq!(fixture.report(&new, &json!({})).status, 200);
    }
}

#[test]
fn lists_of_pings_do_not_count_beside_reports() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let server = fixture.java("a.example", with(1, &[("jeb_", JEB)]).expect("a reply"));
        fixture.command(&["add", "a.example", "--name", "Alpha"]);
        let token = fixture.command(&["token", "alpha"]);
        fixture.set_reply(&server, Some(says(1)));
        fixture.track();
        assert_eq!(
            fixture.report(&token, &json!({"players": [{"name": "Notch", "uuid": NOTCH}]})).json(),
            accepted(1, &[])
        );
        // Another report without a list leaves the players as they are.
        fixture.advance(MINUTE / 2);
        assert_eq!(fixture.report(&token, &json!({"tps": 20})).json(), accepted(0, &[]));
        assert_eq!(super::players::playing(&fixture), ["Notch"]);
        fixture.set_reply(&server, with(1, &[("jeb_", JEB)]));
        fixture.advance(STEP - MINUTE / 2);
        fixture.settle();
        assert_eq!(fixture.server.run(fixture.server.get("/players/jeb_")).status, 404);
        // Without a report for three minutes, the samples count again.
        fixture.advance(STEP);
        fixture.settle();
        fixture.until("/players/jeb_", |data| data["player"]["sessionCount"] == 1);
    }
}

#[test]
fn wrong_tokens_are_limited_and_valid_ones_are_not() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(1);
        let wrong = format!("rcs_{}", "0".repeat(40));
        let statuses: Vec<u16> = (0..32).map(|_| fixture.report(&wrong, &json!({})).status).collect();
        assert_eq!((statuses[29], statuses[30], statuses[31]), (401, 429, 429), "{engine:?}");
        assert_eq!(fixture.report(&token, &json!({})).status, 200, "servers at one address do not pay for each other");
    }
}
