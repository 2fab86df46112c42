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
            assert!(rollcall_model::api_key::digest_of(key).is_some(), "{key}");
        }
        assert_ne!(one, other);
    }
}

#[tokio::test]
async fn names_and_limits_are_as_given_or_default() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let usual = create(&store, &[]);
        let message = create(&store, &["--name", "Öz bot", "--per-minute", "7", "--per-day", "8", "--per-month", "9"]);
        let keys = as_json(&store, &["key", "list", "--json"]);
        let figures = |key: &Value| -> Value {
            ["name", "perMinute", "perDay", "perMonth", "disabled"].map(|name| key[name].clone()).to_vec().into()
        };
        assert_eq!(figures(&keys[0]), json!(["unnamed", 60, 1000, 30_000, false]));
        assert_eq!(figures(&keys[1]), json!(["Öz bot", 7, 8, 9, false]));
        let program = Program::start(store.command(&["serve", "--listen", "127.0.0.1:0"]));
        for (key, limit) in [(&usual, "60"), (&message, "7")] {
            let response = program.get("/v1/servers", &[("x-api-key", key)]).await;
            assert_eq!((response.status, response.header("x-ratelimit-limit-minute")), (200, Some(limit)));
        }
    }
}

#[test]
fn list_and_show_are_tables_with_the_id_first() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        printed(&store.rollcall(&["migrate"]));
        let none = "No keys yet; `rollcall key create --name NAME` creates one.\n";
        assert_eq!(printed(&store.rollcall(&["key", "list"])), none);
        let key = create(&store, &["--name", "bot"]);
        create(&store, &["--name", "other"]);
        let listed = as_json(&store, &["key", "list", "--json"]);
        let id = listed[0]["id"].as_str().unwrap();
        let table = store.rollcall(&["key", "list"]);
        let rows: Vec<Vec<&str>> = printed(&table).lines().map(|line| line.split_whitespace().collect()).collect();
        let header = "ID NAME OWNER KEY STATUS MINUTE DAY MONTH LAST USED EXPIRES CREATED";
        assert_eq!(rows[0], header.split(' ').collect::<Vec<_>>());
        assert_eq!(rows.len(), 3);
        let hint = format!("{}…", &key[..7]);
        let created = listed[0]["createdAt"].as_str().unwrap();
        assert_eq!(rows[1], [id, "bot", "-", &hint, "active", "0/60", "0/1000", "0/30000", "-", "-", created]);
        let whole = json!({
            "id": id, "name": "bot", "owner": null, "status": "active", "secrets": [{"hint": hint, "endsAt": null}],
            "perMinute": 60, "perDay": 1000, "perMonth": 30_000, "used": {"minute": 0, "day": 0, "month": 0},
            "disabled": false, "createdAt": created, "expiresAt": null, "lastUsedAt": null, "restrictions": null,
        });
        assert_eq!(listed[0], whole);
        let shown = store.rollcall(&["key", "show", id]);
        assert_eq!(printed(&shown).lines().last().map(|line| line.split_whitespace().collect()), Some(rows[1].clone()));
        assert_eq!(as_json(&store, &["key", "show", id, "--json"]), listed[0]);
    }
}

#[test]
fn disable_and_enable_print_the_new_state() {
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
        for verb in ["show", "disable", "enable", "usage", "revoke-old"] {
            let message = r#"no key has the id "nothing"; `rollcall key list` shows all keys"#;
            assert_eq!(complaint(&store.rollcall(&["key", verb, "nothing"]), 1), message);
        }
    }
}

#[test]
fn invalid_flags_are_usage_errors() {
    let store = Store::new(Engine::Sqlite);
    for args in [
        &["key", "create", "--per-minute", "0"][..],
        &["key", "create", "--per-day", "many"],
        &["key", "create", "--per-month", "-1"],
        &["key", "create", "--nmae", "x"],
        &["key", "show"],
        &["key", "rotate", "x"],
        &["key", "rotate", "x", "--grace", "2h"],
        &["key", "limits", "x"],
        &["key", "limits", "x", "--per-day", "0"],
        &["key", "limits", "x", "--per-day", "unlimited"],
        &["key", "usage", "x", "--days", "0"],
        &["key", "delete"],
        &["key", "rename", "x"],
        &["key"],
    ] {
        let output = store.rollcall(args);
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""), "{args:?}");
        assert!(stderr(&output).contains("--help") || stderr(&output).contains("Usage"), "{}", stderr(&output));
    }
    assert_eq!(std::fs::read_dir(store.path()).unwrap().count(), 0, "nothing was made");
}

#[test]
fn a_limit_that_is_no_count_is_named_with_what_is_accepted() {
    let store = Store::new(Engine::Sqlite);
    for (args, accepted) in [
        (&["key", "create"][..], "must be a whole number from 1 to 4294967295"),
        (&["key", "limits", "x"], "must be a whole number from 1 to 4294967295 or \"default\""),
    ] {
        for value in ["-5", "abc", "0", "1.5", "4294967296"] {
            let output = store.rollcall(&[args, &["--per-minute", value]].concat());
            let expected = format!("invalid value '{value}' for '--per-minute <N>': {accepted}; see --help");
            assert_eq!(complaint(&output, 2), expected);
        }
    }
    let output = store.rollcall(&["key", "usage", "x", "--days", "-1"]);
    assert!(complaint(&output, 2).contains("'--days <N>': must be a whole number from 1"), "{}", complaint(&output, 2));
}

#[test]
fn a_missing_folder_is_not_created() {
    let store = Store::new(Engine::Sqlite);
    for args in [&["key", "list"][..], &["key", "disable", "x"], &["export", "out"]] {
        let output = store.rollcall(args);
        let message = complaint(&output, 1);
        assert!(message.starts_with("no store at ") && message.ends_with("creates one"), "{message}");
    }
    assert_eq!(std::fs::read_dir(store.path()).unwrap().count(), 0);
}

#[test]
fn a_name_is_printable_and_on_one_line() {
    let store = Store::new(Engine::Sqlite);
    for name in ["", "  ", "a\nb", "\u{1b}[31mred"] {
        let output = store.rollcall(&["key", "create", "--name", name]);
        let message = complaint(&output, 2);
        assert!(message.starts_with("name must be 1 to 100 characters without control characters, not "), "{message}");
    }
}

#[test]
fn an_owner_must_exist() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        std::fs::write(store.path().join("accounts.ndjson"), "{\"id\":\"acc-ada\",\"username\":\"Ada\"}\n").unwrap();
        printed(&store.rollcall(&["import", "accounts.ndjson"]));
        create(&store, &["--owner", "ada", "--expires", "2099-01-31"]);
        let key = &as_json(&store, &["key", "list", "--json"])[0];
        assert_eq!((&key["owner"], &key["expiresAt"]), (&json!("Ada"), &json!("2099-01-31T00:00:00.000Z")));
        let output = store.rollcall(&["key", "create", "--owner", "nobody"]);
        assert_eq!(complaint(&output, 1), "no account has the username \"nobody\"");
    }
}

#[test]
fn a_rotated_key_has_two_secrets_until_the_older_one_ends() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let first = create(&store, &[]);
        let id = as_json(&store, &["key", "list", "--json"])[0]["id"].as_str().unwrap().to_owned();
        let hint = |secret: &str| format!("{}…", &secret[..7]);
        let rotate = |grace: &str| {
            let output = store.rollcall(&["key", "rotate", &id, "--grace", grace]);
            (printed(&output).trim_end().to_owned(), stderr(&output).to_owned())
        };
        let secrets = || as_json(&store, &["key", "show", &id, "--json"])["secrets"].clone();
        let (second, said) = rotate("24h");
        assert_eq!(said, "");
        let shown = secrets();
        assert_eq!((&shown[0]["hint"], &shown[1]["hint"]), (&json!(hint(&first)), &json!(hint(&second))));
        assert!(shown[0]["endsAt"].is_string() && shown[1]["endsAt"].is_null(), "{shown}");
        let (third, said) = rotate("7d");
        let until = shown[0]["endsAt"].as_str().unwrap();
        let ended = format!(
            "rollcall: the older secret {} stopped working: a key has at most two secrets; it would have worked until {until}\n",
            hint(&first)
        );
        assert_eq!(said, ended);
        let shown = secrets();
        assert_eq!((&shown[0]["hint"], &shown[1]["hint"]), (&json!(hint(&second)), &json!(hint(&third))));
        assert_eq!(shown.as_array().unwrap().len(), 2);
        let output = store.rollcall(&["key", "revoke-old", &id, "--json"]);
        let shown: Value = serde_json::from_str(printed(&output)).unwrap();
        assert_eq!(shown["secrets"], json!([{"hint": hint(&third), "endsAt": null}]));
        let (fourth, said) = rotate("0");
        assert_eq!(said, "");
        assert_eq!(secrets(), json!([{"hint": hint(&fourth), "endsAt": null}]));
    }
}

#[test]
fn limits_are_set_per_key_or_follow_the_configuration() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        create(&store, &["--per-day", "7"]);
        let id = as_json(&store, &["key", "list", "--json"])[0]["id"].as_str().unwrap().to_owned();
        let limits = |output: std::process::Output| {
            let key: Value = serde_json::from_str(printed(&output)).unwrap();
            [&key["perMinute"], &key["perDay"], &key["perMonth"]].map(|limit| limit.as_u64().unwrap())
        };
        let set = |args: &[&str]| limits(store.rollcall(&[&["key", "limits", &id, "--json"], args].concat()));
        assert_eq!(set(&["--per-minute", "100"]), [100, 7, 30_000]);
        assert_eq!(set(&["--per-day", "default", "--per-month", "8"]), [100, 1000, 8]);
        let mut other = store.command(&["key", "show", &id, "--json"]);
        other.env("ROLLCALL_LIMITS_PER_DAY", "5").env("ROLLCALL_LIMITS_PER_MONTH", "5");
        assert_eq!(limits(other.output().unwrap()), [100, 5, 8]);
    }
}

#[test]
fn an_expiry_must_be_in_the_future() {
    let store = Store::new(Engine::Sqlite);
    for when in ["soon", "", "0h", "2027-02-29"] {
        let message = "the expiry must be ";
        let output = store.rollcall(&["key", "create", "--expires", when]);
        assert!(complaint(&output, 2).starts_with(message), "{when}");
    }
    let past = store.rollcall(&["key", "create", "--expires", "2020-01-01"]);
    let message = "the expiry must be in the future, not \"2020-01-01\"; use `rollcall key disable` instead";
    assert_eq!(complaint(&past, 2), message);
    assert_eq!(std::fs::read_dir(store.path()).unwrap().count(), 0, "nothing was made");
}

#[test]
fn nothing_changes_if_the_secret_cannot_be_printed() {
    let store = Store::new(Engine::Sqlite);
    create(&store, &[]);
    let before = as_json(&store, &["key", "list", "--json"]);
    let id = before[0]["id"].as_str().unwrap();
    for args in [&["key", "create"][..], &["key", "rotate", id, "--grace", "0"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = store.command(args).stdout(full).output().unwrap();
        assert!(complaint(&output, 1).starts_with("cannot print the key, so nothing was changed: "));
    }
    assert_eq!(as_json(&store, &["key", "list", "--json"]), before);
}

#[tokio::test]
async fn a_symlinked_database_has_one_ledger() {
    let store = Store::new(Engine::Sqlite);
    let (real, link) = (store.path().join("real"), store.path().join("data"));
    for folder in [&real, &link] {
        std::fs::create_dir(folder).unwrap();
    }
    // The target does not exist yet.
    std::os::unix::fs::symlink("../real/x.db", link.join("rollcall.db")).unwrap();
    let run = |args: &[&str]| super::rollcall(store.path(), args).output().unwrap();
    let key = printed(&run(&["key", "create", "--per-minute", "1000"])).trim_end().to_owned();
    let mut command = super::rollcall(store.path(), &["serve", "--listen", "127.0.0.1:0"]);
    command.env("ROLLCALL_DATA", &link);
    let program = Program::start(command);
    assert_eq!(program.get("/v1/servers", &[("x-api-key", &key)]).await.status, 200);
    program.stop("TERM");
    assert!(real.join("x-ledger.db").exists() && !link.join("rollcall-ledger.db").exists());
    let by_name = run(&["key", "list", "--json", "--database", "sqlite:real/x.db"]);
    let keys: Value = serde_json::from_str(printed(&by_name)).unwrap();
    assert_eq!(keys[0]["used"]["day"], 1);
}
