//! `GET /players`

use std::cmp::Reverse;
use std::collections::HashSet;

use serde_json::Value;

use crate::assert_answer;
use crate::harness::{Engine, both, every, shared};

const SORTS: [&str; 5] = ["recent", "name", "playtime", "sessions", "tier"];

#[tokio::test]
async fn the_first_page_matches_its_snapshot() {
    assert_answer!("players_list", both("/players?limit=3").await);
}

#[tokio::test]
async fn the_default_is_the_twenty_newest() {
    let response = both("/players").await;
    assert_eq!(response.data()["players"].as_array().unwrap().len(), 20);
    assert_eq!(response.body, both("/players?page=1&limit=20&sort=recent&search=&unknown=1").await.body);
}

/// The key of a sort; it never decreases along the list.
fn sort_key(sort: &str, player: &Value) -> (Reverse<i64>, String) {
    let figure = |name: &str| Reverse(player[name].as_i64().unwrap());
    let none = Reverse(0);
    match sort {
        "recent" => {
            let at = rollcall_model::time::parse_iso(player["createdAt"].as_str().unwrap()).unwrap();
            (Reverse(at), String::new())
        }
        "name" => (none, player["mainNickname"].as_str().unwrap().to_lowercase()),
        "playtime" => (figure("totalPlayTime"), String::new()),
        "sessions" => (figure("sessionCount"), String::new()),
        "tier" => {
            let rank = player["tierRank"].as_i64().unwrap_or(i64::MAX);
            (figure("tierPoints"), format!("{rank:020}"))
        }
        _ => unreachable!("{sort}"),
    }
}

#[tokio::test]
async fn every_sort_lists_each_player_once_and_in_order() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let mut everyone: Option<HashSet<String>> = None;
        for sort in SORTS {
            let players = every(server, &format!("/players?sort={sort}"), "/players", 13).await;
            assert!(players.is_sorted_by_key(|player| sort_key(sort, player)), "{sort}");
            let ids: HashSet<String> = players.iter().map(|p| p["id"].as_str().unwrap().to_owned()).collect();
            assert_eq!(ids.len(), players.len(), "{sort} shows someone twice");
            assert_eq!(*everyone.get_or_insert_with(|| ids.clone()), ids, "{sort}");
        }
    }
}

#[tokio::test]
async fn search_matches_inside_nicknames_ignoring_case_and_accents() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let everyone = every(server, "/players?sort=playtime", "/players", 100).await;
        let mut found_any = false;
        for (query, means) in
            [("ar", "ar"), ("AR", "ar"), ("%C3%A4r", "ar"), ("%20ar%20", "ar"), ("_", "_"), ("%25", "%")]
        {
            let found = every(server, &format!("/players?sort=playtime&search={query}"), "/players", 100).await;
            let is_meant = |p: &&Value| p["mainNickname"].as_str().unwrap().to_lowercase().contains(means);
            let expected: Vec<Value> = everyone.iter().filter(is_meant).cloned().collect();
            assert_eq!(found, expected, "{query}");
            found_any |= !found.is_empty();
        }
        assert!(found_any);
    }
}

#[tokio::test]
async fn a_search_without_results_has_no_pages() {
    for search in ["nobody-is-called-this", "%00", "%F0%9F%A6%8A", "%CC%81", "a%0Ab"] {
        let data = both(&format!("/players?search={search}")).await.data();
        assert_eq!(data["players"], serde_json::json!([]), "{search}");
        assert_eq!(data["pagination"], serde_json::json!({"page": 1, "limit": 20, "total": 0, "totalPages": 0}));
    }
}

#[tokio::test]
async fn past_the_last_page_is_an_empty_list_with_the_same_totals() {
    let first = both("/players?limit=100").await.data();
    for page in ["1000", "2147483647"] {
        let data = both(&format!("/players?limit=100&page={page}")).await.data();
        assert_eq!(data["players"], serde_json::json!([]));
        assert_eq!(data["pagination"]["page"].to_string(), page);
        assert_eq!(data["pagination"]["total"], first["pagination"]["total"]);
        assert_eq!(data["pagination"]["totalPages"], first["pagination"]["totalPages"]);
    }
}

#[tokio::test]
async fn an_invalid_value_is_named_with_the_accepted_ones() {
    for (query, message) in [
        ("limit=abc", r#"limit must be a whole number from 1 to 100, not "abc""#),
        ("limit=0", r#"limit must be a whole number from 1 to 100, not "0""#),
        ("limit=101", r#"limit must be a whole number from 1 to 100, not "101""#),
        ("limit=-1", r#"limit must be a whole number from 1 to 100, not "-1""#),
        ("limit=%2B5", r#"limit must be a whole number from 1 to 100, not "+5""#),
        ("limit=1.5", r#"limit must be a whole number from 1 to 100, not "1.5""#),
        ("limit=1e1", r#"limit must be a whole number from 1 to 100, not "1e1""#),
        ("limit=99999999999999999999", r#"limit must be a whole number from 1 to 100, not "99999999999999999999""#),
        ("page=0", r#"page must be a whole number from 1 to 2147483647, not "0""#),
        ("page=2147483648", r#"page must be a whole number from 1 to 2147483647, not "2147483648""#),
        ("page=%EF%BC%91", r#"page must be a whole number from 1 to 2147483647, not "１""#),
        ("sort=best", r#"sort must be one of recent, name, playtime, sessions, tier, not "best""#),
        ("search=%FF", "search must be percent-encoded UTF-8"),
    ] {
        let response = both(&format!("/players?{query}")).await;
        assert_eq!((response.status, response.error().as_str()), (400, message), "{query}");
    }
}

#[tokio::test]
async fn a_long_invalid_value_is_truncated() {
    let message = both(&format!("/players?sort={}", "x".repeat(5000))).await.error();
    assert!(message.ends_with(&format!("not \"{}…\"", "x".repeat(60))), "{message}");
}
