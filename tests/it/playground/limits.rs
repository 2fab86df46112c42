//! Playground limits per IP address, whatever the number of passes.

use super::*;

#[tokio::test]
async fn runs_per_minute_and_day_are_limited_and_reported() {
    for engine in Engine::BOTH {
        let server = serving(engine, |config| {
            config.playground.per_minute = 2;
            config.playground.per_day = 3;
        });
        server.clock.set(NOW + 20_250);
        let token = pass(&server).await;
        for remaining in [1, 0] {
            let answer = run(&server, &token, "/servers").await;
            assert_eq!(answer.status, 200);
            assert_eq!(rate_headers(&answer)[..4], [Some(2), Some(remaining), Some(3), Some(remaining + 1)]);
        }
        let answer = run(&server, &token, "/servers").await;
        let (status, error) = error_of(&answer);
        assert!(status == 429 && error.contains("per minute"), "{error}");
        assert_eq!(
            (answer.header("retry-after"), rate_headers(&answer)),
            (Some("40"), [Some(2), Some(0), Some(3), Some(1), None])
        );
        // Another pass does not help, and a rejected run uses no quota.
        assert_eq!(run(&server, &pass(&server).await, "/servers").await.status, 429);
        server.clock.set(NOW + MINUTE);
        let answer = run(&server, &token, "/servers").await;
        assert_eq!(rate_headers(&answer), [Some(2), Some(1), Some(3), Some(0), Some(27)]);
        let answer = run(&server, &token, "/servers").await;
        let (status, error) = error_of(&answer);
        assert!(status == 429 && error.contains("today"), "{error}");
        // The next UTC day starts ten hours after 14:00, less the minute that has passed.
        assert_eq!(answer.header("retry-after"), Some("35940"));
        server.clock.set(NOW + 10 * 60 * MINUTE);
        assert_eq!(run(&server, &pass(&server).await, "/servers").await.status, 200);
    }
}

#[tokio::test]
async fn the_ip_address_comes_from_the_connection_or_a_trusted_proxy() {
    let narrow = |config: &mut Config| config.playground.per_minute = 1;
    let server = behind_proxy(Engine::Sqlite, narrow);
    for (client, status) in [
        ("192.0.2.1", 200),
        ("192.0.2.1", 429),
        ("198.51.100.7, 192.0.2.1", 429),
        ("192.0.2.2", 200),
        ("2001:db8:1:2::1", 200),
        ("2001:db8:1:2:ffff::9", 429),
        ("2001:db8:1:3::1", 200),
    ] {
        let whose = [("x-forwarded-for", client)];
        let token = pass_for(&server, &whose).await;
        assert_eq!(run_as(&server, &token, "/servers", &whose).await.status, status, "{client}");
    }
    let server = serving(Engine::Sqlite, narrow);
    let token = pass(&server).await;
    for (client, status) in [("192.0.2.1", 200), ("192.0.2.2", 429), ("2001:db8::1", 429)] {
        assert_eq!(run_as(&server, &token, "/servers", &[("x-forwarded-for", client)]).await.status, status);
    }
}

#[tokio::test]
async fn several_servers_over_one_store_share_one_count() {
    let store = empty(Engine::Postgres);
    let narrow = |config: &mut Config| config.playground.per_minute = 3;
    let [one, other] = [Server::set_up(store.clone(), NOW, narrow), Server::set_up(store, NOW, narrow)];
    let token = pass(&one).await;
    for (server, remaining) in [(&one, 2), (&other, 1), (&one, 0)] {
        assert_eq!(rate_headers(&run(server, &token, "/servers").await)[1], Some(remaining));
    }
    assert_eq!(run(&other, &token, "/servers").await.status, 429);
}

#[tokio::test]
async fn captcha_attempts_are_limited_per_ip() {
    let server = serving(Engine::Sqlite, |config| config.playground.checks_per_minute = 3);
    for _ in 0..2 {
        challenge(&server, "playground").await;
    }
    assert_eq!(send_solution(&server, "x", &[]).await.status, 400);
    for answer in
        [send_solution(&server, "x", &[]).await, server.raw(Method::GET, "/human/challenge?for=sign-in", &[]).await]
    {
        let (status, error) = error_of(&answer);
        assert!(status == 429 && error.starts_with("Too many CAPTCHA attempts"), "{error}");
        assert_eq!(answer.header("retry-after"), Some("60"));
    }
    server.clock.set(NOW + MINUTE);
    challenge(&server, "playground").await;
}

#[tokio::test]
async fn expired_rows_are_deleted_in_batches() {
    for engine in Engine::BOTH {
        let server = behind_proxy(engine, |_| {});
        let tables = ["spent_solutions", "playground_passes", "playground_windows"];
        for last in 1..=3 {
            let whose = [("x-forwarded-for", &*format!("192.0.2.{last}"))];
            let token = pass_for(&server, &whose).await;
            assert_eq!(run_as(&server, &token, "/servers", &whose).await.status, 200);
        }
        assert_eq!(tables.map(|table| rows(&server.store, table)), [3, 3, 3]);
        server.clock.set(NOW + 3 * 24 * 60 * MINUTE);
        run(&server, &pass(&server).await, "/servers").await;
        assert_eq!(tables.map(|table| rows(&server.store, table)), [1, 1, 1]);
    }
}
