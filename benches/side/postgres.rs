//! A PostgreSQL of our own, whose data is kept for the next run.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use crate::{data, machine};

static RUNS: Mutex<bool> = Mutex::new(false);

/// The server, which stops when this is dropped.
pub struct Cluster {
    pub url: String,
}

impl Cluster {
    pub fn start() -> Result<Self, String> {
        let ended = script("start").output().map_err(|error| error.to_string())?;
        if !ended.status.success() {
            return Err(String::from_utf8_lossy(&ended.stderr).trim().to_owned());
        }
        *RUNS.lock().expect("nothing panics here") = true;
        Ok(Self { url: String::from_utf8_lossy(&ended.stdout).trim().to_owned() })
    }

    /// The first of its processes.
    pub fn id(&self) -> u32 {
        let file = std::fs::read_to_string(data::folder().join("postgres/data/postmaster.pid")).unwrap_or_default();
        file.lines().next().and_then(|line| line.trim().parse().ok()).unwrap_or_default()
    }

    pub fn version(&self) -> String {
        let figures =
            "select current_setting('server_version') || ', shared_buffers ' || current_setting('shared_buffers')";
        let ask = || postgres::Client::connect(&self.url, postgres::NoTls)?.query_one(figures, &[]);
        tokio::task::block_in_place(ask).map_or_else(|_| "unknown".to_owned(), |row| row.get(0))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        stop();
    }
}

/// For Ctrl-C, too, when nothing is dropped.
pub fn stop() {
    if std::mem::take(&mut *RUNS.lock().expect("nothing panics here")) {
        let _ = script("stop").status();
    }
}

fn script(what: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(root.join("scripts/postgres"));
    command.arg(what).current_dir(root);
    // What its manual recommends for a machine of its own: a quarter of the memory.
    command.env("POSTGRES_BUFFERS", format!("{}MB", machine::memory_mib() / 4));
    command.env("POSTGRES_FOLDER", data::folder().join("postgres"));
    command.env("POSTGRES_STATE", data::folder().join("postgres.state"));
    command
}
