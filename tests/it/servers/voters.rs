//! `GET /servers/{slug}/voters`

use std::collections::HashSet;

use super::expected::{all_servers, ids, items, text, walk};
use crate::assert_answer;
use crate::harness::both;

/// The slug of the server with the most votes.
async fn most_voted() -> String {
    text(&both("/servers/top?limit=1").await.data()["servers"][0]["slug"]).to_owned()
}

#[tokio::test]
async fn a_page_matches_its_snapshot() {
    let slug = most_voted().await;
    assert_answer!("server_voters", both(&format!("/servers/{slug}/voters?limit=3&page=2")).await);
}

#[tokio::test]
async fn votes_are_listed_once_newest_first() {
    for server in all_servers().await {
        let path = format!("/servers/{}/voters", text(&server["slug"]));
        let voters = walk(&path, "voters", 100).await;
        assert_eq!(server["totalVotes"], voters.len(), "{path}");
        assert!(voters.is_sorted_by(|a, b| text(&a["votedAt"]) >= text(&b["votedAt"])), "{path}");
        assert_eq!(ids(&voters).into_iter().collect::<HashSet<_>>().len(), voters.len(), "{path}");
        let latest = both(&path).await.data()["latestVoteAt"].clone();
        assert_eq!(latest, voters[0]["votedAt"], "{path}");
    }
}

#[tokio::test]
async fn the_default_page_has_seven_and_any_size_gives_the_same_list() {
    let path = format!("/servers/{}/voters", most_voted().await);
    assert_eq!(both(&path).await.body, both(&format!("{path}?limit=7&page=1")).await.body);
    let whole = walk(&path, "voters", 100).await;
    for limit in [7, 19, 99] {
        assert_eq!(walk(&path, "voters", limit).await, whole, "by {limit}");
    }
}

#[tokio::test]
async fn past_the_last_page_the_totals_are_the_same() {
    let path = format!("/servers/{}/voters", most_voted().await);
    let (first, past) = (both(&path).await.data(), both(&format!("{path}?page=2147483647")).await.data());
    assert!(items(&past["voters"]).is_empty());
    assert_eq!(past["page"], 2_147_483_647);
    for same in ["total", "totalPages", "latestVoteAt"] {
        assert_eq!(past[same], first[same], "{same}");
    }
}

#[tokio::test]
async fn voters_with_and_without_an_account() {
    let voters = walk(&format!("/servers/{}/voters", most_voted().await), "voters", 100).await;
    let types: HashSet<&str> = voters.iter().map(|voter| text(&voter["type"])).collect();
    assert_eq!(types, HashSet::from(["auth", "anonymous"]));
    for voter in &voters {
        assert!(["classic", "slim"].contains(&text(&voter["skinModel"])));
        let at = text(&voter["votedAt"]).as_bytes();
        assert_eq!((at.len(), at[10], at[19]), (23, b' ', b'.'), "{}", voter["votedAt"]);
        if voter["type"] == "anonymous" {
            assert_eq!(voter["siteUsername"], voter["gameUsername"]);
        }
    }
}
