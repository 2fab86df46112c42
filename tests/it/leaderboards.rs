//! `GET /leaderboards`

use std::collections::{HashMap, HashSet};

use rollcall_model::time::{DAY, iso, parse_iso};
use serde_json::{Value, json};

use crate::assert_answer;
use crate::harness::{Engine, NOW, Server, both, every, query, shared};

const METRICS: [&str; 3] = ["best", "sessions", "servers"];
const PERIODS: [(&str, i64); 5] = [("24h", 1), ("7d", 7), ("30d", 30), ("90d", 90), ("all-time", i64::MAX / DAY)];

#[tokio::test]
async fn the_first_page_matches_its_snapshot() {
    assert_answer!("leaderboard", both("/leaderboards?limit=3").await);
    assert_answer!("leaderboard_servers", both("/leaderboards?metric=servers&period=7d&limit=3").await);
}

#[tokio::test]
async fn the_default_is_the_score_of_all_time() {
    let response = both("/leaderboards").await;
    assert_eq!(
        response.body,
        both("/leaderboards?metric=best&period=all-time&page=1&limit=20&tier=&search=").await.body
    );
}

async fn board(server: &Server, params: &str) -> Vec<Value> {
    every(server, &format!("/leaderboards?{params}"), "/leaderboard/entries", 100).await
}

#[tokio::test]
async fn a_cursor_gives_the_whole_board_in_its_order() {
    for params in ["metric=best", "metric=servers&period=7d", "metric=sessions&search=a"] {
        let path = format!("/leaderboards?{params}");
        let whole = board(shared(Engine::Sqlite), params).await;
        let (mut entries, mut after) = (Vec::new(), "start".to_owned());
        loop {
            let data = both(&query(&path, &format!("limit=7&after={after}"))).await.data();
            assert_eq!(data["pagination"], json!({"limit": 7, "total": whole.len()}), "{path}");
            entries.extend_from_slice(data["leaderboard"]["entries"].as_array().unwrap());
            let Some(next) = data["next"].as_str() else { break };
            after = next.to_owned();
            let other = both(&format!("/leaderboards?metric=best&period=24h&after={after}")).await;
            assert_eq!(other.status, 400, "{path}");
            assert!(other.error().starts_with("after must be start, or `next` of"), "{}", other.error());
        }
        assert_eq!(entries, whole, "{path}");
    }
}

/// Digits in groups of three.
fn grouped(digits: &str) -> String {
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().map(|g| std::str::from_utf8(g).unwrap()).collect();
    groups.join(",")
}

#[tokio::test]
async fn every_board_is_descending_and_ties_share_a_rank() {
    for (period, _) in PERIODS {
        for metric in METRICS {
            let path = format!("/leaderboards?metric={metric}&period={period}");
            let board_info = both(&query(&path, "limit=100")).await.data()["leaderboard"].clone();
            assert_eq!((&board_info["metric"], &board_info["period"]), (&json!(metric), &json!(period)));
            assert_eq!((&board_info["serverId"], &board_info["generatedAt"]), (&Value::Null, &json!(iso(NOW))));
            let entries = every(shared(Engine::Postgres), &path, "/leaderboard/entries", 17).await;
            let values: Vec<f64> = entries.iter().map(|entry| entry["value"].as_f64().unwrap()).collect();
            assert!(values.is_sorted_by(|a, b| a >= b) && values.iter().all(|value| *value > 0.0), "{path}");
            let mut seen = HashSet::new();
            for (entry, value) in entries.iter().zip(&values) {
                let above = values.iter().filter(|other| *other > value).count();
                assert_eq!(entry["rank"], above + 1, "{path}");
                assert!(seen.insert(entry["player"]["id"].to_string()), "{path} shows someone twice");
                let formatted = match metric {
                    "best" => {
                        let text = format!("{value:.2}");
                        let (whole, cents) = text.split_once('.').unwrap();
                        format!("{}.{cents}", grouped(whole))
                    }
                    _ => grouped(&value.to_string()),
                };
                assert_eq!(entry["formattedValue"], formatted);
            }
        }
    }
}

#[tokio::test]
async fn ranks_skip_after_a_tie() {
    let entries = board(shared(Engine::Sqlite), "metric=servers").await;
    let ranks: Vec<u64> = entries.iter().map(|entry| entry["rank"].as_u64().unwrap()).collect();
    let tied = ranks.windows(2).position(|pair| pair[0] == pair[1]).expect("the demo world has ties");
    let behind = ranks.iter().find(|rank| **rank > ranks[tied]).expect("a player behind the tie");
    assert_eq!(*behind as usize, ranks.iter().filter(|rank| **rank <= ranks[tied]).count() + 1);
}

#[tokio::test]
async fn sessions_and_servers_are_counted_inside_the_period() {
    let server = shared(Engine::Sqlite);
    let mut boards = HashMap::new();
    for (period, _) in PERIODS {
        for metric in ["sessions", "servers"] {
            for entry in board(server, &format!("metric={metric}&period={period}")).await {
                let id = entry["player"]["id"].as_str().unwrap().to_owned();
                boards.insert((metric, period, id), entry["value"].as_f64().unwrap() as usize);
            }
        }
    }
    // A profile lists at most twenty sessions; skip players with more.
    let players = every(server, "/players", "/players", 100).await;
    for player in players.iter().filter(|p| p["sessionCount"].as_u64() <= Some(20)).step_by(5) {
        let id = player["id"].as_str().unwrap();
        let profile = server.get(&format!("/players/{id}")).await.data();
        for (period, days) in PERIODS {
            let inside = profile["player"]["recentSessions"].as_array().unwrap().iter().filter(|session| {
                NOW - parse_iso(session["joinedAt"].as_str().unwrap()).unwrap() <= days.saturating_mul(DAY)
            });
            let servers: Vec<String> = inside.map(|session| session["server"]["id"].to_string()).collect();
            let distinct = servers.iter().collect::<HashSet<_>>().len();
            for (metric, count) in [("sessions", servers.len()), ("servers", distinct)] {
                let shown = boards.get(&(metric, period, id.to_owned())).copied().unwrap_or(0);
                assert_eq!(shown, count, "{metric} of {id} in {period}");
            }
        }
    }
}

/// The entries whose player passes, with unchanged ranks.
fn narrowed(all: &[Value], keep: impl Fn(&Value) -> bool) -> Vec<Value> {
    all.iter().filter(|entry| keep(&entry["player"])).cloned().collect()
}

#[tokio::test]
async fn tier_and_search_filter_without_changing_ranks() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        for metric in METRICS {
            let all = board(server, &format!("metric={metric}&period=7d")).await;
            let tiers: HashSet<&str> = all.iter().map(|e| e["player"]["tierOverall"].as_str().unwrap()).collect();
            assert!(tiers.len() > 2);
            for tier in tiers {
                let found = board(server, &format!("metric={metric}&period=7d&tier={}", tier.to_lowercase())).await;
                assert_eq!(found, narrowed(&all, |player| player["tierOverall"] == tier), "{tier}");
                let found = board(server, &format!("metric={metric}&period=7d&tier={tier}&search=%C3%81")).await;
                let has_a = |player: &Value| player["mainNickname"].as_str().unwrap().to_lowercase().contains('a');
                assert_eq!(found, narrowed(&all, |player| player["tierOverall"] == tier && has_a(player)), "{tier}");
            }
        }
    }
}

#[tokio::test]
async fn an_achievement_filters_the_players_who_earned_it() {
    let server = shared(Engine::Sqlite);
    let all = board(server, "").await;
    let mut earned: HashMap<String, HashSet<String>> = HashMap::new();
    for entry in &all {
        let id = entry["player"]["id"].as_str().unwrap();
        let player = server.get(&format!("/players/{id}")).await.data()["player"].clone();
        for achievement in player["achievements"]["earned"].as_array().unwrap() {
            earned.entry(achievement["id"].as_str().unwrap().into()).or_default().insert(id.into());
        }
    }
    assert!(earned.len() > 5);
    for (achievement, holders) in earned {
        let holds = |player: &Value| holders.contains(player["id"].as_str().unwrap());
        let expected = narrowed(&all, holds);
        for engine in Engine::BOTH {
            let path = format!("/leaderboards?achievement={achievement}");
            assert_eq!(every(shared(engine), &path, "/leaderboard/entries", 60).await, expected, "{achievement}");
        }
        let both_filters = board(server, &format!("achievement={achievement}&tier=unranked")).await;
        assert_eq!(both_filters, narrowed(&all, |p| holds(p) && p["tierOverall"] == "Unranked"), "{achievement}");
    }
}

#[tokio::test]
async fn a_filter_without_matches_gives_an_empty_board() {
    for filter in ["tier=HT9", "tier=%00", "achievement=nothing", "achievement=%00", "search=nobody-is-called-this"] {
        let response = both(&format!("/leaderboards?{filter}")).await;
        let data = response.data();
        assert_eq!((response.status, &data["leaderboard"]["entries"]), (200, &json!([])), "{filter}");
        assert_eq!(data["pagination"], json!({"page": 1, "limit": 20, "total": 0, "totalPages": 0}));
    }
}

#[tokio::test]
async fn an_invalid_value_is_named_with_the_accepted_ones() {
    for (params, board_info) in [
        ("metric=kills", r#"metric must be one of best, sessions, servers, not "kills""#),
        ("period=1y", r#"period must be one of 24h, 7d, 30d, 90d, all-time, not "1y""#),
        ("limit=1000", r#"limit must be a whole number from 1 to 100, not "1000""#),
        ("page=x", r#"page must be a whole number from 1 to 2147483647, not "x""#),
    ] {
        let response = both(&format!("/leaderboards?{params}")).await;
        assert_eq!((response.status, response.error().as_str()), (400, board_info));
    }
}

#[tokio::test]
async fn an_empty_store_has_empty_boards() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        for (path, items) in [("/leaderboards", "/leaderboard/entries"), ("/players", "/players"), ("/capes", "/capes")]
        {
            assert!(every(&server, path, items, 20).await.is_empty(), "{path}");
        }
    }
}
