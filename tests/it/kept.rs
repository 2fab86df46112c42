//! Answers that are kept are the ones that would be made: the same bytes as without keeping any, and never those of before
//! a change or of another second.

use rollcall_store::values;
use rollcall_store::{Result, changes};

use crate::envelope::good_paths;
use crate::harness::{Answer, Engine, NOW, Server};

/// More ways to ask for the same: spelled otherwise, with more than is read, by a key in the query.
const OTHERS: [&str; 10] = [
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

fn ask(server: &Server, path: &str) -> (u16, Option<String>, Vec<u8>) {
    let Answer { status, body, headers, .. } = server.run(server.get(path));
    (status, headers.get("etag").map(|tag| tag.to_str().unwrap().to_owned()), body)
}

/// Asked again and again, as one that keeps answers must be: it keeps those that were asked for before.
fn assert_alike(keeping: &Server, plain: &Server, paths: &[String], when: &str) {
    for path in paths {
        let made = ask(plain, path);
        for time in 1..=4 {
            assert_eq!(ask(keeping, path), made, "{path}, asked {time} times, {when}");
        }
    }
}

#[test]
fn what_is_kept_is_what_would_be_made() {
    for engine in Engine::BOTH {
        let keeping = Server::own(engine);
        let store = keeping.store.clone();
        let plain = Server::set_up(store.clone(), NOW, |config| config.cache.answers_mib = 0);
        let mut paths: Vec<String> = OTHERS.map(str::to_owned).into();
        paths.extend(keeping.run(good_paths()).into_iter().map(|(path, _)| path));
        assert_alike(&keeping, &plain, &paths, "at first");

        let listed = keeping.run(keeping.get("/servers?limit=1")).data()["servers"][0].clone();
        let slug = listed["slug"].as_str().unwrap();
        store.change(|conn| -> Result<()> {
            let rev = changes::raise(conn)?;
            let sql = "update servers set name = 'Renamed', current_players = 4321, rev = $1 where slug = $2";
            conn.execute(sql, values![rev, slug]).map(drop)
        });
        let is_renamed = |answer: &Answer| String::from_utf8_lossy(&answer.body).contains("Renamed");
        for server in [&keeping, &plain] {
            server.run(server.until("/servers?limit=1", is_renamed));
        }
        assert_alike(&keeping, &plain, &paths, "after a change");
        assert!(is_renamed(&keeping.run(keeping.get(&format!("/servers/{slug}")))), "a page of its own");
        assert!(is_renamed(&keeping.run(keeping.get("/live"))), "the busiest of all");

        for server in [&keeping, &plain] {
            server.clock.set(NOW + 1_000);
        }
        assert_alike(&keeping, &plain, &paths, "a second later");
        let generated = keeping.run(keeping.get("/live")).data()["stats"]["generatedAt"].clone();
        assert_eq!(generated, serde_json::json!(rollcall_model::resources::Timestamp(NOW + 1_000)));
    }
}
