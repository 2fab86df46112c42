//! What other pages use of the check: a solution is spent by itself.

use rollcall::captcha::{Human, Purpose, Refused};
use rollcall_store::Pool;

use super::*;

#[test]
fn a_solution_for_another_page_is_spent_once_there_and_never_here() {
    for engine in Engine::BOTH {
        let server = serving(engine, |_| {});
        let database = &server.store.database;
        let (pool, ledger) = (Pool::open(database).unwrap(), Pool::open_ledger(database).unwrap());
        server.run(async {
            let human = Human::open(&pool, ledger, 10).await.unwrap();
            let own = text(&solved(human.challenge(Purpose::SignIn, NOW)));
            let asked = text(&solved(challenge(&server, "sign-in").await));
            for payload in [own, asked] {
                assert_eq!(human.spend(&payload, Purpose::Playground, NOW).await, Err(Refused::Elsewhere));
                assert_eq!(human.spend(&payload, Purpose::SignIn, NOW).await, Ok(()));
                assert_eq!(human.spend(&payload, Purpose::SignIn, NOW).await, Err(Refused::Spent));
            }
            let played = solution(&server).await;
            assert_eq!(human.spend(&played, Purpose::SignIn, NOW).await, Err(Refused::Elsewhere));
        });
    }
}
