//! Accepted and rejected parameter values of the server endpoints.

use super::expected::{query, text};
use crate::harness::both;

async fn refusal(path: &str) -> String {
    let response = both(path).await;
    assert_eq!(response.status, 400, "{path}");
    response.error()
}

async fn any_slug() -> String {
    text(&both("/servers?limit=1").await.data()["servers"][0]["slug"]).to_owned()
}

async fn endpoints_with_a_limit() -> Vec<String> {
    let slug = any_slug().await;
    let mut paths: Vec<String> = ["/servers?", "/servers/top?", "/search?q=an&"].map(String::from).into();
    paths.extend(["voters", "reviews", "updates"].map(|list| format!("/servers/{slug}/{list}?")));
    paths
}

#[tokio::test]
async fn limit_is_a_whole_number_from_1_to_100() {
    for path in endpoints_with_a_limit().await {
        for good in ["1", "100", "", "007"] {
            assert_eq!(both(&format!("{path}limit={good}")).await.status, 200, "{path} {good}");
        }
        for bad in ["abc", "0", "101", "-1", "1.5", "1e1", "+5", " 5", "5 ", "٥", "0x10", "99999999999999999999"] {
            let expected = format!("limit must be a whole number from 1 to 100, not \"{bad}\"");
            assert_eq!(refusal(&format!("{path}{}", &query(&[("limit", bad)])[1..])).await, expected, "{path}");
        }
    }
}

#[tokio::test]
async fn page_is_a_whole_number_from_1() {
    let slug = any_slug().await;
    let lists = ["voters", "reviews", "updates"].map(|list| format!("/servers/{slug}/{list}"));
    for path in lists.into_iter().chain(["/servers".to_owned()]) {
        for good in ["1", "2147483647", ""] {
            assert_eq!(both(&format!("{path}?page={good}")).await.status, 200, "{path} {good}");
        }
        for bad in ["0", "-1", "x", "1.0", "2147483648"] {
            let expected = format!("page must be a whole number from 1 to 2147483647, not \"{bad}\"");
            assert_eq!(refusal(&format!("{path}?page={bad}")).await, expected);
        }
    }
}

#[tokio::test]
async fn an_unknown_sort_lists_the_known_ones() {
    let expected = "sort must be one of recent, players, votes, rating, uptime, trending, name, not \"hot\"";
    assert_eq!(refusal("/servers?sort=hot").await, expected);
    let expected = "sort must be one of votes, hot, players, rating, trending, not \"recent\"";
    assert_eq!(refusal("/servers/top?sort=recent").await, expected);
    assert!(refusal("/servers?sort=Name").await.ends_with("not \"Name\""));
}

#[tokio::test]
async fn minimum_counts_are_whole_numbers_from_0() {
    for name in ["minPlayers", "maxPlayers", "minVotes"] {
        for good in ["0", "2147483647", ""] {
            assert_eq!(both(&format!("/servers?{name}={good}")).await.status, 200, "{name}={good}");
        }
        for bad in ["-1", "1.5", "many", "2147483648"] {
            let expected = format!("{name} must be a whole number from 0 to 2147483647, not \"{bad}\"");
            assert_eq!(refusal(&format!("/servers?{name}={bad}")).await, expected);
        }
    }
}

#[tokio::test]
async fn uptime_and_rating_have_a_range() {
    for (name, range, good, bad) in [
        ("minUptime", "0 to 100", ["0", "99.95", "100", ""], ["-0.1", "100.01", "NaN", "inf", "1,5", "%"]),
        ("minRating", "1 to 5", ["1", "4.5", "5", ""], ["0", "0.99", "5.01", "NaN", "-inf", "five"]),
    ] {
        for value in good {
            assert_eq!(both(&format!("/servers{}", query(&[(name, value)]))).await.status, 200, "{name}={value}");
        }
        for value in bad {
            let expected = format!("{name} must be a number from {range}, not \"{value}\"");
            assert_eq!(refusal(&format!("/servers{}", query(&[(name, value)]))).await, expected);
        }
    }
}

#[tokio::test]
async fn a_minimum_above_the_maximum_is_rejected() {
    let expected = "minPlayers must not exceed maxPlayers, but 6 exceeds 5";
    assert_eq!(refusal("/servers?minPlayers=6&maxPlayers=5").await, expected);
    assert_eq!(refusal("/servers?maxPlayers=5&minPlayers=6&page=9").await, expected);
    assert_eq!(both("/servers?minPlayers=5&maxPlayers=5").await.status, 200);
}

#[tokio::test]
async fn booleans_are_true_false_1_or_0() {
    let (all, online) = (both("/servers?limit=100").await, both("/servers?limit=100&onlineOnly=true").await);
    assert_ne!(all.body, online.body);
    assert_eq!(both("/servers?limit=100&onlineOnly=1").await.body, online.body);
    for no in ["false", "0", ""] {
        assert_eq!(both(&format!("/servers?limit=100&onlineOnly={no}")).await.body, all.body);
    }
    for bad in ["True", "yes", "2", "on"] {
        let expected = format!("onlineOnly must be true, false, 1 or 0, not \"{bad}\"");
        assert_eq!(refusal(&format!("/servers?onlineOnly={bad}")).await, expected);
    }
}

#[tokio::test]
async fn the_first_of_a_repeated_parameter_counts() {
    let once = both("/servers?limit=2&sort=name").await;
    assert_eq!(both("/servers?limit=2&sort=name&limit=abc&sort=votes").await.body, once.body);
    assert_eq!(refusal("/servers?limit=abc&limit=2").await, "limit must be a whole number from 1 to 100, not \"abc\"");
    assert_eq!(both("/servers?country=&country=Nowhere").await.body, both("/servers").await.body);
}

#[tokio::test]
async fn unknown_parameters_are_ignored() {
    let plain = both("/servers").await;
    for odd in ["?colour=red", "?limits=abc&Page=x&gameMode=x&period=x", "?=x&&=&x", "?%00=%00"] {
        assert_eq!(both(&format!("/servers{odd}")).await.body, plain.body, "{odd}");
    }
    let countries = both("/servers/countries").await;
    assert_eq!(both("/servers/countries?limit=abc&page=0").await.body, countries.body);
}

#[tokio::test]
async fn invalid_utf8_is_rejected() {
    assert_eq!(refusal("/servers?search=%ff").await, "search must be percent-encoded UTF-8");
    assert_eq!(refusal("/search?q=%c3%28").await, "q must be percent-encoded UTF-8");
    assert_eq!(refusal("/servers/%ff").await, "the path must be percent-encoded UTF-8");
}

#[tokio::test]
async fn a_long_invalid_value_is_truncated() {
    let expected = format!("limit must be a whole number from 1 to 100, not \"{}…\"", "9".repeat(60));
    assert_eq!(refusal(&format!("/servers?limit={}", "9".repeat(3_000))).await, expected);
}
