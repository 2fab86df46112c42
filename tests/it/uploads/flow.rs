//! The life of an upload.

use reqwest::Method;
use rollcall_store::values;
use serde_json::json;

use super::*;
use crate::harness::{Engine, Server, until};
use crate::moderation::{
    account_n, assert_recount, command, decide, link, moderator, node, played, queue, server, server_with,
};

async fn approve(judge: &mut Browser<'_>) {
    let items = queue(judge, "?kind=upload").await;
    let decided = decide(judge, &items[0], "approve", "").await;
    assert_eq!(decided.status, 303, "{}", decided.notice());
}

#[test]
fn an_upload_is_judged_shown_edited_hidden_and_gone() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let total = server.get("/skins?limit=1").await.data()["pagination"]["total"].as_i64().expect("a total");
            let mut ada = Browser::signed_up(&server, "ada").await;
            let mut judge = moderator(&server, "judge").await;
            let file = skin(4242);
            let held = upload(&mut ada, &file, &Form::default()).await;
            assert!(held.redirect_target().ends_with("?done=upload-held"), "{}", held.notice());
            let id = id_of(&held);
            let page = ada.get(&format!("/dashboard/skins/{id}")).await.html();
            assert!(page.contains("Waiting for a moderator"), "{page}");
            assert!(ada.get("/dashboard/skins").await.html().contains("Red fox"));

            // Nobody else sees anything of it.
            assert_eq!(server.get("/skins/red-fox").await.status, 404);
            assert_eq!(ada.get("/skins/red-fox").await.status, 404);
            let png = stored_png(&server, &id);
            assert_eq!(server.raw(Method::GET, &format!("/media/{png}"), &[]).await.status, 404);

            // The uploader and moderators see the picture, with a fixed name and type.
            let items = queue(&mut judge, "?kind=upload").await;
            assert_eq!(items.len(), 1);
            let item = judge.get(&format!("/moderation/{}", items[0])).await.html();
            assert!(
                item.contains("Red fox")
                    && item.contains("figure.png")
                    && item.contains("All pictures are reviewed first.")
            );
            for (browser, path) in [
                (&mut ada, format!("/dashboard/skins/{id}/picture.png")),
                (&mut judge, format!("/moderation/{}/picture.png", items[0])),
            ] {
                let picture = browser.get(&path).await;
                assert_eq!(picture.status, 200, "{path}");
                for (name, value) in [
                    ("content-type", "image/png"),
                    ("x-content-type-options", "nosniff"),
                    ("content-disposition", "inline; filename=\"texture.png\""),
                    ("cache-control", "private, no-store"),
                ] {
                    assert_eq!(picture.header(name), Some(value), "{path}");
                }
                assert!(picture.body.starts_with(b"\x89PNG"));
                assert_eq!(browser.get(&path.replace("picture", "figure")).await.status, 200);
            }
            assert_eq!(ada.get(&format!("/moderation/{}/picture.png", items[0])).await.status, 404);

            approve(&mut judge).await;
            let shown = server.until("/skins/red-fox", |r| r.status == 200).await.data()["skin"].clone();
            assert_eq!(
                (&shown["id"], &shown["name"], &shown["model"], &shown["tags"], &shown["owner"]["username"]),
                (&json!(id), &json!("Red fox"), &json!("slim"), &json!(["fox", "red"]), &json!("ada"))
            );
            let url =
                shown["pngPath"].as_str().expect("a URL").strip_prefix(PUBLIC_URL).expect("an own URL").to_owned();
            assert_eq!(url, format!("/media/{png}"));
            let picture = server.raw(Method::GET, &url, &[]).await;
            assert_eq!(picture.status, 200);
            for (name, value) in [
                ("content-type", "image/png"),
                ("x-content-type-options", "nosniff"),
                ("content-disposition", "inline; filename=\"picture.png\""),
                ("cache-control", "public, max-age=3600"),
            ] {
                assert_eq!(picture.header(name), Some(value));
            }
            assert_eq!(server.get("/skins?limit=1").await.data()["pagination"]["total"], json!(total + 1));
            assert_eq!(ada.get("/skins/red-fox").await.status, 200);

            // Edits keep the address.
            assert_eq!(save(&mut ada, &id, "Snow fox", "snow", "PUBLIC").await.status, 303);
            let edited = server.until("/skins/red-fox", |r| r.data()["skin"]["name"] == "Snow fox").await.data();
            assert_eq!(edited["skin"]["tags"], json!(["snow"]));
            assert_eq!(server.get("/skins?search=snow+fox").await.data()["pagination"]["total"], json!(1));

            assert_eq!(save(&mut ada, &id, "Snow fox", "snow", "HIDDEN").await.status, 303);
            server.until("/skins/red-fox", |r| r.status == 404).await;
            assert_eq!(server.raw(Method::GET, &url, &[]).await.status, 404, "the picture of a hidden upload");
            assert_eq!(server.get("/skins?limit=1").await.data()["pagination"]["total"], json!(total));
            for filter in ["search=snow+fox", "tag=snow", "owner=ada"] {
                let found = server.get(&format!("/skins?{filter}")).await.data();
                assert_eq!(found["pagination"]["total"], json!(0), "{filter}");
            }
            // Unlisted: a page without an entry in the API.
            assert_eq!(save(&mut ada, &id, "Snow fox", "snow", "UNLISTED").await.status, 303);
            let page = until_page(&server, "/skins/red-fox", 200).await;
            assert!(page.html().contains("it is on no list") && page.html().contains("noindex"), "{}", page.html());
            assert_eq!(server.get("/skins/red-fox").await.status, 404);
            assert_eq!(server.raw(Method::GET, &url, &[]).await.status, 200);

            assert_eq!(save(&mut ada, &id, "Snow fox", "snow", "PUBLIC").await.status, 303);
            server.until("/skins/red-fox", |r| r.status == 200).await;
            let delete = format!("/dashboard/skins/{id}/delete");
            assert_eq!(ada.send(&delete, &[]).await.status, 422, "not confirmed");
            assert_eq!(
                ada.send(&delete, &[("sure", "yes")]).await.redirect_target(),
                "/dashboard/skins?done=upload-deleted"
            );
            server.until("/skins/red-fox", |r| r.status == 404).await;
            assert_eq!(server.raw(Method::GET, &url, &[]).await.status, 404, "the picture of a deleted upload");
            assert_eq!(ada.get(&format!("/dashboard/skins/{id}")).await.status, 404);
            let log = ada.get("/dashboard/log").await.html();
            for action in
                ["skin or cape uploaded", "approved by a moderator", "skin or cape edited", "skin or cape deleted"]
            {
                assert!(log.contains(action), "{action}");
            }
        });
        assert_recount(&server.store);
    }
}

fn stored_png(server: &Server, id: &str) -> String {
    let sql = "select png from texture_uploads where id = $1";
    server.store.change(|conn| conn.query_one(sql, values![id], |row| row.get(0)))
}

/// Public pages are cached for some seconds of real time; each look has another address.
async fn until_page(server: &Server, path: &str, status: u16) -> TestResponse {
    let (mut visitor, mut look) = (Browser::new(server), 0);
    until(async || {
        look += 1;
        let page = visitor.get(&format!("{path}?look={look}")).await;
        if page.status == status { Ok(page) } else { Err(format!("{path} is {}, not {status}", page.status)) }
    })
    .await
}

#[test]
fn a_hidden_upload_keeps_its_likes() {
    for engine in Engine::BOTH {
        let server = server(engine);
        let other = node(server.store.clone(), |_| {});
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            command(&server, &["account", "trust", "ada"]);
            let id = id_of(&upload(&mut ada, &skin(1), &Form::default()).await);
            server.until("/skins/red-fox", |r| r.status == 200).await;
            let mut bob = Browser::signed_up(&server, "bob").await;
            bob.get("/skins/red-fox").await;
            for act in ["like", "favorite"] {
                assert_eq!(bob.send(&format!("/skins/red-fox/{act}"), &[("on", "yes")]).await.status, 303);
            }
            for visibility in ["HIDDEN", "PUBLIC"] {
                assert_eq!(save(&mut ada, &id, "Red fox", "fox", visibility).await.status, 303);
                let status = if visibility == "PUBLIC" { 200 } else { 404 };
                for node in [&server, &other] {
                    node.until("/skins/red-fox", |r| r.status == status).await;
                }
                assert_recount(&server.store);
            }
            for node in [&server, &other] {
                let shown = node.get("/skins/red-fox").await.data()["skin"].clone();
                assert_eq!((&shown["likeCount"], &shown["favoriteCount"]), (&json!(1), &json!(1)));
            }
        });
    }
}

#[test]
fn moderators_turn_down_uploads_and_hear_appeals() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            let mut judge = moderator(&server, "judge").await;
            let id = id_of(&upload(&mut ada, &skin(1), &Form::default()).await);
            let items = queue(&mut judge, "?kind=upload").await;
            assert_eq!(decide(&mut judge, &items[0], "reject", "It shows a symbol.").await.status, 303);
            for page in
                ["/dashboard/skins".to_owned(), format!("/dashboard/skins/{id}"), "/dashboard/contributions".into()]
            {
                let html = ada.get(&page).await.html();
                assert!(html.contains("It shows a symbol.") && html.contains("Rejected"), "{page}");
            }
            // Another upload, or an edit, of an author who was turned down is judged, too.
            command(&server, &["account", "trust", "ada"]);
            assert!(upload(&mut ada, &skin(2), &Form::default()).await.redirect_target().ends_with("done=upload-held"));
            let appeal = format!("/dashboard/contributions/{}/appeal", items[0]);
            assert_eq!(ada.send(&appeal, &[("appeal", "It is a flower, not a symbol.")]).await.status, 303);
            let open = queue(&mut judge, "?kind=upload").await;
            assert!(open.contains(&items[0]) && open.len() == 2, "{open:?}");
            assert_eq!(decide(&mut judge, &items[0], "approve", "").await.status, 303);
            server.until("/skins/red-fox", |r| r.status == 200).await;
            let [second] = &queue(&mut judge, "?kind=upload").await[..] else { panic!("one item is left") };
            assert_eq!(decide(&mut judge, second, "hide", "Not this one.").await.status, 303);
            assert_eq!(server.get("/skins/red-fox-2").await.status, 404);
        });
    }
}

#[test]
fn trusted_accounts_skip_the_queue_but_not_the_rules() {
    for engine in Engine::BOTH {
        let server = server_with(engine, |config| {
            config.moderation.refused_words = vec!["forbidden".into()];
            config.moderation.held_words = vec!["doubtful".into()];
        });
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            command(&server, &["account", "trust", "ada"]);
            let shown = upload(&mut ada, &skin(1), &Form { tags: "doubtful", ..Form::default() }).await;
            assert!(shown.redirect_target().ends_with("?done=upload-shown"), "{}", shown.notice());
            server.until("/skins/red-fox", |r| r.status == 200).await;
            for form in
                [Form { name: "Forbidden", ..Form::default() }, Form { tags: "a, forbidden", ..Form::default() }]
            {
                let refused = upload(&mut ada, &skin(2), &form).await;
                assert_eq!(
                    (refused.status, refused.notice().as_str()),
                    (422, "The word “forbidden” is not accepted here.")
                );
            }
        });
        let open = server_with(engine, |config| {
            config.moderation.hold_uploads = false;
            config.moderation.held_words = vec!["doubtful".into()];
        });
        open.run(async {
            let mut eve = Browser::signed_up(&open, "eve").await;
            let held = upload(&mut eve, &skin(1), &Form { name: "Doubtful", ..Form::default() }).await;
            assert!(held.redirect_target().ends_with("?done=upload-held"));
            let shown = upload(&mut eve, &skin(2), &Form::default()).await;
            assert!(shown.redirect_target().ends_with("?done=upload-shown"));
            let id = id_of(&shown);
            open.until("/skins/red-fox", |r| r.status == 200).await;
            // An edit that the rules hold takes it away until it is judged.
            let edited = save(&mut eve, &id, "Now doubtful", "", "PUBLIC").await;
            assert!(edited.redirect_target().ends_with("?done=upload-held"), "{}", edited.notice());
            open.until("/skins/red-fox", |r| r.status == 404).await;
        });
    }
}

#[test]
fn players_fall_back_when_what_they_wear_is_removed() {
    for engine in Engine::BOTH {
        let server = server(engine);
        let other = node(server.store.clone(), |_| {});
        server.run(async {
            let player = played(&server).remove(0);
            let mut ada = Browser::signed_up(&server, "ada").await;
            command(&server, &["account", "trust", "ada"]);
            link(&server, "ada", player.player_n);
            let skin_id = id_of(&upload(&mut ada, &skin(1), &Form::default()).await);
            let cape = Form { kind: "cape", name: "Banner", based_on: "", ..Form::default() };
            let cape_id = id_of(&upload(&mut ada, &rollcall_paint::cape(991), &cape).await);
            let remix = Form { name: "Remix", based_on: "/skins/red-fox", ..Form::default() };
            let remix_id = id_of(&upload(&mut ada, &skin(3), &remix).await);
            assert!(ada.get(&format!("/dashboard/skins/{remix_id}")).await.html().contains("href=\"/skins/red-fox\""));
            for node in [&server, &other] {
                node.until("/skins/red-fox", |r| r.status == 200).await;
                node.until("/capes/banner", |r| r.status == 200).await;
            }
            ada.get("/dashboard/player").await;
            let worn = ada.send("/dashboard/player/appearance", &[("skin", "red-fox"), ("cape", "banner")]).await;
            assert_eq!(worn.status, 303, "{}", worn.notice());
            server.until("/skins/red-fox", |r| r.data()["skin"]["playersUsingCount"] == 1).await;
            for id in [skin_id, cape_id] {
                ada.get(&format!("/dashboard/skins/{id}")).await;
                assert_eq!(ada.send(&format!("/dashboard/skins/{id}/delete"), &[("sure", "yes")]).await.status, 303);
            }
            for node in [&server, &other] {
                node.until("/skins/red-fox", |r| r.status == 404).await;
                node.until("/capes/banner", |r| r.status == 404).await;
            }
            let sql = "select t.slug, p.cape_n from players p join textures t on t.n = p.linked_skin_n where p.n = $1";
            let wears = server.store.change(|conn| {
                conn.query_one(sql, values![player.player_n], |row| (row.get::<String>(0), row.get::<Option<i64>>(1)))
            });
            assert_eq!(wears, ("default-slim".to_owned(), None));
            // The remix stays, without its original.
            assert!(!ada.get(&format!("/dashboard/skins/{remix_id}")).await.html().contains("/skins/red-fox\""));
        });
        assert_recount(&server.store);
    }
}

#[test]
fn a_deleted_account_leaves_public_uploads_to_the_system_account() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            upload(&mut ada, &skin(1), &Form { name: "Waiting", ..Form::default() }).await;
            command(&server, &["account", "trust", "ada"]);
            upload(&mut ada, &skin(2), &Form::default()).await;
            let hidden = id_of(&upload(&mut ada, &skin(3), &Form { name: "Hidden", ..Form::default() }).await);
            server.until("/skins/hidden", |r| r.status == 200).await;
            save(&mut ada, &hidden, "Hidden", "", "HIDDEN").await;
            server.until("/skins/hidden", |r| r.status == 404).await;
            let n = account_n(&server, "ada");
            command(&server, &["account", "delete", "ada", "--yes"]);
            let owner = |r: &TestResponse| r.data()["skin"]["owner"]["username"] == "rollcall";
            server.until("/skins/red-fox", owner).await;
            let left = "select name from texture_uploads where account_n = $1 or account_n is null order by name";
            let left = server.store.change(|conn| conn.query(left, values![n], |row| row.get::<String>(0)));
            assert_eq!(left, ["Red fox"]);
            let hidden = "select count(*) from textures where hidden";
            assert_eq!(server.store.change(|conn| conn.query_one(hidden, &[], |row| row.get::<i64>(0))), 0);
        });
    }
}
