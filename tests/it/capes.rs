//! `GET /capes` and `GET /capes/{slug}`

use crate::assert_answer;
use crate::harness::both;
use crate::textures;

#[tokio::test]
async fn the_first_page_matches_its_snapshot() {
    assert_answer!("capes_list", both("/capes?limit=3").await);
    let response = both("/capes").await;
    assert_eq!(response.data()["pagination"]["limit"], 24);
    assert_eq!(response.body, both("/capes?sort=recent&page=1&limit=24&model=anything").await.body);
}

#[tokio::test]
async fn a_cape_matches_its_snapshot() {
    let cape = both("/capes?sort=popular&limit=1").await.data()["capes"][0]["slug"].clone();
    assert_answer!("cape_detail", both(&format!("/capes/{}", cape.as_str().unwrap())).await);
}

#[tokio::test]
async fn every_sort_lists_each_once_and_in_order() {
    let sorts = ["recent", "popular", "likes", "favorites", "views", "downloads", "name"];
    textures::every_sort_lists_each_once_and_in_order("capes", &sorts).await;
}

#[tokio::test]
async fn filters_match() {
    textures::filters_match("capes").await;
}

#[tokio::test]
async fn invalid_values_are_named() {
    textures::invalid_values_are_named("capes", "recent, popular, likes, favorites, views, downloads, name").await;
}

#[tokio::test]
async fn unknown_slugs_are_not_found() {
    textures::unknown_slugs_are_not_found("capes", "Cape not found").await;
}

#[tokio::test]
async fn details_agree_with_the_list() {
    textures::details_agree_with_the_list("capes", &["isFeatured", "createdAt", "ownerId"]).await;
}

#[tokio::test]
async fn viewer_belongs_to_the_account_of_the_key() {
    textures::viewer_belongs_to_the_account_of_the_key("cape").await;
}
