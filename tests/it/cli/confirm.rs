//! On a terminal a command asks before it deletes; elsewhere it needs `--yes`. And what a terminal is shown.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::{complaint, printed, rollcall};
use crate::harness::{Engine, Store};

/// Runs a command on a terminal and types this.
fn on_a_terminal(command: &Command, typed: &str) -> (bool, String) {
    let quoted = |text: &std::ffi::OsStr| format!("'{}'", text.to_str().expect("UTF-8"));
    let words: Vec<String> = std::iter::once(command.get_program()).chain(command.get_args()).map(quoted).collect();
    let mut terminal = Command::new("script");
    terminal.args(["--quiet", "--return", "--echo", "never", "--command", &words.join(" "), "/dev/null"]);
    for (name, value) in command.get_envs() {
        terminal.env(name, value.unwrap_or_default());
    }
    terminal.current_dir(command.get_current_dir().expect("a folder"));
    let mut child = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script runs");
    child.stdin.as_mut().expect("piped").write_all(typed.as_bytes()).expect("it reads");
    let output: Output = child.wait_with_output().expect("it ends");
    (output.status.success(), String::from_utf8(output.stdout).expect("text"))
}

fn fill(store: &Store) -> String {
    printed(&store.rollcall(&["account", "create", "ada"]));
    printed(&store.rollcall(&["server", "add", "play.example.org", "--slug", "play"]));
    printed(&store.rollcall(&["key", "create", "--name", "bot"]));
    let keys: Value = serde_json::from_str(printed(&store.rollcall(&["key", "list", "--json"]))).expect("JSON");
    keys[0]["id"].as_str().expect("an id").to_owned()
}

#[test]
fn without_a_terminal_deleting_needs_yes() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let id = fill(&store);
        for (args, what, list) in [
            (["server", "remove", "play"], "delete the server play.example.org (play) with its history", "server"),
            (["account", "delete", "ada"], "delete the account ada and its keys", "account"),
            (["key", "delete", &id], "delete the key bot (", "key"),
        ] {
            let output = store.rollcall(&args);
            let message = complaint(&output, 2);
            assert!(message.starts_with(&format!("this would {what}")), "{message}");
            assert!(message.ends_with("; add --yes to confirm"), "{message}");
            assert!(!printed(&store.rollcall(&[list, "list"])).contains(" yet; `"), "{list}");
            printed(&store.rollcall(&[&args[..], &["--yes"]].concat()));
            assert!(printed(&store.rollcall(&[list, "list"])).contains(" yet; `"), "{list}");
        }
    }
}

#[test]
fn a_terminal_is_asked() {
    let store = Store::new(Engine::Sqlite);
    let id = fill(&store);
    let delete = store.command(&["key", "delete", &id]);
    for no in ["n\n", "\n", "maybe\n"] {
        let (is_done, shown) = on_a_terminal(&delete, no);
        assert!(!is_done && shown.contains(&format!("rollcall: delete the key bot ({id})? [y/N] ")), "{shown}");
        assert!(shown.contains("not confirmed, so nothing was changed"), "{shown}");
    }
    let (is_done, shown) = on_a_terminal(&delete, "y\n");
    assert!(is_done && shown.contains("Deleted the key bot."), "{shown}");
    assert!(!on_a_terminal(&delete, "y\n").0);
}

#[test]
fn a_key_is_renamed() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let id = fill(&store);
        let shown: Value =
            serde_json::from_str(printed(&store.rollcall(&["key", "rename", &id, "Map", "--json"]))).unwrap();
        assert_eq!(shown["name"], "Map");
        let output = store.rollcall(&["key", "rename", &id, "a\u{202e}b"]);
        assert!(complaint(&output, 2).starts_with("name must be 1 to 100 characters"), "{}", complaint(&output, 2));
        assert_eq!(
            complaint(&store.rollcall(&["key", "rename", "x", "y"]), 1),
            r#"no key has the id "x"; `rollcall key list` shows all keys"#
        );
    }
}

#[test]
fn no_color_is_obeyed() {
    let store = Store::new(Engine::Sqlite);
    printed(&store.rollcall(&["key", "create"]));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (value, is_coloured) in [("", true), ("1", false)] {
        // Logs a warning about the missing ledger, and ends because the port is taken.
        std::fs::remove_file(store.path().join("rollcall-ledger.db")).unwrap();
        let mut serve = store.command(&["serve", "--listen", &address]);
        serve.env("NO_COLOR", value);
        let (_, shown) = on_a_terminal(&serve, "");
        assert!(shown.contains("the used quota of all keys is lost"), "{shown}");
        assert_eq!(shown.contains('\u{1b}'), is_coloured, "{shown:?}");
        let mut help = rollcall(store.path(), &["--help"]);
        help.env("NO_COLOR", value);
        assert_eq!(on_a_terminal(&help, "").1.contains('\u{1b}'), is_coloured);
    }
}
