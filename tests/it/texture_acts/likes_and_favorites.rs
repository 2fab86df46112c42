//! Likes and favorites.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;

use super::{assert_recount, count, first_pages, press, texture_of, two_nodes, until_count};
use crate::harness::{Browser, Engine, PASSWORD};

#[test]
fn the_viewer_of_a_key_is_true_on_every_node() {
    for engine in Engine::BOTH {
        let (first, second) = two_nodes(engine);
        first.run(async {
            let mut ada = Browser::signed_up(&first, "ada-likes").await;
            let (_, key) = ada.make_key("viewer").await;
            for page in first_pages(&first).await {
                let likes = count(&first, &page, "likeCount").await;
                let favorites = count(&first, &page, "favoriteCount").await;
                for (act, on, viewer, counts) in [
                    ("like", "yes", json!({"liked": true, "favorited": false, "isOwner": false}), [1, 0]),
                    ("favorite", "yes", json!({"liked": true, "favorited": true, "isOwner": false}), [1, 1]),
                    ("like", "no", json!({"liked": false, "favorited": true, "isOwner": false}), [0, 1]),
                    ("like", "no", json!({"liked": false, "favorited": true, "isOwner": false}), [0, 1]),
                    ("favorite", "no", json!({"liked": false, "favorited": false, "isOwner": false}), [0, 0]),
                ] {
                    assert_eq!(press(&mut ada, &page, act, on).await.redirect_target(), page);
                    // The own page shows it at once.
                    let html = ada.get(&page).await.html();
                    let pressed = html.matches("aria-pressed=\"true\"").count() as i64;
                    assert_eq!(pressed, counts[0] + counts[1], "{page} {act} {on}");
                    assert!(html.contains(&format!("<data value=\"{}\">", likes + counts[0])), "{page} {act} {on}");
                    for node in [&first, &second] {
                        node.until_as(&key, &page, |response| texture_of(&response.data())["viewer"] == viewer).await;
                        until_count(node, &page, "likeCount", likes + counts[0]).await;
                        until_count(node, &page, "favoriteCount", favorites + counts[1]).await;
                        // Without an account nothing is liked.
                        let nobody = json!({"liked": false, "favorited": false, "isOwner": false});
                        assert_eq!(texture_of(&node.get(&page).await.data())["viewer"], nobody);
                    }
                }
            }
        });
        assert_recount(&first.store);
    }
}

#[test]
fn simultaneous_likes_of_an_account_on_two_nodes_are_one() {
    for engine in Engine::BOTH {
        let (first, second) = two_nodes(engine);
        let page = first.run(first_pages(&first))[0].clone();
        let before = first.run(count(&first, &page, "likeCount"));
        let mut ada = first.run(Browser::signed_up(&first, "ada-eager"));
        first.run(ada.get(&page));
        for (on, wanted) in [("yes", before + 1), ("no", before), ("yes", before + 1)] {
            let tasks = (0..64).map(|i| {
                let mut browser = ada.clone().on(if i % 2 == 0 { &first } else { &second });
                let path = format!("{page}/like");
                async move { browser.send(&path, &[("on", on)]).await.status }
            });
            let statuses = first.run(join_all(tasks));
            assert!(statuses.iter().all(|status| *status == 303), "{engine:?} {on}: {statuses:?}");
            first.run(until_count(&first, &page, "likeCount", wanted));
            first.run(until_count(&second, &page, "likeCount", wanted));
        }
        assert_recount(&first.store);
    }
}

#[test]
fn what_belongs_to_a_user_is_not_cached_for_others() {
    for engine in Engine::BOTH {
        let (server, _) = two_nodes(engine);
        server.run(async {
            let page = first_pages(&server).await[0].clone();
            let mut ada = Browser::signed_up(&server, "ada-private").await;
            press(&mut ada, &page, "like", "yes").await;
            let own = ada.get(&page).await;
            assert_eq!((own.status, own.header("cache-control")), (200, Some("no-store")));
            assert!(own.html().contains("aria-pressed=\"true\"") && own.html().contains("name=\"token\""));
            // Visitors, also with a session that is not signed in, get the page that all share.
            let mut visitor = Browser::new(&server);
            visitor.get("/sign-in").await;
            for shown in [visitor.get(&page).await, server.raw(Method::GET, &page, &[]).await] {
                assert_eq!((shown.status, shown.header("cache-control")), (200, Some("no-cache")));
                let html = shown.html();
                assert!(!html.contains("aria-pressed") && !html.contains("name=\"token\""), "{html}");
                assert!(html.contains(&format!("href=\"/sign-in?next={page}\"")), "{html}");
                assert!(shown.cookies().is_empty());
            }
            // Signing in leads back.
            let mut back = Browser::new(&server);
            back.get(&format!("/sign-in?next={page}")).await;
            let fields = [("username", "ada-private"), ("password", PASSWORD), ("next", page.as_str())];
            assert_eq!(back.send("/sign-in", &fields).await.redirect_target(), page);
            // A form whose session ended leads to the page to sign in, and back.
            visitor.get("/sign-in").await;
            let ended = visitor.send(&format!("{page}/like"), &[("on", "yes")]).await;
            assert_eq!(ended.redirect_target(), format!("/sign-in?next={page}"));
            assert_eq!(ada.get(&format!("{page}/like")).await.redirect_target(), page);
            assert_eq!(ada.send("/skins/none-such/like", &[("on", "yes")]).await.status, 404);
            for evil in ["//evil.example", "/skins//evil", "/skins/a?b", "/skins/%0a"] {
                back = Browser::new(&server);
                back.get("/sign-in").await;
                let fields = [("username", "ada-private"), ("password", PASSWORD), ("next", evil)];
                let target = back.send("/sign-in", &fields).await.redirect_target().to_owned();
                assert!(target == "/dashboard" || target == "/skins//evil", "{evil}: {target}");
            }
        });
    }
}

#[test]
fn deleting_an_account_while_it_likes_leaves_the_sums_right() {
    for engine in Engine::BOTH {
        let (first, second) = two_nodes(engine);
        let pages = first.run(first_pages(&first));
        for round in 0..4 {
            let name = format!("leaving-{round}");
            let mut leaver = first.run(Browser::signed_up(&first, &name));
            first.run(leaver.get("/dashboard/account"));
            let likes = (0..24).map(|i| {
                let mut browser = leaver.clone().on(if i % 2 == 0 { &first } else { &second });
                let act = if i % 3 == 0 { "favorite" } else { "like" };
                let (path, on) = (format!("{}/{act}", pages[i % 2]), if i % 5 == 4 { "no" } else { "yes" });
                async move { browser.send(&path, &[("on", on)]).await.status }
            });
            let mut deleter = leaver.clone();
            let fields = [("sure", "yes"), ("password", PASSWORD)];
            let delete = async { deleter.send("/dashboard/account/delete", &fields).await.status };
            let (statuses, deleted) = first.run(async { tokio::join!(join_all(likes), delete) });
            assert_eq!(deleted, 303, "{engine:?}");
            // 403: the session ended before the form arrived.
            assert!(statuses.iter().all(|status| matches!(status, 303 | 403 | 404)), "{engine:?} {statuses:?}");
            assert_recount(&first.store);
        }
        let rows: i64 = first.store.change(|conn| {
            let sql = "select count(*) from favorite_places p where not exists
                       (select 1 from texture_favorites f where f.account_n = p.account_n and f.texture_n = p.texture_n)";
            conn.query_one(sql, &[], |row| row.get(0))
        });
        assert_eq!(rows, 0, "{engine:?}");
    }
}
