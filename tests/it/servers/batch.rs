//! `GET /servers/batch`

use serde_json::{Value, json};

use super::expected::{all_servers, text};
use crate::harness::both;

#[tokio::test]
async fn servers_come_in_the_order_of_the_request() {
    let all = all_servers().await;
    let slug = |i: usize| text(&all[i]["slug"]);
    let data = both(&format!("/servers/batch?slugs={},nothing,{},{}", slug(4), slug(0), slug(4))).await.data();
    assert_eq!(data, json!({"servers": [all[4], all[0], all[4]], "missing": ["nothing"]}));
    let most: Vec<&str> = (0..100).map(|i| slug(i % all.len())).collect();
    assert_eq!(both(&format!("/servers/batch?slugs={}", most.join(","))).await.data()["missing"], json!([]));
    let response = both(&format!("/servers/batch?slugs={},x", most.join(","))).await;
    assert_eq!(response.status, 400);
    assert!(response.error().starts_with("slugs must be 1 to 100 values, separated by commas, not "));
    assert_eq!(both("/servers/batch").await.error(), "slugs is required: 1 to 100 values, separated by commas");
    assert_eq!(both("/servers/batch?slugs=").await.status, 400);
    assert_eq!(both("/servers/batch?slugs=nothing").await.data()["servers"], Value::Array(Vec::new()));
}
