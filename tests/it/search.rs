//! `GET /search`

use serde_json::{Value, json};

use crate::assert_answer;
use crate::harness::{Engine, Server, both};
use crate::servers::expected::{all_servers, ids, items, mentions, number, plain, query, text, walk};
use crate::servers::fixture::{ServerFixture, insert, named};

async fn refusal(pairs: &[(&str, &str)]) -> String {
    let response = both(&format!("/search{}", query(pairs))).await;
    assert_eq!(response.status, 400, "{pairs:?}");
    response.error()
}

async fn results(pairs: &[(&str, &str)]) -> Value {
    both(&format!("/search{}", query(pairs))).await.data()["results"].clone()
}

#[tokio::test]
async fn the_response_matches_its_snapshot() {
    assert_answer!("search", both("/search?q=er&limit=2").await);
}

#[tokio::test]
async fn q_is_2_to_100_characters_after_trimming() {
    assert_eq!(both("/search").await.error(), "q is required: 2 to 100 characters");
    assert_eq!(both("/search?type=servers").await.error(), "q is required: 2 to 100 characters");
    for (bad, shown) in [("", ""), ("a", "a"), ("  a ", "a"), ("   ", ""), ("é", "é"), ("\u{1f3ae}", "\u{1f3ae}")] {
        assert_eq!(refusal(&[("q", bad)]).await, format!("q must be 2 to 100 characters, not \"{shown}\""));
    }
    let expected = format!("q must be 2 to 100 characters, not \"{}…\"", "é".repeat(60));
    assert_eq!(refusal(&[("q", &"é".repeat(101))]).await, expected);
    for good in
        ["ab".to_owned(), " ab ".to_owned(), "東京".to_owned(), "é".repeat(100), format!("  {}\t", "x".repeat(100))]
    {
        let response = both(&format!("/search{}", query(&[("q", &good)]))).await;
        assert_eq!((response.status, &response.data()["query"]), (200, &Value::from(good.trim())));
    }
    assert_eq!(refusal(&[("q", ""), ("q", "good")]).await, "q must be 2 to 100 characters, not \"\"");
}

#[tokio::test]
async fn type_picks_servers_or_players() {
    let all = results(&[("q", "er"), ("type", "all")]).await;
    assert_eq!(results(&[("q", "er")]).await, all);
    assert_eq!(results(&[("q", "er"), ("type", "")]).await, all);
    assert!(!items(&all["servers"]).is_empty() && !items(&all["players"]).is_empty());
    let only = |kind: &'static str| async move { results(&[("q", "er"), ("type", kind)]).await };
    assert_eq!(only("servers").await, json!({"servers": all["servers"], "players": []}));
    assert_eq!(only("players").await, json!({"servers": [], "players": all["players"]}));
    let expected = "type must be one of all, servers, players, not \"Servers\"";
    assert_eq!(refusal(&[("q", "er"), ("type", "Servers")]).await, expected);
}

#[tokio::test]
async fn the_default_limit_is_ten_of_each() {
    let many = results(&[("q", "er"), ("limit", "100")]).await;
    for (limit, count) in [("", 10), ("1", 1), ("3", 3)] {
        let few = results(&[("q", "er"), ("limit", limit)]).await;
        for kind in ["servers", "players"] {
            let many = items(&many[kind]);
            assert_eq!(items(&few[kind]), &many[..count.min(many.len())], "{kind} {limit}");
        }
    }
}

/// 0: whole name, 1: prefix, 2: start of a word, 3: inside a word, 4: not in the name.
fn rank(name: &str, q: &str) -> usize {
    let (name, q) = (plain(name), plain(q));
    let starts_word = |at: usize| !name[..at].ends_with(char::is_alphanumeric);
    let mut places = name.char_indices().map(|(at, _)| at).filter(|at| name[*at..].starts_with(&q));
    match places.clone().next() {
        Some(0) if name.len() == q.len() => 0,
        Some(0) => 1,
        None => 4,
        _ if places.any(starts_word) => 2,
        _ => 3,
    }
}

#[tokio::test]
async fn results_match_the_whole_list_best_and_most_popular_first() {
    let (servers, players) = (all_servers().await, walk("/players", "players", 100).await);
    let mut queries: Vec<String> =
        ["er", "an", "sky", "no", "surv", "PLAY.", "example", "  Re ", "zzzz"].map(String::from).into();
    for server in servers.iter().step_by(5) {
        queries.push(text(&server["name"]).chars().take(4).collect::<String>().trim().to_owned());
        queries.push(text(&server["name"]).to_uppercase());
    }
    queries.extend(players.iter().step_by(40).map(|player| text(&player["mainNickname"]).to_lowercase()));
    for q in queries.iter().filter(|q| q.chars().count() >= 2) {
        let found = results(&[("q", q), ("limit", "100")]).await;
        let best = |item: &Value, name: &str, popular: f64| (rank(text(&item[name]), q), -popular);
        let mut expected: Vec<_> = servers.iter().filter(|server| mentions(server, q)).collect();
        expected.sort_by(|a, b| {
            let key = |server: &Value| best(server, "name", number(&server["currentPlayers"]));
            key(a).partial_cmp(&key(b)).unwrap().then(text(&a["id"]).cmp(text(&b["id"])))
        });
        let expected: Vec<&str> = expected.iter().map(|server| text(&server["id"])).collect();
        assert_eq!(ids(items(&found["servers"])), expected, "{q}");
        let mut expected: Vec<_> =
            players.iter().filter(|player| plain(text(&player["mainNickname"])).contains(&plain(q))).collect();
        let key = |player: &Value| best(player, "mainNickname", number(&player["totalPlayTime"]));
        expected.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap());
        let found: Vec<_> = items(&found["players"]).iter().map(|found| &found["mainNickname"]).collect();
        let expected: Vec<_> = expected.iter().take(100).map(|player| &player["mainNickname"]).collect();
        assert_eq!(found, expected, "{q}");
    }
}

#[tokio::test]
async fn a_result_equals_its_entry_in_the_list() {
    let all = all_servers().await;
    let found = results(&[("q", "er"), ("limit", "100")]).await;
    for found in items(&found["servers"]) {
        let listed = all.iter().find(|server| server["id"] == found["id"]).expect("listed");
        assert!(found.as_object().expect("an object").iter().all(|(key, value)| listed[key] == *value), "{found}");
    }
}

#[test]
fn exact_then_prefix_then_word_start_then_inside_then_elsewhere() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(
            &server,
            &[
                ServerFixture { players: 90, ..named(0, "Upcraft") },
                ServerFixture { players: 91, description: "craft every day", ..named(1, "Elsewhere") },
                ServerFixture { players: 50, ..named(2, "The Cráft") },
                ServerFixture { players: 60, ..named(3, "Mine-CRAFT") },
                ServerFixture { players: 10, ..named(4, "Crafted") },
                ServerFixture { players: 20, ..named(5, "craft 2") },
                ServerFixture { players: 1, ..named(6, "CRÀFT") },
                ServerFixture { players: 99, ..named(7, "Crat") },
                named(8, "한울 온라인"),
                named(9, "東京クラフト"),
                named(10, "سيرفر الأبطال"),
            ],
        );
        let find = |q: &str| {
            let data = server.run(server.get(&format!("/search{}", query(&[("q", q)])))).data();
            let slug = |found: &Value| text(&found["slug"])["server-".len()..].parse::<usize>().unwrap();
            items(&data["results"]["servers"]).iter().map(slug).collect::<Vec<_>>()
        };
        assert_eq!(find("craft"), [6, 5, 4, 3, 2, 0, 1]);
        assert_eq!(find(" ÇRAFT "), [6, 5, 4, 3, 2, 0, 1]);
        assert_eq!(find("온라"), [8]);
        assert_eq!(find("クラフト"), [9]);
        assert_eq!(find("ｸﾗﾌﾄ"), [9], "half-width letters are the same letters");
        assert_eq!(find("الأبطال"), [10]);
        assert_eq!(find("192.0"), [7, 1, 0, 3, 2, 5, 4, 10, 8, 9], "the ten most popular");
        for nothing in ["craftx", "%%", "__", "a\u{1f}-", "1\ncrat", "\0\0", "\u{301}\u{301}"] {
            assert_eq!(find(nothing), [0; 0], "{nothing:?}");
        }
    }
}
