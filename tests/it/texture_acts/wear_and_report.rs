//! Wearing from the page, and reports to the moderators.

use super::{assert_recount, first_pages, press, texture_of, two_nodes};
use crate::harness::{Browser, Engine, Server};
use crate::moderation::{decide, link, moderator, queue};

/// Number and id of a player.
fn player(server: &Server) -> (i64, String) {
    server.store.change(|conn| {
        conn.query_one("select n, id from players order by n limit 1", &[], |row| (row.get(0), row.get(1)))
    })
}

#[test]
fn a_linked_player_wears_a_skin_and_a_cape_from_their_pages() {
    for engine in Engine::BOTH {
        let (server, other) = two_nodes(engine);
        server.run(async {
            let [skin, cape] = first_pages(&server).await;
            let (n, id) = player(&server);
            let mut ada = Browser::signed_up(&server, "ada-wears").await;
            // Without a player the page leads to where one is linked.
            let page = ada.get(&skin).await.html();
            assert!(page.contains("href=\"/dashboard/player?skin=") && !page.contains(&format!("{skin}/wear")));
            assert_eq!(ada.send(&format!("{skin}/wear"), &[]).await.redirect_target(), "/dashboard/player");
            link(&server, "ada-wears", n);
            for page in [&skin, &cape] {
                assert!(ada.get(page).await.html().contains(&format!("action=\"{page}/wear\"")));
                let worn = ada.send(&format!("{page}/wear"), &[]).await;
                assert_eq!(worn.redirect_target(), format!("{page}?done=worn"));
                let shown = ada.get(&format!("{page}?done=worn")).await;
                assert!(shown.notice().starts_with("Your player wears it."), "{}", shown.notice());
                assert!(!shown.html().contains(&format!("action=\"{page}/wear\"")));
            }
            let slug = skin.rsplit('/').next().expect("a slug");
            let path = format!("/players/{id}");
            other.until(&path, |response| response.data()["player"]["linkedSkin"]["slug"] == slug).await;
            for page in [&skin, &cape] {
                let is_worn = |data: &serde_json::Value| texture_of(data)["playersUsing"].to_string().contains(&id);
                other.until(page, |response| is_worn(&response.data())).await;
            }
        });
        assert_recount(&server.store);
    }
}

#[test]
fn a_report_opens_an_item_and_a_hidden_texture_is_gone_everywhere() {
    for engine in Engine::BOTH {
        let (server, other) = two_nodes(engine);
        server.run(async {
            let [skin, cape] = first_pages(&server).await;
            let (n, id) = player(&server);
            let mut ada = Browser::signed_up(&server, "ada-reports").await;
            link(&server, "ada-reports", n);
            for page in [&skin, &cape] {
                ada.get(page).await;
                ada.send(&format!("{page}/wear"), &[]).await;
            }
            let mut mod_ = moderator(&server, "judge-of-skins").await;
            let before = queue(&mut mod_, "?kind=texture-report").await.len();
            ada.get(&skin).await;
            let short = ada.send(&format!("{skin}/report"), &[("why", "bad")]).await;
            assert_eq!(short.status, 422);
            assert!(short.notice().contains("at least 10 characters") && short.html().contains(">bad</textarea>"));
            for page in [&skin, &cape] {
                // Twice: one item.
                for _ in 0..2 {
                    let sent = ada.send(&format!("{page}/report"), &[("why", "It shows something hateful.")]).await;
                    assert_eq!(sent.redirect_target(), format!("{page}?done=reported"));
                }
            }
            let items = queue(&mut mod_, "?kind=texture-report").await;
            assert_eq!(items.len(), before + 2);
            let shown = mod_.get(&format!("/moderation/{}", items[before])).await.html();
            assert!(shown.contains("It shows something hateful.") && shown.contains(&format!("href=\"{skin}\"")));
            press(&mut ada, &skin, "like", "yes").await;
            for item in &items[before..] {
                assert_eq!(decide(&mut mod_, item, "hide", "Not here.").await.status, 303);
            }
            for node in [&server, &other] {
                for page in [&skin, &cape] {
                    node.until(page, |response| response.status == 404).await;
                    assert_eq!(ada.clone().on(node).get(page).await.status, 404);
                }
                let path = format!("/players/{id}");
                let is_default = |data: &serde_json::Value| {
                    let slug = data["player"]["linkedSkin"]["slug"].as_str().unwrap_or_default();
                    slug.starts_with("default-")
                };
                node.until(&path, |response| is_default(&response.data())).await;
            }
            assert_eq!(ada.send(&format!("{skin}/like"), &[("on", "no")]).await.status, 404);
        });
        let capes: i64 = server.store.change(|conn| {
            let sql = "select count(*) from players p join textures t on t.n = p.cape_n or t.n = p.linked_skin_n where t.hidden";
            conn.query_one(sql, &[], |row| row.get(0))
        });
        assert_eq!(capes, 0, "{engine:?}");
        assert_recount(&server.store);
    }
}

#[test]
fn reports_of_an_account_are_limited() {
    for engine in Engine::BOTH {
        let (server, _) = two_nodes(engine);
        server.run(async {
            let list = server.get("/skins?limit=20").await.data();
            let skins = list["skins"].as_array().expect("skins");
            let mut ada = Browser::signed_up(&server, "ada-floods").await;
            let mut statuses = Vec::new();
            for skin in skins.iter().take(11) {
                let page = format!("/skins/{}", skin["slug"].as_str().expect("a slug"));
                ada.get(&page).await;
                statuses.push(ada.send(&format!("{page}/report"), &[("why", "I do not like it.")]).await.status);
            }
            assert_eq!(statuses.iter().filter(|status| **status == 303).count(), 10, "{engine:?} {statuses:?}");
            assert_eq!(statuses[10], 429, "{engine:?}");
        });
    }
}

#[test]
fn owners_learn_only_of_hidden_textures_and_may_appeal() {
    for engine in Engine::BOTH {
        let (server, _) = two_nodes(engine);
        server.run(async {
            let [skin, _] = first_pages(&server).await;
            let mut owner = Browser::signed_up(&server, "owner-of-skin").await;
            let n = crate::moderation::account_n(&server, "owner-of-skin");
            let slug = skin.rsplit('/').next().expect("a slug");
            server.store.change(|conn| {
                let rev = rollcall_store::revision::bump(conn)?;
                let sql = "update textures set owner_n = $1, rev = $2 where kind = 'skin' and slug = $3";
                conn.execute(sql, rollcall_store::values![n, rev, slug])
            });
            server.until(&skin, |response| texture_of(&response.data())["owner"]["username"] == "owner-of-skin").await;
            assert!(!owner.get(&skin).await.html().contains("/report\""), "owners do not report themselves");
            let mut eve = Browser::signed_up(&server, "eve-reports").await;
            let mut mod_ = moderator(&server, "fair-judge").await;
            eve.get(&skin).await;
            eve.send(&format!("{skin}/report"), &[("why", "I do not like it.")]).await;
            assert!(!owner.get("/dashboard/contributions").await.html().contains("Reported skin or cape"));
            let item = queue(&mut mod_, "?kind=texture-report").await.pop().expect("an item");
            assert_eq!(decide(&mut mod_, &item, "approve", "").await.status, 303);
            assert_eq!(server.get(&skin).await.status, 200);
            assert!(!owner.get("/dashboard/contributions").await.html().contains("Reported skin or cape"));
            // Hidden after another report, it comes back after an appeal, with its likes.
            let mut finn = Browser::signed_up(&server, "finn-reports").await;
            press(&mut finn, &skin, "like", "yes").await;
            let likes = server.store.change(|conn| {
                let sql = "select like_count from textures where kind = 'skin' and slug = $1";
                conn.query_one(sql, rollcall_store::values![slug], |row| row.get::<i64>(0))
            });
            finn.get(&skin).await;
            finn.send(&format!("{skin}/report"), &[("why", "It is the logo of a company.")]).await;
            let item = queue(&mut mod_, "?kind=texture-report").await.pop().expect("an item");
            assert_eq!(decide(&mut mod_, &item, "hide", "A logo.").await.status, 303);
            server.until(&skin, |response| response.status == 404).await;
            assert!(owner.get("/dashboard/contributions").await.html().contains("Reported skin or cape"));
            let appeal = format!("/dashboard/contributions/{item}/appeal");
            assert_eq!(owner.send(&appeal, &[("appeal", "It is the logo of my own server.")]).await.status, 303);
            assert_eq!(decide(&mut mod_, &item, "approve", "").await.status, 303);
            super::until_count(&server, &skin, "likeCount", likes).await;
        });
    }
}
