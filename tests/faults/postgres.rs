//! A PostgreSQL that goes away and comes back, mid-load.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::{Program, Store};
use crate::outage::{PER_MINUTE, survives};
use crate::{SERVE, create_key};

/// A server of the test's own, which may be stopped without harm to the others.
struct Server {
    state: PathBuf,
    _folder: tempfile::TempDir,
    url: String,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("state");
        let url = script(&state, "start").trim_end().to_owned();
        Self { state, _folder: folder, url }
    }

    fn sql(&self, sql: &str) {
        let url = self.url.clone();
        crate::harness::aside(|| {
            rollcall_store::Conn::open(&url.parse().expect("a URL")).expect("it answers").batch(sql).expect("it obeys");
        });
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        script(&self.state, "stop");
    }
}

fn script(state: &Path, command: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/postgres");
    let output = Command::new(script).arg(command).env("POSTGRES_STATE", state).output().expect("the script runs");
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("plain text")
}

#[test]
fn a_postgresql_that_crashes_and_comes_back() {
    let server = Server::start();
    let store = Store::at(server.url.clone());
    let key = create_key(&store, PER_MINUTE);
    let program = Program::start(store.command(&SERVE));
    let crash = || {
        script(&server.state, "crash");
    };
    let resume = || {
        script(&server.state, "resume");
    };
    survives(program, &key, crash, resume);
    create_key(&store, PER_MINUTE);
}

#[test]
fn a_postgresql_that_becomes_read_only() {
    let server = Server::start();
    let store = Store::at(server.url.clone());
    let key = create_key(&store, PER_MINUTE);
    let program = Program::start(store.command(&SERVE));
    let set = |to: &str| {
        // As after a failover to a replica: connections end, and new ones may only read.
        server.sql(&format!("alter system set default_transaction_read_only = {to}"));
        server.sql("select pg_reload_conf()");
        server.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rollcall' and pid <> pg_backend_pid()");
    };
    survives(program, &key, || set("on"), || set("off"));
    create_key(&store, PER_MINUTE);
}
