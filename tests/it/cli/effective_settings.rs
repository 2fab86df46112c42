//! `rollcall config --effective`, and values from files of their own.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{complaint, printed, rollcall, stderr, stdout};

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

fn effective(folder: &Path, args: &[&str], environment: &[(&str, &str)]) -> Output {
    let args = [&["config", "--effective"], args].concat();
    rollcall(folder, &args).envs(environment.iter().copied()).output().unwrap()
}

/// Value, kind and name of the source by setting.
fn settings(folder: &Path, args: &[&str], environment: &[(&str, &str)]) -> BTreeMap<String, Value> {
    let output = effective(folder, &[&["--json"], args].concat(), environment);
    let list: Vec<Value> = serde_json::from_str(printed(&output)).unwrap();
    let entry = |s: &Value| (s["setting"].as_str().unwrap().to_owned(), json!([s["value"], s["source"], s["from"]]));
    list.iter().map(entry).collect()
}

#[test]
fn every_setting_has_its_value_and_its_source() {
    let folder = folder();
    std::fs::write(folder.path().join("rollcall.toml"), "data = \"of-file\"\n[limits]\nper_minute = 5\nper_day = 6\n")
        .unwrap();
    let environment = [("ROLLCALL_LIMITS_PER_DAY", "7"), ("ROLLCALL_HTTP_TRUSTED_PROXIES", "10.0.0.7,10.0.0.8")];
    let flags = ["--listen", "127.0.0.1:3", "--ping-interval", "5m", "--allow-private-addresses"];
    let found = settings(folder.path(), &flags, &environment);
    for (name, expected) in [
        ("listen", json!(["127.0.0.1:3", "flag", "--listen"])),
        ("data", json!(["of-file", "file", "rollcall.toml"])),
        ("limits.per_minute", json!([5, "file", "rollcall.toml"])),
        ("limits.per_day", json!([7, "environment", "ROLLCALL_LIMITS_PER_DAY"])),
        ("limits.per_month", json!([30000, "default", null])),
        ("http.trusted_proxies", json!([["10.0.0.7", "10.0.0.8"], "environment", "ROLLCALL_HTTP_TRUSTED_PROXIES"])),
        ("tracker.ping_interval", json!(["5m", "flag", "--ping-interval"])),
        ("tracker.allow_private_addresses", json!([true, "flag", "--allow-private-addresses"])),
    ] {
        assert_eq!(found[name], expected, "{name}");
    }
    // The same settings as in the documented defaults, and the text is a settings file again.
    let defaults: toml::Table = toml::from_str(include_str!("../../../config.default.toml")).unwrap();
    let count: usize = defaults.values().map(|value| value.as_table().map_or(1, toml::Table::len)).sum();
    assert_eq!(found.len(), count);
    let output = effective(folder.path(), &[], &environment);
    let text = printed(&output);
    assert!(text.contains("limits.per_day = 7 # environment variable ROLLCALL_LIMITS_PER_DAY\n"), "{text}");
    std::fs::write(folder.path().join("other.toml"), text).unwrap();
    let again = settings(folder.path(), &["--config", "other.toml"], &[]);
    assert_eq!(again["limits.per_day"], json!([7, "file", "other.toml"]));
}

#[test]
fn secrets_are_hidden() {
    let folder = folder();
    let key = "5ec7e7".repeat(11)[..64].to_owned();
    let environment = [
        ("ROLLCALL_DATABASE", "postgres://user:5ec7e7@db.example:5432/rollcall?password=5ec7e7"),
        (
            "ROLLCALL_DATABASE_REPLICAS",
            "postgres://user:5ec7e7@one.example/rollcall,postgres://user:5ec7e7@two.example/rollcall",
        ),
        ("ROLLCALL_ACCOUNTS_SECOND_FACTOR_KEY", key.as_str()),
        ("ROLLCALL_PLAYGROUND_SECRET_KEY", "5ec7e7"),
        ("ROLLCALL_PLAYGROUND_VERIFY_URL", "https://user:5ec7e7@proxy.example.org/siteverify"),
    ];
    for args in [&[][..], &["--json"]] {
        let output = effective(folder.path(), args, &environment);
        assert!(!printed(&output).contains("5ec7e7"), "{}", stdout(&output));
    }
    let found = settings(folder.path(), &[], &environment);
    assert_eq!(found["database"][0], "postgres://user:(hidden)@db.example:5432/rollcall?password=(hidden)");
    assert_eq!(found["playground.secret_key"][0], "(hidden)");
    assert_eq!(settings(folder.path(), &[], &[])["playground.secret_key"][0], "", "no secret is set");
}

#[test]
fn a_value_may_be_in_a_file() {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    for (text, value) in [("7", 7), ("8\n", 8), ("9\r\n", 9)] {
        write("value", text);
        let found = settings(folder.path(), &[], &[("ROLLCALL_LIMITS_PER_DAY_FILE", "value")]);
        assert_eq!(found["limits.per_day"], json!([value, "environment", "ROLLCALL_LIMITS_PER_DAY_FILE"]));
    }
    write("value", " two words \n\n");
    let found = settings(folder.path(), &[], &[("ROLLCALL_PLAYGROUND_SITE_KEY_FILE", "value")]);
    assert_eq!(found["playground.site_key"][0], " two words \n", "one line break is cut off");
    // A setting that has this name already is what it was.
    let found = settings(folder.path(), &[], &[("ROLLCALL_ACCOUNTS_SECOND_FACTOR_KEY_FILE", "value")]);
    assert_eq!(found["accounts.second_factor_key_file"][0], "value");
}

#[test]
fn an_unusable_value_file_is_one_sentence_without_its_content() {
    let folder = folder();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("secret", b"5ec7e7");
    write("large", &[b'x'; 65 * 1024]);
    write("binary", b"\xff");
    for (environment, message) in [
        (
            &[("ROLLCALL_DATABASE_FILE", "secret"), ("ROLLCALL_DATABASE", "sqlite:x")][..],
            "environment variables ROLLCALL_DATABASE and ROLLCALL_DATABASE_FILE are both set: remove one of them",
        ),
        (
            &[("ROLLCALL_DATABASE_FILE", "missing")],
            "environment variable ROLLCALL_DATABASE_FILE: cannot read missing: No such file or directory (os error 2)",
        ),
        (
            &[("ROLLCALL_DATABASE_FILE", "large")],
            "environment variable ROLLCALL_DATABASE_FILE: large has more than 64 KiB",
        ),
        (
            &[("ROLLCALL_DATABASE_FILE", "/dev/zero")],
            "environment variable ROLLCALL_DATABASE_FILE: /dev/zero has more than 64 KiB",
        ),
        (
            &[("ROLLCALL_DATABASE_FILE", "binary")],
            "environment variable ROLLCALL_DATABASE_FILE: binary is not UTF-8 text",
        ),
        (
            &[("ROLLCALL_LIMITS_PER_DAY_FILE", "secret")],
            "environment variable ROLLCALL_LIMITS_PER_DAY_FILE: the file must hold a whole number",
        ),
        (&[("ROLLCALL_DATABSE_FILE", "secret")], "environment variable ROLLCALL_DATABSE_FILE: no such setting"),
        (&[("ROLLCALL_LIMITS_FILE", "secret")], "environment variable ROLLCALL_LIMITS_FILE: no such setting"),
    ] {
        let output = effective(folder.path(), &[], environment);
        assert_eq!(complaint(&output, 2), message);
    }
}

#[test]
fn systemd_credentials_are_settings() {
    let folder = folder();
    let credentials = folder.path().join("credentials");
    std::fs::create_dir(&credentials).unwrap();
    let write = |name: &str, text: &str| std::fs::write(credentials.join(name), text).unwrap();
    write("rollcall.database", "postgres://user:5ec7e7@db.example/rollcall\n");
    write("rollcall.limits.per_day", "7\n");
    write("other-service.password", "ignored");
    std::fs::write(folder.path().join("rollcall.toml"), "[limits]\nper_day = 6\n").unwrap();
    let directory = ("CREDENTIALS_DIRECTORY", credentials.to_str().unwrap());
    let found = settings(folder.path(), &[], &[directory]);
    assert_eq!(found["limits.per_day"], json!([7, "credential", "rollcall.limits.per_day"]));
    assert_eq!(
        found["database"],
        json!(["postgres://user:(hidden)@db.example/rollcall", "credential", "rollcall.database"])
    );
    let found = settings(folder.path(), &[], &[directory, ("ROLLCALL_LIMITS_PER_DAY", "8")]);
    assert_eq!(found["limits.per_day"][0], 8);
    write("rollcall.databse", "x");
    let output = effective(folder.path(), &[], &[directory]);
    assert_eq!(complaint(&output, 2), "credential rollcall.databse: no such setting");
    // A service that has ended leaves its variable behind.
    std::fs::remove_dir_all(&credentials).unwrap();
    let output = effective(folder.path(), &[], &[directory]);
    assert!(output.status.success(), "{}", stderr(&output));
}
