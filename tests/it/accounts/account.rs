//! `/dashboard/account`: the password, the sign-ins, and the end of the account.

use rollcall::accounts::passwords;
use rollcall_store::accounts;
use rollcall_store::values;

use super::{desk, exists, kept, until_status};
use crate::harness::{Engine, Guest, PASSWORD, Server};

const NEW: &str = "dHk3.pQ-z81x over the hill";

async fn change_password(guest: &mut Guest<'_>, old: &str, new: &str, again: &str) -> (u16, String) {
    let fields = [("password", old), ("new", new), ("again", again)];
    let answer = guest.send("/dashboard/account/password", &fields).await;
    (answer.status, answer.notice())
}

#[tokio::test]
async fn a_new_password_takes_the_old_one_and_ends_every_other_sign_in() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "new-password").await;
        let mut elsewhere = Guest::signed_in(server, "new-password").await;
        for (old, new, again, words) in [
            ("wrong horse", NEW, NEW, "That is not your password, so nothing was changed."),
            (PASSWORD, NEW, PASSWORD, "The two new passwords are not the same."),
            (PASSWORD, "short", "short", "A password has at least 10 characters; this one has 5."),
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
        assert_eq!(Guest::new(server).sign_in("new-password", PASSWORD).await.status, 422);
        assert_eq!(Guest::new(server).sign_in("new-password", NEW).await.status, 303);
    }
}

#[tokio::test]
async fn guesses_at_an_unlocked_screen_are_counted() {
    for engine in Engine::BOTH {
        let mut ada = Guest::signed_up(desk(engine), "left-unlocked").await;
        for _ in 0..10 {
            assert_eq!(change_password(&mut ada, "wrong horse", NEW, NEW).await.0, 422);
        }
        let told = (429, "Too many wrong tries. Wait 15 minutes, then try again.".to_owned());
        assert_eq!(change_password(&mut ada, PASSWORD, NEW, NEW).await, told);
        let fields = [("password", PASSWORD), ("sure", "yes")];
        assert_eq!(ada.send("/dashboard/account/delete", &fields).await.status, 429);
    }
}

#[tokio::test]
async fn sign_ins_are_ended_one_by_one_or_all_others_at_once() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "many-browsers").await;
        let mut others = Vec::new();
        for _ in 0..3 {
            others.push(Guest::signed_in(server, "many-browsers").await);
        }
        let html = ada.get("/dashboard/account").await.html();
        let ends: Vec<&str> =
            html.split("/dashboard/account/sign-ins/").skip(1).filter_map(|rest| rest.split('/').next()).collect();
        let ids: Vec<&str> = ends.into_iter().filter(|id| !id.starts_with("end-others")).collect();
        assert_eq!(ids.len(), 3, "its own is ended by signing out");
        let end = format!("/dashboard/account/sign-ins/{}/end", ids[0]);
        assert_eq!(ada.send(&end, &[]).await.leads_to(), "/dashboard/account?done=sign-in-ended");
        let mut left = 0;
        for other in &mut others {
            left += usize::from(other.get("/dashboard").await.status == 200);
        }
        assert_eq!(left, 2);
        assert_eq!(ada.send(&end, &[]).await.status, 404, "it is no more");
        let all = "/dashboard/account/sign-ins/end-others";
        assert_eq!(ada.send(all, &[]).await.leads_to(), "/dashboard/account?done=others-ended");
        for other in &mut others {
            assert_eq!(other.get("/dashboard").await.status, 303);
        }
        assert_eq!(ada.get("/dashboard").await.status, 200);
    }
}

#[tokio::test]
async fn a_deleted_account_leaves_its_name_and_nothing_else() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "goes-away").await;
        let mut elsewhere = Guest::signed_in(server, "goes-away").await;
        let (id, secret) = ada.make_key("hers").await;
        until_status(server, &secret, 200).await;
        let delete = "/dashboard/account/delete";
        for (fields, words) in [
            ([("password", PASSWORD), ("sure", "")], "Tick the box to say that you are sure."),
            ([("password", "wrong horse"), ("sure", "yes")], "That is not your password, so nothing was changed."),
        ] {
            let refused = ada.send(delete, &fields).await;
            assert_eq!((refused.status, refused.notice().as_str()), (422, words));
        }
        let done = ada.send(delete, &[("password", PASSWORD), ("sure", "yes")]).await;
        assert_eq!(done.leads_to(), "/sign-in?done=account-deleted");
        until_status(server, &secret, 401).await;
        for guest in [&mut ada, &mut elsewhere] {
            assert_eq!(guest.get("/dashboard").await.status, 303);
        }
        assert!(!exists(server, "goes-away") && !kept(&server.store).iter().any(|row| row.contains(&id)));
        assert_eq!(Guest::new(server).sign_in("goes-away", PASSWORD).await.status, 422);
        // Whoever takes the name next begins anew.
        let mut next = Guest::signed_up(server, "Goes-Away").await;
        assert_eq!(elsewhere.get("/dashboard").await.status, 303);
        let log = next.get("/dashboard/log").await.html();
        assert_eq!((log.matches("<strong>").count(), log.matches("<strong>account created</strong>").count()), (1, 1));
    }
}

/// Nobody of the community can sign in, yet; the day they can, what they gave must outlive them.
#[tokio::test]
async fn what_an_account_gave_to_the_community_stays() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let skin = server.get("/skins?limit=1").await.data()["skins"][0].clone();
        let (slug, owner) = (skin["slug"].as_str().unwrap(), skin["owner"]["username"].as_str().unwrap().to_owned());
        let hash = passwords::hash(PASSWORD);
        let sql = "insert into logins (account_n, password, generation, operator, disabled)
                   select n, $2, 1, false, false from accounts where username = $1";
        server.store.change(|conn| conn.execute(sql, values![&owner, hash]));
        let mut guest = Guest::signed_in(&server, &owner).await;
        let fields = [("password", PASSWORD), ("sure", "yes")];
        assert_eq!(guest.send("/dashboard/account/delete", &fields).await.status, 303);
        let path = format!("/skins/{slug}");
        let answer = server.until(&path, |answer| answer.data()["skin"]["owner"]["username"] != *owner).await;
        let system = server.get("/skins/default-classic").await.data()["skin"]["owner"].clone();
        assert_eq!((answer.status, &answer.data()["skin"]["owner"]), (200, &system));
        assert_eq!(answer.data()["skin"]["pngPath"], skin["pngPath"]);
    }
}

#[tokio::test]
async fn of_many_changes_of_a_password_at_once_one_is_made() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let ada = Guest::signed_up(server, "many-changes").await;
        let news: Vec<String> = (0..4).map(|i| format!("{NEW} {i}")).collect();
        let changes = news.iter().map(|new| {
            let mut ada = ada.clone();
            async move {
                let fields = [("password", PASSWORD), ("new", new.as_str()), ("again", new.as_str())];
                ada.send("/dashboard/account/password", &fields).await.leads_to().to_owned()
            }
        });
        let led = futures_util::future::join_all(changes).await;
        let done: Vec<usize> = (0..4).filter(|i| led[*i] == "/dashboard/account?done=password").collect();
        assert_eq!(done.len(), 1, "{led:?}");
        for (i, new) in news.iter().enumerate() {
            let status = Guest::new(server).sign_in("many-changes", new).await.status;
            assert_eq!(status, if i == done[0] { 303 } else { 422 });
        }
    }
}

#[tokio::test]
async fn what_was_begun_before_a_password_was_reset_is_not_done_after_it() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Guest::signed_up(&server, "ada").await;
        let before = server.store.change(|conn| accounts::find(conn, "ada")).expect("ada");
        assert!(server.store.change(|conn| accounts::hold(conn, &before)));
        assert!(server.store.rollcall(&["account", "password", "ada"]).status.success());
        assert!(!server.store.change(|conn| accounts::hold(conn, &before)));
        for path in ["password", "delete", "second-factor/off"] {
            let fields = [("password", PASSWORD), ("new", NEW), ("again", NEW), ("sure", "yes")];
            let answer = ada.send(&format!("/dashboard/account/{path}"), &fields).await;
            assert!(answer.leads_to().starts_with("/sign-in"), "{path}");
        }
        assert!(exists(&server, "ada"));
    }
}
