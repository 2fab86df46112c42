//! What is trending and featured, pages of creators, and cards.

use reqwest::Method;
use rollcall_model::time::DAY;

use super::{first_pages, press, texture_of, two_nodes};
use crate::harness::{Browser, Engine, NOW, TestResponse, until};
use crate::moderation::moderator;

/// The addresses of the textures of a list, in order.
fn listed(page: &TestResponse) -> Vec<String> {
    let html = page.html();
    let links = html.split("<li class=\"sheet texture\"><a href=\"").skip(1);
    links.map(|rest| rest.split('"').next().expect("a link").to_owned()).collect()
}

#[test]
fn trending_follows_acts_and_forgets_old_ones() {
    for engine in Engine::BOTH {
        let (server, other) = two_nodes(engine);
        server.run(async {
            let list = server.get("/skins?sort=name&limit=3").await.data();
            let pages: Vec<String> =
                (0..3).map(|i| format!("/skins/{}", list["skins"][i]["slug"].as_str().expect("a slug"))).collect();
            let mut users = Vec::new();
            for i in 0..3 {
                users.push(Browser::signed_up(&server, &format!("fan-{i}")).await);
            }
            // Two likes long ago, one like now, one download now.
            for user in &mut users[..2] {
                press(user, &pages[0], "like", "yes").await;
            }
            server.clock.set(NOW + 12 * DAY);
            let mut late = Browser::signed_in(&server, "fan-2").await;
            press(&mut late, &pages[1], "like", "yes").await;
            // Again and again: it counts once.
            for on in ["no", "yes", "no", "yes"] {
                press(&mut late, &pages[2], "favorite", on).await;
            }
            press(&mut late, &pages[2], "favorite", "no").await;
            press(&mut late, &pages[1], "favorite", "yes").await;
            let wanted = [pages[1].clone(), pages[2].clone(), pages[0].clone()];
            // A page is cached for seconds: each request has another address.
            for node in [&server, &other] {
                let mut tries = 0;
                let page = until(async || {
                    tries += 1;
                    let page = node.raw(Method::GET, &format!("/skins?sort=trending&try={tries}"), &[]).await;
                    match listed(&page).starts_with(&wanted) {
                        true => Ok(page),
                        false => Err(format!("{engine:?}: {:?}", listed(&page))),
                    }
                });
                let html = page.await.html();
                assert!(html.contains("value=\"trending\" selected"));
                assert!(!html.contains("GET /v1/skins?sort=trending"), "{html}");
            }
            // The API has the orders of its contract.
            assert_eq!(server.get("/skins?sort=trending").await.status, 400);
        });
    }
}

#[test]
fn moderators_feature_and_the_log_tells() {
    for engine in Engine::BOTH {
        let (server, other) = two_nodes(engine);
        server.run(async {
            for (i, page) in first_pages(&server).await.into_iter().enumerate() {
                let mut ada = Browser::signed_up(&server, &format!("ada-plain-{i}")).await;
                assert!(!ada.get(&page).await.html().contains(&format!("{page}/feature")));
                assert_eq!(ada.send(&format!("{page}/feature"), &[("on", "yes")]).await.status, 404);
                let mut judge = moderator(&server, &format!("judge-{i}")).await;
                let list = format!("/{}?limit=100", if i == 0 { "skins" } else { "capes" });
                let slug = page.rsplit('/').next().expect("a slug");
                let is_featured = |data: &serde_json::Value| {
                    let all = data.get("skins").unwrap_or(&data["capes"]).as_array().expect("a list").clone();
                    all.iter().find(|texture| texture["slug"] == slug).map(|texture| texture["isFeatured"] == true)
                };
                // Off first: the demo features some.
                for (on, done) in [("no", "unfeatured"), ("yes", "featured"), ("no", "unfeatured")] {
                    let sent = press(&mut judge, &page, "feature", on).await;
                    assert_eq!(sent.redirect_target(), format!("{page}?done={done}"));
                    let wanted = Some(on == "yes");
                    other
                        .until(&list, |response| is_featured(&response.data()).is_none_or(|is| Some(is) == wanted))
                        .await;
                    let button = if on == "yes" { "Remove from featured" } else { "Feature it" };
                    assert!(judge.get(&page).await.html().contains(button));
                }
            }
            let logged: i64 = server.store.change(|conn| {
                let sql = "select count(*) from audit where action = 'featured by a moderator'";
                conn.query_one(sql, &[], |row| row.get(0))
            });
            assert_eq!(logged, 2);
        });
    }
}

#[test]
fn a_creator_has_a_page_and_a_skin_or_cape_a_card() {
    for engine in Engine::BOTH {
        let (server, _) = two_nodes(engine);
        server.run(async {
            let [skin, cape] = first_pages(&server).await;
            for page in [&skin, &cape] {
                let owner = texture_of(&server.get(page).await.data())["owner"]["username"].clone();
                let owner = owner.as_str().expect("a name");
                let html = server.raw(Method::GET, page, &[]).await.html();
                assert!(html.contains(&format!("href=\"/creators/{owner}\"")), "{owner}");
                let creator = server.raw(Method::GET, &format!("/creators/{owner}"), &[]).await;
                assert_eq!((creator.status, creator.heading()), (200, format!("<bdi>{owner}</bdi>")));
                for kind in ["skins", "capes"] {
                    let own = server.get(&format!("/{kind}?owner={owner}&sort=popular&limit=24")).await.data();
                    let own = own[kind].as_array().expect("a list").iter();
                    let wanted: Vec<String> =
                        own.map(|texture| format!("/{kind}/{}", texture["slug"].as_str().expect("a slug"))).collect();
                    let root = format!("/{kind}/");
                    let shown: Vec<String> =
                        listed(&creator).into_iter().filter(|link| link.starts_with(&root)).collect();
                    assert_eq!(shown, wanted, "{owner} {kind}");
                }
                let upper = format!("/creators/{}", owner.to_uppercase());
                assert!(server.raw(Method::GET, &upper, &[]).await.html().contains(&format!("/creators/{owner}\"")));
            }
            for nobody in ["/creators/nobody-at-all", "/creators/%3Cb%3E", "/creators/%ff"] {
                assert_eq!(server.raw(Method::GET, nobody, &[]).await.status, 404, "{nobody}");
            }
            for page in [&skin, &cape] {
                let card = format!("/card{}.png", page.replacen("s/", "/", 1));
                let html = server.raw(Method::GET, page, &[]).await.html();
                assert!(
                    html.contains(&format!("property=\"og:image\" content=\"https://rollcall.test{card}\"")),
                    "{card}"
                );
                let picture = server.raw(Method::GET, &card, &[]).await;
                assert_eq!((picture.status, picture.header("content-type")), (200, Some("image/png")), "{card}");
                assert_eq!(&picture.body[16..24], [0, 0, 4, 176, 0, 0, 2, 118], "1200 by 630 pixels");
            }
            assert_eq!(server.raw(Method::GET, "/card/cape/none-such.png", &[]).await.status, 404);
            assert_eq!(server.raw(Method::GET, "/card/skin/none-such.png", &[]).await.status, 404);
        });
    }
}
