//! `/sign-in`: what a sign-in is, and how it ends.

use rollcall_model::time::{DAY, MINUTE};

use super::{behind_a_proxy, desk};
use crate::harness::{Answer, Engine, Guest, NOW, PASSWORD, PUBLIC_URL, Server};

/// A page without what differs from one visitor to the next.
fn bare(answer: &Answer, guest: &Guest, name: &str) -> String {
    answer.html().replace(&guest.token, "TOKEN").replace(name, "NAME")
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_name_are_answered_alike() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        Guest::signed_up(server, "known-one").await;
        let long = "x".repeat(129);
        for password in ["wrong horse battery", "", &long] {
            let (mut one, mut other) = (Guest::new(server), Guest::new(server));
            let known = one.sign_in("known-one", password).await;
            let unknown = other.sign_in("nobody-one", password).await;
            assert_eq!((known.status, unknown.status), (422, 422));
            assert_eq!(known.notice(), "The username or the password is wrong.");
            assert_eq!(bare(&known, &one, "known-one"), bare(&unknown, &other, "nobody-one"));
            let names = |answer: &Answer| answer.headers.keys().map(ToString::to_string).collect::<Vec<_>>();
            assert_eq!(names(&known), names(&unknown));
            assert_eq!(one.get("/dashboard").await.leads_to(), "/sign-in?next=/dashboard");
        }
    }
}

#[tokio::test]
async fn the_cookie_is_new_with_every_sign_in_and_the_old_one_is_worth_nothing() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        Guest::signed_up(server, "renewed").await;
        let mut guest = Guest::new(server);
        guest.get("/sign-in").await;
        let mut planted = guest.clone();
        // A name in any case, as people type it.
        assert_eq!(guest.sign_in("RENEWED", PASSWORD).await.leads_to(), "/dashboard");
        assert_ne!(guest.jar["__Host-rollcall"], planted.jar["__Host-rollcall"]);
        assert_eq!(planted.get("/dashboard").await.status, 303, "who knew the old cookie comes along");
        assert_eq!(guest.get("/dashboard").await.status, 200);
        let mut before = guest.clone();
        // Once more, while signed in: the page leads on, yet an old form may still be open.
        let again = [("username", "renewed"), ("password", PASSWORD)];
        assert_eq!(guest.send("/sign-in", &again).await.leads_to(), "/dashboard");
        assert_eq!((before.get("/dashboard").await.status, guest.get("/dashboard").await.status), (303, 200));
    }
}

#[tokio::test]
async fn what_the_ledger_keeps_of_a_cookie_opens_nothing_nor_does_what_is_none() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let ada = Guest::signed_up(server, "kept-by-hash").await;
        let cookie = ada.jar["__Host-rollcall"].clone();
        let hash = rollcall_model::token::hash(&cookie);
        let kept = super::kept(&server.store);
        assert!(kept.iter().any(|row| row.contains(&hash)) && !kept.iter().any(|row| row.contains(&cookie)));
        for value in [hash, cookie.to_uppercase(), cookie[1..].to_owned(), format!("{cookie}0"), String::new()] {
            let mut thief = Guest::new(server);
            thief.jar.insert("__Host-rollcall".into(), value);
            assert_eq!(thief.get("/dashboard").await.status, 303);
        }
        // A name without the prefix could be given by any page of a neighbour's.
        let mut planted = Guest::new(server);
        planted.jar.insert("rollcall".into(), cookie);
        assert_eq!(planted.get("/dashboard").await.status, 303);
    }
}

#[tokio::test]
async fn a_password_is_what_was_typed_however_a_keyboard_composes_it() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let typed = " cafe\u{301} under the old bridge ";
        let mut ada = Guest::new(server);
        ada.get("/sign-up").await;
        let fields = [("username", "types-accents"), ("password", typed), ("again", typed)];
        assert_eq!(ada.send("/sign-up", &fields).await.status, 303);
        for (password, status) in [(" caf\u{e9} under the old bridge ", 303), (typed.trim(), 422)] {
            assert_eq!(Guest::new(server).sign_in("types-accents", password).await.status, status, "{password:?}");
        }
    }
}

#[tokio::test]
async fn signing_out_ends_it_here_and_not_only_in_the_browser() {
    for engine in Engine::BOTH {
        let mut ada = Guest::signed_up(desk(engine), "signs-out").await;
        let mut thief = ada.clone();
        let answer = ada.send("/sign-out", &[]).await;
        assert_eq!(answer.leads_to(), "/sign-in");
        assert!(answer.cookies()[0].starts_with("__Host-rollcall=; Path=/; Max-Age=0;"), "{:?}", answer.cookies());
        assert_eq!(thief.get("/dashboard").await.leads_to(), "/sign-in?next=/dashboard");
        assert_eq!(thief.send("/dashboard/keys", &[("name", "mine")]).await.status, 303);
        assert_eq!(ada.jar.keys().collect::<Vec<_>>(), ["__Host-rollcall-browser"], "the browser stays known");
    }
}

#[tokio::test]
async fn it_ends_when_nobody_uses_it_and_some_day_anyway() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Guest::signed_up(&server, "ada").await;
        let mut idle = Guest::signed_in(&server, "ada").await;
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
async fn it_leads_on_to_our_own_pages_and_to_no_other() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        Guest::signed_up(server, "led-on").await;
        let mut guest = Guest::new(server);
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
            ("/docs", "/dashboard"),
        ] {
            let query: String = next.bytes().map(|b| format!("%{b:02x}")).collect();
            assert_eq!(guest.get(&format!("/sign-in?next={query}")).await.field("next"), to);
        }
        assert_eq!(guest.get("/sign-in?next=%ff").await.field("next"), "/dashboard");
        assert_eq!(guest.get("/dashboard/keys/x").await.leads_to(), "/sign-in?next=/dashboard/keys/x");
        // The field is not believed either, for it comes from outside as well.
        for (next, to) in [("/dashboard/log", "/dashboard/log"), ("//evil.example", "/dashboard")] {
            let fields = [("username", "led-on"), ("password", PASSWORD), ("next", next)];
            assert_eq!(guest.clone().send("/sign-in", &fields).await.leads_to(), to, "{next}");
        }
    }
}

#[tokio::test]
async fn a_disabled_account_is_told_so_only_with_its_password() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        Guest::signed_up(server, "switched-off").await;
        server.store.rollcall(&["account", "disable", "switched-off"]);
        let mut guest = Guest::new(server);
        assert_eq!(guest.sign_in("switched-off", "wrong horse").await.status, 422);
        let refused = guest.sign_in("switched-off", PASSWORD).await;
        let words = "This account is disabled. Whoever runs this service can tell you why.";
        assert_eq!((refused.status, refused.notice().as_str()), (403, words));
        assert_eq!(guest.get("/dashboard").await.status, 303);
    }
}

/// Passwords are checked beside the store, so that one engine tells for both.
#[tokio::test]
async fn a_flood_is_sent_away_and_leaves_no_trace() {
    // As many as may be wrong: those who are sent away must not count among them.
    let server = Server::empty_with(Engine::Sqlite, |config| config.accounts.wrong_passwords_per_minute = 200);
    Guest::signed_up(&server, "in-the-flood").await;
    let mut guest = Guest::new(&server);
    guest.get("/sign-in").await;
    let flood = (0..200).map(|i| {
        let (mut guest, name) = (guest.clone(), format!("flood-{i}"));
        async move { guest.send("/sign-in", &[("username", &name), ("password", "wrong horse")]).await }
    });
    let mut sent_away = 0;
    for answer in futures_util::future::join_all(flood).await {
        match answer.status {
            422 => {}
            503 => {
                assert_eq!(answer.header("retry-after"), Some("1"));
                assert_eq!(answer.notice(), "Many people are signing in right now. Try again in a moment.");
                sent_away += 1;
            }
            other => panic!("{other}: {}", answer.html()),
        }
    }
    assert!(sent_away > 0, "each of 200 was looked at");
    assert_eq!(guest.sign_in("in-the-flood", PASSWORD).await.status, 303);
}

#[tokio::test]
async fn what_is_no_form_is_told_what_one_is() {
    let mut guest = Guest::new(desk(Engine::Sqlite));
    guest.get("/sign-in").await;
    let ours = ("origin", PUBLIC_URL);
    let field = |text: &str| format!("token={}&username={text}&password=x", guest.token).into_bytes();
    let long = field(&"x".repeat(16 * 1024));
    let raw = [field("ada"), b"&more=\xff".to_vec()].concat();
    for (headers, body, status, title) in [
        (vec![ours, ("content-type", "multipart/form-data; boundary=x")], field("ada"), 415, "That is no form"),
        (vec![ours, ("content-type", "application/json")], b"{}".to_vec(), 415, "That is no form"),
        (vec![ours], long, 413, "That is too much"),
        (vec![ours], field("%ff"), 400, "That cannot be read"),
        (vec![ours], raw, 400, "That cannot be read"),
        (vec![ours], field("%00"), 400, "That cannot be read"),
    ] {
        let answer = guest.clone().post("/sign-in", &headers, body).await;
        assert_eq!((answer.status, answer.heading().as_str()), (status, title), "{headers:?}");
    }
    // Ten megabytes are not read to their end.
    let head = format!(
        "POST /sign-in HTTP/1.1\r\nhost: x\r\norigin: {PUBLIC_URL}\r\ncontent-length: 10000000\r\n\
         content-type: application/x-www-form-urlencoded\r\nconnection: close\r\n\r\n{}",
        "x".repeat(20_000)
    );
    let answer = crate::harness::aside(|| guest.server.wire(head.as_bytes()));
    assert!(answer.starts_with(b"HTTP/1.1 413 "), "{}", String::from_utf8_lossy(&answer));
}

#[tokio::test]
async fn the_list_of_sign_ins_says_when_and_from_where() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut ada = Guest::signed_up(&server, "ada").await;
        server.clock.set(NOW + 6 * MINUTE);
        let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1";
        let mut phone = Guest::new(&server).at("2001:db8::7").with("user-agent", phone);
        assert_eq!(phone.sign_in("ada", PASSWORD).await.status, 303);
        ada.get("/dashboard").await;
        let html = ada.get("/dashboard/account").await.html();
        assert!(html.contains("<td>Safari on iPhone</td>\n<td>2001:db8::7</td>"), "{html}");
        let this_one = format!("<span class=\"pill good\">this one</span></td>\n<td>{}</td>", ada.address());
        assert!(html.contains(&format!("<td>Firefox on Linux {this_one}")), "{html}");
        let seen = format!("Last seen </span><time datetime=\"{}\">", rollcall_model::time::iso(NOW + 6 * MINUTE));
        assert_eq!(html.matches(&seen).count(), 2);
    }
}
