//! Wrong keys are limited per client address; good ones never.

use super::at;
use crate::harness::{Engine, PLENTY, Server, Store, aside, create_key};

const ALLOWED: u32 = 3;

#[tokio::test]
async fn a_flood_of_guesses_is_429_and_holds_up_no_good_key() {
    for engine in Engine::BOTH {
        let now = at("2026-06-03T14:00:30.250Z");
        let store = aside(|| Server::with_keys(engine, &[]).0.crash());
        let server = Server::set_up(store, now, |config| config.gate.wrong_keys_per_minute = ALLOWED);
        let other = Store::new(engine);
        let stranger = {
            other.rollcall(&["migrate"]);
            create_key(&other, PLENTY)
        };
        for (tried, guess) in ["x", "rc_x", &stranger, "rc_y", &stranger, ""].into_iter().enumerate() {
            let answer = server.get_as(guess, "/servers").await;
            if guess.is_empty() {
                // No key is no guess.
                assert_eq!(answer.status, 401);
            } else if (tried as u32) < ALLOWED {
                assert_eq!((answer.status, answer.header("retry-after")), (401, None));
            } else {
                assert_eq!((answer.status, answer.error().as_str()), (429, "Too many requests"));
                assert_eq!(answer.header("retry-after"), Some("30"));
            }
            assert_eq!(server.get("/servers").await.status, 200);
        }
        server.clock.set(at("2026-06-03T14:01:00.250Z"));
        assert_eq!(server.get_as("x", "/servers").await.status, 401);
    }
}
