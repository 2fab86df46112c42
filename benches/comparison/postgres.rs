//! A PostgreSQL server for the run. Its data stays for the next run.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use crate::{data, machine};

static IS_RUNNING: Mutex<bool> = Mutex::new(false);

/// The server. It stops when this is dropped.
pub struct Cluster {
    pub url: String,
}

impl Cluster {
    pub fn start() -> Result<Self, String> {
        let output = script("start").output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
        }
        *IS_RUNNING.lock().expect("lock not poisoned") = true;
        Ok(Self { url: String::from_utf8_lossy(&output.stdout).trim().to_owned() })
    }

    /// The main process of the server.
    pub fn process_id(&self) -> u32 {
        let file = std::fs::read_to_string(data::folder().join("postgres/data/postmaster.pid")).unwrap_or_default();
        file.lines().next().and_then(|line| line.trim().parse().ok()).unwrap_or_default()
    }

    pub fn version(&self) -> String {
        let sql =
            "select current_setting('server_version') || ', shared_buffers ' || current_setting('shared_buffers')";
        let query = || postgres::Client::connect(&self.url, postgres::NoTls)?.query_one(sql, &[]);
        tokio::task::block_in_place(query).map_or_else(|_| "unknown".to_owned(), |row| row.get(0))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        stop();
    }
}

/// Also called on Ctrl-C, when no destructor runs.
pub fn stop() {
    if std::mem::take(&mut *IS_RUNNING.lock().expect("lock not poisoned")) {
        let _ = script("stop").status();
    }
}

fn script(command: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut script = Command::new(root.join("scripts/postgres"));
    script.arg(command).current_dir(root);
    // A quarter of the memory: the recommendation of PostgreSQL's manual for a dedicated machine.
    script.env("POSTGRES_BUFFERS", format!("{}MB", machine::memory_mib() / 4));
    script.env("POSTGRES_FOLDER", data::folder().join("postgres"));
    script.env("POSTGRES_STATE", data::folder().join("postgres.state"));
    script
}
