//! The CAPTCHA of other pages.

use rollcall::captcha::{Captcha, CaptchaError, Purpose};
use rollcall_store::{Connections, Pool};

use super::*;

#[test]
fn a_solution_works_once_and_only_on_its_page() {
    for engine in Engine::BOTH {
        let server = serving(engine, |_| {});
        let database = &server.store.database;
        let (pool, ledger) = (
            Pool::open(database, Connections::default()).unwrap(),
            Pool::open_ledger(database, Connections::default()).unwrap(),
        );
        server.run(async {
            let captcha = Captcha::open(&pool, ledger, 10).await.unwrap();
            let own = text(&solved(captcha.challenge(Purpose::SignIn, NOW)));
            let asked = text(&solved(challenge(&server, "sign-in").await));
            for payload in [own, asked] {
                assert_eq!(
                    captcha.verify_and_spend(&payload, Purpose::Playground, NOW).await,
                    Err(CaptchaError::WrongPurpose)
                );
                assert_eq!(captcha.verify_and_spend(&payload, Purpose::SignIn, NOW).await, Ok(()));
                assert_eq!(
                    captcha.verify_and_spend(&payload, Purpose::SignIn, NOW).await,
                    Err(CaptchaError::AlreadyUsed)
                );
            }
            let played = solution(&server).await;
            assert_eq!(captcha.verify_and_spend(&played, Purpose::SignIn, NOW).await, Err(CaptchaError::WrongPurpose));
        });
    }
}
