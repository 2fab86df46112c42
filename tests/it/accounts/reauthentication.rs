//! Acts that need a fresh proof: the password, and a code if there is a second factor.

use rollcall_model::time::{MINUTE, SECOND};

use super::{second_factor, stored_rows};
use crate::harness::{Browser, Engine, NOW, PASSWORD, Server};

const CONFIRM: &str = "/dashboard/confirm";

#[tokio::test]
async fn rotating_and_deleting_a_key_need_a_fresh_proof() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let (id, _) = ada.make_key("mine").await;
        let page = format!("/dashboard/keys/{id}");
        let (security, settings) = (format!("{page}/security"), format!("{page}/settings"));
        let newest = ada.get(&security).await.field("newest");
        let rotate = [("newest", newest.as_str()), ("grace", "0")];
        server.clock.set(NOW + 5 * MINUTE);
        for (tab, form) in [(&security, "/rotate"), (&settings, "/delete")] {
            let shown = ada.get(tab).await.html();
            assert!(!shown.contains(form), "a form that would be refused");
            assert_eq!(shown.matches(&format!("href=\"{CONFIRM}?next={tab}\"")).count(), 1);
        }
        let confirm = format!("{CONFIRM}?next={settings}");
        let before = stored_rows(&server.store);
        for (path, fields, tab) in [("rotate", &rotate[..], &security), ("delete", &[("sure", "yes")], &settings)] {
            let refused = ada.send(&format!("{page}/{path}"), fields).await;
            assert_eq!(refused.redirect_target(), format!("{CONFIRM}?next={tab}"), "{path}");
        }
        assert_eq!(stored_rows(&server.store), before);
        let asked = ada.get(&confirm).await;
        assert_eq!((asked.field("next"), asked.heading()), (settings.clone(), "Confirm your password".to_owned()));
        assert!(!asked.html().contains("name=\"code\""), "no second factor, no code");
        let refused = ada.send(CONFIRM, &[("password", "wrong horse"), ("next", &page)]).await;
        assert_eq!((refused.status, refused.notice().as_str()), (422, "The password is wrong. Nothing was changed."));
        let mut old = ada.clone();
        assert_eq!(ada.send(CONFIRM, &[("password", PASSWORD), ("next", &page)]).await.redirect_target(), page);
        assert_eq!(old.get("/dashboard").await.status, 303, "the proof begins a new session");
        ada.get(&page).await;
        assert_eq!(ada.send(&format!("{page}/rotate"), &rotate).await.heading(), "API key rotated");
        // It counts for five minutes, for other acts too.
        server.clock.set(NOW + 10 * MINUTE - SECOND);
        let deleted = ada.send(&format!("{page}/delete"), &[("sure", "yes")]).await;
        assert_eq!(deleted.redirect_target(), "/dashboard?done=deleted");
    }
}

#[tokio::test]
async fn a_new_totp_secret_is_shown_after_a_fresh_proof_only() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let page = "/dashboard/account/second-factor";
        assert!(ada.get(page).await.html().contains("otpauth://"));
        server.clock.set(NOW + 5 * MINUTE);
        assert_eq!(ada.get(page).await.redirect_target(), format!("{CONFIRM}?next={page}"));
        // A rejected form would show a new secret, too.
        assert_eq!(ada.send(page, &[("secret", "ABC")]).await.redirect_target(), format!("{CONFIRM}?next={page}"));
        ada.get(CONFIRM).await;
        assert_eq!(ada.send(CONFIRM, &[("password", PASSWORD), ("next", page)]).await.redirect_target(), page);
        assert!(ada.get(page).await.html().contains("otpauth://"));
    }
}

#[tokio::test]
async fn with_a_second_factor_a_proof_includes_a_code() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let (secret, recovery) = second_factor::enable(&mut ada).await;
        let now = NOW + 5 * MINUTE;
        server.clock.set(now);
        let account = "/dashboard/account";
        let page = ada.get(account).await.html();
        assert!(page.contains("/dashboard/confirm?next=/dashboard/account") && !page.contains("/second-factor/off"));
        let before = stored_rows(&server.store);
        for act in ["second-factor/off", "second-factor/codes", "delete", "password"] {
            // The password alone is not enough.
            let fields = [("password", PASSWORD), ("sure", "yes"), ("new", PASSWORD), ("again", PASSWORD)];
            let refused = ada.send(&format!("{account}/{act}"), &fields).await;
            assert_eq!(refused.redirect_target(), format!("{CONFIRM}?next={account}"), "{act}");
        }
        assert_eq!(stored_rows(&server.store), before);
        assert!(ada.get(CONFIRM).await.html().contains("name=\"code\""));
        let right = second_factor::code(&secret, now);
        let wrong = if right == "123456" { "654321" } else { "123456" };
        for (password, code) in [(PASSWORD, ""), (PASSWORD, wrong), ("wrong horse", &right)] {
            let refused = ada.send(CONFIRM, &[("password", password), ("code", code), ("next", account)]).await;
            assert_eq!(refused.status, 422, "{password} {code}");
        }
        let done = ada.send(CONFIRM, &[("password", PASSWORD), ("code", &right), ("next", account)]).await;
        assert_eq!(done.redirect_target(), account);
        // A code works once, here too; a recovery code does as well.
        ada.get(CONFIRM).await;
        assert_eq!(ada.send(CONFIRM, &[("password", PASSWORD), ("code", &right)]).await.status, 422);
        assert_eq!(ada.send(CONFIRM, &[("password", PASSWORD), ("code", &recovery[0])]).await.status, 303);
        ada.get(account).await;
        let off = ada.send(&format!("{account}/second-factor/off"), &[("password", PASSWORD)]).await;
        assert_eq!(off.redirect_target(), "/dashboard/account?done=factor-off");
    }
}

#[tokio::test]
async fn proofs_are_throttled_and_lead_to_own_pages_only() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        ada.get(CONFIRM).await;
        let elsewhere = [("password", PASSWORD), ("next", "//evil.example")];
        assert_eq!(ada.send(CONFIRM, &elsewhere).await.redirect_target(), "/dashboard");
        ada.get(CONFIRM).await;
        for _ in 0..10 {
            assert_eq!(ada.send(CONFIRM, &[("password", "wrong horse")]).await.status, 422);
        }
        assert_eq!(ada.send(CONFIRM, &[("password", PASSWORD)]).await.status, 429);
    }
}
