//! `rollcall demo`

use rollcall_demo::{GenerateProgress, PictureGenerator, WorldSize, generate_demo};
use rollcall_model::clock::Clock;
use rollcall_model::time::{DAY, MINUTE, parse_iso};
use rollcall_store::media::Media;
use rollcall_store::migrate;

use super::{Program, complaint};
use crate::harness::{Engine, HIGH_LIMITS, Store, create_key, fetch, run_blocking, until};

/// A small demo world that ended `ago` milliseconds ago.
fn old_world(store: &Store, ago: i64) {
    run_blocking(|| {
        let mut conn = store.conn();
        migrate(&mut conn).unwrap();
        let media = Media::in_folder(&store.path().join("media")).unwrap();
        let (pictures, then) = (PictureGenerator::minimal(media), Clock::System.now() - ago);
        generate_demo(&mut conn, 5, then, &WorldSize::tests(), &pictures, &GenerateProgress::hidden()).unwrap();
    });
}

/// Starts the demo; returns the printed key and the URL of the printed command.
fn start(store: &Store) -> (Program, String, String) {
    let mut program = Program::start(store.command(&["demo", "--listen", "127.0.0.1:0"]));
    let key = program.line().strip_prefix("API key: ").expect("the key").to_owned();
    let curl = program.line();
    let url = curl.strip_prefix(&format!("curl -H 'X-API-Key: {key}' '")).and_then(|rest| rest.strip_suffix('\''));
    let url = url.unwrap_or_else(|| panic!("{curl}")).to_owned();
    (program, key, url)
}

#[tokio::test]
#[ignore = "slow, ./test runs it"]
async fn each_start_has_a_key_and_earlier_keys_still_work() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        old_world(&store, 0);
        let mut keys = Vec::new();
        for _ in 0..3 {
            let (program, key, url) = start(&store);
            assert!(url.starts_with(&program.url), "{url}");
            let response = fetch(&url, &[("x-api-key", &key)]).await;
            assert_eq!((response.status, response.data()["servers"].as_array().map(Vec::len)), (200, Some(3)));
            keys.push(key);
            for (age, key) in keys.iter().rev().enumerate() {
                let status = fetch(&url, &[("x-api-key", key)]).await.status;
                assert_eq!(status, if age < 2 { 200 } else { 401 }, "the key of {age} starts ago");
            }
            assert!(program.stop("INT").0.success());
        }
    }
}

/// The only test that generates the whole demo; it is slow in a debug build.
#[tokio::test]
#[ignore = "slow, ./test runs it"]
async fn an_old_demo_world_is_brought_up_to_date() {
    let store = Store::new(Engine::Sqlite);
    old_world(&store, 2 * DAY);
    let before = Clock::System.now();
    let (program, key, url) = start(&store);
    let get = async |path: &str| program.get(path, &[("x-api-key", &key)]).await.data();
    assert_eq!(fetch(&url, &[("x-api-key", &key)]).await.status, 200);
    let live = get("/v1/live").await;
    let latest = parse_iso(live["stats"]["latestPingAt"].as_str().unwrap()).unwrap();
    assert!(latest > before - 5 * MINUTE, "{}", live["stats"]);
    assert!(live["stats"]["newPlayersToday"].as_i64() > Some(0), "{}", live["stats"]);
    assert!(get("/v1/servers").await["pagination"]["total"].as_i64() > Some(200));
    assert_eq!(get("/v1/players").await["pagination"]["total"], 3000);
    // From now on the fake servers are polled, and most of them reply.
    let begun = Clock::System.now();
    // The key of the demo has too few calls for this.
    let key = create_key(&store, HIGH_LIMITS);
    let headers = [("x-api-key", key.as_str())];
    until(async || {
        let response = program.get("/v1/servers?limit=100&sort=players", &headers).await;
        if response.status != 200 {
            return Err(format!("status {}", response.status));
        }
        let servers = response.data()["servers"].clone();
        let servers = servers.as_array().unwrap();
        let is_polled = |server: &serde_json::Value| parse_iso(server["lastPing"].as_str().unwrap()) > Some(begun);
        if !servers.iter().all(is_polled) {
            return Err(format!("the servers are not polled: {}", program.log()));
        }
        let online = servers.iter().filter(|server| server["isOnline"] == true).count();
        assert!(online > 90, "{online} of the 100 largest are online");
        Ok(())
    })
    .await;
    assert_eq!(get("/v1/live").await["stats"]["stale"], false);
}

#[test]
fn a_served_world_is_not_replaced() {
    let store = Store::new(Engine::Sqlite);
    old_world(&store, 2 * DAY);
    let _running = Program::start(store.command(&["serve", "--listen", "127.0.0.1:0", "--ping-interval", "off"]));
    let output = store.rollcall(&["demo", "--listen", "127.0.0.1:0"]);
    let told = format!(
        "another process uses sqlite:{}/rollcall.db, and the demo would replace its data; stop it, or use \
         another --data folder",
        store.path().display()
    );
    assert_eq!(complaint(&output, 1), told);
}

#[tokio::test]
async fn its_servers_send_reports_in_both_formats() {
    let store = Store::new(Engine::Sqlite);
    old_world(&store, 0);
    let (program, ..) = start(&store);
    let sql = "select distinct format from server_reports where tps_at > 0 and listed_at > 0 order by format";
    until(async || {
        let formats: Vec<String> = store.change(|conn| conn.query(sql, &[], |row| row.get(0)));
        if formats == ["azlink", "report"] { Ok(()) } else { Err(format!("only {formats:?}: {}", program.log())) }
    })
    .await;
}
