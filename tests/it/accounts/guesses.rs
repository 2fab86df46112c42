//! How often anyone may guess a password, and that nobody is locked out by it.

use rollcall::config::Config;
use rollcall_model::time::MINUTE;

use super::behind_a_proxy;
use crate::harness::{Answer, Engine, Guest, NOW, PASSWORD, Server};
use crate::playground::solution_for;

/// Longer than any password: it is wrong without the work that a shorter one takes, and counts all the same.
const WRONG: &str = match std::str::from_utf8(&[b'x'; 129]) {
    Ok(text) => text,
    Err(_) => panic!(),
};
/// What strangers may try per account and quarter of an hour.
const PER_ACCOUNT: usize = 10;

fn three_a_minute(config: &mut Config) {
    behind_a_proxy(config);
    config.accounts.wrong_passwords_per_minute = 3;
}

async fn guess(server: &Server, address: &str, name: &str, password: &str) -> Answer {
    Guest::new(server).at(address).sign_in(name, password).await
}

#[tokio::test]
async fn an_address_guesses_so_often_a_minute_whatever_the_account() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, three_a_minute);
        server.clock.set(NOW + 15_250);
        Guest::signed_up(&server, "ada").await;
        for name in ["ada", "nobody", "ada"] {
            assert_eq!(guess(&server, "2001:db8::1", name, WRONG).await.status, 422);
        }
        // Another address of the same network is no other.
        for address in ["2001:db8::1", "2001:db8::ffff:1"] {
            let refused = guess(&server, address, "ada", PASSWORD).await;
            assert_eq!((refused.status, refused.header("retry-after")), (429, Some("45")));
            assert_eq!(refused.notice(), "Too many wrong tries. Wait a minute, then try again.");
        }
        assert_eq!(guess(&server, "2001:db8:0:1::1", "ada", PASSWORD).await.status, 303);
        server.clock.set(NOW + MINUTE);
        assert_eq!(guess(&server, "2001:db8::1", "ada", PASSWORD).await.status, 303);
    }
}

#[tokio::test]
async fn a_right_password_is_no_guess() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, three_a_minute);
        Guest::signed_up(&server, "ada").await;
        for _ in 0..5 {
            assert_eq!(guess(&server, "192.0.2.1", "ada", PASSWORD).await.status, 303);
        }
    }
}

#[tokio::test]
async fn an_address_that_a_stranger_makes_up_does_not_help() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.accounts.wrong_passwords_per_minute = 3);
        for tried in 0..5 {
            let status = guess(&server, &format!("192.0.2.{tried}"), "ada", WRONG).await.status;
            assert_eq!(status, if tried < 3 { 422 } else { 429 });
        }
    }
}

#[tokio::test]
async fn strangers_everywhere_cannot_guess_on_and_the_owner_is_not_held_up() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut ada = Guest::signed_up(&server, "ada").await;
        Guest::signed_up(&server, "bob").await;
        ada.send("/sign-out", &[]).await;
        for i in 0..PER_ACCOUNT {
            // In whatever case the name is written.
            let name = if i % 2 == 0 { "ada" } else { "ADA" };
            assert_eq!(guess(&server, &format!("192.0.2.{i}"), name, WRONG).await.status, 422);
        }
        let refused = guess(&server, "198.51.100.1", "ada", PASSWORD).await;
        assert_eq!(refused.status, 429);
        assert!(refused.notice().starts_with("Somebody has guessed at this account a lot"));
        // A name that nobody has is treated alike, or it would tell which names there are.
        for i in 0..PER_ACCOUNT {
            assert_eq!(guess(&server, &format!("192.0.2.{i}"), "nobody", WRONG).await.status, 422);
        }
        let unknown = guess(&server, "198.51.100.1", "nobody", PASSWORD).await;
        assert_eq!((unknown.status, unknown.notice()), (429, refused.notice()));
        assert_eq!(guess(&server, "198.51.100.1", "bob", PASSWORD).await.status, 303, "another account");
        assert_eq!(ada.sign_in("ada", PASSWORD).await.status, 303, "a browser that ada signed in with before");
        // Bob's browser is no friend of ada's.
        let mut bob = Guest::signed_in(&server, "bob").await;
        bob.send("/sign-out", &[]).await;
        assert_eq!(bob.sign_in("ada", PASSWORD).await.status, 429);
        server.clock.set(NOW + 15 * MINUTE);
        assert_eq!(guess(&server, "198.51.100.1", "ada", PASSWORD).await.status, 303);
    }
}

#[tokio::test]
async fn a_proof_of_work_lets_the_owner_in_from_a_new_place_while_others_guess() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        Guest::signed_up(&server, "ada").await;
        for i in 0..PER_ACCOUNT {
            assert_eq!(guess(&server, &format!("192.0.2.{i}"), "ada", WRONG).await.status, 422);
        }
        let mut ada = Guest::new(&server).at("198.51.100.7");
        let proof = solution_for(&server, "sign-in").await;
        // It is no password, and good for one try.
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
async fn a_known_browser_may_not_guess_for_ever_either() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut ada = Guest::signed_up(&server, "ada").await;
        ada.send("/sign-out", &[]).await;
        for _ in 0..PER_ACCOUNT {
            assert_eq!(ada.sign_in("ada", WRONG).await.status, 422);
        }
        let refused = ada.sign_in("ada", PASSWORD).await;
        assert_eq!((refused.status, refused.header("retry-after")), (429, Some("900")));
        assert_eq!(refused.notice(), "Too many wrong tries. Wait 15 minutes, then try again.");
    }
}

/// Each try is counted before it is looked at, so that no more than are allowed are told right or wrong, however many
/// come in the same moment.
#[tokio::test]
async fn a_hundred_at_once_are_no_way_around() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut stranger = Guest::new(&server);
        stranger.get("/sign-in").await;
        let tries = (0..100).map(|i| {
            let mut guest = stranger.clone().at(&format!("198.51.100.{i}"));
            async move { guest.send("/sign-in", &[("username", "ada"), ("password", WRONG)]).await.status }
        });
        let outcomes = futures_util::future::join_all(tries).await;
        let count = |status| outcomes.iter().filter(|outcome| **outcome == status).count();
        assert_eq!((count(422), count(429)), (PER_ACCOUNT, 100 - PER_ACCOUNT));
    }
}

/// Strangers who fill up the names `/sign-in` counts by must not thereby fill up what codes are counted by.
#[tokio::test]
async fn no_name_stands_for_anything_else_that_is_counted() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut ada = Guest::signed_up(&server, "ada").await;
        let secret = super::second_factor::switch_on(&mut ada).await.0;
        for i in 0..PER_ACCOUNT {
            assert_eq!(guess(&server, &format!("192.0.2.{i}"), "code of ada", WRONG).await.status, 422);
        }
        server.clock.set(NOW + MINUTE);
        let mut elsewhere = Guest::new(&server);
        assert_eq!(elsewhere.sign_in("ada", PASSWORD).await.leads_to(), "/sign-in/code?next=/dashboard");
        let code = super::second_factor::code(&secret, NOW + MINUTE);
        assert_eq!(super::second_factor::give(&mut elsewhere, &code).await.status, 303);
    }
}
