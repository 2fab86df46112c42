//! `--json`: what a command prints, as one line of JSON.

use serde_json::{Value, json};

use super::{printed, stdout};
use crate::harness::{Engine, Store};

fn run(store: &Store, args: &[&str]) -> Value {
    let output = store.rollcall(&[args, &["--json"]].concat());
    let text = printed(&output);
    assert_eq!(text.matches('\n').count(), 1, "{text}");
    serde_json::from_str(text).unwrap_or_else(|_| panic!("{text}"))
}

/// The value of a field that differs each time, taken out of the object.
fn take(value: &mut Value, field: &str) -> String {
    let taken = value.as_object_mut().expect("an object").remove(field).expect(field);
    taken.as_str().expect("a string").to_owned()
}

#[test]
fn accounts_and_keys() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let mut created = run(&store, &["account", "create", "ada"]);
        assert_eq!(take(&mut created, "password").len(), 20);
        assert_eq!(created, json!({"username": "ada"}));
        let mut reset = run(&store, &["account", "password", "ada"]);
        assert_eq!(take(&mut reset, "password").len(), 20);
        assert_eq!(reset, json!({"username": "ada"}));
        for (command, expected) in [
            (&["account", "role", "ada", "moderator"][..], json!({"username": "ada", "role": "MODERATOR"})),
            (&["account", "trust", "ada"], json!({"username": "ada", "trusted": true})),
            (&["account", "distrust", "ada"], json!({"username": "ada", "trusted": false})),
            (&["account", "disable", "ada"], json!({"username": "ada", "disabled": true})),
            (&["account", "enable", "ada"], json!({"username": "ada", "disabled": false})),
        ] {
            assert_eq!(run(&store, command), expected);
        }
        let link = take(&mut run(&store, &["account", "invite"]), "url");
        assert!(link.starts_with("http://127.0.0.1:"), "{link}");

        let mut key = run(&store, &["key", "create", "--owner", "ada"]);
        let id = take(&mut key, "id");
        assert!(take(&mut key, "key").starts_with("rc_"));
        assert_eq!(key, json!({}));
        let mut rotated = run(&store, &["key", "rotate", &id, "--grace", "1h"]);
        assert!(take(&mut rotated, "key").starts_with("rc_"));
        assert_eq!(rotated, json!({"id": id}));
        assert_eq!(run(&store, &["key", "delete", &id, "--yes"]), json!({"removed": id}));
        assert_eq!(run(&store, &["account", "delete", "ada", "--yes"]), json!({"removed": "ada"}));
    }
}

#[test]
fn servers_and_the_whole_store() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        assert_ne!(run(&store, &["migrate"]), json!({"migrations": 0}));
        assert_eq!(run(&store, &["migrate"]), json!({"migrations": 0}));
        take(&mut run(&store, &["server", "add", "play.example.org", "--slug", "play"]), "id");
        assert_eq!(run(&store, &["server", "set", "play", "--slug", "new"]), json!({"slug": "new"}));
        assert_eq!(run(&store, &["server", "set", "new", "--mode", "Survival"]), json!({"slug": "new"}));
        assert_eq!(run(&store, &["server", "remove", "new", "--yes"]), json!({"removed": "new"}));
        assert_eq!(run(&store, &["playground", "new-secret"]), json!({"replaced": true}));

        let seed = ["seed", "--servers", "2", "--players", "3", "--votes", "4", "--sessions", "1"];
        let seeded = run(&store, &seed);
        assert_eq!((&seeded["servers"], &seeded["players"], &seeded["votes"]), (&json!(2), &json!(3), &json!(4)));
        let mut players = run(&store, &["export", "out"]);
        assert_eq!(players["exported"]["players"], json!(3));
        assert_eq!((take(&mut players, "folder"), &players["missingPictures"]), ("out".to_owned(), &json!([])));
        let line = std::fs::read_to_string(store.path().join("out/players.ndjson")).unwrap();
        let player: Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
        let (uuid, nickname) = (player["gameUuid"].as_str().unwrap(), player["mainNickname"].as_str().unwrap());
        assert_eq!(run(&store, &["import", "out/servers.ndjson"]), json!({"imported": {"servers": 2}}));
        assert_eq!(run(&store, &["player", "erase", uuid, "--yes"]), json!({"removed": uuid}));
        assert_eq!(run(&store, &["player", "allow", nickname]), json!({"allowed": nickname}));
    }
}

#[test]
fn pictures() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        printed(&store.rollcall(&["migrate"]));
        let count = run(&store, &["media", "check"])["good"].clone();
        assert_ne!(count, 0);
        assert_eq!(run(&store, &["media", "copy", "copy"]), json!({"copied": count, "present": 0, "bad": []}));
        assert_eq!(run(&store, &["media", "sweep"]), json!({"setAside": 0, "putBack": 0, "deleted": 0}));

        let folder = store.path().join("media/skin");
        let lost = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap();
        std::fs::remove_file(lost.path()).unwrap();
        // The report is printed although the command fails.
        let output = store.rollcall(&["media", "check", "--json"]);
        assert_eq!(output.status.code(), Some(1));
        let report: Value = serde_json::from_str(stdout(&output)).unwrap();
        let bad = &report["bad"][0];
        let path = format!("skin/{}", lost.file_name().to_str().unwrap());
        assert_eq!((&bad["path"], &bad["defect"]), (&json!(path), &json!("missing")));
        assert!(bad["usedBy"].as_str().unwrap().starts_with("textures "), "{bad}");
    }
}

#[test]
fn a_backup_and_its_restore() {
    let store = Store::new(Engine::Sqlite);
    take(&mut run(&store, &["account", "create", "ada"]), "password");
    let written = run(&store, &["backup", "store.backup"]);
    let size = std::fs::metadata(store.path().join("store.backup")).unwrap().len();
    assert_eq!(
        (&written["file"], &written["bytes"], &written["damagedPictures"]),
        (&json!("store.backup"), &json!(size), &json!([]))
    );
    let mut restored = run(&store, &["restore", "store.backup", "--replace"]);
    assert_eq!(restored["contents"], written["contents"]);
    // One of them is the system account.
    assert_eq!(restored["contents"]["accounts"], json!(2));
    assert!(take(&mut restored, "previous").contains("-before-restore"));
    assert!(take(&mut restored, "database").ends_with("rollcall.db"));
}

#[test]
fn settings_are_those_of_the_file() {
    let store = Store::new(Engine::Sqlite);
    let defaults = run(&store, &["config"]);
    assert_eq!(defaults["limits"], json!({"per_minute": 60, "per_day": 1000, "per_month": 30000}));
}
