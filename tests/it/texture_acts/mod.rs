//! What people do with skins and capes: likes, favorites, collections, views, downloads.

mod collections;
mod discover;
mod likes_and_favorites;
mod visits;
mod wear_and_report;

use rollcall_store::totals::{self, RecomputeScope};

use crate::harness::{Browser, Engine, Server, Store};

/// A server over its own copy of the demo world, and another process over the same store.
fn two_nodes(engine: Engine) -> (Server, Server) {
    let first = crate::moderation::server(engine);
    let second = crate::moderation::node(first.store.clone(), |_| {});
    (first, second)
}

/// `/skins/…` and `/capes/…`: the first of each list.
async fn first_pages(server: &Server) -> [String; 2] {
    let mut pages = Vec::new();
    for kind in ["skins", "capes"] {
        let data = server.get(&format!("/{kind}?sort=name&limit=1")).await.data();
        pages.push(format!("/{kind}/{}", data[kind][0]["slug"].as_str().expect("a slug")));
    }
    pages.try_into().expect("two")
}

/// The skin or cape of a page, from the API.
fn texture_of(data: &serde_json::Value) -> &serde_json::Value {
    data.get("skin").unwrap_or(&data["cape"])
}

/// Waits until the API shows this count.
async fn until_count(server: &Server, page: &str, name: &str, wanted: i64) {
    server.until(page, |response| texture_of(&response.data())[name].as_i64() == Some(wanted)).await;
}

async fn count(server: &Server, page: &str, name: &str) -> i64 {
    texture_of(&server.get(page).await.data())[name].as_i64().expect("a count")
}

/// Counts likes, favorites and wearers again; nothing may change.
fn assert_recount(store: &Store) {
    let figures = || {
        store.change(|conn| {
            let sql = "select n, like_count, favorite_count, usage_count from textures order by n";
            conn.query(sql, &[], |row| (row.get::<i64>(0), row.get::<i64>(1), row.get::<i64>(2), row.get::<i64>(3)))
        })
    };
    let live = figures();
    store.change(|conn| totals::recompute(conn, &RecomputeScope::All));
    assert_eq!(figures(), live, "the counts differ from the rows");
}

/// Sends the form of a button on the page of a texture.
async fn press(browser: &mut Browser<'_>, page: &str, act: &str, on: &str) -> crate::harness::TestResponse {
    browser.get(page).await;
    browser.send(&format!("{page}/{act}"), &[("on", on)]).await
}
