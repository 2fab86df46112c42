//! Backups of a store in use.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use reqwest::Method;
use rollcall_store::Conn;
use rollcall_store::values;
use serde_json::{Value, json};

use super::{Program, SERVE, back_up, printed, restored, text};
use crate::harness::{DEADLINE, Engine, NOW, PUBLIC_URL, Server, Store, run_blocking};

/// Sets the flag when dropped, so that threads stop when the test fails.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Imports one server and its votes in one transaction.
fn import(store: &Store, folder: &Path, number: usize) {
    let (servers, votes) = (folder.join("servers.ndjson"), folder.join("votes.ndjson"));
    let server = json!({"id": format!("new-{number}"), "name": format!("New {number}"), "ip": "new.example"});
    std::fs::write(&servers, server.to_string()).unwrap();
    let vote = |i| {
        let id = format!("vote-{number}-{i}");
        json!({"id": id, "serverId": server["id"], "gameUsername": "Dax", "votedAt": "2026-01-29T18:00:00.000Z"})
    };
    std::fs::write(&votes, (0..50).map(|i| format!("{}\n", vote(i))).collect::<String>()).unwrap();
    printed(&store.rollcall(&["import", text(&servers), text(&votes)]));
}

/// Panics unless a backup is valid and consistent. Returns its number of servers.
fn check(file: &Path) -> i64 {
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let mut conn = Conn::open_immutable(file).unwrap();
    let message: Vec<String> = conn.query("pragma integrity_check", &[], |row| row.get(0)).unwrap();
    assert_eq!(message, ["ok"]);
    assert_eq!(conn.query("pragma foreign_key_check", &[], |_| ()).unwrap().len(), 0);
    let mut count = |sql: &str| conn.query_one(sql, &[], |row| row.get::<i64>(0)).unwrap();
    let uncounted = "select count(*) from servers s
                     where total_votes <> (select count(*) from votes v where v.server_n = s.n)";
    assert_eq!(count(uncounted), 0);
    let without_picture = "select count(*) from servers where icon not in (select name from pictures)
                  or banner not in (select name from pictures) or motd_image not in (select name from pictures)";
    assert_eq!(count(without_picture), 0);
    assert_eq!(count("select count(*) from key_windows where key_n not in (select n from keys)"), 0);
    count("select count(*) from servers")
}

#[tokio::test]
async fn a_backup_during_writes_is_consistent_and_restores_to_the_same_responses() {
    let source = Server::own(Engine::Sqlite);
    let store = source.store.clone();
    let program = Program::start(store.command(&SERVE));
    let folder = tempfile::tempdir().unwrap();
    let file = |number: usize| folder.path().join(format!("{number}.db"));
    let stop = AtomicBool::new(false);
    let going = || !stop.load(Ordering::Relaxed);
    let backups = std::thread::scope(|scope| {
        let _stop = StopOnDrop(&stop);
        scope.spawn(|| (0..).take_while(|_| going()).for_each(|number| import(&store, folder.path(), number)));
        scope.spawn(|| {
            while going() {
                printed(&store.rollcall(&["key", "create"]));
            }
        });
        let deadline = Instant::now() + DEADLINE;
        let mut seen: Vec<i64> = Vec::new();
        // Until the store has grown three times between backups.
        while seen.windows(2).filter(|pair| pair[0] < pair[1]).count() < 3 {
            assert!(Instant::now() < deadline, "nothing is imported: {seen:?}");
            let file = file(seen.len());
            back_up(&store, &file);
            seen.push(check(&file));
        }
        seen
    });
    assert!(backups.is_sorted(), "{backups:?}");
    assert_eq!(program.get("/readyz", &[]).await.status, 200);
    for (number, servers) in [0, backups.len() - 1].map(|number| (number, backups[number])) {
        let server = Server::over(restored(&file(number)), NOW);
        let total = server.get("/servers?limit=1").await.data()["pagination"]["total"].as_i64().unwrap();
        // Some servers are unlisted.
        assert!(total <= servers && total > servers / 2, "{total} of {servers}");
    }
    back_up(&store, &file(backups.len()));
    let [before, after] = [Server::over(store, NOW), Server::over(restored(&file(backups.len())), NOW)];
    let listed = before.get("/servers?limit=1").await.data()["servers"][0].clone();
    let slug = listed["slug"].as_str().unwrap();
    let player = before.get("/players?limit=1").await.data()["players"][0]["id"].clone();
    let mut paths: Vec<String> = rollcall::v1::ENDPOINTS.iter().map(|endpoint| endpoint.path.to_owned()).collect();
    // The key of each server is another one.
    paths.retain(|path| !path.contains('{') && !["/key", "/events/stream"].contains(&path.as_str()));
    paths.extend(["", "/voters", "/reviews", "/updates"].map(|rest| format!("/servers/{slug}{rest}")));
    paths.extend(["/servers?sort=players&limit=100", "/search?q=new", "/skins/default-slim"].map(str::to_owned));
    paths.push(format!("/players/{}", player.as_str().unwrap()));
    for path in paths {
        let [one, other] = [before.get(&path).await, after.get(&path).await];
        assert_eq!(one.status, other.status, "{path}");
        assert!(one.body == other.body, "{path} differs");
    }
    let icon = listed["iconUrl"].as_str().unwrap().strip_prefix(PUBLIC_URL).unwrap();
    let [one, other] = [before.raw(Method::GET, icon, &[]).await, after.raw(Method::GET, icon, &[]).await];
    assert_eq!((one.status, other.status), (200, 200));
    assert!(one.body == other.body);
}

fn show(store: &Store, id: &str) -> Value {
    serde_json::from_str(printed(&store.rollcall(&["key", "show", id, "--json"]))).unwrap()
}

#[tokio::test]
async fn a_backup_contains_the_usage_of_keys_but_not_their_secrets() {
    const REQUESTS: i64 = 7;
    let store = Store::new(Engine::Sqlite);
    let key = printed(&store.rollcall(&["key", "create"])).trim().to_owned();
    let header = [("x-api-key", key.as_str())];
    let program = Program::start(store.command(&SERVE));
    for _ in 0..REQUESTS {
        assert_eq!(program.get("/v1/servers", &header).await.status, 200);
    }
    let files = ["live", "after"].map(|name| store.path().join(name));
    back_up(&store, &files[0]);
    assert!(program.stop("TERM").0.success());
    back_up(&store, &files[1]);
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        assert_eq!(memchr::memmem::find(&bytes, &key.as_bytes()[7..]), None);
    }
    let keys: Value = serde_json::from_str(printed(&store.rollcall(&["key", "list", "--json"]))).unwrap();
    let id = keys[0]["id"].as_str().unwrap();
    let used = show(&restored(&files[0]), id)["used"]["month"].as_i64().unwrap();
    // A running server has reserved a few more, which count as used.
    assert!(used >= REQUESTS, "{used}");
    let after = restored(&files[1]);
    let (before, shown) = (show(&store, id), show(&after, id));
    assert_eq!(shown["used"]["month"], REQUESTS);
    for field in ["id", "name", "secrets", "lastUsedAt", "createdAt"] {
        assert_eq!(shown[field], before[field], "{field}");
    }
    let program = Program::start(after.command(&SERVE));
    let answer = program.get("/v1/servers", &header).await;
    assert_eq!((answer.status, answer.header("x-ratelimit-remaining-month")), (200, Some("29992")));
}

#[test]
fn a_key_created_after_a_restore_inherits_no_usage() {
    let (store, _) = super::backed_up(&["one"]);
    // As if another key had been created and used while the backup was written.
    printed(&store.rollcall(&["key", "list"]));
    run_blocking(|| {
        let mut ledger = Conn::open(&store.database.ledger()).unwrap();
        let (one, two) = (values![1_i64, 5_i64], values![2_i64, 5_i64]);
        let sql = "insert into key_uses (key_n, last_used_at) values ($1, $2)";
        ledger.execute(sql, one).unwrap();
        ledger.execute(sql, two).unwrap();
    });
    let file = store.path().join("again");
    back_up(&store, &file);
    let after = restored(&file);
    printed(&after.rollcall(&["key", "create"]));
    let keys: Value = serde_json::from_str(printed(&after.rollcall(&["key", "list", "--json"]))).unwrap();
    assert_eq!([&keys[0]["lastUsedAt"], &keys[1]["lastUsedAt"]], [&json!("1970-01-01T00:00:00.005Z"), &Value::Null]);
}

#[test]
fn an_old_schema_is_backed_up_as_it_is_and_restored_to_the_newest() {
    let store = Store::new(Engine::Sqlite);
    run_blocking(|| rollcall_store::migrate_like(&mut store.conn(), &[1]).unwrap());
    let file = store.path().join("old");
    back_up(&store, &file);
    let migrations = |store: &Store| -> Vec<i64> {
        store.change(|conn| conn.query("select number from migrations order by number", &[], |row| row.get(0)))
    };
    assert_eq!(migrations(&store), [1]);
    let after = restored(&file);
    let newest = Store::new(Engine::Sqlite);
    run_blocking(|| rollcall_store::migrate(&mut newest.conn()).unwrap());
    assert_eq!(migrations(&after), migrations(&newest));
    assert_eq!(printed(&after.rollcall(&["migrate"])), "The schema is up to date.\n");
}

#[test]
fn a_damaged_picture_is_left_out_and_repaired_by_a_restore() {
    let (store, first) = super::backed_up(&["one"]);
    let skins = store.path().join("media/skin");
    let skin = skins.join(&super::entries(&skins)[0]);
    let whole = std::fs::read(&skin).unwrap();
    std::fs::write(&skin, &whole[1..]).unwrap();
    let output = store.rollcall(&["backup", text(&store.path().join("second"))]);
    assert!(super::super::stderr(&output).contains("left out damaged pictures (1), the first is skin/"));
    assert!(printed(&output).contains("pictures (2)"), "{}", printed(&output));
    printed(&store.rollcall(&["restore", text(&first), "--replace"]));
    assert_eq!(std::fs::read(&skin).unwrap(), whole);
}
