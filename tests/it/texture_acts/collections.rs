//! Favorites in collections, and what an account takes with it.

use rollcall_store::values;

use super::{first_pages, press, two_nodes};
use crate::harness::{Browser, Engine, PASSWORD, Server, TestResponse};
use crate::moderation::account_n;

const PAGE: &str = "/dashboard/favorites";

async fn send(browser: &mut Browser<'_>, act: &str, fields: &[(&str, &str)]) -> TestResponse {
    browser.get(PAGE).await;
    browser.send(&format!("{PAGE}/{act}"), fields).await
}

/// Id and name of each collection of an account.
fn collections(server: &Server, name: &str) -> Vec<(String, String)> {
    let n = account_n(server, name);
    server.store.change(|conn| {
        let sql = "select id, name from favorite_collections where account_n = $1 order by n";
        conn.query(sql, values![n], |row| (row.get(0), row.get(1)))
    })
}

/// The slugs of the textures on a page, in order.
fn slugs(page: &TestResponse) -> Vec<String> {
    let html = page.html();
    let links = html.split("<li class=\"sheet texture\"><a href=\"").skip(1);
    links.map(|rest| rest.split('"').next().expect("a link").to_owned()).collect()
}

#[test]
fn favorites_are_put_into_collections() {
    for engine in Engine::BOTH {
        let (server, _) = two_nodes(engine);
        server.run(async {
            let [skin, cape] = first_pages(&server).await;
            let mut ada = Browser::signed_up(&server, "ada-collects").await;
            assert!(ada.get(PAGE).await.html().contains("No favorites here"));
            press(&mut ada, &skin, "favorite", "yes").await;
            press(&mut ada, &cape, "favorite", "yes").await;
            let created = send(&mut ada, "create", &[("name", " Sea ")]).await;
            assert_eq!(created.redirect_target(), "/dashboard/favorites?done=collection-created");
            let taken = send(&mut ada, "create", &[("name", "SEA")]).await;
            assert_eq!((taken.status, taken.notice().as_str()), (409, "You have a collection of this name."));
            for bad in ["", "a\u{202e}b", "two\nlines", &"x".repeat(41)] {
                assert_eq!(send(&mut ada, "create", &[("name", bad)]).await.status, 422, "{bad:?}");
            }
            let (id, name) = collections(&server, "ada-collects").remove(0);
            assert_eq!(name, "Sea");
            let slug = |page: &str| page.rsplit('/').next().expect("a slug").to_owned();
            let fields = [("kind", "skin"), ("slug", &slug(&skin)), ("to", &id)];
            let moved = send(&mut ada, "move", &fields).await;
            assert_eq!(moved.redirect_target(), "/dashboard/favorites?done=favorite-moved");
            let own = format!("{PAGE}?collection={id}");
            assert_eq!(slugs(&ada.get(&own).await), std::slice::from_ref(&skin));
            assert_eq!(slugs(&ada.get(&format!("{PAGE}?collection=none")).await), std::slice::from_ref(&cape));
            assert_eq!(slugs(&ada.get(PAGE).await).len(), 2);
            let renamed = send(&mut ada, &format!("{id}/rename"), &[("name", "<b>Ocean")]).await;
            assert_eq!(renamed.redirect_target(), format!("{own}&done=collection-renamed"));
            assert!(ada.get(PAGE).await.html().contains("<bdi>&#60;b&#62;Ocean</bdi>"));
            // Others neither see nor change it.
            let mut eve = Browser::signed_up(&server, "eve-collects").await;
            assert_eq!(eve.get(&own).await.status, 404);
            press(&mut eve, &skin, "favorite", "yes").await;
            for (act, fields) in [
                (format!("{id}/rename"), vec![("name", "mine")]),
                (format!("{id}/delete"), vec![]),
                ("move".to_owned(), fields.to_vec()),
            ] {
                assert_eq!(send(&mut eve, &act, &fields).await.status, 404, "{act}");
            }
            // What is no favorite cannot be moved.
            press(&mut ada, &cape, "favorite", "no").await;
            let fields = [("kind", "cape"), ("slug", &slug(&cape)), ("to", &id)];
            assert_eq!(send(&mut ada, "move", &fields).await.status, 404);
            let deleted = send(&mut ada, &format!("{id}/delete"), &[]).await;
            assert_eq!(deleted.redirect_target(), "/dashboard/favorites?done=collection-deleted");
            assert_eq!(slugs(&ada.get(&format!("{PAGE}?collection=none")).await), [skin]);
        });
    }
}

#[test]
fn simultaneous_collections_stay_within_the_cap() {
    for engine in Engine::BOTH {
        let (first, second) = two_nodes(engine);
        let mut ada = first.run(Browser::signed_up(&first, "ada-many"));
        first.run(ada.get(PAGE));
        let tasks = (0..64).map(|i| {
            let mut browser = ada.clone().on(if i % 2 == 0 { &first } else { &second });
            let name = format!("Number {i}");
            async move { browser.send("/dashboard/favorites/create", &[("name", &name)]).await.status }
        });
        let statuses = first.run(futures_util::future::join_all(tasks));
        let created = statuses.iter().filter(|status| **status == 303).count();
        assert_eq!((created, collections(&first, "ada-many").len()), (50, 50), "{engine:?} {statuses:?}");
        assert!(!first.run(ada.get(PAGE)).html().contains("id=\"name\""), "no form for a collection too many");
    }
}

#[test]
fn an_account_takes_its_marks_and_collections_with_it() {
    for engine in Engine::BOTH {
        let (server, _) = two_nodes(engine);
        server.run(async {
            let [skin, cape] = first_pages(&server).await;
            let mut ada = Browser::signed_up(&server, "ada-exports").await;
            for page in [&skin, &cape] {
                press(&mut ada, page, "like", "yes").await;
            }
            press(&mut ada, &skin, "favorite", "yes").await;
            send(&mut ada, "create", &[("name", "Sea")]).await;
            let (id, _) = collections(&server, "ada-exports").remove(0);
            let slug = skin.rsplit('/').next().expect("a slug");
            send(&mut ada, "move", &[("kind", "skin"), ("slug", slug), ("to", &id)]).await;
            ada.get("/dashboard/account").await;
            let export = ada.send("/dashboard/account/export", &[]).await;
            let files = crate::moderation::data_rights::unpack(&export.body);
            assert_eq!(files["collections.ndjson"][0]["name"], "Sea");
            let marks = &files["likes_and_favorites.ndjson"];
            assert_eq!(marks.len(), 3);
            let favorite = marks.iter().find(|mark| mark["mark"] == "favorite").expect("a favorite");
            assert_eq!(favorite["collectionId"], id.as_str());
            let n = account_n(&server, "ada-exports");
            let deleted = ada.send("/dashboard/account/delete", &[("sure", "yes"), ("password", PASSWORD)]).await;
            assert_eq!(deleted.redirect_target(), "/sign-in?done=account-deleted");
            let rows: i64 = server.store.change(|conn| {
                let sql = "select (select count(*) from texture_likes where account_n = $1)
                           + (select count(*) from texture_favorites where account_n = $1)
                           + (select count(*) from favorite_places where account_n = $1)
                           + (select count(*) from favorite_collections where account_n = $1)";
                conn.query_one(sql, values![n], |row| row.get(0))
            });
            assert_eq!(rows, 0);
        });
        super::assert_recount(&server.store);
    }
}
