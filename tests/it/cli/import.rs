//! `rollcall import` from standard input and from files compressed with gzip.

use std::io::Write;
use std::process::{Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{complaint, printed};
use crate::harness::{Engine, Store};

const ADA: &str = "{\"id\":\"acc-ada\",\"username\":\"Ada\"}\n";
const BOB: &str = "{\"id\":\"acc-bob\",\"username\":\"Bob\"}\n";

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn import(store: &Store, args: &[&str], input: &[u8]) -> Output {
    let mut command = store.command(&[&["import"], args].concat());
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[test]
fn standard_input_and_gzip() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let from_stdin = ["--stdin", "accounts"];
        assert_eq!(printed(&import(&store, &from_stdin, ADA.as_bytes())), "Imported accounts (1).\n");
        // Members of gzip files that are joined are read one after the other.
        let joined = [gzip(ADA), gzip(BOB)].concat();
        assert_eq!(printed(&import(&store, &from_stdin, &joined)), "Imported accounts (2).\n");
        std::fs::write(store.path().join("accounts.ndjson.gz"), &joined).unwrap();
        assert_eq!(printed(&import(&store, &["accounts.ndjson.gz"], b"")), "Imported accounts (2).\n");
        // Files and standard input together: the key belongs to an account of the input.
        let key = r#"{"id":"key-1","name":"bot","accountId":"acc-eve","secrets":[]}"#;
        std::fs::write(store.path().join("keys.ndjson"), key).unwrap();
        let eve = BOB.replace("bob", "eve").replace("Bob", "Eve");
        let both = import(&store, &["keys.ndjson", "--stdin", "accounts"], eve.as_bytes());
        assert_eq!(printed(&both), "Imported accounts (1) and keys (1).\n");
    }
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let from_stdin = ["--stdin", "accounts"];
        let complain = |args: &[&str], input: &[u8], status| complaint(&import(&store, args, input), status).to_owned();
        assert_eq!(
            complain(&from_stdin, format!("{ADA}x\n").as_bytes(), 1),
            "standard input line 2: the line is not a JSON object"
        );
        let whole = gzip(ADA);
        let cut = complain(&from_stdin, &whole[..whole.len() - 4], 1);
        assert!(cut.starts_with("standard input: "), "{cut}");
        std::fs::write(store.path().join("accounts.ndjson"), ADA).unwrap();
        let twice = complain(&["accounts.ndjson", "--stdin", "accounts"], ADA.as_bytes(), 1);
        assert_eq!(twice, "accounts.ndjson was given twice");
        let unknown = complain(&["--stdin", "account"], b"", 2);
        assert!(unknown.contains("possible values: accounts, keys, servers"), "{unknown}");
        let none = complain(&[], b"", 2);
        assert!(none.contains("required"), "{none}");
        let table = store.rollcall(&["account", "list"]);
        assert!(printed(&table).starts_with("No accounts yet"), "{table:?}");
    }
}
