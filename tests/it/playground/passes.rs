//! What a pass is good for.

use futures_util::future::join_all;

use super::*;

#[tokio::test]
async fn a_check_buys_a_pass_and_a_pass_runs() {
    for engine in Engine::BOTH {
        let server = serving(engine, |_| {});
        let answer = hand_in(&server, &solution(&server).await, &[]).await;
        assert_closed(&answer);
        let token = answer.data()["pass"].as_str().unwrap().to_owned();
        assert_eq!(answer.data(), json!({"pass": token, "runs": 30, "expiresAt": "2026-06-03T14:10:00.000Z"}));
        let answer = run(&server, &token, "/servers?limit=1").await;
        assert_eq!(answer.status, 200);
        assert_closed(&answer);
        assert_eq!(answer.json(), server.get("/servers?limit=1").await.json());
        assert_eq!(told(&answer), [Some(20), Some(19), Some(500), Some(499), Some(29)]);
        assert_eq!(answer.header("vary"), Some("Accept-Encoding, X-Playground-Pass"));
        let answer = run(&server, &token, "/servers?limit=abc").await;
        assert_eq!((answer.status, answer.header("x-playground-runs-left")), (400, Some("28")));
        assert_eq!(answer.error(), "limit must be a whole number from 1 to 100, not \"abc\"");
        assert_closed(&answer);
    }
}

#[tokio::test]
async fn neither_the_pass_nor_the_solution_is_kept_as_it_is() {
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
async fn a_pass_runs_out() {
    for engine in Engine::BOTH {
        let server = serving(engine, |config| config.playground.runs_per_check = 2);
        let token = pass(&server).await;
        for left in ["1", "0"] {
            assert_eq!(run(&server, &token, "/servers").await.header("x-playground-runs-left"), Some(left));
        }
        let (status, error) = refusal(&run(&server, &token, "/servers").await);
        assert!(status == 401 && error.ends_with("solve the check again"), "{error}");
        assert_eq!(run(&server, &pass(&server).await, "/servers").await.status, 200);
    }
}

#[tokio::test]
async fn a_pass_ends_with_its_time() {
    for engine in Engine::BOTH {
        let server = serving(engine, |_| {});
        let token = pass(&server).await;
        server.clock.set(NOW + 10 * MINUTE - 1);
        assert_eq!(run(&server, &token, "/servers").await.status, 200);
        server.clock.set(NOW + 10 * MINUTE);
        assert_eq!(refusal(&run(&server, &token, "/servers").await).0, 401);
    }
}

#[tokio::test]
async fn a_pass_is_its_visitors_alone() {
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
async fn what_is_no_pass_is_refused() {
    let server = serving(Engine::Sqlite, |_| {});
    let token = pass(&server).await;
    let (long, upper) = ("x".repeat(4000), token.to_uppercase());
    for wrong in ["", "x", &token[1..], &format!("{token}0"), &upper, &long, "' or 1=1 --"] {
        assert_eq!(refusal(&run(&server, wrong, "/servers").await).0, 401, "{wrong}");
    }
    let bytes =
        "GET /playground/v1/servers HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-playground-pass: \u{fc}\r\n\r\n";
    assert!(server.wire(bytes.as_bytes()).starts_with(b"HTTP/1.1 401 "));
    assert_eq!(rows(&server.store, "playground_windows"), 0);
}

#[tokio::test]
async fn a_pass_and_what_it_used_outlive_a_crash() {
    for engine in Engine::BOTH {
        let server = serving(engine, |_| {});
        let token = pass(&server).await;
        assert_eq!(run(&server, &token, "/servers").await.header("x-playground-runs-left"), Some("29"));
        let server = Server::over(server.crash(), NOW);
        let answer = run(&server, &token, "/servers").await;
        assert_eq!(told(&answer), [Some(20), Some(18), Some(500), Some(498), Some(28)]);
    }
}

#[tokio::test]
async fn the_last_runs_go_to_as_many_as_there_are_however_many_ask_at_once() {
    for engine in Engine::BOTH {
        let server = serving(engine, |config| {
            config.playground.runs_per_check = 7;
            config.playground.per_minute = 1000;
        });
        let token = pass(&server).await;
        let statuses = join_all((0..40).map(async |_| run(&server, &token, "/servers").await.status)).await;
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 7, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 33, "{statuses:?}");
        assert_eq!(told(&run(&server, &pass(&server).await, "/servers").await)[1], Some(1000 - 8));
    }
}

#[tokio::test]
async fn without_its_ledger_nobody_gets_in() {
    for engine in Engine::BOTH {
        let server = serving(engine, |_| {});
        let (token, payload) = (pass(&server).await, solution(&server).await);
        aside(|| {
            let mut conn = rollcall_store::Conn::open(&server.store.database.ledger()).unwrap();
            conn.batch("drop table playground_windows; drop table spent_solutions").unwrap();
        });
        for answer in [run(&server, &token, "/servers").await, hand_in(&server, &payload, &[]).await] {
            let (status, error) = refusal(&answer);
            assert_eq!((status, error.as_str()), (500, "Internal server error, try again later"));
        }
    }
}

#[tokio::test]
async fn a_ledger_out_of_reach_is_a_503() {
    let server = serving(Engine::Sqlite, |_| {});
    let payload = solution(&server).await;
    let file = server.store.path().join("rollcall-ledger.db");
    std::fs::rename(&file, file.with_extension("away")).unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while run(&server, "x", "/servers").await.status != 503 {
        assert!(std::time::Instant::now() < deadline, "it does not notice");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let told = (503, "The service cannot reach its store, try again in a moment".to_owned());
    assert_eq!(refusal(&hand_in(&server, &payload, &[]).await), told);
}

#[tokio::test]
async fn switched_off_it_is_off_everywhere() {
    let server = serving(Engine::Sqlite, |config| config.playground.check = rollcall::config::Check::Off);
    let payload = solution(&server).await;
    let off = (404, "The playground is switched off on this server".to_owned());
    assert_eq!(refusal(&hand_in(&server, &payload, &[]).await), off);
    assert_eq!(refusal(&run(&server, "x", "/servers").await), off);
    let page = server.raw(Method::GET, "/playground", &[]).await;
    assert_eq!(page.status, 200);
    assert!(String::from_utf8(page.body).unwrap().contains("switched off"));
}
