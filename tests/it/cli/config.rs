//! Settings: precedence and error messages.

use serde_json::Value;
use tempfile::TempDir;

use super::{complaint, printed, rollcall, stdout};

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

/// The limit per minute of a key created with these settings.
fn per_minute(folder: &TempDir, args: &[&str], environment: &[(&str, &str)]) -> Value {
    let run = |args: &[&str]| {
        let output = rollcall(folder.path(), args).envs(environment.iter().copied()).output().unwrap();
        printed(&output).to_owned()
    };
    run(&[&["key", "create"], args].concat());
    let file = args.iter().position(|arg| *arg == "--config").map_or(&[][..], |at| &args[at..at + 2]);
    let keys: Value = serde_json::from_str(&run(&[&["key", "list", "--json"], file].concat())).unwrap();
    keys.as_array().unwrap().last().unwrap()["perMinute"].clone()
}

#[test]
fn flags_override_environment_file_and_defaults() {
    let folder = folder();
    assert_eq!(per_minute(&folder, &[], &[]), 60);
    std::fs::write(folder.path().join("other.toml"), "[limits]\nper_minute = 5\n").unwrap();
    std::fs::write(folder.path().join("rollcall.toml"), "[limits]\nper_minute = 6\n").unwrap();
    assert_eq!(per_minute(&folder, &[], &[]), 6);
    assert_eq!(per_minute(&folder, &["--config", "other.toml"], &[]), 5);
    assert_eq!(per_minute(&folder, &[], &[("ROLLCALL_CONFIG", "other.toml")]), 5);
    let environment = [("ROLLCALL_LIMITS_PER_MINUTE", "7")];
    assert_eq!(per_minute(&folder, &[], &environment), 7);
    assert_eq!(per_minute(&folder, &["--per-minute", "8"], &environment), 8);
}

#[test]
fn the_store_is_where_the_settings_say() {
    let folder = folder();
    let made = |name: &str| folder.path().join(name).join("rollcall.db").exists();
    let migrate = |args: &[&str], environment: &[(&str, &str)]| {
        let output = rollcall(folder.path(), &[&["migrate"], args].concat()).envs(environment.iter().copied()).output();
        printed(&output.unwrap());
    };
    migrate(&[], &[]);
    assert!(made("data"));
    std::fs::write(folder.path().join("rollcall.toml"), "data = \"of-file\"\n").unwrap();
    migrate(&[], &[]);
    assert!(made("of-file") && !made("of-environment"));
    migrate(&[], &[("ROLLCALL_DATA", "of-environment")]);
    assert!(made("of-environment") && !made("of-flag"));
    migrate(&["--data", "of-flag"], &[("ROLLCALL_DATA", "elsewhere")]);
    assert!(made("of-flag") && !made("elsewhere"));
    migrate(&["--data", "elsewhere", "--database", "sqlite:own/rollcall.db"], &[]);
    assert!(made("own") && !made("elsewhere"));
}

#[test]
fn config_prints_every_setting_with_its_default() {
    let folder = folder();
    let output = rollcall(folder.path(), &["config"]).output().unwrap();
    std::fs::write(folder.path().join("rollcall.toml"), printed(&output)).unwrap();
    assert_eq!(per_minute(&folder, &[], &[]), 60);
}

#[test]
fn an_invalid_setting_is_named_in_one_sentence() {
    let folder = folder();
    for (environment, message) in [
        (("ROLLCALL_X", "1"), "environment variable ROLLCALL_X: no such setting"),
        (("ROLLCALL_LIMITS_PER_HOUR", "1"), "environment variable ROLLCALL_LIMITS_PER_HOUR: no such setting"),
        (("ROLLCALL_LIMITS", "1"), "environment variable ROLLCALL_LIMITS: no such setting"),
        (
            ("ROLLCALL_LIMITS_PER_DAY", "many"),
            "environment variable ROLLCALL_LIMITS_PER_DAY must be a whole number, not \"many\"",
        ),
        (
            ("ROLLCALL_LIMITS_PER_DAY", "0"),
            "environment variable ROLLCALL_LIMITS_PER_DAY: limits.per_day must be at least 1",
        ),
        (
            ("ROLLCALL_DATABASE", "mysql://u:secret@x/y"),
            "environment variable ROLLCALL_DATABASE: database: the URL must be sqlite:PATH or postgres://user:password@host:port/name",
        ),
        (
            ("ROLLCALL_DATABASE", "sqlite:"),
            "environment variable ROLLCALL_DATABASE: database: the URL sqlite:PATH needs a path",
        ),
        (
            ("ROLLCALL_DATABASE", "postgres://u:secret@[::1/x"),
            "environment variable ROLLCALL_DATABASE: database: the PostgreSQL URL is not valid; use postgres://user:password@host:port/name",
        ),
        (
            ("ROLLCALL_DATABASE_REPLICAS", "postgres://u:secret@replica.example/x"),
            "environment variable ROLLCALL_DATABASE_REPLICAS: database_replicas: only PostgreSQL has replicas, and the database is SQLite",
        ),
        (("ROLLCALL_CONFIG", "missing.toml"), "cannot read missing.toml: No such file or directory (os error 2)"),
    ] {
        let output = rollcall(folder.path(), &["migrate"]).env(environment.0, environment.1).output().unwrap();
        assert_eq!(complaint(&output, 2), message);
    }
    for (environment, named) in [
        (("ROLLCALL_LISTEN", "nowhere"), "listen"),
        (("ROLLCALL_LOG_FORMAT", "xml"), "log.format"),
        (("ROLLCALL_LIMITS_PER_DAY", "-1"), "limits.per_day"),
        (("ROLLCALL_HTTP_MAX_CONNECTIONS", "-1"), "http.max_connections"),
        (("ROLLCALL_HTTP_CLIENT_TIMEOUT", "0"), "http.client_timeout"),
        (("ROLLCALL_HTTP_TRUSTED_PROXIES", "10.0.0.0/8,everyone"), "http.trusted_proxies"),
        (("ROLLCALL_HTTP_CLIENT_ADDRESS_HEADER", "X Real IP"), "http.client_address_header"),
        (("ROLLCALL_PUBLIC_URL", "ftp://x"), "public_url"),
        (("ROLLCALL_METRICS_LISTEN", "nowhere"), "metrics.listen"),
        (("ROLLCALL_LOG_FILTER", "a=b=c"), "log.filter"),
    ] {
        let mut command = rollcall(folder.path(), &["serve", "--listen", "127.0.0.1:0"]);
        if environment.0 == "ROLLCALL_LISTEN" {
            command = rollcall(folder.path(), &["serve"]);
        }
        let output = command.env(environment.0, environment.1).output().unwrap();
        let message = complaint(&output, 2);
        assert!(message.starts_with(&format!("environment variable {}: ", environment.0)), "{message}");
        assert!(message.contains(named), "{message}");
    }
}

#[test]
fn an_invalid_file_is_one_sentence_without_secrets() {
    let folder = folder();
    let file = folder.path().join("rollcall.toml");
    for (text, named) in [
        ("database = \"postgres://u:secret@host/db\nlisten = 1", "line 1"),
        ("listen = \"127.0.0.1:0\"\ndatabase = postgres://u:secret@host/db", "line 2"),
        ("database = [\"postgres://u:secret@host/db\"]", "database"),
        ("database = \"postgress://u:secret@host/db\"", "database"),
        ("databse = \"postgres://u:secret@host/db\"", "unknown setting \"databse\""),
        ("[limits]\nper_minute = \"secret\"", "limits.per_minute"),
        ("[limits]\nper_hour = 1", "unknown setting \"limits.per_hour\""),
        ("limits = 1", "\"limits\" is a section, not a value"),
        ("listen = 8080", "listen"),
        ("[log]\nformat = \"xml\"", "log.format"),
    ] {
        std::fs::write(&file, text).unwrap();
        let output = rollcall(folder.path(), &["migrate"]).output().unwrap();
        let message = complaint(&output, 2);
        assert!(message.contains(named) && !message.contains("u:secret"), "{text}: {message}");
        assert!(message.starts_with("rollcall.toml"), "{text}: {message}");
    }
}

#[test]
fn a_store_that_cannot_be_opened_is_one_sentence_without_the_password() {
    let folder = folder();
    // Nothing listens on a port that was just released.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("postgres://user:secret@127.0.0.1:{port}/rollcall");
    for args in [&["migrate"][..], &["serve"], &["key", "list"], &["key", "create"]] {
        let mut command = rollcall(folder.path(), &[args, &["--database", &url]].concat());
        // Otherwise `serve` waits for PostgreSQL, and says so.
        let output = command.env("ROLLCALL_DATABASE_WAIT", "0").output().unwrap();
        let message = complaint(&output, 1);
        assert!(
            message.starts_with(&format!("cannot open postgres://127.0.0.1:{port}/rollcall: "))
                && !message.contains("secret"),
            "{message}"
        );
    }
    std::fs::write(folder.path().join("file"), "not a folder").unwrap();
    let output = rollcall(folder.path(), &["migrate", "--data", "file"]).output().unwrap();
    assert!(complaint(&output, 1).starts_with("cannot open sqlite:file/rollcall.db: "));
}

#[test]
fn a_password_with_an_at_sign_is_refused_without_showing_any_of_it() {
    let folder = folder();
    for url in [
        "postgres://user:first@tail@host.example/db",
        "postgresql://user:first@tail@host.example/db",
        "postgres://us@tail:first@host.example/db",
        "postgres://host.example/db?password=first@tail",
        "postgres://user@host.example/db?password=first@tail",
    ] {
        for args in [&["migrate"][..], &["key", "list"], &["serve"]] {
            let output = rollcall(folder.path(), &[args, &["--database", url]].concat()).output().unwrap();
            let message = complaint(&output, 2);
            assert!(message.starts_with("--database: database: ") && message.ends_with("write it as %40"), "{message}");
            assert!(!message.contains("first") && !message.contains("tail"), "{message}");
        }
    }
}

#[test]
fn invalid_flags_are_usage_errors_and_help_is_not() {
    let folder = folder();
    for args in [&[][..], &["serv"], &["serve", "--prot", "1"], &["serve", "--listen"], &["migrate", "x"]] {
        let output = rollcall(folder.path(), args).output().unwrap();
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""), "{args:?}");
    }
    for args in [&["--help"][..], &["help"], &["serve", "--help"], &["--version"]] {
        let output = rollcall(folder.path(), args).output().unwrap();
        assert!(!printed(&output).is_empty() && output.stderr.is_empty(), "{args:?}");
    }
    let output = rollcall(folder.path(), &["serve", "--listen", "nowhere"]).output().unwrap();
    let message = complaint(&output, 2);
    assert!(message.contains("listen"), "{message}");
}
