//! `GET /servers/versions`

use std::collections::BTreeMap;

use super::expected::{all_servers, text};
use crate::assert_answer;
use crate::harness::both;

#[tokio::test]
async fn the_response_matches_its_snapshot() {
    assert_answer!("servers_versions", both("/servers/versions").await);
}

#[tokio::test]
async fn most_servers_first_then_by_name() {
    let all = all_servers().await;
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for server in &all {
        *counts.entry(text(&server["version"])).or_default() += 1;
    }
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let item = |(name, count)| serde_json::json!({"version": name, "serverCount": count});
    let expected: Vec<_> = counts.into_iter().map(item).collect();
    assert_eq!(both("/servers/versions").await.data(), serde_json::json!({"versions": expected}));
}
