//! Limits on guessing passwords, without locking out the owner.

use rollcall::config::Config;
use rollcall_model::time::MINUTE;

use super::behind_a_proxy;
use crate::harness::{Browser, Engine, NOW, PASSWORD, Server, TestResponse};
use crate::playground::solution_for;

/// Longer than any password: rejected without hashing, and counted like any other wrong password.
const WRONG: &str = match std::str::from_utf8(&[b'x'; 129]) {
    Ok(text) => text,
    Err(_) => panic!(),
};
/// Attempts by unknown browsers per account and 15 minutes.
const PER_ACCOUNT: usize = 10;

fn three_per_minute(config: &mut Config) {
    behind_a_proxy(config);
    config.accounts.wrong_passwords_per_minute = 3;
}

async fn guess(server: &Server, address: &str, name: &str, password: &str) -> TestResponse {
    Browser::new(server).at(address).sign_in(name, password).await
}

#[tokio::test]
async fn wrong_passwords_are_limited_per_ip_across_accounts() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, three_per_minute);
        server.clock.set(NOW + 15_250);
        Browser::signed_up(&server, "ada").await;
        for name in ["ada", "nobody", "ada"] {
            assert_eq!(guess(&server, "2001:db8::1", name, WRONG).await.status, 422);
        }
        // An IPv6 network counts as one client.
        for address in ["2001:db8::1", "2001:db8::ffff:1"] {
            let refused = guess(&server, address, "ada", PASSWORD).await;
            assert_eq!((refused.status, refused.header("retry-after")), (429, Some("45")));
            assert!(refused.notice().starts_with("There were many failed sign-ins from your network."));
            assert!(refused.html().contains("<rc-human") && refused.html().contains("try again in 1 minute."));
        }
        assert_eq!(guess(&server, "2001:db8:0:1::1", "ada", PASSWORD).await.status, 303);
        server.clock.set(NOW + MINUTE);
        assert_eq!(guess(&server, "2001:db8::1", "ada", PASSWORD).await.status, 303);
    }
}

/// A school or an office behind one address: one wrong guesser does not lock out the others.
#[tokio::test]
async fn a_shared_ip_address_is_not_locked_out() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, three_per_minute);
        let school = "192.0.2.7";
        let mut ada = Browser::new(&server).at(school);
        assert_eq!(ada.sign_up("ada").await.status, 303);
        ada.get("/dashboard").await;
        ada.send("/sign-out", &[]).await;
        Browser::signed_up(&server, "bob").await;
        for name in ["carl", "dora", "eve"] {
            assert_eq!(guess(&server, school, name, WRONG).await.status, 422);
        }
        assert_eq!(ada.sign_in("ada", PASSWORD).await.status, 303, "a known browser");
        let mut bob = Browser::new(&server).at(school);
        assert_eq!(bob.sign_in("bob", PASSWORD).await.status, 429, "an unknown browser");
        // A proof is for one attempt, and does not reset the count of the address.
        for (password, status) in [(WRONG, 422), (PASSWORD, 303)] {
            let proof = solution_for(&server, "sign-in").await;
            bob.get("/sign-in").await;
            let fields = [("username", "bob"), ("password", password), ("human", &proof)];
            assert_eq!(bob.send("/sign-in", &fields).await.status, status, "{password}");
        }
        assert_eq!(guess(&server, school, "bob", PASSWORD).await.status, 429);
        assert_eq!(guess(&server, "198.51.100.9", "bob", PASSWORD).await.status, 303, "another network");
    }
}

/// Verifying a solution takes CPU, also of a wrong one.
#[tokio::test]
async fn solutions_are_limited_per_ip() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| {
            three_per_minute(config);
            config.playground.checks_per_minute = 2;
        });
        for name in ["a-one", "a-two", "a-three"] {
            guess(&server, "192.0.2.7", name, WRONG).await;
        }
        let mut browser = Browser::new(&server).at("192.0.2.7");
        for expected in ["The CAPTCHA solution is malformed", "The CAPTCHA solution is malformed", "Too many CAPTCHA"] {
            browser.get("/sign-in").await;
            let fields = [("username", "bob"), ("password", WRONG), ("human", "{}")];
            let refused = browser.send("/sign-in", &fields).await;
            assert_eq!(refused.status, 429);
            assert!(refused.notice().starts_with(expected), "{}", refused.notice());
        }
    }
}

#[tokio::test]
async fn right_passwords_are_not_counted() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, three_per_minute);
        Browser::signed_up(&server, "ada").await;
        for _ in 0..5 {
            assert_eq!(guess(&server, "192.0.2.1", "ada", PASSWORD).await.status, 303);
        }
    }
}

#[tokio::test]
async fn a_forged_x_forwarded_for_does_not_help() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.accounts.wrong_passwords_per_minute = 3);
        for tried in 0..5 {
            let status = guess(&server, &format!("192.0.2.{tried}"), "ada", WRONG).await.status;
            assert_eq!(status, if tried < 3 { 422 } else { 429 });
        }
    }
}

#[tokio::test]
async fn a_distributed_attack_is_throttled_and_the_owner_can_still_log_in() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut ada = Browser::signed_up(&server, "ada").await;
        Browser::signed_up(&server, "bob").await;
        ada.send("/sign-out", &[]).await;
        for i in 0..PER_ACCOUNT {
            // Usernames are case-insensitive.
            let name = if i % 2 == 0 { "ada" } else { "ADA" };
            assert_eq!(guess(&server, &format!("192.0.2.{i}"), name, WRONG).await.status, 422);
        }
        let refused = guess(&server, "198.51.100.1", "ada", PASSWORD).await;
        assert_eq!(refused.status, 429);
        assert!(refused.notice().starts_with("There were many failed sign-ins to this account"));
        // Unknown usernames are treated alike, so they cannot be told apart.
        for i in 0..PER_ACCOUNT {
            assert_eq!(guess(&server, &format!("192.0.2.{i}"), "nobody", WRONG).await.status, 422);
        }
        let unknown = guess(&server, "198.51.100.1", "nobody", PASSWORD).await;
        assert_eq!((unknown.status, unknown.notice()), (429, refused.notice()));
        assert_eq!(
            guess(&server, "198.51.100.1", "bob", PASSWORD).await.status,
            303,
            "another account is not affected"
        );
        assert_eq!(ada.sign_in("ada", PASSWORD).await.status, 303, "a browser that ada signed in with before");
        // A browser is known to one account only.
        let mut bob = Browser::signed_in(&server, "bob").await;
        bob.send("/sign-out", &[]).await;
        assert_eq!(bob.sign_in("ada", PASSWORD).await.status, 429);
        server.clock.set(NOW + 15 * MINUTE);
        assert_eq!(guess(&server, "198.51.100.1", "ada", PASSWORD).await.status, 303);
    }
}

#[tokio::test]
async fn a_proof_of_work_lets_the_owner_in_during_an_attack() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        Browser::signed_up(&server, "ada").await;
        for i in 0..PER_ACCOUNT {
            assert_eq!(guess(&server, &format!("192.0.2.{i}"), "ada", WRONG).await.status, 422);
        }
        let mut ada = Browser::new(&server).at("198.51.100.7");
        let proof = solution_for(&server, "sign-in").await;
        // A proof replaces no password and works for one attempt.
        for (human, password, status) in [
            ("", PASSWORD, 429),
            ("{}", PASSWORD, 429),
            (&solution_for(&server, "playground").await, PASSWORD, 429),
            (&proof, WRONG, 422),
            (&proof, PASSWORD, 429),
            (&solution_for(&server, "sign-in").await, PASSWORD, 303),
        ] {
            ada.get("/sign-in").await;
            let fields = [("username", "ada"), ("password", password), ("human", human)];
            assert_eq!(ada.send("/sign-in", &fields).await.status, status, "{human} {password}");
        }
        assert_eq!(ada.get("/dashboard").await.status, 200);
    }
}

#[tokio::test]
async fn known_browsers_are_throttled_too() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut ada = Browser::signed_up(&server, "ada").await;
        ada.send("/sign-out", &[]).await;
        for _ in 0..PER_ACCOUNT {
            assert_eq!(ada.sign_in("ada", WRONG).await.status, 422);
        }
        let refused = ada.sign_in("ada", PASSWORD).await;
        assert_eq!((refused.status, refused.header("retry-after")), (429, Some("900")));
        assert_eq!(refused.notice(), "Too many failed attempts. Try again in 15 minutes.");
    }
}

/// Attempts are counted before they are checked, so concurrent requests do not exceed the limit.
#[tokio::test]
async fn concurrent_attempts_do_not_exceed_the_limit() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut stranger = Browser::new(&server);
        stranger.get("/sign-in").await;
        let tries = (0..100).map(|i| {
            let mut browser = stranger.clone().at(&format!("198.51.100.{i}"));
            async move { browser.send("/sign-in", &[("username", "ada"), ("password", WRONG)]).await.status }
        });
        let outcomes = futures_util::future::join_all(tries).await;
        let count = |status| outcomes.iter().filter(|outcome| **outcome == status).count();
        assert_eq!((count(422), count(429)), (PER_ACCOUNT, 100 - PER_ACCOUNT));
    }
}

/// A username such as `code of ada` must not use up the counter for codes of `ada`.
#[tokio::test]
async fn usernames_do_not_collide_with_other_counters() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let secret = super::second_factor::enable(&mut ada).await.0;
        for i in 0..PER_ACCOUNT {
            assert_eq!(guess(&server, &format!("192.0.2.{i}"), "code of ada", WRONG).await.status, 422);
        }
        server.clock.set(NOW + MINUTE);
        let mut elsewhere = Browser::new(&server);
        assert_eq!(elsewhere.sign_in("ada", PASSWORD).await.redirect_target(), "/sign-in/code?next=/dashboard");
        let code = super::second_factor::code(&secret, NOW + MINUTE);
        assert_eq!(super::second_factor::submit_code(&mut elsewhere, &code).await.status, 200);
    }
}
