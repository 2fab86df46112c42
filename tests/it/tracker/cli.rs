//! `rollcall server`.

use serde_json::{Value, json};

use super::{TrackerFixture, says};
use crate::harness::{Engine, Store};

fn run(store: &Store, args: &[&str]) -> (i32, String, String) {
    let output = store.rollcall(&[&["server"], args].concat());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("plain text").trim_end().to_owned();
    (output.status.code().expect("an exit status"), text(output.stdout), text(output.stderr))
}

#[test]
fn a_server_is_added_shown_changed_and_removed() {
    Engine::BOTH.into_iter().for_each(a_server_is_added_shown_changed_and_removed_on);
}

fn a_server_is_added_shown_changed_and_removed_on(engine: Engine) {
    let store = Store::new(engine);
    let (code, slug, _) = run(&store, &["add", "Play.Ember.example:25566", "--name", "Emberfall"]);
    assert_eq!((code, slug.as_str()), (0, "emberfall"));
    let (code, _, error) = run(&store, &["add", "play.ember.example:25566"]);
    assert_eq!((code, error.as_str()), (1, "rollcall: play.ember.example port 25566 is already tracked as emberfall"));
    let (_, slug, _) = run(&store, &["add", "münchen.example", "--edition", "bedrock", "--tag", "a", "--tag", "b"]);
    assert_eq!(slug, "munchen-example");
    let set = [
        "set",
        "emberfall",
        "--description",
        "Hot.",
        "--country",
        "at",
        "--mode",
        "Survival",
        "--website",
        "https://ember.example",
        "--chat-url",
        "https://chat.example/e",
        "--store-url",
        "https://s.example",
        "--video-url",
        "https://v.example",
        "--slug",
        "ember",
        "--query-port",
        "25566",
        "--tag",
        "pvp",
        "--visibility",
        "unlisted",
        "--tracked",
        "false",
    ];
    assert_eq!(run(&store, &set), (0, "Changed emberfall.".into(), String::new()));
    let (_, list, _) = run(&store, &["list", "--json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    let expected = json!({
        "slug": "ember", "name": "Emberfall", "ip": "play.ember.example", "port": 25_566, "edition": "java",
        "queryPort": 25_566, "isTracked": false, "visibility": "UNLISTED", "isOnline": false, "currentPlayers": 0,
        "maxPlayers": 0, "version": "Unknown", "latency": 0, "country": "Austria", "uptime": 0.0, "motd": "Emberfall",
        "lastPing": null, "trust": "sampled", "trustSetBy": "tracker", "suspicion": null,
    });
    let mut first = list[0].clone();
    first.as_object_mut().unwrap().remove("id");
    assert_eq!(first, expected);
    assert_eq!(
        (&list[1]["ip"], &list[1]["port"], &list[1]["edition"]),
        (&json!("münchen.example"), &json!(19_132), &json!("bedrock"))
    );
    let (_, table, _) = run(&store, &["list"]);
    assert!(
        table.contains("ember") && table.contains("not pinged yet") && table.contains("münchen.example:19132"),
        "{table}"
    );
    let (_, shown, _) = run(&store, &["show", "ember"]);
    assert!(shown.starts_with("Emberfall (ember)\n") && shown.contains("not tracked, unlisted"), "{shown}");
    assert_eq!(run(&store, &["set", "ember", "--website", ""]).0, 0);
    assert_eq!(
        run(&store, &["remove", "ember", "--yes"]),
        (0, "Deleted Emberfall and its history.".into(), String::new())
    );
    assert_eq!(
        run(&store, &["show", "ember"]).2,
        "rollcall: no server has the slug \"ember\"; `rollcall server list` shows all servers"
    );
    assert_eq!(run(&store, &["remove", "ember", "--yes"]).0, 1);
}

#[test]
fn one_address_is_tracked_once_however_it_is_written() {
    Engine::BOTH.into_iter().for_each(one_place_is_tracked_once_on);
}

fn one_place_is_tracked_once_on(engine: Engine) {
    let store = Store::new(engine);
    run(&store, &["add", "münchen.example", "--name", "Isar"]);
    run(&store, &["add", "xn--80afo7a.example:7", "--name", "Igra"]);
    for (args, what) in [
        (&["add", "xn--mnchen-3ya.example"][..], "xn--mnchen-3ya.example port 25565 is already tracked as isar"),
        (&["add", "MÜNCHEN.example.:25565"], "münchen.example port 25565 is already tracked as isar"),
        (&["add", "игра.example:7"], "игра.example port 7 is already tracked as igra"),
        (&["set", "igra", "--address", "münchen.example"], "münchen.example port 25565 is already tracked as isar"),
    ] {
        assert_eq!(run(&store, args), (1, String::new(), format!("rollcall: {what}")), "{args:?}");
    }
    let changed = |slug: &str| (0, format!("Changed {slug}."), String::new());
    // Another port or edition is another server. A server may keep its own address in another spelling.
    let moves = ["set", "igra", "--address", "münchen.example:25565", "--edition", "bedrock"];
    assert_eq!(run(&store, &moves), changed("igra"));
    assert_eq!(run(&store, &["set", "isar", "--address", "xn--mnchen-3ya.example"]), changed("isar"));
    let back = run(&store, &["set", "igra", "--edition", "java"]);
    let told = "rollcall: münchen.example port 25565 is already tracked as isar";
    assert_eq!(back, (1, String::new(), told.into()));
    assert_eq!(run(&store, &["add", "münchen.example:7"]).0, 0);
}

#[test]
fn a_wrong_argument_is_one_sentence() {
    let store = Store::new(Engine::Sqlite);
    run(&store, &["add", "a.example", "--name", "Alpha"]);
    for (args, what) in [
        (
            &["add", "two words"][..],
            "\"two words\" is not a host: expected a name such as play.example.org, or an IP address",
        ),
        (
            &["add", "a.example:0"],
            "\"a.example:0\" is not an address: expected HOST or HOST:PORT, with a port from 1 to 65535",
        ),
        (&["add", "b.example", "--website", "ftp://x"], "website must be"),
        (&["add", "b.example", "--slug", "top"], "slug must be"),
        (&["add", "b.example", "--slug", "alpha"], "slug \"alpha\" is already used by another server"),
        (
            &["add", "b.example", "--country", "Atlantis"],
            "country must be a country name or two-letter code, such as Germany or DE, not \"Atlantis\"",
        ),
        (&["add", "b.example", "--name", " "], "name must not be empty"),
        (&["add", "b.example", "--name", "a\u{1b}[31m"], "name must not contain the control character"),
        (&["set", "alpha"], "nothing to change; see --help"),
        (&["set", "alpha", "--tag", "x", "--tag", "x"], "tags"),
    ] {
        let (code, out, error) = run(&store, args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {error}");
        assert!(error.starts_with(&format!("rollcall: {what}")), "{args:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let nobody = run(&store, &["add", "b.example", "--owner", "nobody"]);
    assert_eq!(nobody, (1, String::new(), "rollcall: no account has the username \"nobody\"".into()));
    let (code, slug, error) = run(&store, &["add", "192.168.1.7", "--name", "Home"]);
    assert_eq!((code, slug.as_str()), (0, "home"));
    assert!(error.ends_with("pings it only with --allow-private-addresses: 192.168.1.7 is private"), "{error}");
    assert_eq!(run(&store, &["list"]).1.lines().count(), 3, "nothing else was stored");
}

#[test]
fn a_removed_server_leaves_the_api_and_no_rows() {
    Engine::BOTH.into_iter().for_each(a_removed_server_is_gone_on);
}

fn a_removed_server_is_gone_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    let sample = vec![("Notch".to_owned(), "069a79f4-44e9-4726-a5be-fca90e38aaf5".to_owned())];
    fixture.java("a.example", rollcall_demo::fake_servers::FakeStatus { sample, ..says(1) });
    fixture.command(&["add", "a.example", "--name", "Alpha"]);
    fixture.java("probe.example", says(1));
    fixture.track();
    fixture.polls(1);
    fixture.until("/players/Notch", |data| data["player"]["sessionCount"] == 1);
    let sql = "select n from servers where slug = 'alpha'";
    let removed: i64 = fixture.store().change(|conn| conn.query_one(sql, &[], |row| row.get(0)));
    fixture.command(&["remove", "alpha", "--yes"]);
    fixture.until("/servers", |data| data["pagination"]["total"] == 0);
    assert_eq!(fixture.get("/players/Notch")["player"]["sessionCount"], 0);
    // A poll that is still running must store nothing. Once a server that is added now was polled twice, it has ended.
    fixture.command(&["add", "probe.example", "--name", "Probe"]);
    fixture.polls(2);
    for table in ["samples", "samples_5m", "samples_hour", "samples_day", "tracking", "outages", "sessions"] {
        let sql = format!("select count(*) from {table} where server_n = {removed}");
        let left: i64 = fixture.store().change(|conn| conn.query_one(&sql, &[], |row| row.get(0)));
        assert_eq!(left, 0, "{table}");
    }
}

#[test]
fn the_trust_level_is_set_shown_and_exported() {
    Engine::BOTH.into_iter().for_each(the_trust_level_is_set_shown_and_exported_on);
}

fn the_trust_level_is_set_shown_and_exported_on(engine: Engine) {
    let store = Store::new(engine);
    run(&store, &["add", "a.example", "--name", "Alpha", "--trust", "verified"]);
    let shown = |store: &Store| -> (Value, String) {
        let json: Value = serde_json::from_str(&run(store, &["show", "alpha", "--json"]).1).unwrap();
        (json!([json["trust"], json["trustSetBy"]]), run(store, &["show", "alpha"]).1)
    };
    let (trust, text) = shown(&store);
    assert_eq!(trust, json!(["verified", "operator"]));
    assert!(text.contains("Trust      verified, set by an operator"), "{text}");
    assert!(run(&store, &["list"]).1.contains("verified"));
    assert_eq!(run(&store, &["set", "alpha", "--trust", "suspicious"]).0, 0);
    assert_eq!(shown(&store).0, json!(["suspicious", "operator"]));
    // Other settings leave it as it is, and so does an export and import.
    assert_eq!(run(&store, &["set", "alpha", "--mode", "Survival"]).0, 0);
    let folder = store.path().join("export");
    assert!(store.rollcall(&["export", folder.to_str().unwrap()]).status.success());
    assert_eq!(run(&store, &["set", "alpha", "--trust", "auto"]).0, 0);
    assert_eq!(shown(&store).0, json!(["sampled", "tracker"]));
    assert_eq!(run(&store, &["set", "alpha", "--trust", "auto"]).0, 2, "nothing to change");
    assert!(store.rollcall(&["import", folder.join("servers.ndjson").to_str().unwrap()]).status.success());
    assert_eq!(shown(&store).0, json!(["suspicious", "operator"]));
    let (code, _, error) = run(&store, &["set", "alpha", "--trust", "blind"]);
    assert!(code == 2 && error.contains("auto, verified, sampled, suspicious"), "{error}");
}

#[test]
fn what_a_server_once_reported_does_not_keep_it_from_being_changed() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        run(&store, &["add", "a.example", "--name", "Alpha"]);
        // Earlier versions stored direction marks.
        store.change(|conn| conn.execute_batch("update servers set version = '1.21\u{200f}'"));
        assert_eq!(run(&store, &["set", "alpha", "--trust", "suspicious"]).0, 0);
        let shown: Value = serde_json::from_str(&run(&store, &["show", "alpha", "--json"]).1).unwrap();
        assert_eq!((&shown["version"], &shown["trust"]), (&json!("1.21"), &json!("suspicious")));
    }
}

#[test]
fn a_ping_of_a_private_address_names_the_flag_that_allows_it() {
    let store = Store::new(Engine::Sqlite);
    let (code, _, error) = run(&store, &["ping", "127.0.0.1:25565"]);
    assert!(code != 0 && error.contains("use --allow-private-addresses to ping it"), "{error}");
}
