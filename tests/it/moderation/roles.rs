//! Who may judge, and whose texts skip the queue.

use super::*;

#[test]
fn moderators_see_the_queue_and_nothing_of_the_operator() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let mut stranger = Browser::new(&server);
            assert_eq!(stranger.get("/moderation").await.redirect_target(), "/sign-in?next=/moderation");
            let mut user = Browser::signed_up(&server, "mara").await;
            for path in ["/moderation", "/moderation/00000000000000000000"] {
                assert_eq!(user.get(path).await.status, 404, "{path}");
            }
            assert_eq!(user.send("/moderation/next", &[]).await.status, 404);
            assert_eq!(command(&server, &["account", "role", "mara", "moderator"]), "mara is now MODERATOR.\n");
            let page = user.get("/moderation").await;
            assert_eq!((page.status, page.heading().as_str()), (200, "Moderation"));
            assert!(page.html().contains("href=\"/moderation\"") && !page.html().contains("href=\"/operator\""));
            for path in ["/operator", "/operator/accounts", "/operator/log"] {
                assert_eq!(user.get(path).await.status, 404, "{path}");
            }
            assert!(user.get("/dashboard/log").await.html().contains("role changed"));
            command(&server, &["account", "role", "mara", "user"]);
            assert_eq!(user.get("/moderation").await.status, 404, "sessions that are open lose it, too");
            let output = run_blocking(|| server.store.rollcall(&["account", "role", "mara", "king"]));
            assert_eq!(output.status.code(), Some(2));
            let mut root = Browser::operator(&server, "root").await;
            assert_eq!(root.get("/moderation").await.status, 200);
        });
    }
}

#[test]
fn an_operator_sets_role_and_trust() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let played = played(&server).remove(0);
            let before = review_total(&server, &played.slug).await;
            let mut ada = reviewer(&server, "ada", &played).await;
            let mut root = Browser::operator(&server, "root").await;
            let id = server.store.change(|conn| accounts::find(conn, "ada")).expect("ada").id;
            let page = format!("/operator/accounts/{id}");
            root.get(&page).await;
            let unsure = root.send(&format!("{page}/role"), &[("role", "MODERATOR")]).await;
            assert_eq!(unsure.status, 422);
            let set =
                root.send(&format!("{page}/role"), &[("role", "MODERATOR"), ("sure", "yes"), ("from", "page")]).await;
            assert_eq!(set.redirect_target(), format!("{page}?done=role-set"));
            assert_eq!(ada.get("/moderation").await.status, 200);
            assert_eq!(root.send(&format!("{page}/role"), &[("role", "KING"), ("sure", "yes")]).await.status, 404);
            let own = server.store.change(|conn| accounts::find(conn, "root")).expect("root").id;
            let own = root.send(&format!("/operator/accounts/{own}/role"), &[("role", "USER"), ("sure", "yes")]).await;
            assert_eq!(own.status, 404, "operators cannot lock themselves out");
            root.send(&format!("{page}/trust"), &[("trusted", "yes")]).await;
            // Trusted: what would be held is shown. The role is in the API.
            assert!(review(&mut ada, &played.slug, "4", HELD).await.redirect_target().ends_with("shown"));
            let shown = until_reviews(&server, &played.slug, before + 1).await;
            assert_eq!(shown["reviews"][0]["user"]["role"], "MODERATOR");
            assert_eq!(command(&server, &["account", "distrust", "ada"]), "ada is no longer trusted.\n");
            assert!(review(&mut ada, &played.slug, "4", HELD).await.redirect_target().ends_with("held"));
            until_reviews(&server, &played.slug, before).await;
            assert_eq!(command(&server, &["account", "trust", "ada"]), "ada is now trusted.\n");
        });
        assert_recount(&server.store);
    }
}
