//! `GET /players/batch`

use serde_json::json;

use crate::harness::both;

#[tokio::test]
async fn players_come_in_the_order_of_the_request() {
    let listed = both("/players?limit=5&sort=name").await.data()["players"].clone();
    let id = |i: usize| listed[i]["id"].as_str().unwrap();
    let uuid = listed[1]["gameUuid"].as_str().unwrap().replace('-', "").to_uppercase();
    let data = both(&format!("/players/batch?ids={},nobody,{uuid},{},%00", id(3), id(0))).await.data();
    assert_eq!(data, json!({"players": [listed[3], listed[1], listed[0]], "missing": ["nobody", "\0"]}));
    assert_eq!(both("/players/batch").await.error(), "ids is required: 1 to 100 values, separated by commas");
}
