//! `rollcall account`

use std::io::Write;
use std::process::{Output, Stdio};

use rollcall_model::clock::Clock;
use serde_json::{Value, json};

use super::{complaint, printed, stderr, stdout};
use crate::harness::{Browser, Engine, PASSWORD, Server, Store};

fn account(store: &Store, args: &[&str]) -> Output {
    store.rollcall(&[&["account"], args].concat())
}

/// The same with a line on standard input.
fn account_with_stdin(store: &Store, args: &[&str], line: &str) -> Output {
    let mut command = store.command(&[&["account"], args].concat());
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // It may end without reading.
    let _ = child.stdin.take().expect("piped").write_all(line.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn list(store: &Store) -> Value {
    serde_json::from_str(printed(&account(store, &["list", "--json"]))).expect("JSON")
}

/// A server with the same clock as the commands.
fn server(engine: Engine) -> Server {
    let server = Server::empty(engine);
    server.clock.set(Clock::System.now());
    server
}

#[tokio::test]
async fn create_prints_a_password_that_works_and_nothing_else() {
    for engine in Engine::BOTH {
        let server = server(engine);
        let (ada, root) =
            (account(&server.store, &["create", "Ada"]), account(&server.store, &["create", "root", "--admin"]));
        for (output, name) in [(&ada, "ada"), (&root, "root")] {
            assert_eq!(stderr(output), "");
            let password = printed(output).strip_suffix('\n').expect("a line");
            assert!(password.len() >= 20 && !password.contains(char::is_whitespace), "{password}");
            let mut browser = Browser::new(&server);
            assert_eq!(browser.sign_in(name, password).await.redirect_target(), "/dashboard");
            // Its user must replace it first.
            assert_eq!(browser.get("/operator").await.redirect_target(), "/dashboard/account/password");
        }
        assert_ne!(stdout(&ada), stdout(&root));
    }
}

#[tokio::test]
async fn a_given_password_is_not_printed() {
    for engine in Engine::BOTH {
        let server = server(engine);
        let output = account_with_stdin(
            &server.store,
            &["create", "ada", "--password-stdin", "--permanent"],
            "correct horse battery staple\r\n",
        );
        assert_eq!((printed(&output), stderr(&output)), ("", ""));
        Browser::signed_in(&server, "ada").await;
    }
}

#[test]
fn invalid_names_and_passwords_are_usage_errors_and_names_are_unique() {
    let store = Store::new(Engine::Sqlite);
    for name in ["ab", "a b", "_ada", "ada!", "abcdefghijklmnopqrstuvwxy"] {
        let message = complaint_of(&account(&store, &["create", name]));
        assert!(message.starts_with("The username must have 3 to 24 letters"), "{message}");
    }
    for password in ["short\n", "password123\n", "\n", ""] {
        let output = account_with_stdin(&store, &["create", "ada", "--password-stdin"], password);
        assert!(complaint_of(&output).contains("password"), "{}", stderr(&output));
    }
    assert_eq!(std::fs::read_dir(store.path()).unwrap().count(), 0, "nothing was made");
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        printed(&account(&store, &["create", "ada"]));
        let message = complaint(&account(&store, &["create", "ADA"]), 1).to_owned();
        assert_eq!(message, "the username \"ADA\" is taken");
        for verb in ["password", "disable", "enable", "delete"] {
            let message = "no account has the username \"bob\"; `rollcall account list` shows all accounts";
            assert_eq!(complaint(&account(&store, &[verb, "bob"]), 1), message);
        }
        assert_eq!(list(&store).as_array().unwrap().len(), 1);
    }
}

/// The message of a usage error.
fn complaint_of(output: &Output) -> String {
    complaint(output, 2).to_owned()
}

#[test]
fn list_is_a_table_or_json() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        printed(&store.rollcall(&["migrate"]));
        let none = "No accounts yet; `rollcall account create NAME --admin` creates the first one.\n";
        assert_eq!(printed(&account(&store, &["list"])), none);
        printed(&account(&store, &["create", "root", "--admin"]));
        printed(&account(&store, &["create", "Ada"]));
        printed(&store.rollcall(&["key", "create", "--owner", "ada"]));
        assert_eq!(printed(&account(&store, &["disable", "ada"])), "Disabled Ada.\n");
        let listed = list(&store);
        let whole = |at: usize, name: &str, admin: bool| {
            json!({
                "id": listed[at]["id"], "username": name, "admin": admin, "role": if admin { "ADMIN" } else { "USER" },
                "trusted": false, "disabled": !admin, "secondFactor": false, "keys": u8::from(!admin), "createdAt": listed[at]["createdAt"],
            })
        };
        assert_eq!(listed, json!([whole(0, "root", true), whole(1, "Ada", false)]));
        let table = account(&store, &["list"]);
        let rows: Vec<Vec<&str>> = printed(&table).lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows[0], ["NAME", "ROLE", "STATUS", "SECOND", "FACTOR", "KEYS", "CREATED"]);
        assert_eq!(rows[1][..5], ["root", "admin", "active", "no", "0"]);
        assert_eq!(rows[2][..5], ["Ada", "user", "disabled", "no", "1"]);
    }
}

#[tokio::test]
async fn a_new_password_signs_everyone_out_and_may_drop_the_second_factor() {
    for engine in Engine::BOTH {
        let server = server(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        crate::accounts::second_factor::enable(&mut ada).await;
        let made = account(&server.store, &["password", "ada"]);
        let made = printed(&made).trim_end();
        assert_eq!(ada.get("/dashboard").await.status, 303);
        assert_eq!(Browser::new(&server).sign_in("ada", PASSWORD).await.status, 422);
        assert_eq!(Browser::new(&server).sign_in("ada", made).await.redirect_target(), "/sign-in/code?next=/dashboard");
        let args = ["password", "ada", "--without-second-factor", "--password-stdin", "--permanent"];
        assert_eq!(printed(&account_with_stdin(&server.store, &args, PASSWORD)), "");
        let mut ada = Browser::new(&server);
        let changes = ada.sign_in("ada", PASSWORD).await.html();
        assert_eq!(changes.matches("password changed</strong>").count(), 2, "{changes}");
        assert!(changes.contains("second factor disabled</strong>") && changes.contains(", by command line<"));
        let log = ada.get("/dashboard/log").await.html();
        assert_eq!(log.matches("By: </span>command line</td>").count(), 3, "{log}");
    }
}

#[tokio::test]
async fn disable_enable_and_delete_take_effect_on_a_running_server() {
    for engine in Engine::BOTH {
        let server = server(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let (_, secret) = ada.make_key("hers").await;
        crate::accounts::until_status(&server, &secret, 200).await;
        assert_eq!(printed(&account(&server.store, &["disable", "ADA"])), "Disabled ada.\n");
        assert_eq!(ada.get("/dashboard").await.status, 303);
        crate::accounts::until_status(&server, &secret, 403).await;
        assert_eq!(printed(&account(&server.store, &["enable", "ada"])), "Enabled ada.\n");
        crate::accounts::until_status(&server, &secret, 200).await;
        let mut ada = Browser::signed_in(&server, "ada").await;
        assert_eq!(printed(&account(&server.store, &["delete", "ada", "--yes"])), "Deleted ada and its keys.\n");
        assert_eq!(ada.get("/dashboard").await.status, 303);
        crate::accounts::until_status(&server, &secret, 401).await;
        assert_eq!(list(&server.store), json!([]));
    }
}

#[test]
fn nothing_changes_if_the_output_cannot_be_written() {
    let store = Store::new(Engine::Sqlite);
    printed(&account(&store, &["create", "ada"]));
    let before = crate::accounts::stored_rows(&store);
    for args in [&["create", "bob"][..], &["password", "ada"], &["invite"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = store.command(&[&["account"], args].concat()).stdout(full).output().unwrap();
        assert!(complaint(&output, 1).contains("so nothing was changed: "), "{args:?}");
    }
    assert_eq!(crate::accounts::stored_rows(&store), before);
}

#[test]
fn an_invitation_is_a_link_for_some_days() {
    let store = Store::new(Engine::Sqlite);
    let output = account(&store, &["invite"]);
    let link = printed(&output).trim_end().strip_prefix("http://127.0.0.1:8080/sign-up?invitation=").expect("a link");
    assert!(link.len() == 64 && link.bytes().all(|b| b.is_ascii_hexdigit()), "{link}");
    for days in ["0", "366", "x"] {
        assert_eq!(account(&store, &["invite", "--days", days]).status.code(), Some(2));
    }
}
