//! `rollcall key`

use serde_json::{Value, json};

use super::{Program, complaint, printed, stderr, stdout};
use crate::harness::{Engine, Store};

fn as_json(store: &Store, args: &[&str]) -> Value {
    serde_json::from_str(printed(&store.rollcall(args))).expect("JSON")
}

fn create(store: &Store, args: &[&str]) -> String {
    let output = store.rollcall(&[&["key", "create"], args].concat());
    let key = printed(&output).strip_suffix('\n').expect("a line").to_owned();
    assert_eq!(stderr(&output), "");
    key
}

#[test]
fn create_prints_the_key_and_nothing_else() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let (one, other) = (create(&store, &[]), create(&store, &["--name", "bot"]));
        for key in [&one, &other] {
            assert!(rollcall::gate::Secret::parse(key).is_some(), "{key}");
        }
        assert_ne!(one, other);
    }
}

#[tokio::test]
async fn names_and_limits_are_as_told_or_as_usual() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let usual = create(&store, &[]);
        let told = create(&store, &["--name", "Öz bot", "--per-minute", "7", "--per-day", "8", "--per-month", "9"]);
        let keys = as_json(&store, &["key", "list", "--json"]);
        let figures = |key: &Value| -> Value {
            ["name", "perMinute", "perDay", "perMonth", "disabled"].map(|name| key[name].clone()).to_vec().into()
        };
        assert_eq!(figures(&keys[0]), json!(["unnamed", 60, 1000, 30_000, false]));
        assert_eq!(figures(&keys[1]), json!(["Öz bot", 7, 8, 9, false]));
        let program = Program::start(store.command(&["serve", "--listen", "127.0.0.1:0"]));
        for (key, limit) in [(&usual, "60"), (&told, "7")] {
            let answer = program.get("/v1/servers", &[("x-api-key", key)]).await;
            assert_eq!((answer.status, answer.header("x-ratelimit-limit-minute")), (200, Some(limit)));
        }
    }
}

#[test]
fn list_and_show_are_tables_with_the_id_first() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        printed(&store.rollcall(&["migrate"]));
        let none = "There are no keys yet; `rollcall key create --name NAME` makes one.\n";
        assert_eq!(printed(&store.rollcall(&["key", "list"])), none);
        let key = create(&store, &["--name", "bot"]);
        create(&store, &["--name", "other"]);
        let listed = as_json(&store, &["key", "list", "--json"]);
        let id = listed[0]["id"].as_str().unwrap();
        let table = store.rollcall(&["key", "list"]);
        let rows: Vec<Vec<&str>> = printed(&table).lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows[0], ["ID", "NAME", "KEY", "STATUS", "MINUTE", "DAY", "MONTH", "CREATED"]);
        assert_eq!(rows.len(), 3);
        let hint = format!("{}…", &key[..7]);
        let created = listed[0]["createdAt"].as_str().unwrap();
        assert_eq!(rows[1], [id, "bot", &hint, "active", "60", "1000", "30000", created]);
        assert_eq!(listed[0]["secrets"], json!([hint]));
        let shown = store.rollcall(&["key", "show", id]);
        assert_eq!(printed(&shown).lines().last().map(|line| line.split_whitespace().collect()), Some(rows[1].clone()));
        assert_eq!(as_json(&store, &["key", "show", id, "--json"]), listed[0]);
    }
}

#[test]
fn disable_and_enable_show_what_became_of_the_key() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        create(&store, &[]);
        let id = as_json(&store, &["key", "list", "--json"])[0]["id"].as_str().unwrap().to_owned();
        for (verb, disabled) in [("disable", true), ("disable", true), ("enable", false)] {
            assert_eq!(as_json(&store, &["key", verb, &id, "--json"])["disabled"], disabled);
            let status = if disabled { " disabled " } else { " active " };
            assert!(printed(&store.rollcall(&["key", verb, &id])).contains(status));
        }
    }
}

#[test]
fn an_unknown_id_is_one_sentence() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        printed(&store.rollcall(&["migrate"]));
        for verb in ["show", "disable", "enable"] {
            let told = r#"there is no key of the id "nothing"; `rollcall key list` shows them all"#;
            assert_eq!(complaint(&store.rollcall(&["key", verb, "nothing"]), 1), told);
        }
    }
}

#[test]
fn bad_flags_are_bad_usage() {
    let store = Store::new(Engine::Sqlite);
    for args in [
        &["key", "create", "--per-minute", "0"][..],
        &["key", "create", "--per-day", "many"],
        &["key", "create", "--per-month", "-1"],
        &["key", "create", "--nmae", "x"],
        &["key", "show"],
        &["key", "delete", "x"],
        &["key"],
    ] {
        let output = store.rollcall(args);
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""), "{args:?}");
        assert!(stderr(&output).contains("--help") || stderr(&output).contains("Usage"), "{}", stderr(&output));
    }
    assert_eq!(std::fs::read_dir(store.path()).unwrap().count(), 0, "nothing was made");
}

#[test]
fn a_mistyped_folder_is_not_made() {
    let store = Store::new(Engine::Sqlite);
    for args in [&["key", "list"][..], &["key", "disable", "x"], &["export", "out"]] {
        let output = store.rollcall(args);
        let told = complaint(&output, 1);
        assert!(told.starts_with("there is no store at ") && told.ends_with("makes one"), "{told}");
    }
    assert_eq!(std::fs::read_dir(store.path()).unwrap().count(), 0);
}

#[test]
fn a_name_is_something_to_read_on_one_line() {
    let store = Store::new(Engine::Sqlite);
    for name in ["", "  ", "a\nb", "\u{1b}[31mred"] {
        let output = store.rollcall(&["key", "create", "--name", name]);
        let told = complaint(&output, 2);
        assert!(told.starts_with("name must be 1 to 100 characters without control characters, not "), "{told}");
    }
}
