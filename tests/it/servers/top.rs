//! `GET /servers/top`

use std::collections::HashMap;

use serde_json::Value;

use super::expected::{all_servers, ids, items, number, query, text, walk};
use crate::assert_answer;
use crate::harness::{NOW, both};

const SORTS: [&str; 5] = ["votes", "hot", "players", "rating", "trending"];
const WEEK: i64 = 7 * 86_400_000;

#[tokio::test]
async fn the_response_matches_its_snapshot() {
    assert_answer!("servers_top", both("/servers/top?sort=hot&limit=2").await);
}

#[tokio::test]
async fn the_default_is_ten_by_votes() {
    let response = both("/servers/top").await;
    assert_eq!(response.data()["sort"], "votes");
    assert_eq!(items(&response.data()["servers"]).len(), 10);
    assert_eq!(response.data()["total"], all_servers().await.len());
    assert_eq!(both("/servers/top?sort=votes&limit=10&country=&gameMode=").await.body, response.body);
}

#[tokio::test]
async fn every_sort_is_named_and_in_order() {
    let all = all_servers().await;
    let listed: HashMap<&str, &Value> = all.iter().map(|server| (text(&server["id"]), server)).collect();
    for sort in SORTS {
        let data = both(&format!("/servers/top?sort={sort}&limit=100")).await.data();
        assert_eq!(data["sort"], sort);
        let top = items(&data["servers"]);
        assert_eq!((top.len(), data["total"].as_u64()), (all.len(), Some(all.len() as u64)));
        let figure = |server: &Value| {
            let listed = listed[text(&server["id"])];
            number(match sort {
                "votes" => &listed["totalVotes"],
                "hot" => &server["hotScore"],
                "players" => &listed["currentPlayers"],
                "rating" => &listed["rating"],
                _ => &listed["trend"],
            })
        };
        assert!(top.is_sorted_by(|a, b| figure(a) >= figure(b)), "{sort}");
        for limit in [1, 3, 11] {
            let few = both(&format!("/servers/top?sort={sort}&limit={limit}")).await.data();
            assert_eq!(items(&few["servers"]), &top[..limit]);
        }
    }
}

#[tokio::test]
async fn a_top_server_equals_its_entry_in_the_list() {
    let all = all_servers().await;
    let data = both("/servers/top?limit=100").await.data();
    for top in items(&data["servers"]) {
        let listed = all.iter().find(|server| server["id"] == top["id"]).expect("listed");
        for (key, value) in top.as_object().expect("an object") {
            if !["recentVotes", "hotScore"].contains(&key.as_str()) {
                assert_eq!(*value, listed[key], "{key}");
            }
        }
    }
}

#[tokio::test]
async fn recent_votes_cover_seven_days() {
    let since = rollcall_model::time::spaced(NOW - WEEK);
    let data = both("/servers/top?limit=100").await.data();
    for top in items(&data["servers"]) {
        let voters = walk(&format!("/servers/{}/voters", text(&top["slug"])), "voters", 100).await;
        let recent = voters.iter().filter(|voter| text(&voter["votedAt"]) >= since.as_str()).count();
        assert_eq!(top["recentVotes"], recent, "{}", top["slug"]);
    }
}

#[tokio::test]
async fn country_and_game_mode_filter_ignoring_case() {
    let all = all_servers().await;
    let model = all.iter().find(|server| server["gameMode"].is_string()).expect("a server with a mode");
    let (country, mode) = (text(&model["country"]), text(&model["gameMode"]));
    for (pairs, keeps) in [
        (vec![("country", country.to_uppercase())], vec!["country"]),
        (vec![("gameMode", mode.to_lowercase())], vec!["gameMode"]),
        (vec![("country", country.to_lowercase()), ("gameMode", mode.to_uppercase())], vec!["country", "gameMode"]),
    ] {
        let kept = all.iter().filter(|server| keeps.iter().all(|field| server[field] == model[field]));
        let mut expected: Vec<&str> = kept.map(|server| text(&server["id"])).collect();
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let data = both(&format!("/servers/top{}&limit=100", query(&pairs))).await.data();
        let mut found = ids(items(&data["servers"]));
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{pairs:?}");
        assert_eq!(data["total"], expected.len());
    }
    let nowhere = both("/servers/top?country=Nowhere&sort=hot").await.data();
    assert_eq!(nowhere, serde_json::json!({"servers": [], "total": 0, "sort": "hot"}));
}
