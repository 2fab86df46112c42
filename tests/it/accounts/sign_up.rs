//! `/sign-up`: creating accounts.

use rollcall::config::{HumanCheck, SignUp};
use rollcall_model::time::{DAY, MINUTE};

use super::{behind_a_proxy, exists, shared_server};
use crate::harness::{Browser, Engine, NOW, PASSWORD, Server, shared};
use crate::playground::solution_for;

#[tokio::test]
async fn signing_up_also_signs_in_with_a_new_cookie() {
    for engine in Engine::BOTH {
        let mut ada = Browser::new(shared_server(engine));
        let answer = ada.sign_up("ada-signs-up").await;
        assert_eq!(answer.redirect_target(), "/dashboard?done=welcome");
        assert_eq!(answer.cookies().len(), 2, "session and known browser");
        for cookie in answer.cookies() {
            let (pair, rest) = cookie.split_once("; ").unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            assert!(["__Host-rollcall", "__Host-rollcall-browser"].contains(&name), "{cookie}");
            assert!(value.len() == 64 && value.bytes().all(|b| b.is_ascii_hexdigit()), "{cookie}");
            assert_eq!(rest, "Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure");
        }
        let keys = ada.get("/dashboard?done=welcome").await;
        assert_eq!((keys.status, keys.heading().as_str()), (200, "API keys"));
        assert!(keys.notice().starts_with("Welcome!"), "{}", keys.notice());
        for path in ["/sign-up", "/sign-in"] {
            assert_eq!(ada.get(path).await.redirect_target(), "/dashboard", "{path}");
        }
    }
}

#[tokio::test]
async fn cookies_have_no_secure_flag_without_https() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.public_url = "http://rollcall.test".into());
        let mut ada = Browser::new(&server);
        ada.get("/sign-up").await;
        let fields = format!("token={}&username=ada&password=correct+horse+x&again=correct+horse+x", ada.token);
        let answer = ada.post("/sign-up", &[("origin", "http://rollcall.test")], fields.into_bytes()).await;
        assert_eq!(answer.redirect_target(), "/dashboard?done=welcome");
        let given = answer.cookies();
        assert!(given[0].starts_with("rollcall=") && given[1].starts_with("rollcall-browser="), "{given:?}");
        assert!(given.iter().all(|cookie| cookie.ends_with("; HttpOnly; SameSite=Lax")), "{given:?}");
        assert_eq!(ada.get("/dashboard").await.status, 200);
    }
}

#[tokio::test]
async fn rejected_forms_say_why_keep_the_username_and_create_nothing() {
    const NAME: &str =
        "The username must have 3 to 24 letters, digits, hyphens or underscores and start with a letter or digit.";
    let long = "x9!Kq".repeat(30);
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut browser = Browser::new(server);
        browser.get("/sign-up").await;
        for (name, password, again, words) in [
            ("", PASSWORD, PASSWORD, NAME),
            ("ab", PASSWORD, PASSWORD, NAME),
            ("refused name", PASSWORD, PASSWORD, NAME),
            ("_refused", PASSWORD, PASSWORD, NAME),
            ("rеfused-cyrillic", PASSWORD, PASSWORD, NAME),
            ("refused\0", PASSWORD, PASSWORD, NAME),
            ("refused-of-twenty-five-chars", PASSWORD, PASSWORD, NAME),
            ("refused-1", PASSWORD, "correct horse battery stapler", "The passwords do not match."),
            ("refused-1", "horse", "horse", "The password must have at least 10 characters; this one has 5."),
            ("refused-1", &long, &long, "The password must have at most 128 characters; this one has 150."),
            ("refused-1", "password123", "password123", "This password is easy to guess."),
            ("refused-1", "Refused_1!", "Refused_1!", "This password is easy to guess."),
        ] {
            let fields = [("username", name), ("password", password), ("again", again)];
            let answer = browser.send("/sign-up", &fields).await;
            // PostgreSQL does not accept NUL.
            let status = if name.contains('\0') { 400 } else { 422 };
            assert_eq!(answer.status, status, "{name:?} {password}");
            if status == 422 {
                assert!(answer.notice().starts_with(words), "{name:?} {password}: {}", answer.notice());
                assert_eq!(answer.field("username"), name);
            }
            assert!(!answer.html().contains(password), "the password is sent back");
            assert!(!exists(server, "refused-1") && !exists(server, name.trim_matches('\0')));
            assert_eq!(browser.get("/dashboard").await.redirect_target(), "/sign-in?next=/dashboard");
        }
    }
}

#[tokio::test]
async fn usernames_are_unique_regardless_of_case() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        Browser::signed_up(server, "Grace").await;
        for taken in ["Grace", "grace", "GRACE"] {
            let mut browser = Browser::new(server);
            let answer = browser.sign_up(taken).await;
            assert_eq!((answer.status, answer.notice()), (422, format!("The username {taken} is taken.")));
            assert_eq!(browser.get("/dashboard").await.status, 303);
        }
    }
}

/// Rejected requests can be repeated without limit, so they must store nothing.
#[tokio::test]
async fn a_taken_username_stores_no_avatar() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        Browser::signed_up(&server, "ada").await;
        let folder = server.store.path().join("media/avatar");
        let pictures = || std::fs::read_dir(&folder).unwrap().count();
        let before = pictures();
        for _ in 0..5 {
            assert_eq!(Browser::new(&server).sign_up("ada").await.status, 422);
        }
        assert_eq!(pictures(), before);
    }
}

#[tokio::test]
async fn usernames_of_community_accounts_are_taken_and_cannot_sign_in() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let sql = "select username from accounts where n not in (select account_n from logins) order by n";
        let names = server.store.change(|conn| conn.query(sql, &[], |row| row.get::<String>(0)));
        let plain = |name: &&String| rollcall::accounts::policy::check_username(name).is_ok();
        let name = names.iter().find(plain).expect("someone of the community with a plain name");
        for taken in [name, &name.to_uppercase()] {
            let answer = Browser::new(server).sign_up(taken).await;
            assert_eq!((answer.status, answer.notice()), (422, format!("The username {taken} is taken.")));
        }
        let answer = Browser::new(server).sign_in(name, PASSWORD).await;
        assert_eq!((answer.status, answer.notice().as_str()), (422, "Wrong username or password."));
    }
}

#[tokio::test]
async fn of_two_concurrent_sign_ups_with_one_name_one_succeeds() {
    for engine in Engine::BOTH {
        let (mut one, mut other) = (Browser::new(shared_server(engine)), Browser::new(shared_server(engine)));
        let (one, other) = tokio::join!(one.sign_up("at-once"), other.sign_up("At-Once"));
        let mut outcomes = [one.status, other.status];
        outcomes.sort_unstable();
        assert_eq!(outcomes, [303, 422]);
    }
}

#[tokio::test]
async fn sign_up_can_be_closed() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.accounts.sign_up = SignUp::Closed);
        let mut browser = Browser::new(&server);
        let page = browser.get("/sign-up").await;
        assert_eq!(page.status, 200);
        assert!(page.html().contains("Sign-up is closed on this server.") && !page.html().contains("method=\"post\""));
        let shown = browser.get("/sign-in").await;
        assert!(!shown.html().contains("/sign-up"), "a link to a closed page");
        let fields = [("username", "ada"), ("password", PASSWORD), ("again", PASSWORD)];
        let answer = browser.send("/sign-up", &fields).await;
        assert_eq!((answer.status, answer.notice().as_str()), (403, "Sign-up is closed on this server."));
        assert!(!exists(&server, "ada"));
    }
}

#[tokio::test]
async fn sign_ups_per_network_and_day_are_limited() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| {
            behind_a_proxy(config);
            config.accounts.sign_ups_per_day = 2;
        });
        let from = async |address: &str, name: &str| Browser::new(&server).at(address).sign_up(name).await;
        assert_eq!(from("2001:db8::1", "one").await.status, 303);
        // Failed sign-ups do not count.
        assert_eq!(from("2001:db8::1", "one").await.status, 422);
        assert_eq!(from("2001:db8::2", "two").await.status, 303);
        let refused = from("2001:db8::3", "three").await;
        let words = "Too many accounts were created from your network today. Try again tomorrow.";
        assert_eq!((refused.status, refused.notice().as_str()), (429, words));
        let midnight = (NOW / DAY + 1) * DAY;
        assert_eq!(refused.header("retry-after"), Some(((midnight - NOW) / 1000).to_string().as_str()));
        assert!(!exists(&server, "three"));
        assert_eq!(from("2001:db8:0:1::1", "four").await.status, 303, "another network");
        server.clock.set(midnight);
        assert_eq!(from("2001:db8::3", "three").await.status, 303);
    }
}

#[tokio::test]
async fn a_sign_up_needs_a_captcha_unless_there_is_an_invitation() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.accounts.sign_up_check = HumanCheck::Altcha);
        let mut ada = Browser::new(&server);
        let page = ada.get("/sign-up").await.html();
        assert!(page.contains("<rc-human for=\"sign-up\"") && page.contains("<noscript>"), "{page}");
        let solution = solution_for(&server, "sign-up").await;
        let name = ("username", "ada");
        for (human, status, words) in [
            ("", 422, "Your browser must solve a CAPTCHA"),
            ("{}", 400, "The CAPTCHA solution is malformed"),
            (&solution_for(&server, "sign-in").await, 403, "The CAPTCHA was solved for another page"),
        ] {
            let fields = [name, ("password", PASSWORD), ("again", PASSWORD), ("human", human)];
            let refused = ada.send("/sign-up", &fields).await;
            assert_eq!(refused.status, status, "{human}");
            assert!(refused.notice().starts_with(words), "{}", refused.notice());
            assert!(!exists(&server, "ada"));
        }
        let fields = [name, ("password", PASSWORD), ("again", PASSWORD), ("human", &solution)];
        assert_eq!(ada.send("/sign-up", &fields).await.redirect_target(), "/dashboard?done=welcome");
        let mut again = Browser::new(&server);
        again.get("/sign-up").await;
        assert_eq!(again.send("/sign-up", &fields).await.status, 409, "a solution works once");
        let server = Server::empty_with(engine, |config| {
            config.accounts.sign_up_check = HumanCheck::Altcha;
            config.accounts.sign_up = SignUp::Invitation;
        });
        assert!(!Browser::new(&server).get("/sign-up").await.html().contains("<rc-human"));
    }
}

/// The answer tells whether a username is taken, so that it is given a few times a minute only.
#[tokio::test]
async fn usernames_cannot_be_enumerated_quickly() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| {
            behind_a_proxy(config);
            config.accounts.sign_up_tries_per_minute = 3;
        });
        Browser::signed_up(&server, "ada").await;
        let from = async |address: &str, name: &str| Browser::new(&server).at(address).sign_up(name).await;
        for _ in 0..3 {
            assert_eq!(from("2001:db8::1", "ada").await.status, 422);
        }
        for name in ["ada", "free-name"] {
            let refused = from("2001:db8::2", name).await;
            let words = "Too many sign-ups were tried from your network. Try again in a minute.";
            assert_eq!((refused.status, refused.notice().as_str()), (429, words));
            assert_eq!(refused.header("retry-after"), Some("60"));
        }
        assert_eq!(from("192.0.2.1", "ada").await.status, 422, "another network");
        server.clock.set(NOW + MINUTE);
        assert_eq!(from("2001:db8::2", "free-name").await.status, 303);
    }
}
