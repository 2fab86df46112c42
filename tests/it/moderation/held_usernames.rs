//! Usernames with words that moderators review first: the account is called neutrally until one agrees.

use serde_json::json;

use super::*;
use crate::harness::PASSWORD;

fn strict(engine: Engine) -> Server {
    server_with(engine, |config| {
        config.moderation.held_words = vec!["casino*".into()];
        config.moderation.refused_words = vec!["slur".into()];
    })
}

/// Signs up with a name that is held; returns the name that the account has meanwhile.
async fn held<'a>(server: &'a Server, name: &str) -> (Browser<'a>, String) {
    let mut browser = Browser::new(server);
    let response = browser.sign_up(name).await;
    assert_eq!(response.redirect_target(), "/dashboard?done=welcome-name-held", "{}", response.notice());
    let welcome = browser.get(response.redirect_target()).await.notice();
    assert!(welcome.starts_with("Welcome! A moderator looks at the name you chose."), "{welcome}");
    let neutral = browser.get("/dashboard/account").await.heading();
    assert!(neutral.starts_with("user-"), "{neutral}");
    (browser, neutral)
}

async fn may_sign_in(server: &Server, name: &str) -> bool {
    Browser::new(server).sign_in(name, PASSWORD).await.status == 303
}

#[test]
fn a_held_name_is_shown_after_approval() {
    for engine in Engine::BOTH {
        let server = strict(engine);
        server.run(async {
            let refused = Browser::new(&server).sign_up("some_slur").await;
            assert_eq!((refused.status, refused.notice().as_str()), (422, "The word “slur” is not accepted here."));
            let (mut ada, neutral) = held(&server, "CasinoKing").await;
            let taken = Browser::new(&server).sign_up("casinoking").await;
            assert_eq!((taken.status, taken.notice().as_str()), (422, "The username casinoking is taken."));
            assert!(may_sign_in(&server, "casinoKing").await && may_sign_in(&server, &neutral).await);

            let played = played(&server).remove(0);
            let before = review_total(&server, &played.slug).await;
            link(&server, &neutral, played.player_n);
            assert!(review(&mut ada, &played.slug, "5", CLEAN).await.redirect_target().ends_with("shown"));
            let shown = until_reviews(&server, &played.slug, before + 1).await;
            assert_eq!(shown["reviews"][0]["user"]["username"], neutral.as_str());

            let mut judge = moderator(&server, "judge").await;
            let ids = queue(&mut judge, "?kind=name").await;
            assert_eq!(ids.len(), 1);
            let page = judge.get(&format!("/moderation/{}", ids[0])).await.html();
            for part in ["<bdi>CasinoKing</bdi>", "The text contains the word “casinoking”.", &neutral] {
                assert!(page.contains(part), "{part}: {page}");
            }
            assert_eq!(decide(&mut judge, &ids[0], "approve", "").await.status, 303);
            let path = format!("/servers/{}/reviews", played.slug);
            server.until(&path, |r| r.data()["reviews"][0]["user"]["username"] == json!("CasinoKing")).await;
            assert_eq!(ada.get("/dashboard/account").await.heading(), "CasinoKing");
            assert!(may_sign_in(&server, "casinoking").await && !may_sign_in(&server, &neutral).await);
        });
    }
}

#[test]
fn a_refused_name_leaves_the_neutral_one_and_nothing_behind() {
    for engine in Engine::BOTH {
        let server = strict(engine);
        server.run(async {
            let (mut bob, neutral) = held(&server, "casino-bob").await;
            let mut judge = moderator(&server, "judge").await;
            let id = queue(&mut judge, "?kind=name").await.remove(0);
            assert_eq!(decide(&mut judge, &id, "reject", "No gambling, please.").await.status, 303);
            let page = bob.get("/dashboard/contributions").await.html();
            assert!(page.contains("casino-bob") && page.contains("No gambling, please."), "{page}");
            assert_eq!(bob.get("/dashboard/account").await.heading(), neutral);
            assert!(!may_sign_in(&server, "casino-bob").await && may_sign_in(&server, &neutral).await);

            // An appeal asks for it again; meanwhile an operator gave it to someone else.
            bob.get("/dashboard/contributions").await;
            let appeal = [("appeal", "It is the name of my family.")];
            let appealed = bob.send(&format!("/dashboard/contributions/{id}/appeal"), &appeal).await;
            assert_eq!(appealed.redirect_target(), "/dashboard/contributions?done=appealed");
            command(&server, &["account", "create", "Casino-Bob"]);
            let late = decide(&mut judge, &id, "approve", "").await;
            let words = "Another account has this name now. Reject it.";
            assert_eq!((late.status, late.notice().as_str()), (409, words));
            assert_eq!(decide(&mut judge, &id, "reject", "Taken.").await.status, 303);

            bob.get("/dashboard/account").await;
            let deleted = bob.send("/dashboard/account/delete", &[("sure", "yes"), ("password", PASSWORD)]).await;
            assert_eq!(deleted.redirect_target(), "/sign-in?done=account-deleted");
            let left = server.store.change(|conn| {
                let sql = "select (select count(*) from moderation_items where kind = 'name')
                           + (select count(*) from audit where detail like '%casino-bob%')";
                conn.query_one(sql, &[], |row| row.get::<i64>(0))
            });
            assert_eq!(left, 0);
        });
    }
}
