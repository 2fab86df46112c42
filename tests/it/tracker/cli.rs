//! `rollcall server`, as people type it.

use serde_json::{Value, json};

use super::{Ground, says};
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
    assert_eq!(
        (code, error.as_str()),
        (1, "rollcall: play.ember.example at port 25566 is tracked already, as emberfall")
    );
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
    assert_eq!(run(&store, &set), (0, "emberfall is changed.".into(), String::new()));
    let (_, list, _) = run(&store, &["list", "--json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    let expected = json!({
        "slug": "ember", "name": "Emberfall", "ip": "play.ember.example", "port": 25_566, "edition": "java",
        "queryPort": 25_566, "isTracked": false, "visibility": "UNLISTED", "isOnline": false, "currentPlayers": 0,
        "maxPlayers": 0, "version": "Unknown", "latency": 0, "country": "Austria", "uptime": 0.0, "motd": "Emberfall",
        "lastPing": null,
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
        table.contains("ember") && table.contains("not asked yet") && table.contains("münchen.example:19132"),
        "{table}"
    );
    let (_, shown, _) = run(&store, &["show", "ember"]);
    assert!(shown.starts_with("Emberfall (ember)\n") && shown.contains("not asked, unlisted"), "{shown}");
    assert_eq!(run(&store, &["set", "ember", "--website", ""]).0, 0);
    assert_eq!(
        run(&store, &["remove", "ember"]),
        (0, "Emberfall is forgotten, with its history.".into(), String::new())
    );
    assert_eq!(
        run(&store, &["show", "ember"]).2,
        "rollcall: there is no server \"ember\"; `rollcall server list` shows them all"
    );
    assert_eq!(run(&store, &["remove", "ember"]).0, 1);
}

#[test]
fn one_place_is_tracked_once_however_it_is_written() {
    Engine::BOTH.into_iter().for_each(one_place_is_tracked_once_on);
}

fn one_place_is_tracked_once_on(engine: Engine) {
    let store = Store::new(engine);
    run(&store, &["add", "münchen.example", "--name", "Isar"]);
    run(&store, &["add", "xn--80afo7a.example:7", "--name", "Igra"]);
    for (args, what) in [
        (&["add", "xn--mnchen-3ya.example"][..], "xn--mnchen-3ya.example at port 25565 is tracked already, as isar"),
        (&["add", "MÜNCHEN.example.:25565"], "münchen.example at port 25565 is tracked already, as isar"),
        (&["add", "игра.example:7"], "игра.example at port 7 is tracked already, as igra"),
        (&["set", "igra", "--address", "münchen.example"], "münchen.example at port 25565 is tracked already, as isar"),
    ] {
        assert_eq!(run(&store, args), (1, String::new(), format!("rollcall: {what}")), "{args:?}");
    }
    let changed = |slug: &str| (0, format!("{slug} is changed."), String::new());
    // Another port or game is another place, and so is one's own in other letters.
    let moves = ["set", "igra", "--address", "münchen.example:25565", "--edition", "bedrock"];
    assert_eq!(run(&store, &moves), changed("igra"));
    assert_eq!(run(&store, &["set", "isar", "--address", "xn--mnchen-3ya.example"]), changed("isar"));
    let back = run(&store, &["set", "igra", "--edition", "java"]);
    let told = "rollcall: münchen.example at port 25565 is tracked already, as isar";
    assert_eq!(back, (1, String::new(), told.into()));
    assert_eq!(run(&store, &["add", "münchen.example:7"]).0, 0);
}

#[test]
fn what_is_wrong_is_said_in_a_sentence() {
    let store = Store::new(Engine::Sqlite);
    run(&store, &["add", "a.example", "--name", "Alpha"]);
    for (args, what) in [
        (&["add", "two words"][..], "\"two words\" is no host: give a name such as play.example.org, or an address"),
        (&["add", "a.example:0"], "\"a.example:0\" must be HOST or HOST:PORT, with a port from 1 to 65535"),
        (&["add", "b.example", "--website", "ftp://x"], "website must be"),
        (&["add", "b.example", "--slug", "top"], "slug must be"),
        (&["add", "b.example", "--slug", "alpha"], "slug \"alpha\" belongs to another server"),
        (
            &["add", "b.example", "--country", "Atlantis"],
            "country must be a country's name or its two letters, such as Germany or DE, not \"Atlantis\"",
        ),
        (&["add", "b.example", "--name", " "], "name must not be empty"),
        (&["add", "b.example", "--name", "a\u{1b}[31m"], "name must be plain text on one line"),
        (&["set", "alpha"], "nothing is to be changed; see --help for what can be"),
        (&["set", "alpha", "--tag", "x", "--tag", "x"], "tags"),
    ] {
        let (code, out, error) = run(&store, args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {error}");
        assert!(error.starts_with(&format!("rollcall: {what}")), "{args:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let nobody = run(&store, &["add", "b.example", "--owner", "nobody"]);
    assert_eq!(nobody, (1, String::new(), "rollcall: there is no account of the name \"nobody\"".into()));
    let (code, slug, error) = run(&store, &["add", "192.168.1.7", "--name", "Home"]);
    assert_eq!((code, slug.as_str()), (0, "home"));
    assert!(error.ends_with("asks it only with --allow-private-addresses: 192.168.1.7 is private"), "{error}");
    assert_eq!(run(&store, &["list"]).1.lines().count(), 3, "nothing else was kept");
}

#[test]
fn a_removed_server_is_gone_from_the_api_and_leaves_nothing() {
    Engine::BOTH.into_iter().for_each(a_removed_server_is_gone_on);
}

fn a_removed_server_is_gone_on(engine: Engine) {
    let mut ground = Ground::new(engine);
    let sample = vec![("Notch".to_owned(), "069a79f4-44e9-4726-a5be-fca90e38aaf5".to_owned())];
    ground.java("a.example", rollcall_demo::fake_servers::Says { sample, ..says(1) });
    ground.command(&["add", "a.example", "--name", "Alpha"]);
    ground.track();
    ground.rounds(1);
    ground.until("/players/Notch", |data| data["player"]["sessionCount"] == 1);
    ground.command(&["remove", "alpha"]);
    ground.until("/servers", |data| data["pagination"]["total"] == 0);
    assert_eq!(ground.get("/players/Notch")["player"]["sessionCount"], 0);
    // A round that was under way must not bring anything back.
    ground.clock().set(ground.clock().now() + super::INTERVAL * 2);
    std::thread::sleep(std::time::Duration::from_millis(1_000));
    for table in ["samples", "samples_5m", "samples_hour", "samples_day", "tracking", "outages", "sessions"] {
        let column = if table == "sessions" { "0" } else { "server_n" };
        let sql = format!("select count(*) from {table} where {column} <> 0 or '{table}' = 'sessions'");
        let left: i64 = ground.store().change(|conn| conn.one(&sql, &[], |row| row.get(0)));
        assert_eq!(left, 0, "{table}");
    }
}
