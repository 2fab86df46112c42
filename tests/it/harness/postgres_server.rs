//! PostgreSQL servers of one test, which may crash, change their settings or be replicated.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::run_blocking;

/// Ends with the test.
pub struct PostgresServer {
    state: PathBuf,
    folder: tempfile::TempDir,
    pub url: String,
}

impl PostgresServer {
    pub fn start() -> Self {
        Self::with(&["start"])
    }

    /// Starts a server with a command of `scripts/postgres` that does so.
    pub fn with(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("state");
        let url = script(&state, arguments).trim_end().to_owned();
        Self { state, folder, url }
    }

    /// Runs another command of `scripts/postgres` for this server.
    pub fn control(&self, command: &str) {
        script(&self.state, &[command]);
    }

    /// `host:port`.
    pub fn address(&self) -> &str {
        self.url.split_once('@').and_then(|(_, rest)| rest.split_once('/')).expect("a URL with a user and a path").0
    }

    /// A folder for files of the test.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where the server keeps its data, owned by its user.
    pub fn data(&self) -> PathBuf {
        self.query("show data_directory").into()
    }

    pub fn sql(&self, sql: &str) {
        let url = self.url.clone();
        run_blocking(|| {
            rollcall_store::Conn::open(&url.parse().expect("a URL"))
                .expect("a connection")
                .execute_batch(sql)
                .expect("the statement runs");
        });
    }

    /// The text that a query returns.
    pub fn query(&self, sql: &str) -> String {
        let url = self.url.clone();
        run_blocking(|| {
            rollcall_store::Conn::open(&url.parse().expect("a URL"))
                .expect("a connection")
                .query_one(sql, &[], |row| row.get(0))
                .expect("the query has a row")
        })
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.control("stop");
    }
}

fn script(state: &Path, arguments: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/postgres");
    let output = Command::new(script).args(arguments).env("POSTGRES_STATE", state).output().expect("the script runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("plain text")
}
