//! Filters of `GET /servers`.

use serde_json::Value;

use super::expected::{SORTS, TestRng, all_servers, ids, items, number, passes, query, text};
use super::fixture::{ServerFixture, insert, named};
use crate::harness::{Engine, Server, both};

/// Compares one filtered list with the reference implementation.
async fn check(all: &[Value], filters: &[(&str, &str)]) -> usize {
    let expected: Vec<&str> = all
        .iter()
        .filter(|server| filters.iter().all(|(name, value)| passes(server, name, value)))
        .map(|server| text(&server["id"]))
        .collect();
    let mut pairs = vec![("limit", "100")];
    pairs.extend(filters);
    let data = both(&format!("/servers{}", query(&pairs))).await.data();
    assert_eq!(ids(items(&data["servers"])), expected, "{filters:?}");
    assert_eq!(data["pagination"]["total"], expected.len(), "{filters:?}");
    expected.len()
}

/// A value for a filter: one that servers have, one close to it, or one that no server has.
fn values_for(all: &[Value], filter: &str, rng: &mut TestRng) -> String {
    let server = rng.pick(all);
    let odd_case = |value: &str, rng: &mut TestRng| match rng.below(3) {
        0 => value.to_uppercase(),
        1 => value.to_lowercase(),
        _ => value.to_owned(),
    };
    let near =
        |field: &str, rng: &mut TestRng| (number(&server[field]) as i64 + rng.below(3) as i64 - 1).max(0).to_string();
    match filter {
        "country" => odd_case(text(&server["country"]), rng),
        "mode" => odd_case(server["gameMode"].as_str().unwrap_or("Chess"), rng),
        "tag" => match rng.below(8) {
            0 => "no-such-tag".to_owned(),
            _ => odd_case(text(rng.pick(items(&server["tags"]))), rng),
        },
        "version" => {
            let version = text(&server["version"]);
            let dots: Vec<usize> = version.match_indices('.').map(|(at, _)| at).collect();
            match rng.below(3) {
                0 if !dots.is_empty() => version[..*rng.pick(&dots)].to_owned(),
                1 => version[..version.len() - 1].to_owned(),
                _ => odd_case(version, rng),
            }
        }
        "search" => {
            let field = *rng.pick(&["name", "shortDescription", "motd", "ip"]);
            let chars: Vec<char> = text(&server[field]).chars().collect();
            let from = rng.below(chars.len());
            let part: String = chars[from..].iter().take(1 + rng.below(6)).collect();
            odd_case(part.trim(), rng)
        }
        "minPlayers" | "maxPlayers" => near("currentPlayers", rng),
        "minVotes" => near("totalVotes", rng),
        "minUptime" => [text(&server["uptime"].to_string().into()), "0", "100", "99.5"][rng.below(4)].to_owned(),
        "minRating" => ["1", "3.5", "4", "4.33", "5"][rng.below(5)].to_owned(),
        _ => ["true", "false", "1", "0"][rng.below(4)].to_owned(),
    }
}

const FILTERS: [&str; 11] = [
    "search",
    "country",
    "version",
    "tag",
    "mode",
    "minPlayers",
    "maxPlayers",
    "minUptime",
    "minVotes",
    "minRating",
    "onlineOnly",
];

#[tokio::test]
async fn each_filter_matches_the_reference() {
    let (all, mut rng) = (all_servers().await, TestRng(1));
    for filter in FILTERS {
        let mut found = 0;
        for _ in 0..8 {
            let value = values_for(&all, filter, &mut rng);
            found += check(&all, &[(filter, &value)]).await;
        }
        assert!(found > 0, "{filter} was never put to the test");
    }
}

#[tokio::test]
async fn combined_filters_match_the_reference() {
    let (all, mut rng) = (all_servers().await, TestRng(2));
    let (mut asked, mut found) = (0, 0);
    while asked < 200 {
        let names: Vec<&str> = FILTERS.into_iter().filter(|_| rng.below(4) == 0).collect();
        let values: Vec<String> = names.iter().map(|name| values_for(&all, name, &mut rng)).collect();
        let filters: Vec<(&str, &str)> = names.iter().copied().zip(values.iter().map(String::as_str)).collect();
        let given =
            |name| filters.iter().find(|filter| filter.0 == name).map(|filter| number(&filter.1.parse().unwrap()));
        if given("minPlayers") > given("maxPlayers") && given("maxPlayers").is_some() {
            continue;
        }
        asked += 1;
        found += usize::from(check(&all, &filters).await > 0);
    }
    assert!(found > 40, "too few filters had a result: {found}");
}

#[tokio::test]
async fn a_filtered_list_is_sorted_and_paginated() {
    for (sort, key) in SORTS {
        let path = format!("/servers?sort={sort}&onlineOnly=true&minPlayers=2");
        let whole = super::expected::walk(&path, "servers", 100).await;
        assert!(whole.len() > 5 && whole.is_sorted_by(|a, b| key(a).may_precede(&key(b))), "{sort}");
        assert_eq!(ids(&super::expected::walk(&path, "servers", 4).await), ids(&whole), "{sort}");
    }
}

/// Servers with similar names in several scripts.
fn look_alikes() -> Vec<ServerFixture> {
    vec![
        ServerFixture { version: "1.21", country: "Türkiye", mode: Some("Überleben"), ..named(0, "Café Olé") },
        ServerFixture {
            version: "1.21.4",
            country: "TÜRKİYE",
            mode: Some("ÜBERLEBEN"),
            ..named(1, "cafe\u{301} noir")
        },
        ServerFixture { version: "1.210", tags: &["Straße", "日本"], ..named(2, "Łódź Ørsted") },
        ServerFixture { version: "Paper 1.21", tags: &["STRASSE"], ..named(3, "ΟΔΟΣ 東京サーバー") },
        ServerFixture {
            description: "Один мир", motd: "§aGreen §lfields\nsecond line", ..named(4, "سيرفر الأبطال")
        },
        ServerFixture { ip: "play.EXAMPLE.org", tags: &["a b"], ..named(5, "50% off_now\\") },
    ]
}

/// A filter, and the numbers of the servers that match.
const QUESTIONS: [(&str, &str, &[usize]); 36] = [
    ("version", "1.21", &[0, 1]),
    ("version", "1.21.", &[]),
    ("version", "1.2", &[]),
    ("version", "1", &[0, 1, 2, 4, 5]),
    ("version", "PAPER 1.21", &[3]),
    ("version", "paper 1", &[3]),
    ("country", "TÜRKIYE", &[0]),
    ("country", "türkiye", &[0]),
    ("country", "tu\u{308}rkiye", &[0]),
    ("country", "Turkiye", &[]),
    ("country", "Türk", &[]),
    ("country", " iceland ", &[2, 3, 4, 5]),
    ("mode", "überleben", &[0, 1]),
    ("mode", "uberleben", &[]),
    ("tag", "strasse", &[2, 3]),
    ("tag", "日本", &[2]),
    ("tag", "日", &[]),
    ("tag", "A B", &[5]),
    ("search", "CAFE", &[0, 1]),
    ("search", "café", &[0, 1]),
    ("search", "lodz", &[2]),
    ("search", "ORSTED", &[2]),
    ("search", "οδοσ", &[3]),
    ("search", "東京", &[3]),
    ("search", "サーバー", &[3]),
    ("search", "الأبطال", &[4]),
    ("search", "ОДИН", &[4]),
    ("search", "green fields", &[4]),
    ("search", "fields second", &[4]),
    ("search", "fields\nsecond", &[4]),
    ("search", "§a", &[]),
    ("search", "example.ORG", &[5]),
    ("search", "%", &[5]),
    ("search", "_now\\", &[5]),
    ("search", "a b", &[5]),
    ("search", "straße", &[2, 3]),
];

#[test]
fn text_is_matched_in_every_script() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &look_alikes());
        for (name, value, expected) in QUESTIONS {
            let data = server.run(server.get(&format!("/servers{}", query(&[(name, value)])))).data();
            let mut found: Vec<&str> = ids(items(&data["servers"]));
            found.sort_unstable();
            let expected: Vec<String> = expected.iter().map(|number| format!("id-server-{number}")).collect();
            assert_eq!(found, expected, "{name}={value}");
        }
    }
}

#[test]
fn no_match_spans_two_fields_or_two_servers() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &[named(0, "Alpha"), named(1, "Beta")]);
        for nothing in ["\u{1f}", "a\u{1f}-", "1\nalpha", "1\nbeta", "-\n-", "alpha-", "a -", "\0", "\u{301}\u{302}"] {
            let data = server.run(server.get(&format!("/servers{}", query(&[("search", nothing)])))).data();
            assert_eq!(ids(items(&data["servers"])), [""; 0], "{nothing:?}");
        }
    }
}
