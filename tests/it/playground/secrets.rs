//! The secret that signs challenges: created once, shared, replaced only on request.

use super::*;
use crate::cli::complaint;
use crate::harness::{Program, until};

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

fn secret(store: &Store) -> Option<String> {
    store.change(|conn| rollcall_store::captcha_secret::get(conn, "human"))
}

fn printed(output: std::process::Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_secret_is_created_with_the_schema_and_kept() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        printed(store.rollcall(&["migrate"]));
        let first = secret(&store).expect("a secret");
        assert!(first.len() == 64 && first.bytes().all(|byte| byte.is_ascii_hexdigit()), "{first}");
        printed(store.rollcall(&["migrate"]));
        drop(Program::start(store.command(&SERVE)));
        assert_eq!(secret(&store), Some(first.clone()));
        let other = Store::new(engine);
        printed(other.rollcall(&["migrate"]));
        assert_ne!(secret(&other), Some(first));
    }
}

#[test]
fn the_server_does_not_start_without_a_secret() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        printed(store.rollcall(&["migrate"]));
        for loss in ["delete from secrets", "insert into secrets (name, value) values ('human', 'abcdef')"] {
            store.change(|conn| conn.execute_batch(loss));
            let before = secret(&store);
            let expected = "the captcha secret is missing from the store or shorter than 32 bytes; \
                        `rollcall playground new-secret` creates a new one";
            for args in [&SERVE[..], &["migrate"]] {
                let output = store.rollcall(args);
                if args[0] == "serve" {
                    assert_eq!(complaint(&output, 1), expected);
                }
                assert_eq!(secret(&store), before, "the secret was replaced");
            }
        }
        assert!(
            printed(store.rollcall(&["playground", "new-secret"]))
                .starts_with("Replaced the secret of the human check.")
        );
        assert_eq!(secret(&store).map(|secret| secret.len()), Some(64));
        drop(Program::start(store.command(&SERVE)));
    }
}

#[test]
fn the_demo_needs_the_secret_too() {
    let store = Store::new(Engine::Sqlite);
    printed(store.rollcall(&["migrate"]));
    store.change(|conn| conn.execute_batch("delete from secrets"));
    let output = store.rollcall(&["demo", "--listen", "127.0.0.1:0"]);
    assert!(complaint(&output, 1).contains("`rollcall playground new-secret` creates a new one"));
}

#[tokio::test]
async fn a_new_secret_voids_open_challenges_of_running_servers() {
    for engine in Engine::BOTH {
        let server = serving(engine, |_| {});
        let token = pass(&server).await;
        let before = secret(&server.store);
        // Sends a wrong solution, which is not spent, until the server has the new secret.
        let payload = solved(challenge(&server, "playground").await);
        printed(server.store.rollcall(&["playground", "new-secret"]));
        assert_ne!(secret(&server.store), before);
        let wrong = with(&payload, "/solution/counter", json!(payload.solution.counter + 1));
        until(async || match error_of(&send_solution(&server, &wrong, &[]).await).1 {
            error if error.contains("altered") => Ok(()),
            error => Err(format!("the server does not pick up the new secret: {error}")),
        })
        .await;
        assert!(error_of(&send_solution(&server, &text(&payload), &[]).await).1.contains("altered"));
        // Passes stay valid.
        assert_eq!(run(&server, &token, "/servers").await.status, 200);
        assert_eq!(send_solution(&server, &solution(&server).await, &[]).await.status, 200);
    }
}

#[test]
fn new_secret_does_not_create_a_store() {
    let store = Store::new(Engine::Sqlite);
    let output = store.rollcall(&["playground", "new-secret"]);
    assert!(complaint(&output, 1).starts_with("no store at "));
}

#[test]
fn a_provider_needs_both_keys() {
    let store = Store::new(Engine::Sqlite);
    for (check, more) in [("turnstile", None), ("hcaptcha", Some(("ROLLCALL_PLAYGROUND_SITE_KEY", "x")))] {
        let mut command = store.command(&SERVE);
        command.env("ROLLCALL_PLAYGROUND_CHECK", check).envs(more);
        let output = command.output().unwrap();
        let expected = format!("playground.check = \"{check}\" needs playground.site_key and playground.secret_key");
        assert!(complaint(&output, 2).contains(&expected), "{}", complaint(&output, 2));
    }
}

#[test]
fn a_backup_has_the_secret_and_no_passes() {
    let server = serving(Engine::Sqlite, |_| {});
    let payload = server.run(async {
        let payload = solution(&server).await;
        let token = send_solution(&server, &payload, &[]).await.data()["pass"].as_str().unwrap().to_owned();
        assert_eq!(run(&server, &token, "/servers").await.status, 200);
        payload
    });
    let file = server.store.path().join("copy.db");
    printed(server.store.rollcall(&["backup", file.to_str().unwrap()]));
    let after = Store::new(Engine::Sqlite);
    printed(after.rollcall(&["restore", file.to_str().unwrap()]));
    assert_eq!(secret(&after), secret(&server.store));
    let tables = ["playground_passes", "playground_windows", "spent_solutions"];
    assert_eq!(tables.map(|table| rows(&after, table)), [0, 0, 1]);
    let again = Server::over(after, NOW);
    assert_eq!(again.run(send_solution(&again, &payload, &[])).status, 409);
}
