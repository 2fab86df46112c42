//! `GET /servers/{slug}/reviews`

use std::collections::HashSet;

use super::expected::{all_servers, ids, items, number, text, walk};
use crate::assert_answer;
use crate::harness::both;

/// Rounding error of a mean with two decimals.
const ROUNDING: f64 = 0.005 + 1e-9;

/// The path of the reviews of the server with the most.
async fn most_reviewed() -> String {
    let mut best = (0, String::new());
    for server in all_servers().await {
        let path = format!("/servers/{}/reviews", text(&server["slug"]));
        let total = both(&path).await.data()["total"].as_u64().expect("a total");
        best = best.max((total, path));
    }
    best.1
}

#[tokio::test]
async fn a_page_matches_its_snapshot() {
    assert_answer!("server_reviews", both(&format!("{}?limit=3", most_reviewed().await)).await);
}

#[tokio::test]
async fn reviews_are_listed_once_newest_first_with_their_mean() {
    for server in all_servers().await {
        let path = format!("/servers/{}/reviews", text(&server["slug"]));
        let reviews = walk(&path, "reviews", 100).await;
        assert!(reviews.is_sorted_by(|a, b| text(&a["createdAt"]) >= text(&b["createdAt"])), "{path}");
        assert_eq!(ids(&reviews).into_iter().collect::<HashSet<_>>().len(), reviews.len(), "{path}");
        let data = both(&path).await.data();
        assert_eq!(data["avgRating"], server["rating"], "{path}");
        match reviews.first() {
            Some(latest) => assert_eq!(data["latestReviewAt"], latest["createdAt"], "{path}"),
            None => assert!(data["latestReviewAt"].is_null(), "{path}"),
        }
        let sum: f64 = reviews.iter().map(|review| number(&review["rating"])).sum();
        let mean = if reviews.is_empty() { 0.0 } else { sum / reviews.len() as f64 };
        assert!((number(&data["avgRating"]) - mean).abs() <= ROUNDING, "{path}: {} for {mean}", data["avgRating"]);
        for review in &reviews {
            assert_eq!(review["serverId"], server["id"]);
            assert_eq!(review["userId"], review["user"]["id"]);
            assert!(text(&review["updatedAt"]) >= text(&review["createdAt"]));
        }
    }
}

#[tokio::test]
async fn the_default_page_has_five_and_any_size_gives_the_same_list() {
    let path = most_reviewed().await;
    assert_eq!(both(&path).await.body, both(&format!("{path}?limit=5&page=1")).await.body);
    let whole = walk(&path, "reviews", 100).await;
    for limit in [1, 3, 5] {
        assert_eq!(walk(&path, "reviews", limit).await, whole, "by {limit}");
    }
}

#[tokio::test]
async fn past_the_last_page_the_totals_are_the_same() {
    let path = most_reviewed().await;
    let (first, past) = (both(&path).await.data(), both(&format!("{path}?page=2147483647")).await.data());
    assert!(items(&past["reviews"]).is_empty());
    for same in ["total", "totalPages", "latestReviewAt", "avgRating"] {
        assert_eq!(past[same], first[same], "{same}");
    }
}
