//! `rollcall seed`

use super::{Program, complaint, printed, stderr};
use crate::harness::{Engine, Store};

const SMALL: [&str; 7] = ["seed", "--servers", "4", "--players", "9", "--votes", "20"];

#[tokio::test]
async fn a_small_seed_is_served_and_never_overwritten() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let output = store.rollcall(&SMALL);
        assert!(printed(&output).starts_with("Created 4 servers, 9 players, 20 votes, "), "{}", printed(&output));
        assert_eq!(stderr(&output), "", "progress is for people");
        let message = "the store already holds servers or players; seed needs an empty store";
        assert_eq!(complaint(&store.rollcall(&SMALL), 1), message);
        let demo = store.rollcall(&["demo", "--listen", "127.0.0.1:0"]);
        let message = complaint(&demo, 2);
        assert!(message.contains("holds servers that are not demo data") && message.contains("--data"), "{message}");
        let key = printed(&store.rollcall(&["key", "create"])).trim().to_owned();
        let program = Program::start(store.command(&["serve", "--listen", "127.0.0.1:0"]));
        for (list, total) in [("servers", 4), ("players", 9)] {
            let response = program.get(&format!("/v1/{list}"), &[("x-api-key", &key)]).await;
            assert_eq!(response.data()["pagination"]["total"], total);
        }
        let server = program.get("/v1/servers?limit=1", &[("x-api-key", &key)]).await.data()["servers"][0].clone();
        let icon =
            server["iconUrl"].as_str().unwrap().strip_prefix(&program.url).expect("an image of this server").to_owned();
        assert_eq!(program.get(&icon, &[]).await.status, 200);
    }
}

#[test]
fn an_empty_seed_is_a_usage_error_and_creates_nothing() {
    let store = Store::new(Engine::Sqlite);
    for (flag, value) in [("--servers", "0"), ("--players", "0"), ("--servers", "-1"), ("--votes", "many")] {
        let output = store.rollcall(&["seed", flag, value]);
        let message = complaint(&output, 2);
        assert!(message.contains(&format!("'{flag} <N>': must be a whole number from ")), "{message}");
    }
    assert_eq!(std::fs::read_dir(store.path()).unwrap().count(), 0);
}
