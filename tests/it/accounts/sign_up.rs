//! `/sign-up`: a name and a password, nothing else.

use rollcall::config::SignUp;
use rollcall_model::time::DAY;

use super::{behind_a_proxy, desk, exists};
use crate::harness::{Engine, Guest, NOW, PASSWORD, Server, shared};

#[tokio::test]
async fn whoever_signs_up_is_signed_in_by_a_cookie_that_is_theirs_alone() {
    for engine in Engine::BOTH {
        let mut ada = Guest::new(desk(engine));
        let answer = ada.sign_up("ada-signs-up").await;
        assert_eq!(answer.leads_to(), "/dashboard?done=welcome");
        assert_eq!(answer.cookies().len(), 2, "a sign-in and the mark of a browser");
        for cookie in answer.cookies() {
            let (pair, rest) = cookie.split_once("; ").unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            assert!(["__Host-rollcall", "__Host-rollcall-browser"].contains(&name), "{cookie}");
            assert!(value.len() == 64 && value.bytes().all(|b| b.is_ascii_hexdigit()), "{cookie}");
            assert_eq!(rest, "Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure");
        }
        let keys = ada.get("/dashboard?done=welcome").await;
        assert_eq!((keys.status, keys.heading().as_str()), (200, "Your keys"));
        assert!(keys.notice().starts_with("Welcome."), "{}", keys.notice());
        for path in ["/sign-up", "/sign-in"] {
            assert_eq!(ada.get(path).await.leads_to(), "/dashboard", "{path}");
        }
    }
}

#[tokio::test]
async fn without_https_the_cookie_says_so() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.public_url = "http://rollcall.test".into());
        let mut ada = Guest::new(&server);
        ada.get("/sign-up").await;
        let fields = format!("token={}&username=ada&password=correct+horse+x&again=correct+horse+x", ada.token);
        let answer = ada.post("/sign-up", &[("origin", "http://rollcall.test")], fields.into_bytes()).await;
        assert_eq!(answer.leads_to(), "/dashboard?done=welcome");
        let given = answer.cookies();
        assert!(given[0].starts_with("rollcall=") && given[1].starts_with("rollcall-browser="), "{given:?}");
        assert!(given.iter().all(|cookie| cookie.ends_with("; HttpOnly; SameSite=Lax")), "{given:?}");
        assert_eq!(ada.get("/dashboard").await.status, 200);
    }
}

#[tokio::test]
async fn what_is_refused_says_why_keeps_what_was_typed_and_makes_nothing() {
    const NAME: &str =
        "A username has 3 to 24 letters, digits, hyphens or underscores, and begins with a letter or digit.";
    let long = "x9!Kq".repeat(30);
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut guest = Guest::new(server);
        guest.get("/sign-up").await;
        for (name, password, again, words) in [
            ("", PASSWORD, PASSWORD, NAME),
            ("ab", PASSWORD, PASSWORD, NAME),
            ("refused name", PASSWORD, PASSWORD, NAME),
            ("_refused", PASSWORD, PASSWORD, NAME),
            ("rеfused-cyrillic", PASSWORD, PASSWORD, NAME),
            ("refused\0", PASSWORD, PASSWORD, NAME),
            ("refused-of-twenty-five-chars", PASSWORD, PASSWORD, NAME),
            ("refused-1", PASSWORD, "correct horse battery stapler", "The two passwords are not the same."),
            ("refused-1", "horse", "horse", "A password has at least 10 characters; this one has 5."),
            ("refused-1", &long, &long, "A password has at most 128 characters; this one has 150."),
            ("refused-1", "password123", "password123", "This password is among the first that would be guessed."),
            ("refused-1", "Refused_1!", "Refused_1!", "This password is among the first that would be guessed."),
        ] {
            let fields = [("username", name), ("password", password), ("again", again)];
            let answer = guest.send("/sign-up", &fields).await;
            // PostgreSQL takes no NUL, so nobody does.
            let status = if name.contains('\0') { 400 } else { 422 };
            assert_eq!(answer.status, status, "{name:?} {password}");
            if status == 422 {
                assert!(answer.notice().starts_with(words), "{name:?} {password}: {}", answer.notice());
                assert_eq!(answer.field("username"), name);
            }
            assert!(!answer.html().contains(password), "a password comes back");
            assert!(!exists(server, "refused-1") && !exists(server, name.trim_matches('\0')));
            assert_eq!(guest.get("/dashboard").await.leads_to(), "/sign-in?next=/dashboard");
        }
    }
}

#[tokio::test]
async fn a_name_is_somebodys_however_it_is_written() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        Guest::signed_up(server, "Grace").await;
        for taken in ["Grace", "grace", "GRACE"] {
            let mut guest = Guest::new(server);
            let answer = guest.sign_up(taken).await;
            assert_eq!((answer.status, answer.notice()), (422, format!("The name {taken} is taken.")));
            assert_eq!(guest.get("/dashboard").await.status, 303);
        }
    }
}

/// Whoever is refused may try again without end, so that nothing may be kept of it.
#[tokio::test]
async fn a_name_that_is_taken_leaves_no_picture_behind() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        Guest::signed_up(&server, "ada").await;
        let folder = server.store.path().join("media/avatar");
        let pictures = || std::fs::read_dir(&folder).unwrap().count();
        let before = pictures();
        for _ in 0..5 {
            assert_eq!(Guest::new(&server).sign_up("ada").await.status, 422);
        }
        assert_eq!(pictures(), before);
    }
}

#[tokio::test]
async fn nobody_takes_the_name_of_one_who_only_appears_nor_signs_in_by_it() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let sql = "select username from accounts where n not in (select account_n from logins) order by n";
        let names = server.store.change(|conn| conn.query(sql, &[], |row| row.get::<String>(0)));
        let plain = |name: &&String| rollcall::accounts::policy::check_username(name).is_ok();
        let name = names.iter().find(plain).expect("someone of the community with a plain name");
        for taken in [name, &name.to_uppercase()] {
            let answer = Guest::new(server).sign_up(taken).await;
            assert_eq!((answer.status, answer.notice()), (422, format!("The name {taken} is taken.")));
        }
        let answer = Guest::new(server).sign_in(name, PASSWORD).await;
        assert_eq!((answer.status, answer.notice().as_str()), (422, "The username or the password is wrong."));
    }
}

#[tokio::test]
async fn of_two_who_take_a_name_at_once_one_gets_it() {
    for engine in Engine::BOTH {
        let (mut one, mut other) = (Guest::new(desk(engine)), Guest::new(desk(engine)));
        let (one, other) = tokio::join!(one.sign_up("at-once"), other.sign_up("At-Once"));
        let mut outcomes = [one.status, other.status];
        outcomes.sort_unstable();
        assert_eq!(outcomes, [303, 422]);
    }
}

#[tokio::test]
async fn where_it_is_closed_nobody_signs_up() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.accounts.sign_up = SignUp::Closed);
        let mut guest = Guest::new(&server);
        let page = guest.get("/sign-up").await;
        assert_eq!(page.status, 200);
        assert!(page.html().contains("Signing up is closed here.") && !page.html().contains("<form"));
        let shown = guest.get("/sign-in").await;
        assert!(!shown.html().contains("/sign-up"), "a link that leads nowhere");
        let fields = [("username", "ada"), ("password", PASSWORD), ("again", PASSWORD)];
        let answer = guest.send("/sign-up", &fields).await;
        assert_eq!((answer.status, answer.notice().as_str()), (403, "Signing up is closed here."));
        assert!(!exists(&server, "ada"));
    }
}

#[tokio::test]
async fn an_address_makes_so_many_accounts_a_day() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| {
            behind_a_proxy(config);
            config.accounts.sign_ups_per_day = 2;
        });
        let from = async |address: &str, name: &str| Guest::new(&server).at(address).sign_up(name).await;
        assert_eq!(from("2001:db8::1", "one").await.status, 303);
        // What comes to nothing does not count.
        assert_eq!(from("2001:db8::1", "one").await.status, 422);
        assert_eq!(from("2001:db8::2", "two").await.status, 303);
        let refused = from("2001:db8::3", "three").await;
        let words = "Many accounts were made from your network today. Try again tomorrow.";
        assert_eq!((refused.status, refused.notice().as_str()), (429, words));
        let midnight = (NOW / DAY + 1) * DAY;
        assert_eq!(refused.header("retry-after"), Some(((midnight - NOW) / 1000).to_string().as_str()));
        assert!(!exists(&server, "three"));
        assert_eq!(from("2001:db8:0:1::1", "four").await.status, 303, "another network");
        server.clock.set(midnight);
        assert_eq!(from("2001:db8::3", "three").await.status, 303);
    }
}
