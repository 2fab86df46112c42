//! `GET /servers/{slug}`

use serde_json::Value;

use super::expected::{all_servers, query, text};
use super::fixture::{change, insert, named};
use crate::assert_answer;
use crate::harness::{Engine, Server, both};

const PERIODS: [&str; 5] = ["24h", "7d", "30d", "90d", "all-time"];

async fn detail(slug: &str) -> Value {
    both(&format!("/servers/{slug}")).await.data()["server"].clone()
}

#[tokio::test]
async fn the_response_matches_its_snapshot() {
    let newest = all_servers().await[0]["slug"].clone();
    assert_answer!("server_detail", both(&format!("/servers/{}?period=all-time", text(&newest))).await);
}

#[tokio::test]
async fn the_detail_equals_the_list() {
    for listed in all_servers().await {
        let detail = detail(text(&listed["slug"])).await;
        for (key, value) in detail.as_object().expect("an object") {
            if let Some(same) = listed.get(key) {
                assert_eq!(value, same, "{key} of {}", listed["slug"]);
            }
        }
        assert_eq!(detail["latestStats"]["onlinePlayers"], listed["currentPlayers"]);
        assert_eq!(detail["latestStats"]["timestamp"], listed["lastPing"]);
        assert!(!text(&detail["motd"]).contains('§'));
    }
}

#[tokio::test]
async fn the_default_period_is_24h() {
    let slug = text(&all_servers().await[0]["slug"]).to_owned();
    let day = both(&format!("/servers/{slug}?period=24h")).await;
    assert_eq!(both(&format!("/servers/{slug}")).await.body, day.body);
    assert_eq!(both(&format!("/servers/{slug}?period=&limit=abc")).await.body, day.body);
    for period in PERIODS {
        assert_eq!(both(&format!("/servers/{slug}?period={period}&period=never")).await.status, 200);
    }
    for bad in ["1h", "24H", "all", "all time", "7d "] {
        let response = both(&format!("/servers/{slug}{}", query(&[("period", bad)]))).await;
        let expected = format!("period must be one of 24h, 7d, 30d, 90d, all-time, not \"{bad}\"");
        assert_eq!((response.status, response.error()), (400, expected));
    }
}

#[tokio::test]
async fn a_slug_may_be_percent_encoded() {
    let slug = text(&all_servers().await[0]["slug"]).to_owned();
    let encoded: String = slug.bytes().map(|byte| format!("%{byte:02X}")).collect();
    for below in ["", "/voters", "/reviews", "/updates"] {
        let response = both(&format!("/servers/{encoded}{below}")).await;
        assert_eq!(response.body, both(&format!("/servers/{slug}{below}")).await.body);
    }
}

#[tokio::test]
async fn an_unknown_slug_is_not_found() {
    let long = "x".repeat(7_000);
    let emoji = "%F0%9F%8E%AE".repeat(100);
    let odd =
        ["nobody", "%00", "a%00b", "..%2f", "..%2F..%2Fetc%2Fpasswd", "%20", "%E6%9D%B1", "'%20or%201=1--", "%25"];
    for slug in odd.into_iter().chain([long.as_str(), emoji.as_str()]) {
        for below in ["", "/voters", "/reviews", "/updates"] {
            let response = both(&format!("/servers/{slug}{below}")).await;
            assert_eq!((response.status, response.error().as_str()), (404, "Server not found"), "{slug}");
        }
    }
}

#[tokio::test]
async fn fixed_segments_are_not_slugs() {
    for path in ["/servers/top/voters", "/servers/countries/reviews", "/servers/versions/updates"] {
        assert_eq!(both(path).await.error(), "Server not found", "{path}");
    }
    for path in ["/servers/", "/servers//voters", "/servers/top/", "/servers/a/votes"] {
        assert_eq!(both(path).await.status, 404, "{path}");
    }
}

#[test]
fn a_server_without_history_has_empty_lists() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &[named(0, "Fresh")]);
        let get = |below: &str| server.run(server.get(&format!("/servers/server-0{below}"))).data();
        assert_answer!("server_detail_without_a_past", server.run(server.get("/servers/server-0")));
        let nothing = serde_json::json!({"voters": [], "total": 0, "page": 1, "totalPages": 0, "latestVoteAt": null});
        assert_eq!(get("/voters"), nothing);
        let nothing = serde_json::json!({"reviews": [], "total": 0, "page": 2, "totalPages": 0, "avgRating": 0.0,
            "latestReviewAt": null});
        assert_eq!(get("/reviews?page=2"), nothing);
        let nothing =
            serde_json::json!({"updates": [], "total": 0, "page": 1, "totalPages": 0, "latestUpdateAt": null});
        assert_eq!(get("/updates"), nothing);
    }
}

#[test]
fn an_offline_server_has_no_tps_whatever_is_stored() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &[named(0, "Asleep")]);
        // As an import may leave it; the tracker deletes the value.
        server.store.change(|conn| {
            conn.execute("update servers set is_online = $1, tps = 19.5", rollcall_store::values![false]).map(drop)
        });
        let shown = server.run(server.get("/servers/server-0")).data();
        assert_eq!(shown["server"]["latestStats"]["tps"], Value::Null);
    }
}

#[test]
fn servers_that_swap_slugs_are_both_found() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &[named(0, "First"), named(1, "Second")]);
        change(&mut server.store.conn(), |conn, rev| {
            for (from, to) in [("server-0", "swapped"), ("server-1", "server-0"), ("swapped", "server-1")] {
                let sql = "update servers set slug = $1, rev = $2 where slug = $3";
                conn.execute(sql, rollcall_store::values![to, rev, from])?;
            }
            Ok(())
        });
        let name = |slug: &str| server.run(server.get(&format!("/servers/{slug}"))).data()["server"]["name"].clone();
        server.run(server.until("/servers/server-0", |response| response.data()["server"]["name"] == "Second"));
        assert_eq!((name("server-0"), name("server-1")), ("Second".into(), "First".into()));
    }
}
