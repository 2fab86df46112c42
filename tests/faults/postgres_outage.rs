//! PostgreSQL outages under load.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::{Program, Store};
use crate::store_outage::{PER_MINUTE, survives};
use crate::{SERVE, create_key};

/// A PostgreSQL server of this test only.
struct PostgresServer {
    state: PathBuf,
    _folder: tempfile::TempDir,
    url: String,
}

impl PostgresServer {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("state");
        let url = script(&state, "start").trim_end().to_owned();
        Self { state, _folder: folder, url }
    }

    fn sql(&self, sql: &str) {
        let url = self.url.clone();
        crate::harness::run_blocking(|| {
            rollcall_store::Conn::open(&url.parse().expect("a URL"))
                .expect("a connection")
                .execute_batch(sql)
                .expect("the statement runs");
        });
    }
}

impl Drop for PostgresServer {
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
fn survives_a_postgresql_crash() {
    let server = PostgresServer::start();
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
fn survives_a_read_only_postgresql() {
    let server = PostgresServer::start();
    let store = Store::at(server.url.clone());
    let key = create_key(&store, PER_MINUTE);
    let program = Program::start(store.command(&SERVE));
    let set = |to: &str| {
        // As after a failover to a replica: connections end, and new ones are read-only.
        server.sql(&format!("alter system set default_transaction_read_only = {to}"));
        server.sql("select pg_reload_conf()");
        server.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rollcall' and pid <> pg_backend_pid()");
    };
    survives(program, &key, || set("on"), || set("off"));
    create_key(&store, PER_MINUTE);
}
