//! `GET /players/{id}`

use std::collections::HashMap;

use rollcall_model::time::parse_iso;
use serde_json::Value;

use crate::assert_answer;
use crate::harness::{Engine, NOW, both, every, shared};

/// The shortest profile without an empty list.
#[tokio::test]
async fn a_profile_matches_its_snapshot() {
    let lists = ["recentSessions", "statsHistory", "votedServers", "reviews"];
    let full = |player: &Value| lists.iter().all(|name| !list(&player[name]).is_empty());
    let profiles = some_profiles().await.into_iter().map(|(_, player)| player).filter(full);
    let shortest = profiles.min_by_key(|player| player.to_string().len()).expect("the demo world has one");
    assert_answer!("player_detail", both(&format!("/players/{}", shortest["id"].as_str().unwrap())).await);
}

fn int(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is no whole number"))
}

fn at(value: &Value) -> i64 {
    parse_iso(value.as_str().unwrap()).unwrap()
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

/// Profiles of many players, each with its entry in the list.
async fn some_profiles() -> Vec<(Value, Value)> {
    let mut profiles = Vec::new();
    for summary in every(shared(Engine::Sqlite), "/players?sort=sessions", "/players", 100).await.into_iter().step_by(4)
    {
        let path = format!("/players/{}", summary["id"].as_str().unwrap());
        profiles.push((summary, both(&path).await.data()["player"].clone()));
    }
    profiles
}

#[tokio::test]
async fn a_profile_is_consistent_with_the_list_and_the_leaderboard() {
    let board = every(shared(Engine::Sqlite), "/leaderboards", "/leaderboard/entries", 100).await;
    let board: HashMap<String, Value> =
        board.into_iter().map(|entry| (entry["player"]["id"].as_str().unwrap().to_owned(), entry)).collect();
    for (summary, player) in some_profiles().await {
        for (key, value) in summary.as_object().unwrap() {
            if key != "lastTierSyncAt" {
                assert_eq!(player[key], *value, "{key}");
            }
        }
        let (kills, deaths) = (int(&player["totalKills"]), int(&player["totalDeaths"]));
        let hundredths = (kills * 200 + deaths.max(1)) / (2 * deaths.max(1));
        assert_eq!(player["kdRatio"], hundredths as f64 / 100.0);
        let standing = &board[player["id"].as_str().unwrap()];
        assert_eq!((&player["rank"], &player["rankScore"]), (&standing["rank"], &standing["value"]));
        assert_eq!(list(&player["nicknameHistory"]).last(), Some(&player["mainNickname"]));
        assert_eq!(player["linkedSkin"]["id"], player["linkedSkinId"]);
        assert_eq!(player["linkedSkin"]["pngPath"], player["linkedSkinPngPath"]);
        check_sessions(&player);
        check_achievements(&player);
        check_stats(&player);
        check_order(&player, "votedServers", "votedAt");
        check_order(&player, "reviews", "createdAt");
    }
}

fn check_sessions(player: &Value) {
    let count = int(&player["sessionCount"]);
    let sessions = list(&player["recentSessions"]);
    assert_eq!(sessions.len() as i64, count.min(20));
    check_order(player, "recentSessions", "joinedAt");
    for session in sessions {
        let (joined, left) = (at(&session["joinedAt"]), at(&session["leftAt"]));
        assert!(joined <= left && left <= NOW, "{session}");
        assert!(list(&player["serversPlayed"]).contains(&session["server"]), "{session}");
    }
    // The demo world is younger than the year that the calendar covers.
    let days = list(&player["activityData"]);
    assert_eq!(days.iter().map(|day| int(&day["count"])).sum::<i64>(), count);
    assert!(days.is_sorted_by(|a, b| a["date"].as_str() < b["date"].as_str()));
    if count <= 20 {
        let total: i64 = sessions.iter().map(|session| int(&session["totalPlayTime"])).sum();
        assert_eq!(total, int(&player["totalPlayTime"]));
    }
}

fn check_achievements(player: &Value) {
    let earned = list(&player["achievements"]["earned"]);
    let goals = list(&player["achievements"]["nextGoals"]);
    assert_eq!(goals.len(), 3);
    for goal in goals {
        assert!(!earned.contains(goal), "{goal} is earned");
        assert_eq!(goals.iter().filter(|other| *other == goal).count(), 1);
    }
    let has = |id: &str| earned.iter().any(|achievement| achievement["id"] == id);
    assert_eq!(has("first-steps"), int(&player["sessionCount"]) >= 1);
    assert_eq!(has("regular"), int(&player["sessionCount"]) >= 50);
    assert_eq!(has("warm-up"), int(&player["totalPlayTime"]) >= 3600);
    assert_eq!(has("explorer"), list(&player["serversPlayed"]).len() >= 3);
}

fn check_stats(player: &Value) {
    let history = list(&player["statsHistory"]);
    assert!(history.len() <= 30);
    check_order(player, "statsHistory", "timestamp");
    let latest = &player["latestStats"];
    match history.first() {
        None => assert!(latest.is_null()),
        Some(first) => {
            assert_eq!(latest["statsJson"], first["statsJson"]);
            assert_eq!(latest["timestamp"], first["timestamp"]);
            assert_eq!(latest["server"]["name"], first["serverName"]);
        }
    }
}

/// Newest first.
fn check_order(player: &Value, items: &str, time: &str) {
    assert!(list(&player[items]).is_sorted_by(|a, b| at(&a[time]) >= at(&b[time])), "{items}");
}
