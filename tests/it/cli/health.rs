//! `rollcall health`

use std::process::Output;

use super::{Program, complaint, printed, rollcall};
use crate::harness::{Engine, Store};
use crate::http::tls;

fn health(store: &Store, args: &[&str], environment: &[(&str, &str)]) -> Output {
    let args = [&["health"], args].concat();
    rollcall(store.path(), &args).envs(environment.iter().copied()).output().unwrap()
}

#[test]
fn a_ready_service_is_healthy_until_it_stops() {
    let store = Store::new(Engine::Sqlite);
    let mut command = store.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("ROLLCALL_HTTP_SHUTDOWN_DELAY", "3600");
    let program = Program::start(command);
    // By its URL, and by the address in the settings; a wildcard is reached on this machine.
    assert_eq!(printed(&health(&store, &["--url", &program.url], &[])), "ready\n");
    let port = program.address().rsplit_once(':').unwrap().1;
    for listen in [program.address().to_owned(), format!("0.0.0.0:{port}")] {
        let environment = [("ROLLCALL_LISTEN", listen.as_str())];
        assert_eq!(printed(&health(&store, &[], &environment)), "ready\n", "{listen}");
    }
    program.signal("TERM");
    program.until_logged("stopping");
    let output = health(&store, &["--url", &program.url], &[]);
    assert_eq!(complaint(&output, 1), format!("{}: not ready: the service is stopping (503)", program.url));
    program.stop("TERM");
}

#[test]
fn the_certificate_of_the_local_service_is_for_another_name() {
    let server = tls::start(&tls::Certificate::new(), &[]);
    let environment = [
        ("ROLLCALL_LISTEN", server.program.address()),
        ("ROLLCALL_TLS_CERTIFICATE", "certificate.pem"),
        ("ROLLCALL_TLS_KEY", "key.pem"),
    ];
    assert_eq!(printed(&health(&server.store, &[], &environment)), "ready\n");
    // Anywhere else it must be one that browsers trust.
    let output = health(&server.store, &["--url", &server.program.url], &[]);
    assert!(complaint(&output, 1).contains("certificate"));
}

#[test]
fn an_unreachable_service_is_one_sentence() {
    let store = Store::new(Engine::Sqlite);
    let output = health(&store, &[], &[("ROLLCALL_LISTEN", "127.0.0.1:9")]);
    assert!(complaint(&output, 1).starts_with("cannot reach http://127.0.0.1:9: "));
    for (args, listen) in
        [(&["--url", "nowhere"][..], "127.0.0.1:9"), (&["--url", "ftp://x"], "127.0.0.1:9"), (&[], "127.0.0.1:0")]
    {
        assert!(complaint(&health(&store, args, &[("ROLLCALL_LISTEN", listen)]), 2).contains("--url"));
    }
}
