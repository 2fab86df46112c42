//! `GET /capes` and `GET /capes/{slug}`

use crate::assert_answer;
use crate::harness::both;
use crate::textures;

#[tokio::test]
async fn the_first_page_is_whole() {
    assert_answer!("capes_list", both("/capes?limit=3").await);
    let answer = both("/capes").await;
    assert_eq!(answer.data()["pagination"]["limit"], 24);
    assert_eq!(answer.body, both("/capes?sort=recent&page=1&limit=24&model=anything").await.body);
}

#[tokio::test]
async fn a_cape_is_whole() {
    let cape = both("/capes?sort=popular&limit=1").await.data()["capes"][0]["slug"].clone();
    assert_answer!("cape_detail", both(&format!("/capes/{}", cape.as_str().unwrap())).await);
}

#[tokio::test]
async fn every_sort_shows_everything_once_and_in_order() {
    let sorts = ["recent", "popular", "likes", "favorites", "views", "downloads", "name"];
    textures::every_sort_shows_everything_once_and_in_order("capes", &sorts).await;
}

#[tokio::test]
async fn filters_narrow() {
    textures::filters_narrow("capes").await;
}

#[tokio::test]
async fn bad_values_are_named() {
    textures::bad_values_are_named("capes", "recent, popular, likes, favorites, views, downloads, name").await;
}

#[tokio::test]
async fn unknown_slugs_are_not_found() {
    textures::unknown_slugs_are_not_found("capes", "There is no cape of that slug").await;
}

#[tokio::test]
async fn details_agree_with_the_list() {
    textures::details_agree_with_the_list("capes", &["isFeatured", "createdAt", "ownerId"]).await;
}

#[tokio::test]
async fn viewers_are_never_mixed() {
    textures::viewers_are_never_mixed("cape").await;
}
