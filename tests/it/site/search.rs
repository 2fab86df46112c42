use reqwest::Method;
use serde_json::json;

use super::{escaped, links, page};
use crate::harness::{Engine, NOW, Server, shared};

#[tokio::test]
async fn results_are_those_of_the_api_in_the_same_order() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let found = server.get("/search?q=an&limit=20").await.data()["results"].clone();
        let (answer, html) = page(server, "/search?q=an").await;
        assert_eq!((answer.status, answer.header("cache-control")), (200, Some("no-cache")));
        let servers = found["servers"].as_array().unwrap();
        let expected: Vec<String> =
            servers.iter().map(|s| format!("/servers/{}", s["slug"].as_str().unwrap())).collect();
        assert_eq!(links(&html, "/servers/"), expected);
        let players = found["players"].as_array().unwrap();
        assert!(!servers.is_empty() && !players.is_empty());
        assert_eq!(links(&html, "/players/").len(), players.len());
        for player in players {
            let face = format!("/render/face/{}.png?size=64", player["gameUuid"].as_str().unwrap());
            assert!(html.contains(&face), "{face}");
            assert!(html.contains(&format!(">{}</bdi>", escaped(player["mainNickname"].as_str().unwrap()))));
        }
        assert!(html.contains("<meta name=\"robots\" content=\"noindex\">"), "results have endless addresses");
        assert!(html.contains("GET /v1/search?q=an&#38;limit=20</code>"));
        let (_, only_players) = page(server, "/search?q=an&type=players").await;
        assert!(links(&only_players, "/servers/").is_empty() && !links(&only_players, "/players/").is_empty());
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_search_is_told_on_the_page() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let long = format!("/search?q={}", "x".repeat(101));
        for (path, told) in [
            ("/search?q=a", "Type at least two characters."),
            ("/search?q=", "Type at least two characters."),
            ("/search?q=%20a%20", "Type at least two characters."),
            ("/search?q=an&type=skins", "type must be one of all, servers, players, not &#34;skins&#34;"),
            (&long, "q must be 2 to 100 characters"),
        ] {
            let (answer, html) = page(server, path).await;
            assert_eq!(answer.status, 200, "{path}");
            assert!(html.contains("role=\"alert\"") && html.contains(told), "{path}: {told}");
        }
        let (_, empty) = page(server, "/search").await;
        assert!(!empty.contains("role=\"alert\"") && empty.contains("<link rel=\"canonical\""));
        let (_, nothing) = page(server, "/search?q=%3Cscript%3Ealert(1)%3C/script%3E&lang=tr").await;
        assert!(nothing.contains("Hiçbir şey bulunamadı") && !nothing.contains("<script>alert"));
        assert_eq!(page(server, "/search?q=%ff").await.0.status, 400);
    }
}

#[tokio::test]
async fn suggestions_need_no_key_and_rank_like_the_api() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let found = server.get("/search?q=an&limit=5").await.data()["results"].clone();
        let answer = server.raw(Method::GET, "/search/suggest?q=an", &[]).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
        assert_eq!(answer.header("cache-control"), Some("public, max-age=30"));
        let suggested = answer.json();
        let names = |of: &serde_json::Value, list: &str, field: &str| -> Vec<String> {
            of[list].as_array().unwrap().iter().map(|item| item[field].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(&suggested, "servers", "name"), names(&found, "servers", "name"));
        assert_eq!(names(&suggested, "players", "name"), names(&found, "players", "mainNickname"));
        assert_eq!(names(&found, "servers", "name").len(), 5);
        let first = &suggested["servers"][0];
        assert_eq!(first["path"], format!("/servers/{}", found["servers"][0]["slug"].as_str().unwrap()));
        assert!(first["picture"].as_str().unwrap().starts_with("/media/"));
        let etag = answer.header("etag").unwrap();
        let again = server.raw(Method::GET, "/search/suggest?q=an", &[("if-none-match", etag)]).await;
        assert_eq!(again.status, 304);
        for (query, message) in
            [("", "q is required: 2 to 100 characters"), ("?q=a", "q must be 2 to 100 characters, not \"a\"")]
        {
            let answer = server.raw(Method::GET, &format!("/search/suggest{query}"), &[]).await;
            assert_eq!((answer.status, answer.json()), (400, json!({"success": false, "error": message})));
        }
    }
}

#[tokio::test]
async fn suggestions_are_limited_per_ip_and_minute() {
    let server = Server::empty(Engine::Sqlite);
    for _ in 0..240 {
        assert_eq!(server.raw(Method::GET, "/search/suggest?q=an", &[]).await.status, 200);
    }
    let refused = server.raw(Method::GET, "/search/suggest?q=an", &[]).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("60")));
    assert_eq!(page(&server, "/search?q=an").await.0.status, 200, "the form still works");
    server.clock.set(NOW + 60_000);
    assert_eq!(server.raw(Method::GET, "/search/suggest?q=an", &[]).await.status, 200);
}
