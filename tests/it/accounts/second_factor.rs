//! Two-factor authentication.

use rollcall_model::time::{MINUTE, SECOND};
use totp_rs::{Builder, Secret};

use super::{behind_a_proxy, shared_server, stored_rows};
use crate::harness::{Browser, Engine, NOW, PASSWORD, Server, TestResponse};

const STEP: i64 = 30 * SECOND;

/// The TOTP code of this secret.
pub fn code(secret: &str, now: i64) -> String {
    let secret = Secret::try_from_base32(secret).expect("base32");
    let app = Builder::new().with_secret(secret).build().expect("a sound secret");
    app.generate((now / SECOND) as u64).to_string()
}

/// Turns it on; returns the secret and the recovery codes.
pub async fn enable(browser: &mut Browser<'_>) -> (String, Vec<String>) {
    let secret = browser.get("/dashboard/account/second-factor").await.field("secret");
    let code = code(&secret, browser.server.clock.now());
    let fields = [("secret", secret.as_str()), ("code", &code), ("password", PASSWORD)];
    let answer = browser.send("/dashboard/account/second-factor", &fields).await;
    assert_eq!(
        (answer.status, answer.heading().as_str()),
        (200, "Two-factor authentication is on"),
        "{}",
        answer.notice()
    );
    let html = answer.html();
    let codes = html.split("<code>").nth(1).and_then(|rest| rest.split("</code>").next()).expect("the codes");
    (secret, codes.split_whitespace().map(str::to_owned).collect())
}

/// Submits a code.
pub async fn submit_code(browser: &mut Browser<'_>, code: &str) -> TestResponse {
    browser.get("/sign-in/code").await;
    browser.send("/sign-in/code", &[("code", code)]).await
}

/// A browser that has entered the password but no code.
async fn half<'a>(server: &'a Server, name: &str) -> Browser<'a> {
    let mut browser = Browser::new(server);
    assert_eq!(browser.sign_in(name, PASSWORD).await.redirect_target(), "/sign-in/code?next=/dashboard");
    browser
}

#[tokio::test]
async fn enabling_needs_the_password_and_a_code_and_returns_ten_recovery_codes() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "two-factors").await;
        let page = ada.get("/dashboard/account/second-factor").await;
        let secret = page.field("secret");
        assert!(page.html().contains("otpauth://totp/Rollcall%20%28rollcall%2Etest%29:two%2Dfactors?secret="));
        assert_ne!(ada.get("/dashboard/account/second-factor").await.field("secret"), secret);
        let right = code(&secret, NOW);
        let wrong = if right == "123456" { "654321" } else { "123456" };
        for (secret, code, password, status, words) in [
            (secret.as_str(), right.as_str(), "wrong horse", 422, "The password is wrong. Nothing was changed."),
            (&secret, wrong, PASSWORD, 422, "The code is wrong. Enter the six digits that the app shows now."),
            (&secret, "", PASSWORD, 422, "The code is wrong. Enter the six digits that the app shows now."),
            ("ABC", &right, PASSWORD, 422, "Start again: scan the QR code below."),
            ("", &right, PASSWORD, 422, "Start again: scan the QR code below."),
        ] {
            let fields = [("secret", secret), ("code", code), ("password", password)];
            let answer = ada.send("/dashboard/account/second-factor", &fields).await;
            assert_eq!((answer.status, answer.notice().as_str()), (status, words));
        }
        assert_eq!(
            Browser::new(server).sign_in("two-factors", PASSWORD).await.redirect_target(),
            "/dashboard",
            "it is not on"
        );
        let (_, codes) = enable(&mut ada).await;
        assert_eq!(codes.len(), 10);
        // 16 characters of 5 bits: 80 bits.
        assert!(codes.iter().all(|code| code.len() == 19 && code.replace('-', "").len() == 16), "{codes:?}");
        assert_eq!(codes.iter().collect::<std::collections::HashSet<_>>().len(), 10);
        let html = ada.get("/dashboard/account").await.html();
        assert!(html.contains("You have 10 recovery codes left.") && !html.contains(&codes[0]));
        assert_eq!(ada.get("/dashboard/account/second-factor").await.redirect_target(), "/dashboard/account");
        assert!(
            !stored_rows(&server.store)
                .iter()
                .any(|row| row.contains(&codes[0]) || row.contains(&codes[0].replace('-', "")))
        );
    }
}

#[tokio::test]
async fn a_login_without_the_second_factor_grants_nothing() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "half-way").await;
        let (id, _) = ada.make_key("mine").await;
        enable(&mut ada).await;
        let mut half = half(server, "half-way").await;
        for path in ["/dashboard", "/dashboard/account", "/dashboard/log", "/dashboard/usage.csv", "/operator"] {
            assert_eq!(half.get(path).await.redirect_target(), format!("/sign-in?next={path}"));
        }
        half.get("/sign-in/code").await;
        let before = stored_rows(&server.store).into_iter().filter(|row| row.contains(&id)).collect::<Vec<_>>();
        let (key, account) = (format!("/dashboard/keys/{id}"), "/dashboard/account");
        for (path, fields, page) in [
            (format!("{key}/delete"), vec![("sure", "yes")], format!("{key}/settings")),
            (format!("{account}/second-factor/off"), vec![("password", PASSWORD)], account.to_owned()),
            (format!("{account}/delete"), vec![("password", PASSWORD), ("sure", "yes")], account.to_owned()),
        ] {
            assert_eq!(half.send(&path, &fields).await.redirect_target(), format!("/sign-in?next={page}"), "{path}");
        }
        let after = stored_rows(&server.store).into_iter().filter(|row| row.contains(&id)).collect::<Vec<_>>();
        assert_eq!(before, after);
        // It is not listed as a session.
        assert_eq!(ada.get("/dashboard/account").await.html().matches("<td>Firefox on Linux").count(), 1);
        assert_eq!(Browser::new(server).get("/sign-in/code").await.redirect_target(), "/sign-in");
    }
}

#[tokio::test]
async fn a_code_works_once_and_within_one_time_step() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let (secret, _) = enable(&mut ada).await;
        let words =
            "The code is wrong or was already used. Codes change every 30 seconds; check your device&#39;s clock.";
        let mut late = half(&server, "ada").await;
        let used = submit_code(&mut late, &code(&secret, NOW)).await;
        assert_eq!((used.status, used.notice().as_str()), (422, words), "the code was used to turn it on");
        let now = NOW + 10 * MINUTE;
        server.clock.set(now - 2 * STEP);
        for (at, status) in [(now - 2 * STEP, 422), (now + 2 * STEP, 422), (now - STEP, 200), (now - STEP, 422)] {
            server.clock.set(now - 2 * STEP);
            let mut browser = half(&server, "ada").await;
            server.clock.set(now);
            assert_eq!(submit_code(&mut browser, &code(&secret, at)).await.status, status, "{}", (at - now) / STEP);
        }
        let mut early = half(&server, "ada").await;
        // With a space, as apps show it.
        let ahead = code(&secret, now + STEP);
        assert_eq!(
            submit_code(&mut early, &format!("{} {}", &ahead[..3], &ahead[3..])).await.redirect_target(),
            "/dashboard"
        );
        assert_eq!(early.get("/dashboard").await.status, 200);
        let mut after = half(&server, "ada").await;
        assert_eq!(submit_code(&mut after, &code(&secret, now)).await.status, 422, "older than a used code");
    }
}

#[tokio::test]
async fn of_twenty_concurrent_uses_of_a_code_one_succeeds() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let (secret, recovery) = enable(&mut ada).await;
        server.clock.set(NOW + MINUTE);
        for code in [code(&secret, NOW + MINUTE), recovery[0].clone()] {
            let mut browser = half(&server, "ada").await;
            browser.get("/sign-in/code").await;
            let tries = (0..20).map(|_| {
                let (mut browser, code) = (browser.clone(), code.clone());
                async move { browser.send("/sign-in/code", &[("code", &code)]).await }
            });
            let answers = futures_util::future::join_all(tries).await;
            let inside = answers.iter().filter(|answer| !answer.cookies().is_empty()).count();
            assert_eq!(inside, 1, "{:?}", answers.iter().map(|answer| answer.status).collect::<Vec<_>>());
            server.clock.set(server.clock.now() + 15 * MINUTE);
        }
    }
}

#[tokio::test]
async fn each_recovery_code_works_once() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "lost-the-app").await;
        let (_, codes) = enable(&mut ada).await;
        let mut browser = half(server, "lost-the-app").await;
        let typed = codes[3].to_uppercase().replace('-', " ");
        // The page after the first sign-in tells that the second factor was turned on.
        let changes = submit_code(&mut browser, &typed).await;
        assert!(changes.html().contains("href=\"/dashboard/account?done=recovered\">Continue"), "{}", changes.html());
        assert_eq!(submit_code(&mut half(server, "lost-the-app").await, &codes[3]).await.status, 422);
        assert_eq!(submit_code(&mut half(server, "lost-the-app").await, &codes[4]).await.status, 303);
        assert!(ada.get("/dashboard/account").await.html().contains("You have 8 recovery codes left."));
        let log = ada.get("/dashboard/log").await.html();
        assert!(log.contains("<strong>recovery code used</strong><br><span class=\"soft\">8 left</span>"), "{log}");
        // Recovery codes of other accounts do not work.
        let mut eve = Browser::signed_up(server, "other-codes").await;
        let (_, others) = enable(&mut eve).await;
        assert_eq!(submit_code(&mut half(server, "lost-the-app").await, &others[0]).await.status, 422);
    }
}

#[tokio::test]
async fn codes_cannot_be_guessed_and_the_owner_is_not_locked_out() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let (secret, _) = enable(&mut ada).await;
        ada.send("/sign-out", &[]).await;
        let now = NOW + MINUTE;
        server.clock.set(now);
        let right = code(&secret, now);
        let wrong = if right == "123456" { "654321" } else { "123456" };
        let thief = half(&server, "ada").await;
        for tried in 0..10 {
            let mut thief = thief.clone().at(&format!("192.0.2.{tried}"));
            assert_eq!(submit_code(&mut thief, wrong).await.status, 422);
        }
        // A new sign-in from another IP address does not help.
        for thief in [thief, half(&server, "ada").await] {
            let refused = submit_code(&mut thief.at("192.0.2.99"), &right).await;
            assert_eq!((refused.status, refused.header("retry-after")), (429, Some("840")));
            assert!(!refused.html().contains("<rc-human"), "a proof of work buys no more attempts");
        }
        assert_eq!(ada.sign_in("ada", PASSWORD).await.status, 303);
        assert_eq!(submit_code(&mut ada, &right).await.heading(), "Changes to your account");
        assert_eq!(ada.get("/dashboard").await.status, 200);
    }
}

#[tokio::test]
async fn the_code_must_follow_within_ten_minutes() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let (secret, _) = enable(&mut ada).await;
        let mut slow = half(&server, "ada").await;
        slow.get("/sign-in/code").await;
        let now = NOW + 10 * MINUTE;
        server.clock.set(now);
        let code = code(&secret, now);
        assert_eq!(slow.send("/sign-in/code", &[("code", &code)]).await.redirect_target(), "/sign-in");
    }
}

#[tokio::test]
async fn disabling_needs_the_password() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "one-factor").await;
        enable(&mut ada).await;
        let off = "/dashboard/account/second-factor/off";
        let refused = ada.send(off, &[("password", "wrong horse")]).await;
        assert_eq!((refused.status, refused.notice().as_str()), (422, "The password is wrong. Nothing was changed."));
        half(server, "one-factor").await;
        let done = ada.send(off, &[("password", PASSWORD)]).await;
        assert_eq!(done.redirect_target(), "/dashboard/account?done=factor-off");
        let mut browser = Browser::new(server);
        let changes = browser.sign_in("one-factor", PASSWORD).await.html();
        let [first, second] =
            ["enabled", "disabled"].map(|what| changes.find(&format!("second factor {what}</strong>")));
        assert!(first.is_some() && first < second, "{changes}");
        assert_eq!(browser.get("/sign-in/code").await.redirect_target(), "/sign-in");
        assert!(
            !stored_rows(&server.store)
                .iter()
                .any(|row| row.contains("one-factor") && row.starts_with("recovery_codes"))
        );
        assert_eq!(ada.send(off, &[("password", PASSWORD)]).await.notice(), "Two-factor authentication is not on.");
    }
}

#[tokio::test]
async fn sign_ins_without_the_code_do_not_end_sessions() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "stays-in").await;
        enable(&mut ada).await;
        for _ in 0..55 {
            half(server, "stays-in").await;
        }
        assert_eq!(ada.get("/dashboard").await.status, 200);
    }
}

#[tokio::test]
async fn enabling_ends_all_other_sessions() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "others-end").await;
        let (mut before, mut elsewhere) = (ada.clone(), Browser::signed_in(server, "others-end").await);
        enable(&mut ada).await;
        for browser in [&mut before, &mut elsewhere] {
            assert_eq!(browser.get("/dashboard").await.redirect_target(), "/sign-in?next=/dashboard");
        }
        // The page with the recovery codes has a working form.
        assert_eq!(ada.clone().send("/sign-out", &[]).await.redirect_target(), "/sign-in");
        assert_eq!(Browser::new(server).sign_in("others-end", PASSWORD).await.status, 303);
    }
}

#[tokio::test]
async fn new_recovery_codes_replace_the_old_ones() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "new-codes").await;
        let (_, old) = enable(&mut ada).await;
        let path = "/dashboard/account/second-factor/codes";
        assert_eq!(ada.send(path, &[("password", "wrong horse")]).await.status, 422);
        let shown = ada.send(path, &[("password", PASSWORD)]).await;
        assert_eq!((shown.status, shown.heading().as_str()), (200, "New recovery codes"));
        let html = shown.html();
        let codes = html.split("<code>").nth(1).and_then(|rest| rest.split("</code>").next()).expect("codes").trim();
        let new = codes.split_whitespace().next().expect("a code");
        // They can be downloaded from the page, so that they need not be stored for it.
        let file = html.split("href=\"data:text/plain;charset=utf-8,").nth(1).and_then(|rest| rest.split('"').next());
        let file = percent_encoding::percent_decode_str(file.expect("a file")).decode_utf8().expect("UTF-8");
        assert_eq!(file, format!("Rollcall recovery codes of new-codes\n\n{codes}\n"));
        assert_eq!(submit_code(&mut half(server, "new-codes").await, &old[0]).await.status, 422);
        let changes = submit_code(&mut half(server, "new-codes").await, new).await.html();
        assert!(changes.contains("recovery codes created</strong>"), "{changes}");
        let mut eve = Browser::signed_up(server, "no-codes").await;
        assert_eq!(eve.send(path, &[("password", PASSWORD)]).await.notice(), "Two-factor authentication is not on.");
    }
}

#[tokio::test]
async fn operators_can_be_required_to_have_one() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.accounts.operators_need_second_factor = true);
        let mut ada = Browser::signed_up(&server, "ada").await;
        assert_eq!(ada.get("/dashboard").await.status, 200, "other users need none");
        let mut root = Browser::operator(&server, "root").await;
        let setup = "/dashboard/account/second-factor";
        for path in [
            "/dashboard",
            "/dashboard/account",
            "/dashboard/account/password",
            "/dashboard/log",
            "/operator",
            "/operator/keys",
        ] {
            assert_eq!(root.get(path).await.redirect_target(), setup, "{path}");
        }
        let page = root.get(setup).await;
        assert!(page.html().contains("Operators of this server need two-factor authentication."));
        assert!(!page.html().contains("aria-label=\"Dashboard\""), "links that lead back here");
        let rows = stored_rows(&server.store);
        for (path, fields) in [
            ("/operator/invitations", vec![]),
            ("/dashboard/keys", vec![("name", "x")]),
            ("/dashboard/account/delete", vec![("password", PASSWORD), ("sure", "yes")]),
        ] {
            assert_eq!(root.send(path, &fields).await.redirect_target(), setup, "{path}");
        }
        assert_eq!(stored_rows(&server.store), rows);
        enable(&mut root).await;
        assert_eq!((root.get("/operator").await.status, root.get("/dashboard").await.status), (200, 200));
    }
}
