//! Cached responses are identical to computed ones, and never older than a change of the store or of the clock.

use rollcall_store::values;
use rollcall_store::{Result, revision};

use crate::envelope::good_paths;
use crate::harness::{Engine, NOW, Server, TestResponse};

/// Equivalent spellings of requests, and requests with several parameters.
const PATHS: [&str; 10] = [
    "/servers?limit=20&page=1",
    "/servers?page=1&limit=20",
    "/servers?sort=players&onlineOnly=true",
    "/servers?sort=pl%61yers&onlineOnly=true",
    "/servers?page=2&limit=7&minPlayers=1",
    "/players?search=a&sort=playtime",
    "/leaderboards?metric=sessions&period=7d",
    "/skins?sort=likes&limit=5",
    "/search?q=AN&type=players",
    "/nothing?page=1",
];

fn get(server: &Server, path: &str) -> (u16, Option<String>, Vec<u8>) {
    let TestResponse { status, body, headers, .. } = server.run(server.get(path));
    (status, headers.get("etag").map(|tag| tag.to_str().unwrap().to_owned()), body)
}

/// Compares several requests in a row, since a response is cached only after repeated requests.
fn assert_identical(cached: &Server, plain: &Server, paths: &[String], when: &str) {
    for path in paths {
        let expected = get(plain, path);
        for time in 1..=4 {
            assert_eq!(get(cached, path), expected, "{path}, request {time}, {when}");
        }
    }
}

#[test]
fn cached_responses_equal_computed_ones() {
    for engine in Engine::BOTH {
        let cached = Server::own(engine);
        let store = cached.store.clone();
        let plain = Server::set_up(store.clone(), NOW, |config| config.cache.responses_mib = 0);
        let mut paths: Vec<String> = PATHS.map(str::to_owned).into();
        paths.extend(cached.run(good_paths()).into_iter().map(|(path, _)| path));
        assert_identical(&cached, &plain, &paths, "at first");

        let listed = cached.run(cached.get("/servers?limit=1")).data()["servers"][0].clone();
        let slug = listed["slug"].as_str().unwrap();
        store.change(|conn| -> Result<()> {
            let rev = revision::bump(conn)?;
            let sql = "update servers set name = 'Renamed', current_players = 4321, rev = $1 where slug = $2";
            conn.execute(sql, values![rev, slug]).map(drop)
        });
        let is_renamed = |response: &TestResponse| String::from_utf8_lossy(&response.body).contains("Renamed");
        for server in [&cached, &plain] {
            server.run(server.until("/servers?limit=1", is_renamed));
        }
        assert_identical(&cached, &plain, &paths, "after a change");
        assert!(is_renamed(&cached.run(cached.get(&format!("/servers/{slug}")))), "the detail page");
        assert!(is_renamed(&cached.run(cached.get("/live"))), "the list of busiest servers");

        for server in [&cached, &plain] {
            server.clock.set(NOW + 1_000);
        }
        assert_identical(&cached, &plain, &paths, "a second later");
        let generated = cached.run(cached.get("/live")).data()["stats"]["generatedAt"].clone();
        assert_eq!(generated, serde_json::json!(rollcall_model::resources::Timestamp(NOW + 1_000)));
    }
}
