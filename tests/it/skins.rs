//! `GET /skins` and `GET /skins/{slug}`

use crate::assert_answer;
use crate::harness::{Engine, both, every, shared};
use crate::textures;

#[tokio::test]
async fn the_first_page_matches_its_snapshot() {
    assert_answer!("skins_list", both("/skins?limit=3").await);
    let response = both("/skins").await;
    assert_eq!(response.data()["pagination"]["limit"], 24);
    assert_eq!(response.body, both("/skins?sort=recent&page=1&limit=24&model=&tag=").await.body);
}

#[tokio::test]
async fn a_skin_matches_its_snapshot() {
    let response = both("/skins?sort=usage&limit=10").await.data();
    let skins = response["skins"].as_array().unwrap();
    let community = skins.iter().find(|skin| skin["owner"]["username"] != "rollcall").unwrap();
    assert_answer!("skin_detail", both(&format!("/skins/{}", community["slug"].as_str().unwrap())).await);
}

#[tokio::test]
async fn every_sort_lists_each_once_and_in_order() {
    let sorts = ["recent", "popular", "likes", "favorites", "views", "downloads", "name", "usage"];
    textures::every_sort_lists_each_once_and_in_order("skins", &sorts).await;
}

#[tokio::test]
async fn filters_match() {
    textures::filters_match("skins").await;
}

#[tokio::test]
async fn model_is_classic_or_slim() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let everything = every(server, "/skins?sort=name", "/skins", 7).await;
        let mut found = 0;
        for model in ["classic", "slim"] {
            let skins = every(server, &format!("/skins?sort=name&model={model}"), "/skins", 7).await;
            let expected: Vec<_> = everything.iter().filter(|skin| skin["model"] == model).cloned().collect();
            assert_eq!(skins, expected, "{model}");
            found += skins.len();
        }
        assert_eq!(found, everything.len());
    }
    for bad in ["wide", "SLIM"] {
        let response = both(&format!("/skins?model={bad}")).await;
        assert_eq!(response.status, 400);
        assert_eq!(response.error(), format!("model must be one of classic, slim, not \"{bad}\""));
    }
}

#[tokio::test]
async fn invalid_values_are_named() {
    let sorts = "recent, popular, likes, favorites, views, downloads, name, usage";
    textures::invalid_values_are_named("skins", sorts).await;
}

#[tokio::test]
async fn unknown_slugs_are_not_found() {
    textures::unknown_slugs_are_not_found("skins", "Skin not found").await;
}

#[tokio::test]
async fn details_agree_with_the_list() {
    textures::details_agree_with_the_list("skins", &["usageCount", "isFeatured"]).await;
}

#[tokio::test]
async fn every_player_wears_a_skin() {
    let skins = every(shared(Engine::Sqlite), "/skins", "/skins", 100).await;
    let players = every(shared(Engine::Sqlite), "/players", "/players", 100).await;
    let worn: i64 = skins.iter().map(|skin| skin["usageCount"].as_i64().unwrap()).sum();
    assert_eq!(worn, players.len() as i64);
}

#[tokio::test]
async fn viewer_belongs_to_the_account_of_the_key() {
    textures::viewer_belongs_to_the_account_of_the_key("skin").await;
}
