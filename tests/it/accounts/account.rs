//! `/dashboard/account`: password, sessions and deletion.

use rollcall::accounts::passwords;
use rollcall_store::accounts;
use rollcall_store::values;

use super::{exists, shared_server, stored_rows, until_status};
use crate::harness::{Browser, Engine, PASSWORD, PASSWORD_MEMORY_KIB, Server};

const NEW: &str = "dHk3.pQ-z81x over the hill";

async fn change_password(browser: &mut Browser<'_>, old: &str, new: &str, again: &str) -> (u16, String) {
    let fields = [("password", old), ("new", new), ("again", again)];
    let answer = browser.send("/dashboard/account/password", &fields).await;
    (answer.status, answer.notice())
}

#[tokio::test]
async fn a_new_password_needs_the_old_one_and_ends_other_sessions() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "new-password").await;
        let mut elsewhere = Browser::signed_in(server, "new-password").await;
        for (old, new, again, words) in [
            ("wrong horse", NEW, NEW, "The password is wrong. Nothing was changed."),
            (PASSWORD, NEW, PASSWORD, "The new passwords do not match."),
            (PASSWORD, "short", "short", "The password must have at least 10 characters; this one has 5."),
        ] {
            assert_eq!(change_password(&mut ada, old, new, again).await, (422, words.to_owned()));
        }
        assert_eq!(elsewhere.get("/dashboard").await.status, 200);
        let mut before = ada.clone();
        assert_eq!(change_password(&mut ada, PASSWORD, NEW, NEW).await.0, 303);
        assert_ne!(ada.jar["__Host-rollcall"], before.jar["__Host-rollcall"]);
        assert_eq!(ada.get("/dashboard").await.status, 200);
        for other in [&mut before, &mut elsewhere] {
            assert_eq!(other.get("/dashboard").await.status, 303);
        }
        assert_eq!(Browser::new(server).sign_in("new-password", PASSWORD).await.status, 422);
        // The next sign-in tells of the change, once.
        let changes = Browser::new(server).sign_in("new-password", NEW).await;
        assert_eq!((changes.status, changes.heading().as_str()), (200, "Changes to your account"));
        assert!(changes.html().contains("password changed</strong>") && changes.html().contains(", by new-password<"));
        assert!(changes.html().contains("<a class=\"button\" href=\"/dashboard\">Continue</a>"));
        assert_eq!(Browser::new(server).sign_in("new-password", NEW).await.status, 303);
    }
}

#[tokio::test]
async fn password_confirmations_are_throttled() {
    for engine in Engine::BOTH {
        let mut ada = Browser::signed_up(shared_server(engine), "left-unlocked").await;
        for _ in 0..10 {
            assert_eq!(change_password(&mut ada, "wrong horse", NEW, NEW).await.0, 422);
        }
        let expected = (429, "Too many failed attempts. Try again in 15 minutes.".to_owned());
        assert_eq!(change_password(&mut ada, PASSWORD, NEW, NEW).await, expected);
        let fields = [("password", PASSWORD), ("sure", "yes")];
        assert_eq!(ada.send("/dashboard/account/delete", &fields).await.status, 429);
    }
}

#[tokio::test]
async fn sessions_can_be_ended_one_by_one_or_all_others_together() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "many-browsers").await;
        let mut others = Vec::new();
        for _ in 0..3 {
            others.push(Browser::signed_in(server, "many-browsers").await);
        }
        let html = ada.get("/dashboard/account").await.html();
        let ends: Vec<&str> =
            html.split("/dashboard/account/sign-ins/").skip(1).filter_map(|rest| rest.split('/').next()).collect();
        let ids: Vec<&str> = ends.into_iter().filter(|id| !id.starts_with("end-others")).collect();
        assert_eq!(ids.len(), 3, "the current session has no button");
        let end = format!("/dashboard/account/sign-ins/{}/end", ids[0]);
        assert_eq!(ada.send(&end, &[]).await.redirect_target(), "/dashboard/account?done=sign-in-ended");
        let mut left = 0;
        for other in &mut others {
            left += usize::from(other.get("/dashboard").await.status == 200);
        }
        assert_eq!(left, 2);
        assert_eq!(ada.send(&end, &[]).await.status, 404, "already ended");
        let all = "/dashboard/account/sign-ins/end-others";
        assert_eq!(ada.send(all, &[]).await.redirect_target(), "/dashboard/account?done=others-ended");
        for other in &mut others {
            assert_eq!(other.get("/dashboard").await.status, 303);
        }
        assert_eq!(ada.get("/dashboard").await.status, 200);
    }
}

#[tokio::test]
async fn a_deleted_account_frees_its_name_and_leaves_nothing_behind() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "goes-away").await;
        let mut elsewhere = Browser::signed_in(server, "goes-away").await;
        let (id, secret) = ada.make_key("hers").await;
        until_status(server, &secret, 200).await;
        let delete = "/dashboard/account/delete";
        for (fields, words) in [
            ([("password", PASSWORD), ("sure", "")], "Check the box to confirm the deletion."),
            ([("password", "wrong horse"), ("sure", "yes")], "The password is wrong. Nothing was changed."),
        ] {
            let refused = ada.send(delete, &fields).await;
            assert_eq!((refused.status, refused.notice().as_str()), (422, words));
        }
        let done = ada.send(delete, &[("password", PASSWORD), ("sure", "yes")]).await;
        assert_eq!(done.redirect_target(), "/sign-in?done=account-deleted");
        until_status(server, &secret, 401).await;
        for browser in [&mut ada, &mut elsewhere] {
            assert_eq!(browser.get("/dashboard").await.status, 303);
        }
        assert!(!exists(server, "goes-away"));
        // The log stays for a while, without the name.
        let rows = stored_rows(&server.store);
        let left: Vec<_> = rows.iter().filter(|row| row.contains(&id)).collect();
        assert!(!left.is_empty() && left.iter().all(|row| row.starts_with("audit: ")), "{left:?}");
        assert!(!rows.iter().any(|row| row.contains("goes-away")), "{rows:?}");
        assert_eq!(Browser::new(server).sign_in("goes-away", PASSWORD).await.status, 422);
        // A new account with the same name starts empty.
        let mut next = Browser::signed_up(server, "Goes-Away").await;
        assert_eq!(elsewhere.get("/dashboard").await.status, 303);
        let log = next.get("/dashboard/log").await.html();
        assert_eq!((log.matches("<strong>").count(), log.matches("<strong>account created</strong>").count()), (1, 1));
    }
}

/// Community accounts cannot sign in yet. When they can, their uploads must survive the account.
#[tokio::test]
async fn uploads_survive_the_deletion_of_their_account() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let skin = server.get("/skins?limit=1").await.data()["skins"][0].clone();
        let (slug, owner) = (skin["slug"].as_str().unwrap(), skin["owner"]["username"].as_str().unwrap().to_owned());
        let hash = passwords::hash(PASSWORD, PASSWORD_MEMORY_KIB);
        let sql = "insert into logins (account_n, password, generation, operator, disabled)
                   select n, $2, 1, false, false from accounts where username = $1";
        server.store.change(|conn| conn.execute(sql, values![&owner, hash]));
        let mut browser = Browser::signed_in(&server, &owner).await;
        let fields = [("password", PASSWORD), ("sure", "yes")];
        assert_eq!(browser.send("/dashboard/account/delete", &fields).await.status, 303);
        let path = format!("/skins/{slug}");
        let answer = server.until(&path, |answer| answer.data()["skin"]["owner"]["username"] != *owner).await;
        let system = server.get("/skins/default-classic").await.data()["skin"]["owner"].clone();
        assert_eq!((answer.status, &answer.data()["skin"]["owner"]), (200, &system));
        assert_eq!(answer.data()["skin"]["pngPath"], skin["pngPath"]);
    }
}

#[tokio::test]
async fn only_one_of_several_concurrent_password_changes_succeeds() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let ada = Browser::signed_up(server, "many-changes").await;
        let news: Vec<String> = (0..4).map(|i| format!("{NEW} {i}")).collect();
        let changes = news.iter().map(|new| {
            let mut ada = ada.clone();
            async move {
                let fields = [("password", PASSWORD), ("new", new.as_str()), ("again", new.as_str())];
                ada.send("/dashboard/account/password", &fields).await.redirect_target().to_owned()
            }
        });
        let led = futures_util::future::join_all(changes).await;
        let done: Vec<usize> = (0..4).filter(|i| led[*i] == "/dashboard/account?done=password").collect();
        assert_eq!(done.len(), 1, "{led:?}");
        for (i, new) in news.iter().enumerate() {
            let status = Browser::new(server).sign_in("many-changes", new).await.status;
            assert_eq!(status, if i == done[0] { 200 } else { 422 });
        }
    }
}

#[tokio::test]
async fn requests_started_before_a_password_reset_have_no_effect() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let before = server.store.change(|conn| accounts::find(conn, "ada")).expect("ada");
        assert!(server.store.change(|conn| accounts::lock_if_unchanged(conn, &before)));
        assert!(server.store.rollcall(&["account", "password", "ada"]).status.success());
        assert!(!server.store.change(|conn| accounts::lock_if_unchanged(conn, &before)));
        for path in ["password", "delete", "second-factor/off"] {
            let fields = [("password", PASSWORD), ("new", NEW), ("again", NEW), ("sure", "yes")];
            let answer = ada.send(&format!("/dashboard/account/{path}"), &fields).await;
            assert!(answer.redirect_target().starts_with("/sign-in"), "{path}");
        }
        assert!(exists(&server, "ada"));
    }
}
