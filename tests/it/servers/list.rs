//! `GET /servers`: response, sorting and pagination.

use std::collections::HashSet;

use super::expected::{SORTS, all_servers, ids, items, walk};
use super::fixture::{insert, named};
use crate::assert_answer;
use crate::harness::{Engine, Server, both};

#[tokio::test]
async fn the_first_page_matches_its_snapshot() {
    let response = both("/servers?limit=3").await;
    assert_eq!(response.status, 200);
    assert_answer!("servers_list", response);
}

#[tokio::test]
async fn the_default_is_the_twenty_newest() {
    let response = both("/servers").await;
    assert_eq!(response.data()["pagination"]["limit"], 20);
    assert_eq!(response.body, both("/servers?page=1&limit=20&sort=recent").await.body);
    assert_eq!(response.body, both("/servers?page=&limit=&sort=&search=&country=&minVotes=&onlineOnly=").await.body);
}

#[tokio::test]
async fn every_sort_lists_all_servers_in_order() {
    let all = all_servers().await;
    let known: HashSet<&str> = ids(&all).into_iter().collect();
    assert_eq!(known.len(), all.len());
    for (sort, key) in SORTS {
        let sorted = walk(&format!("/servers?sort={sort}"), "servers", 100).await;
        assert_eq!(ids(&sorted).into_iter().collect::<HashSet<_>>(), known, "{sort}");
        assert!(sorted.is_sorted_by(|a, b| key(a).may_precede(&key(b))), "{sort}");
    }
}

#[tokio::test]
async fn pages_of_any_size_cover_the_whole_list() {
    for (sort, _) in SORTS {
        let path = format!("/servers?sort={sort}");
        let whole = walk(&path, "servers", 100).await;
        for limit in [7, 20, whole.len()] {
            assert_eq!(ids(&walk(&path, "servers", limit).await), ids(&whole), "{sort} by {limit}");
        }
    }
    let one_by_one = walk("/servers", "servers", 1).await;
    assert_eq!(ids(&one_by_one), ids(&all_servers().await));
}

#[tokio::test]
async fn past_the_last_page_is_an_empty_list_with_the_same_totals() {
    let total = all_servers().await.len();
    for page in [total / 20 + 2, 1_000_000, 2_147_483_647] {
        let data = both(&format!("/servers?page={page}")).await.data();
        assert!(items(&data["servers"]).is_empty());
        let expected = serde_json::json!({"page": page, "limit": 20, "total": total, "totalPages": total.div_ceil(20)});
        assert_eq!(data["pagination"], expected);
    }
}

#[test]
fn ties_have_the_same_order_on_every_page() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let plants: Vec<_> = (0..23).map(|number| named(number, "Equal")).collect();
        insert(&server, &plants);
        for (sort, _) in SORTS {
            let whole = server.run(server.get(&format!("/servers?sort={sort}&limit=100"))).data();
            let whole = ids(items(&whole["servers"])).iter().map(ToString::to_string).collect::<Vec<_>>();
            for limit in [1, 2, 5, 22, 23] {
                let pages = (1..=23_usize.div_ceil(limit)).flat_map(|page| {
                    let path = format!("/servers?sort={sort}&limit={limit}&page={page}");
                    let data = server.run(server.get(&path)).data();
                    ids(items(&data["servers"])).iter().map(ToString::to_string).collect::<Vec<_>>()
                });
                assert_eq!(pages.collect::<Vec<_>>(), whole, "{sort} by {limit}");
            }
        }
    }
}
