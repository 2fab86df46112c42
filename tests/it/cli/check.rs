//! `rollcall check`

use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use serde_json::Value;

use super::{complaint, printed, stderr, stdout};
use crate::harness::{Engine, Store};

/// Without pings no DNS is needed, which the machine of the tests may not have.
const CHECK: [&str; 4] = ["check", "--json", "--ping-interval", "off"];

fn command(store: &Store) -> Command {
    let mut command = store.command(&CHECK);
    // Small enough for the hard limit of any machine.
    command.env("ROLLCALL_HTTP_MAX_CONNECTIONS", "10").env("ROLLCALL_TRACKER_MAX_CONCURRENT_PINGS", "10");
    command
}

/// The finding of one check: whether it is right, and its sentence.
fn finding(output: &Output, name: &str) -> (bool, String) {
    let report: Value = serde_json::from_str(stdout(output)).unwrap_or_else(|_| panic!("{}", stderr(output)));
    let checks = report["checks"].as_array().expect("a list");
    assert_eq!(report["ok"], checks.iter().all(|check| check["ok"] == true));
    assert_eq!(output.status.code(), Some(if report["ok"] == true { 0 } else { 1 }), "{report}");
    let check = checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{name} in {report}"));
    (check["ok"] == true, check["detail"].as_str().expect("a sentence").to_owned())
}

#[test]
fn a_sound_store_passes_and_is_not_changed() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let output = command(&store).output().unwrap();
        let (ok, detail) = finding(&output, "database");
        assert!(ok && (detail.contains("does not exist yet") || detail.ends_with("writable and empty")), "{detail}");
        printed(&store.rollcall(&["migrate"]));
        let output = command(&store).output().unwrap();
        assert_eq!(
            finding(&output, "database"),
            (true, format!("{} is reachable and writable, its schema is current", store.database))
        );
        let names: &[&str] = match engine {
            Engine::Sqlite => {
                &["settings", "database", "ledger", "certificate", "pictures", "permissions", "DNS", "open files"]
            }
            Engine::Postgres => {
                &["settings", "database", "clock", "certificate", "pictures", "permissions", "DNS", "open files"]
            }
        };
        let report: Value = serde_json::from_str(printed(&output)).unwrap();
        let found: Vec<&str> =
            report["checks"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
        assert_eq!(found, names);
        store.change(|conn| conn.execute_batch("create table rollcall_write_check (n bigint)"));
    }
}

#[test]
fn lines_say_ok_or_what_to_do() {
    let store = Store::new(Engine::Sqlite);
    let mut command = store.command(&["check", "--ping-interval", "off"]);
    command.env("ROLLCALL_HTTP_MAX_CONNECTIONS", "1000000").env("ROLLCALL_TRACKER_MAX_CONCURRENT_PINGS", "100000");
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 256; exec \"$@\"", "sh"]).arg(command.get_program()).args(command.get_args());
    limited.current_dir(store.path()).envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = limited.output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(1), "rollcall: 1 of 8 checks failed\n"));
    for line in stdout(&output).lines() {
        let is_limit =
            line.starts_with("open files   FAILED: 256 may be open, 1100512 are needed; raise the hard limit");
        assert!(is_limit || line[12..].starts_with(" ok: "), "{line}");
    }
}

#[test]
fn invalid_settings_are_a_usage_error() {
    let store = Store::new(Engine::Sqlite);
    for (name, value, named) in [
        ("ROLLCALL_LOG_FILTER", "a=b=c", "log.filter"),
        ("ROLLCALL_LISTEN", "0.0.0.0:80", "public_url"),
        ("ROLLCALL_ACCOUNTS_SECOND_FACTOR_KEY", "short", "accounts.second_factor_key"),
    ] {
        let output = command(&store).env(name, value).output().unwrap();
        assert!(complaint(&output, 2).contains(named), "{name}");
    }
}

#[test]
fn an_unreachable_or_newer_database_fails() {
    let store = Store::at("postgres://rollcall:secret@127.0.0.1:9/nothing".to_owned());
    let (ok, detail) = finding(&command(&store).output().unwrap(), "database");
    assert!(!ok && detail.starts_with("cannot open postgres://127.0.0.1:9/nothing: "), "{detail}");
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        printed(&store.rollcall(&["migrate"]));
        store.change(|conn| {
            conn.execute_batch(
                "insert into migrations (number) values (999); update schema_compatibility set oldest_program = 999",
            )
        });
        let (ok, detail) = finding(&command(&store).output().unwrap(), "database");
        assert!(!ok && detail.ends_with("Use the newer version of rollcall"), "{detail}");
    }
}

#[test]
fn a_database_that_cannot_be_written_fails() {
    let store = Store::new(Engine::Postgres);
    printed(&store.rollcall(&["migrate"]));
    let read_only = "do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$";
    store.change(|conn| conn.execute_batch(read_only));
    let (ok, detail) = finding(&command(&store).output().unwrap(), "database");
    assert!(!ok && detail.contains("cannot be written: PostgreSQL: cannot execute CREATE TABLE"), "{detail}");
}

#[test]
fn a_wrong_clock_fails() {
    let store = Store::new(Engine::Postgres);
    store.change(|conn| conn.execute_batch(super::nodes::FUTURE_CLOCK));
    let (ok, detail) = finding(&command(&store).output().unwrap(), "clock");
    assert!(!ok && detail.ends_with("behind that of the database; synchronise both clocks (NTP)"), "{detail}");
}

/// Writes a certificate that is valid from the first to the second year, and its key.
fn write_certificate(folder: &Path, from: i32, to: i32) {
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    (params.not_before, params.not_after) = (date_time_ymd(from, 1, 1), date_time_ymd(to, 1, 1));
    let key = KeyPair::generate().unwrap();
    std::fs::write(folder.join("certificate.pem"), params.self_signed(&key).unwrap().pem()).unwrap();
    std::fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
}

#[test]
fn a_certificate_must_match_its_key_and_be_valid() {
    let store = Store::new(Engine::Sqlite);
    let certificate = || {
        let mut command = command(&store);
        command.env("ROLLCALL_TLS_CERTIFICATE", "certificate.pem").env("ROLLCALL_TLS_KEY", "key.pem");
        finding(&command.output().unwrap(), "certificate")
    };
    assert!(!certificate().0);
    // The years say which form of time the certificate has.
    for (from, to, is_valid, words) in [
        (2000, 2100, true, "certificate.pem matches its key and is valid for "),
        (2000, 2001, false, "certificate.pem expired "),
        (2100, 2101, false, "certificate.pem is not valid yet"),
    ] {
        write_certificate(store.path(), from, to);
        let (ok, detail) = certificate();
        assert!(ok == is_valid && detail.starts_with(words), "{detail}");
    }
    std::fs::write(store.path().join("key.pem"), KeyPair::generate().unwrap().serialize_pem()).unwrap();
    let (ok, detail) = certificate();
    assert!(!ok && detail.ends_with("key.pem is not its private key"), "{detail}");
}

#[test]
fn folders_must_be_writable_and_closed() {
    let store = Store::new(Engine::Sqlite);
    printed(&store.rollcall(&["migrate"]));
    std::fs::set_permissions(store.path(), PermissionsExt::from_mode(0o777)).unwrap();
    std::fs::set_permissions(store.path().join("rollcall-ledger.db"), PermissionsExt::from_mode(0o644)).unwrap();
    let (ok, detail) = finding(&command(&store).output().unwrap(), "permissions");
    assert!(!ok && detail.contains(": chmod o-w ") && detail.contains("rollcall-ledger.db: chmod o= "), "{detail}");
    // Root may write anywhere, but not into a file.
    let store = Store::new(Engine::Sqlite);
    std::fs::write(store.path().join("media"), "not a folder").unwrap();
    let (ok, detail) = finding(&command(&store).output().unwrap(), "pictures");
    assert!(!ok && detail.starts_with("cannot write to "), "{detail}");
}

/// A DNS server that knows no name. Returns its address.
fn start_dns() -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let mut query = [0; 512];
        while let Ok((length, client)) = socket.recv_from(&mut query) {
            // A response (QR), recursion available, NXDOMAIN; with the question alone.
            (query[2], query[3]) = (query[2] | 0x80, 0x83);
            let question_end = 12 + query[12..length].iter().position(|byte| *byte == 0).unwrap_or(0) + 5;
            query[6..12].fill(0);
            let _ = socket.send_to(&query[..question_end], client);
        }
    });
    address
}

#[test]
fn dns_must_answer() {
    let store = Store::new(Engine::Sqlite);
    let dns = |server: &str| {
        let mut command = store.command(&["check", "--json"]);
        command.env("ROLLCALL_HTTP_MAX_CONNECTIONS", "10").env("ROLLCALL_TRACKER_NAME_SERVER", server);
        command.env("ROLLCALL_TRACKER_MAX_CONCURRENT_PINGS", "10");
        finding(&command.output().unwrap(), "DNS")
    };
    let server = start_dns();
    assert_eq!(dns(&server), (true, format!("answers, from tracker.name_server {server}")));
    let (ok, detail) = dns("127.0.0.1:9");
    assert!(!ok && detail.starts_with("no answer from tracker.name_server 127.0.0.1:9"), "{detail}");
}
