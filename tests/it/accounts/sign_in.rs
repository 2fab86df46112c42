//! `/sign-in`: sessions and how they end.

use rollcall_model::time::{DAY, MINUTE};

use super::{behind_a_proxy, shared_server};
use crate::harness::{Browser, Engine, NOW, PASSWORD, PUBLIC_URL, Server, TestResponse};

/// The page with token and username masked.
fn masked(answer: &TestResponse, browser: &Browser, name: &str) -> String {
    answer.html().replace(&browser.token, "TOKEN").replace(name, "NAME")
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_name_get_the_same_response() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        Browser::signed_up(server, "known-one").await;
        let long = "x".repeat(129);
        for password in ["wrong horse battery", "", &long] {
            let (mut one, mut other) = (Browser::new(server), Browser::new(server));
            let known = one.sign_in("known-one", password).await;
            let unknown = other.sign_in("nobody-one", password).await;
            assert_eq!((known.status, unknown.status), (422, 422));
            assert_eq!(known.notice(), "Wrong username or password.");
            assert_eq!(masked(&known, &one, "known-one"), masked(&unknown, &other, "nobody-one"));
            let names = |answer: &TestResponse| answer.headers.keys().map(ToString::to_string).collect::<Vec<_>>();
            assert_eq!(names(&known), names(&unknown));
            assert_eq!(one.get("/dashboard").await.redirect_target(), "/sign-in?next=/dashboard");
        }
    }
}

#[tokio::test]
async fn every_login_sets_a_new_cookie_and_voids_the_old_one() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        Browser::signed_up(server, "renewed").await;
        let mut browser = Browser::new(server);
        browser.get("/sign-in").await;
        let mut planted = browser.clone();
        // Usernames are case-insensitive.
        assert_eq!(browser.sign_in("RENEWED", PASSWORD).await.redirect_target(), "/dashboard");
        assert_ne!(browser.jar["__Host-rollcall"], planted.jar["__Host-rollcall"]);
        assert_eq!(planted.get("/dashboard").await.status, 303, "the old cookie works");
        assert_eq!(browser.get("/dashboard").await.status, 200);
        let mut before = browser.clone();
        // Again while signed in: an old form may still be open.
        let again = [("username", "renewed"), ("password", PASSWORD)];
        assert_eq!(browser.send("/sign-in", &again).await.redirect_target(), "/dashboard");
        assert_eq!((before.get("/dashboard").await.status, browser.get("/dashboard").await.status), (303, 200));
    }
}

#[tokio::test]
async fn cookie_hashes_and_malformed_cookies_give_no_access() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let ada = Browser::signed_up(server, "kept-by-hash").await;
        let cookie = ada.jar["__Host-rollcall"].clone();
        let hash = rollcall_model::token::hash(&cookie);
        let rows = super::stored_rows(&server.store);
        assert!(rows.iter().any(|row| row.contains(&hash)) && !rows.iter().any(|row| row.contains(&cookie)));
        for value in [hash, cookie.to_uppercase(), cookie[1..].to_owned(), format!("{cookie}0"), String::new()] {
            let mut thief = Browser::new(server);
            thief.jar.insert("__Host-rollcall".into(), value);
            assert_eq!(thief.get("/dashboard").await.status, 303);
        }
        // A cookie without the `__Host-` prefix could be set by a sibling domain.
        let mut planted = Browser::new(server);
        planted.jar.insert("rollcall".into(), cookie);
        assert_eq!(planted.get("/dashboard").await.status, 303);
    }
}

#[tokio::test]
async fn passwords_keep_spaces_and_are_unicode_normalized() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let typed = " cafe\u{301} under the old bridge ";
        let mut ada = Browser::new(server);
        ada.get("/sign-up").await;
        let fields = [("username", "types-accents"), ("password", typed), ("again", typed)];
        assert_eq!(ada.send("/sign-up", &fields).await.status, 303);
        for (password, status) in [(" caf\u{e9} under the old bridge ", 303), (typed.trim(), 422)] {
            assert_eq!(Browser::new(server).sign_in("types-accents", password).await.status, status, "{password:?}");
        }
    }
}

#[tokio::test]
async fn signing_out_ends_the_session_on_the_server() {
    for engine in Engine::BOTH {
        let mut ada = Browser::signed_up(shared_server(engine), "signs-out").await;
        let mut thief = ada.clone();
        let answer = ada.send("/sign-out", &[]).await;
        assert_eq!(answer.redirect_target(), "/sign-in");
        assert!(answer.cookies()[0].starts_with("__Host-rollcall=; Path=/; Max-Age=0;"), "{:?}", answer.cookies());
        assert_eq!(answer.header("clear-site-data"), Some("\"cache\", \"storage\""));
        assert_eq!(thief.get("/dashboard").await.redirect_target(), "/sign-in?next=/dashboard");
        assert_eq!(thief.send("/dashboard/keys", &[("name", "mine")]).await.status, 303);
        assert_eq!(
            ada.jar.keys().collect::<Vec<_>>(),
            ["__Host-rollcall-browser"],
            "the browser stays known to the account"
        );
    }
}

#[tokio::test]
async fn sessions_end_when_idle_and_after_sixty_days() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let mut idle = Browser::signed_in(&server, "ada").await;
        server.clock.set(NOW + 14 * DAY - 1);
        assert_eq!(ada.get("/dashboard").await.status, 200);
        server.clock.set(NOW + 14 * DAY);
        assert_eq!((ada.get("/dashboard").await.status, idle.get("/dashboard").await.status), (200, 303));
        for week in 3..=8 {
            server.clock.set(NOW + week * 7 * DAY);
            assert_eq!(ada.get("/dashboard").await.status, 200, "week {week}");
        }
        server.clock.set(NOW + 60 * DAY - 1);
        assert_eq!(ada.get("/dashboard").await.status, 200);
        server.clock.set(NOW + 60 * DAY);
        assert_eq!(ada.get("/dashboard").await.status, 303);
    }
}

#[tokio::test]
async fn only_paths_of_this_site_are_redirect_targets() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        Browser::signed_up(server, "led-on").await;
        let mut browser = Browser::new(server);
        for (next, to) in [
            ("/dashboard/account", "/dashboard/account"),
            ("/operator/log", "/operator/log"),
            ("//evil.example", "/dashboard"),
            ("https://evil.example/dashboard", "/dashboard"),
            ("/\\evil.example", "/dashboard"),
            ("/dashboard@evil.example", "/dashboard"),
            ("/dashboard/../..//evil.example", "/dashboard"),
            ("/dashboard\r\nset-cookie: x=y", "/dashboard"),
            ("javascript:alert(1)", "/dashboard"),
            ("/servers/a-b_1/review", "/servers/a-b_1/review"),
            ("/servers?sort=votes", "/dashboard"),
        ] {
            let query: String = next.bytes().map(|b| format!("%{b:02x}")).collect();
            assert_eq!(browser.get(&format!("/sign-in?next={query}")).await.field("next"), to);
        }
        assert_eq!(browser.get("/sign-in?next=%ff").await.field("next"), "/dashboard");
        assert_eq!(browser.get("/dashboard/keys/x").await.redirect_target(), "/sign-in?next=/dashboard/keys/x");
        // The form field is validated as well.
        for (next, to) in [("/dashboard/log", "/dashboard/log"), ("//evil.example", "/dashboard")] {
            let fields = [("username", "led-on"), ("password", PASSWORD), ("next", next)];
            assert_eq!(browser.clone().send("/sign-in", &fields).await.redirect_target(), to, "{next}");
        }
    }
}

#[tokio::test]
async fn a_disabled_account_is_only_revealed_with_its_password() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        Browser::signed_up(server, "switched-off").await;
        server.store.rollcall(&["account", "disable", "switched-off"]);
        let mut browser = Browser::new(server);
        assert_eq!(browser.sign_in("switched-off", "wrong horse").await.status, 422);
        let refused = browser.sign_in("switched-off", PASSWORD).await;
        let words = "This account is disabled. Contact the operator of this service.";
        assert_eq!((refused.status, refused.notice().as_str()), (403, words));
        assert_eq!(browser.get("/dashboard").await.status, 303);
    }
}

/// Passwords are hashed outside the store, so one engine is enough.
#[tokio::test]
async fn excess_sign_ins_are_rejected_and_not_counted() {
    // Exactly the limit of wrong passwords: rejected requests must not count.
    let server = Server::empty_with(Engine::Sqlite, |config| {
        config.accounts.wrong_passwords_per_minute = 200;
        // As slow as in production, so that some must wait.
        config.accounts.password_memory_kib = 19 * 1024;
    });
    Browser::signed_up(&server, "in-the-flood").await;
    let mut browser = Browser::new(&server);
    browser.get("/sign-in").await;
    let flood = (0..200).map(|i| {
        let (mut browser, name) = (browser.clone(), format!("flood-{i}"));
        async move { browser.send("/sign-in", &[("username", &name), ("password", "wrong horse")]).await }
    });
    let mut rejected = 0;
    for answer in futures_util::future::join_all(flood).await {
        match answer.status {
            422 => {}
            503 => {
                assert_eq!(answer.header("retry-after"), Some("1"));
                assert_eq!(answer.notice(), "Too many people are signing in right now. Try again in a moment.");
                rejected += 1;
            }
            other => panic!("{other}: {}", answer.html()),
        }
    }
    assert!(rejected > 0, "all 200 were checked");
    assert_eq!(browser.sign_in("in-the-flood", PASSWORD).await.status, 303);
}

#[tokio::test]
async fn malformed_forms_are_rejected() {
    let mut browser = Browser::new(shared_server(Engine::Sqlite));
    browser.get("/sign-in").await;
    let ours = ("origin", PUBLIC_URL);
    let field = |text: &str| format!("token={}&username={text}&password=x", browser.token).into_bytes();
    let long = field(&"x".repeat(16 * 1024));
    let raw = [field("ada"), b"&more=\xff".to_vec()].concat();
    for (headers, body, status, title) in [
        (
            vec![ours, ("content-type", "multipart/form-data; boundary=x")],
            field("ada"),
            415,
            "Unsupported content type",
        ),
        (vec![ours, ("content-type", "application/json")], b"{}".to_vec(), 415, "Unsupported content type"),
        (vec![ours], long, 413, "Form too large"),
        (vec![ours], field("%ff"), 400, "Bad request"),
        (vec![ours], raw, 400, "Bad request"),
        (vec![ours], field("%00"), 400, "Bad request"),
    ] {
        let answer = browser.clone().post("/sign-in", &headers, body).await;
        assert_eq!((answer.status, answer.heading().as_str()), (status, title), "{headers:?}");
    }
    // A large body is not read to its end.
    let head = format!(
        "POST /sign-in HTTP/1.1\r\nhost: localhost\r\norigin: {PUBLIC_URL}\r\ncontent-length: 10000000\r\n\
         content-type: application/x-www-form-urlencoded\r\nconnection: close\r\n\r\n{}",
        "x".repeat(20_000)
    );
    let answer = crate::harness::run_blocking(|| browser.server.wire(head.as_bytes()));
    assert!(answer.starts_with(b"HTTP/1.1 413 "), "{}", String::from_utf8_lossy(&answer));
}

#[tokio::test]
async fn sessions_are_listed_with_time_and_address() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut ada = Browser::signed_up(&server, "ada").await;
        server.clock.set(NOW + 6 * MINUTE);
        let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1";
        let mut phone = Browser::new(&server).at("2001:db8::7").with("user-agent", phone);
        assert_eq!(phone.sign_in("ada", PASSWORD).await.status, 303);
        ada.get("/dashboard").await;
        let html = ada.get("/dashboard/account").await.html();
        assert!(html.contains("<td>Safari on iPhone</td>\n<td>2001:db8::7</td>"), "{html}");
        let this_one = format!("<span class=\"pill good\">current</span></td>\n<td>{}</td>", ada.address());
        assert!(html.contains(&format!("<td>Firefox on Linux {this_one}")), "{html}");
        let seen = format!("Last used </span><time datetime=\"{}\">", rollcall_model::time::iso(NOW + 6 * MINUTE));
        assert_eq!(html.matches(&seen).count(), 2);
    }
}
