//! SIGHUP reads the settings again.

use super::Program;
use crate::harness::{Engine, Store};

const SERVE: [&str; 5] = ["serve", "--listen", "127.0.0.1:0", "--config", "settings.toml"];

fn write(store: &Store, settings: &str) {
    std::fs::write(store.path().join("settings.toml"), settings).unwrap();
}

#[tokio::test]
async fn some_settings_apply_at_once_and_the_others_are_named() {
    let store = Store::new(Engine::Sqlite);
    write(&store, "[log]\nfilter = \"info\"\n");
    let program = Program::start(store.command(&SERVE));
    assert_eq!(program.get("/v1/servers", &[("x-api-key", "rc_wrong")]).await.status, 401);
    write(
        &store,
        "[log]\nfilter = \"debug\"\naccess = true\n[auth]\nwrong_keys_per_minute = 1\n[http]\nmax_requests = 7\n[cache]\nresponses_mib = 0\n",
    );
    program.signal("HUP");
    program.until_logged("reloaded the settings");
    let log = program.log();
    let line = log.lines().find(|line| line.contains("reloaded the settings")).expect("the line");
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(line["fields"]["applied"], "auth.wrong_keys_per_minute, log.access, log.filter");
    assert_eq!(line["fields"]["needs_restart"], "cache.responses_mib, http.max_requests");
    // The limit is lower now: of two wrong keys within one minute at most one gets a 401.
    let statuses = [
        program.get("/v1/servers", &[("x-api-key", "rc_a")]).await.status,
        program.get("/v1/servers", &[("x-api-key", "rc_b")]).await.status,
    ];
    assert!(statuses.contains(&429) || program.get("/v1/servers", &[("x-api-key", "rc_c")]).await.status == 429);
    program.until_logged("rollcall::access");
    program.until_logged("\"level\":\"DEBUG\"");
    // A second signal names what is still pending, and nothing else.
    program.signal("HUP");
    program.until_logged("\"applied\":\"none\",\"needs_restart\":\"cache.responses_mib, http.max_requests\"");
}

#[test]
fn an_invalid_file_changes_nothing() {
    let store = Store::new(Engine::Sqlite);
    write(&store, "");
    let program = Program::start(store.command(&SERVE));
    for (settings, error) in [
        ("[log]\naccess = true\nfilter = \"a=b=c\"\n", "settings.toml: log.filter"),
        ("[log]\naccess = true\n[limits]\nper_hour = 1\n", "unknown setting"),
        ("[log", "settings.toml is not valid TOML"),
    ] {
        write(&store, settings);
        program.signal("HUP");
        program.until_logged(error);
    }
    let log = program.log();
    let errors = log.lines().filter(|line| line.contains("keeping the previous certificate and settings")).count();
    assert!(errors == 3 && !log.contains("reloaded"), "{log}");
    write(&store, "");
    program.signal("HUP");
    program.until_logged("\"applied\":\"none\",\"needs_restart\":\"none\"");
}
