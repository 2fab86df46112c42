//! Encryption of TOTP secrets in the store.

use std::sync::Arc;

use rollcall_model::time::MINUTE;
use rollcall_store::accounts;

use super::second_factor::{code, enable, submit_code};
use crate::cli::complaint;
use crate::harness::{Browser, Engine, NOW, PASSWORD, Server, Store};

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const OTHER_KEY: &str = "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100";
const VARIABLE: &str = "ROLLCALL_ACCOUNTS_SECOND_FACTOR_KEY";

fn with_key(store: Arc<Store>, now: i64) -> Server {
    Server::set_up(store, now, |config| config.accounts.second_factor_key = KEY.into())
}

fn stored_secret(server: &Server, name: &str) -> String {
    let account = server.store.change(|conn| accounts::find(conn, name));
    account.and_then(|account| account.second_factor).expect("a second factor")
}

/// The message of a server that does not start.
fn refusal(store: &Store, key: Option<&str>) -> String {
    let mut command = store.command(&["serve", "--listen", "127.0.0.1:0"]);
    let output = command.envs(key.map(|key| (VARIABLE, key))).output().expect("the program starts");
    complaint(&output, 1).to_owned()
}

#[tokio::test]
async fn secrets_are_encrypted_with_the_first_start_that_has_a_key() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let (secret, _) = enable(&mut ada).await;
        assert_eq!(stored_secret(&server, "ada"), secret, "without a key: plain text");
        let store = server.crash();
        let server = with_key(store, NOW + MINUTE);
        assert!(stored_secret(&server, "ada").starts_with("v1:") && !stored_secret(&server, "ada").contains(&secret));
        let mut browser = Browser::new(&server);
        browser.sign_in("ada", PASSWORD).await;
        assert_eq!(submit_code(&mut browser, &code(&secret, NOW + MINUTE)).await.status, 200);
        // New secrets are encrypted as well.
        let mut bob = Browser::signed_up(&server, "bob").await;
        let (bobs, _) = enable(&mut bob).await;
        assert!(stored_secret(&server, "bob").starts_with("v1:"));
        let server = with_key(server.crash(), NOW + 2 * MINUTE);
        let mut browser = Browser::new(&server);
        browser.sign_in("bob", PASSWORD).await;
        assert_eq!(submit_code(&mut browser, &code(&bobs, NOW + 2 * MINUTE)).await.status, 200);
    }
}

#[tokio::test]
async fn a_missing_or_wrong_key_is_an_error_at_the_start() {
    for engine in Engine::BOTH {
        let server = with_key(Server::empty(engine).crash(), NOW);
        let mut ada = Browser::signed_up(&server, "ada").await;
        enable(&mut ada).await;
        let store = server.crash();
        let missing = refusal(&store, None);
        assert!(missing.contains("neither accounts.second_factor_key nor"), "{missing}");
        let wrong = refusal(&store, Some(OTHER_KEY));
        assert!(wrong.contains("was encrypted with another key"), "{wrong}");
        for message in [missing, wrong] {
            assert!(message.contains("--without-second-factor"), "{message}");
        }
        let malformed = refusal(&store, Some("123"));
        assert!(malformed.contains("must hold 64 hexadecimal digits") && !malformed.contains("123"), "{malformed}");
        // The way out that the message names.
        assert!(store.rollcall(&["account", "password", "ada", "--without-second-factor"]).status.success());
        Server::over(store, NOW);
    }
}
