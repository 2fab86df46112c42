//! Codes from an app beside the password.

use rollcall_model::time::{MINUTE, SECOND};
use totp_rs::{Builder, Secret};

use super::{behind_a_proxy, desk, kept};
use crate::harness::{Answer, Engine, Guest, NOW, PASSWORD, Server};

const STEP: i64 = 30 * SECOND;

/// What an app that read the picture shows at this moment.
pub fn code(secret: &str, now: i64) -> String {
    let secret = Secret::try_from_base32(secret).expect("base32");
    let app = Builder::new().with_secret(secret).build().expect("a sound secret");
    app.generate((now / SECOND) as u64).to_string()
}

/// Switches it on: the app's secret and the recovery codes.
pub async fn switch_on(guest: &mut Guest<'_>) -> (String, Vec<String>) {
    let secret = guest.get("/dashboard/account/second-factor").await.field("secret");
    let code = code(&secret, guest.server.clock.now());
    let fields = [("secret", secret.as_str()), ("code", &code), ("password", PASSWORD)];
    let answer = guest.send("/dashboard/account/second-factor", &fields).await;
    assert_eq!((answer.status, answer.heading().as_str()), (200, "The second factor is on"), "{}", answer.notice());
    let html = answer.html();
    let codes = html.split("<code>").nth(1).and_then(|rest| rest.split("</code>").next()).expect("the codes");
    (secret, codes.split_whitespace().map(str::to_owned).collect())
}

/// Types a code on the page that asks for one.
pub async fn give(guest: &mut Guest<'_>, code: &str) -> Answer {
    guest.get("/sign-in/code").await;
    guest.send("/sign-in/code", &[("code", code)]).await
}

/// Someone whose password was right, on their way to the code.
async fn half<'a>(server: &'a Server, name: &str) -> Guest<'a> {
    let mut guest = Guest::new(server);
    assert_eq!(guest.sign_in(name, PASSWORD).await.leads_to(), "/sign-in/code?next=/dashboard");
    guest
}

#[tokio::test]
async fn switching_it_on_takes_the_password_and_a_code_and_gives_ten_more() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "two-factors").await;
        let page = ada.get("/dashboard/account/second-factor").await;
        let secret = page.field("secret");
        assert!(page.html().contains("otpauth://totp/Rollcall%20%28rollcall%2Etest%29:two%2Dfactors?secret="));
        assert_ne!(ada.get("/dashboard/account/second-factor").await.field("secret"), secret);
        let right = code(&secret, NOW);
        let wrong = if right == "123456" { "654321" } else { "123456" };
        for (secret, code, password, status, words) in [
            (secret.as_str(), right.as_str(), "wrong horse", 422, "That is not your password, so nothing was changed."),
            (&secret, wrong, PASSWORD, 422, "This code is wrong. Type the six digits that the app shows now."),
            (&secret, "", PASSWORD, 422, "This code is wrong. Type the six digits that the app shows now."),
            ("ABC", &right, PASSWORD, 422, "Begin anew: scan the picture below."),
            ("", &right, PASSWORD, 422, "Begin anew: scan the picture below."),
        ] {
            let fields = [("secret", secret), ("code", code), ("password", password)];
            let answer = ada.send("/dashboard/account/second-factor", &fields).await;
            assert_eq!((answer.status, answer.notice().as_str()), (status, words));
        }
        assert_eq!(Guest::new(server).sign_in("two-factors", PASSWORD).await.leads_to(), "/dashboard", "it is not on");
        let (_, codes) = switch_on(&mut ada).await;
        assert_eq!(codes.len(), 10);
        assert_eq!(codes.iter().collect::<std::collections::HashSet<_>>().len(), 10);
        let html = ada.get("/dashboard/account").await.html();
        assert!(html.contains("You have 10 recovery codes left.") && !html.contains(&codes[0]));
        assert_eq!(ada.get("/dashboard/account/second-factor").await.leads_to(), "/dashboard/account");
        assert!(
            !kept(&server.store).iter().any(|row| row.contains(&codes[0]) || row.contains(&codes[0].replace('-', "")))
        );
    }
}

#[tokio::test]
async fn half_a_sign_in_opens_nothing() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "half-way").await;
        let (id, _) = ada.make_key("mine").await;
        switch_on(&mut ada).await;
        let mut half = half(server, "half-way").await;
        for path in ["/dashboard", "/dashboard/account", "/dashboard/log", "/dashboard/usage.csv", "/operator"] {
            assert_eq!(half.get(path).await.leads_to(), format!("/sign-in?next={path}"));
        }
        half.get("/sign-in/code").await;
        let before = kept(&server.store).into_iter().filter(|row| row.contains(&id)).collect::<Vec<_>>();
        for (path, fields) in [
            (format!("/dashboard/keys/{id}/delete"), vec![("sure", "yes")]),
            ("/dashboard/account/second-factor/off".to_owned(), vec![("password", PASSWORD)]),
            ("/dashboard/account/delete".to_owned(), vec![("password", PASSWORD), ("sure", "yes")]),
        ] {
            assert_eq!(half.send(&path, &fields).await.leads_to(), "/sign-in?next=/dashboard", "{path}");
        }
        let after = kept(&server.store).into_iter().filter(|row| row.contains(&id)).collect::<Vec<_>>();
        assert_eq!(before, after);
        // Nor is it listed as one.
        assert_eq!(ada.get("/dashboard/account").await.html().matches("<td>Firefox on Linux").count(), 1);
        assert_eq!(Guest::new(server).get("/sign-in/code").await.leads_to(), "/sign-in");
    }
}

#[tokio::test]
async fn a_code_is_good_once_and_one_step_around_its_time() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Guest::signed_up(&server, "ada").await;
        let (secret, _) = switch_on(&mut ada).await;
        let words =
            "This code is wrong or was used before. Codes change every 30 seconds; is your device&#39;s clock right?";
        let mut late = half(&server, "ada").await;
        let used = give(&mut late, &code(&secret, NOW)).await;
        assert_eq!((used.status, used.notice().as_str()), (422, words), "it was used to switch it on");
        let now = NOW + 10 * MINUTE;
        server.clock.set(now - 2 * STEP);
        for (at, status) in [(now - 2 * STEP, 422), (now + 2 * STEP, 422), (now - STEP, 303), (now - STEP, 422)] {
            server.clock.set(now - 2 * STEP);
            let mut guest = half(&server, "ada").await;
            server.clock.set(now);
            assert_eq!(give(&mut guest, &code(&secret, at)).await.status, status, "{}", (at - now) / STEP);
        }
        let mut early = half(&server, "ada").await;
        // With a blank in it, as apps show it.
        let ahead = code(&secret, now + STEP);
        assert_eq!(give(&mut early, &format!("{} {}", &ahead[..3], &ahead[3..])).await.leads_to(), "/dashboard");
        assert_eq!(early.get("/dashboard").await.status, 200);
        let mut after = half(&server, "ada").await;
        assert_eq!(give(&mut after, &code(&secret, now)).await.status, 422, "older than one that was used");
    }
}

#[tokio::test]
async fn of_twenty_who_know_a_code_one_gets_in() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Guest::signed_up(&server, "ada").await;
        let (secret, recovery) = switch_on(&mut ada).await;
        server.clock.set(NOW + MINUTE);
        for code in [code(&secret, NOW + MINUTE), recovery[0].clone()] {
            let mut guest = half(&server, "ada").await;
            guest.get("/sign-in/code").await;
            let tries = (0..20).map(|_| {
                let (mut guest, code) = (guest.clone(), code.clone());
                async move { guest.send("/sign-in/code", &[("code", &code)]).await }
            });
            let answers = futures_util::future::join_all(tries).await;
            let inside = answers.iter().filter(|answer| !answer.cookies().is_empty()).count();
            assert_eq!(inside, 1, "{:?}", answers.iter().map(|answer| answer.status).collect::<Vec<_>>());
            server.clock.set(server.clock.now() + 15 * MINUTE);
        }
    }
}

#[tokio::test]
async fn each_recovery_code_stands_in_once() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "lost-the-app").await;
        let (_, codes) = switch_on(&mut ada).await;
        let mut guest = half(server, "lost-the-app").await;
        let typed = codes[3].to_uppercase().replace('-', " ");
        assert_eq!(give(&mut guest, &typed).await.leads_to(), "/dashboard/account?done=recovered");
        assert_eq!(give(&mut half(server, "lost-the-app").await, &codes[3]).await.status, 422);
        assert_eq!(give(&mut half(server, "lost-the-app").await, &codes[4]).await.status, 303);
        assert!(ada.get("/dashboard/account").await.html().contains("You have 8 recovery codes left."));
        let log = ada.get("/dashboard/log").await.html();
        assert!(log.contains("<strong>recovery code used</strong><br><span class=\"soft\">8 left</span>"), "{log}");
        // Nobody else's code does.
        let mut eve = Guest::signed_up(server, "other-codes").await;
        let (_, others) = switch_on(&mut eve).await;
        assert_eq!(give(&mut half(server, "lost-the-app").await, &others[0]).await.status, 422);
    }
}

#[tokio::test]
async fn who_has_the_password_alone_cannot_guess_the_code_nor_lock_the_owner_out() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut ada = Guest::signed_up(&server, "ada").await;
        let (secret, _) = switch_on(&mut ada).await;
        ada.send("/sign-out", &[]).await;
        let now = NOW + MINUTE;
        server.clock.set(now);
        let right = code(&secret, now);
        let wrong = if right == "123456" { "654321" } else { "123456" };
        let thief = half(&server, "ada").await;
        for tried in 0..10 {
            let mut thief = thief.clone().at(&format!("192.0.2.{tried}"));
            assert_eq!(give(&mut thief, wrong).await.status, 422);
        }
        // Not even after giving the password once more, from elsewhere.
        for thief in [thief, half(&server, "ada").await] {
            let refused = give(&mut thief.at("192.0.2.99"), &right).await;
            assert_eq!((refused.status, refused.header("retry-after")), (429, Some("900")));
            assert!(!refused.html().contains("<rc-human"), "no work buys more guesses");
        }
        assert_eq!(ada.sign_in("ada", PASSWORD).await.status, 303);
        assert_eq!(give(&mut ada, &right).await.leads_to(), "/dashboard");
    }
}

#[tokio::test]
async fn the_way_to_the_code_takes_ten_minutes_at_most() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Guest::signed_up(&server, "ada").await;
        let (secret, _) = switch_on(&mut ada).await;
        let mut slow = half(&server, "ada").await;
        slow.get("/sign-in/code").await;
        let now = NOW + 10 * MINUTE;
        server.clock.set(now);
        let code = code(&secret, now);
        assert_eq!(slow.send("/sign-in/code", &[("code", &code)]).await.leads_to(), "/sign-in");
    }
}

#[tokio::test]
async fn switching_it_off_takes_the_password() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "one-factor").await;
        switch_on(&mut ada).await;
        let off = "/dashboard/account/second-factor/off";
        let refused = ada.send(off, &[("password", "wrong horse")]).await;
        assert_eq!(
            (refused.status, refused.notice().as_str()),
            (422, "That is not your password, so nothing was changed.")
        );
        half(server, "one-factor").await;
        let done = ada.send(off, &[("password", PASSWORD)]).await;
        assert_eq!(done.leads_to(), "/dashboard/account?done=factor-off");
        let mut guest = Guest::new(server);
        assert_eq!(guest.sign_in("one-factor", PASSWORD).await.leads_to(), "/dashboard");
        assert_eq!(guest.get("/sign-in/code").await.leads_to(), "/sign-in");
        assert!(!kept(&server.store).iter().any(|row| row.contains("one-factor") && row.starts_with("recovery_codes")));
        assert_eq!(ada.send(off, &[("password", PASSWORD)]).await.notice(), "There is no second factor.");
    }
}

#[tokio::test]
async fn whoever_knows_the_password_alone_pushes_nobody_out() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "stays-in").await;
        switch_on(&mut ada).await;
        for _ in 0..55 {
            half(server, "stays-in").await;
        }
        assert_eq!(ada.get("/dashboard").await.status, 200);
    }
}
