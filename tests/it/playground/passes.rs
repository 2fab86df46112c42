//! Passes: issuing, use and expiry.

use crate::harness::until;
use futures_util::future::join_all;

use super::*;

#[tokio::test]
async fn a_solution_buys_a_pass_and_a_pass_allows_runs() {
    for engine in Engine::BOTH {
        let server = serving(engine, |_| {});
        let answer = send_solution(&server, &solution(&server).await, &[]).await;
        assert_same_origin_only(&answer);
        let token = answer.data()["pass"].as_str().unwrap().to_owned();
        assert_eq!(answer.data(), json!({"pass": token, "runs": 30, "expiresAt": "2026-06-03T14:10:00.000Z"}));
        let answer = run(&server, &token, "/servers?limit=1").await;
        assert_eq!(answer.status, 200);
        assert_same_origin_only(&answer);
        assert_eq!(answer.json(), server.get("/servers?limit=1").await.json());
        assert_eq!(rate_headers(&answer), [Some(20), Some(19), Some(500), Some(499), Some(29)]);
        assert_eq!(answer.header("vary"), Some("Accept-Encoding, X-Playground-Pass"));
        let answer = run(&server, &token, "/servers?limit=abc").await;
        assert_eq!((answer.status, answer.header("x-playground-runs-left")), (400, Some("28")));
        assert_eq!(answer.error(), "limit must be a whole number from 1 to 100, not \"abc\"");
        assert_same_origin_only(&answer);
    }
}

#[tokio::test]
async fn passes_are_stored_as_hashes() {
    let server = serving(Engine::Sqlite, |_| {});
    let token = pass(&server).await;
    for entry in std::fs::read_dir(server.store.path()).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_file() {
            let bytes = std::fs::read(&entry).unwrap();
            assert_eq!(memchr::memmem::find(&bytes, token.as_bytes()), None, "{}", entry.display());
        }
    }
}

#[tokio::test]
async fn a_pass_has_a_limited_number_of_runs() {
    for engine in Engine::BOTH {
        let server = serving(engine, |config| config.playground.runs_per_check = 2);
        let token = pass(&server).await;
        for left in ["1", "0"] {
            assert_eq!(run(&server, &token, "/servers").await.header("x-playground-runs-left"), Some(left));
        }
        let (status, error) = error_of(&run(&server, &token, "/servers").await);
        assert!(status == 401 && error.ends_with("solve the CAPTCHA again"), "{error}");
        assert_eq!(run(&server, &pass(&server).await, "/servers").await.status, 200);
    }
}

#[tokio::test]
async fn a_pass_expires() {
    for engine in Engine::BOTH {
        let server = serving(engine, |_| {});
        let token = pass(&server).await;
        server.clock.set(NOW + 10 * MINUTE - 1);
        assert_eq!(run(&server, &token, "/servers").await.status, 200);
        server.clock.set(NOW + 10 * MINUTE);
        assert_eq!(error_of(&run(&server, &token, "/servers").await).0, 401);
    }
}

#[tokio::test]
async fn a_pass_is_bound_to_its_network() {
    for engine in Engine::BOTH {
        let server = behind_proxy(engine, |_| {});
        for (whose, same, other) in
            [("192.0.2.1", "192.0.2.1", "192.0.2.2"), ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1")]
        {
            let token = pass_for(&server, &[("x-forwarded-for", whose)]).await;
            for (client, status) in [(whose, 200), (same, 200), (other, 401)] {
                let answer = run_as(&server, &token, "/servers", &[("x-forwarded-for", client)]).await;
                assert_eq!(answer.status, status, "{client}");
            }
        }
    }
}

#[tokio::test]
async fn invalid_passes_are_rejected() {
    let server = serving(Engine::Sqlite, |_| {});
    let token = pass(&server).await;
    let (long, upper) = ("x".repeat(4000), token.to_uppercase());
    for wrong in ["", "x", &token[1..], &format!("{token}0"), &upper, &long, "' or 1=1 --"] {
        assert_eq!(error_of(&run(&server, wrong, "/servers").await).0, 401, "{wrong}");
    }
    let bytes = "GET /playground/v1/servers HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-playground-pass: \u{fc}\r\n\r\n";
    assert!(server.wire(bytes.as_bytes()).starts_with(b"HTTP/1.1 401 "));
    assert_eq!(rows(&server.store, "playground_windows"), 0);
}

#[tokio::test]
async fn passes_and_counts_survive_a_crash() {
    for engine in Engine::BOTH {
        let server = serving(engine, |_| {});
        let token = pass(&server).await;
        assert_eq!(run(&server, &token, "/servers").await.header("x-playground-runs-left"), Some("29"));
        let server = Server::over(server.crash(), NOW);
        let answer = run(&server, &token, "/servers").await;
        assert_eq!(rate_headers(&answer), [Some(20), Some(18), Some(500), Some(498), Some(28)]);
    }
}

#[tokio::test]
async fn concurrent_requests_do_not_exceed_the_runs_of_a_pass() {
    for engine in Engine::BOTH {
        let server = serving(engine, |config| {
            config.playground.runs_per_check = 7;
            config.playground.per_minute = 1000;
        });
        let token = pass(&server).await;
        let statuses = join_all((0..40).map(async |_| run(&server, &token, "/servers").await.status)).await;
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 7, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 33, "{statuses:?}");
        assert_eq!(rate_headers(&run(&server, &pass(&server).await, "/servers").await)[1], Some(1000 - 8));
    }
}

#[tokio::test]
async fn missing_ledger_tables_are_a_500() {
    for engine in Engine::BOTH {
        let server = serving(engine, |_| {});
        let (token, payload) = (pass(&server).await, solution(&server).await);
        run_blocking(|| {
            let mut conn = rollcall_store::Conn::open(&server.store.database.ledger()).unwrap();
            conn.execute_batch("drop table playground_windows; drop table spent_solutions").unwrap();
        });
        for answer in [run(&server, &token, "/servers").await, send_solution(&server, &payload, &[]).await] {
            let (status, error) = error_of(&answer);
            assert_eq!((status, error.as_str()), (500, "Internal server error, try again later"));
        }
    }
}

#[tokio::test]
async fn an_unreachable_ledger_is_a_503() {
    let server = serving(Engine::Sqlite, |_| {});
    let payload = solution(&server).await;
    let file = server.store.path().join("rollcall-ledger.db");
    std::fs::rename(&file, file.with_extension("away")).unwrap();
    until(async || match run(&server, "x", "/servers").await.status {
        503 => Ok(()),
        status => Err(format!("the outage is not detected: {status}")),
    })
    .await;
    let expected = (503, "The service cannot reach its database, try again in a moment".to_owned());
    assert_eq!(error_of(&send_solution(&server, &payload, &[]).await), expected);
}

#[tokio::test]
async fn the_playground_can_be_switched_off() {
    let server = serving(Engine::Sqlite, |config| config.playground.check = rollcall::config::Check::Off);
    let payload = solution(&server).await;
    let off = (404, "The playground is switched off on this server".to_owned());
    assert_eq!(error_of(&send_solution(&server, &payload, &[]).await), off);
    assert_eq!(error_of(&run(&server, "x", "/servers").await), off);
    let page = server.raw(Method::GET, "/playground", &[]).await;
    assert_eq!(page.status, 200);
    assert!(String::from_utf8(page.body).unwrap().contains("switched off"));
}
