//! `GET /skins` and `GET /skins/{slug}`

use crate::assert_answer;
use crate::harness::{Engine, both, every, shared};
use crate::textures;

#[tokio::test]
async fn the_first_page_is_whole() {
    assert_answer!("skins_list", both("/skins?limit=3").await);
    let answer = both("/skins").await;
    assert_eq!(answer.data()["pagination"]["limit"], 24);
    assert_eq!(answer.body, both("/skins?sort=recent&page=1&limit=24&model=&tag=").await.body);
}

#[tokio::test]
async fn a_skin_is_whole() {
    let answer = both("/skins?sort=usage&limit=10").await.data();
    let skins = answer["skins"].as_array().unwrap();
    let community = skins.iter().find(|skin| skin["owner"]["username"] != "rollcall").unwrap();
    assert_answer!("skin_detail", both(&format!("/skins/{}", community["slug"].as_str().unwrap())).await);
}

#[tokio::test]
async fn every_sort_shows_everything_once_and_in_order() {
    let sorts = ["recent", "popular", "likes", "favorites", "views", "downloads", "name", "usage"];
    textures::every_sort_shows_everything_once_and_in_order("skins", &sorts).await;
}

#[tokio::test]
async fn filters_narrow() {
    textures::filters_narrow("skins").await;
}

#[tokio::test]
async fn a_model_is_one_of_two_words() {
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
        let answer = both(&format!("/skins?model={bad}")).await;
        assert_eq!(answer.status, 400);
        assert_eq!(answer.error(), format!("model must be one of classic, slim, not \"{bad}\""));
    }
}

#[tokio::test]
async fn bad_values_are_named() {
    let sorts = "recent, popular, likes, favorites, views, downloads, name, usage";
    textures::bad_values_are_named("skins", sorts).await;
}

#[tokio::test]
async fn unknown_slugs_are_not_found() {
    textures::unknown_slugs_are_not_found("skins", "There is no skin of that slug").await;
}

#[tokio::test]
async fn details_agree_with_the_list() {
    textures::details_agree_with_the_list("skins", &["usageCount", "isFeatured"]).await;
}

#[tokio::test]
async fn everybody_wears_a_skin() {
    let skins = every(shared(Engine::Sqlite), "/skins", "/skins", 100).await;
    let players = every(shared(Engine::Sqlite), "/players", "/players", 100).await;
    let worn: i64 = skins.iter().map(|skin| skin["usageCount"].as_i64().unwrap()).sum();
    assert_eq!(worn, players.len() as i64);
}

#[tokio::test]
async fn viewers_are_never_mixed() {
    textures::viewers_are_never_mixed("skin").await;
}
