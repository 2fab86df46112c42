use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rollcall_store::{Conn, Database, Result};
use tempfile::TempDir;

use super::run_blocking;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    pub const BOTH: [Engine; 2] = [Engine::Sqlite, Engine::Postgres];
}

/// An empty store: a folder, and a SQLite database in it or a new PostgreSQL database.
pub struct Store {
    pub folder: TempDir,
    pub database: Database,
    url: String,
}

impl Store {
    pub fn new(engine: Engine) -> Self {
        match engine {
            Engine::Postgres => Self::at(run_blocking(|| create_database(None))),
            Engine::Sqlite => {
                let folder = tempfile::tempdir().expect("a folder for the test");
                let url = format!("sqlite:{}", folder.path().join("rollcall.db").display());
                Self { folder, database: url.parse().expect("a valid URL"), url }
            }
        }
    }

    /// The URL of the database.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Over an existing PostgreSQL database.
    pub fn at(url: String) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the test");
        Self { folder, database: url.parse().expect("a valid URL"), url }
    }

    pub fn conn(&self) -> Conn {
        Conn::open(&self.database).expect("the store opens")
    }

    /// Runs `work` in one transaction.
    pub fn change<T: Send>(&self, work: impl FnOnce(&mut Conn) -> Result<T> + Send) -> T {
        run_blocking(|| self.conn().transaction(work).expect("the transaction commits"))
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs `rollcall ARGS --data … --database …` to its end.
    pub fn rollcall(&self, args: &[&str]) -> std::process::Output {
        self.command(args).output().expect("the program starts")
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rollcall"));
        command.args(args).arg("--data").arg(self.path()).arg("--database").arg(&self.url);
        command.current_dir(self.path());
        command
    }
}

/// Creates an empty database, or a copy of another one of the same server that nobody uses. Returns its URL.
pub fn create_database(template: Option<&str>) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let base = postgres();
    let mut conn = Conn::open(&base.parse().expect("a valid URL")).expect("a connection to PostgreSQL");
    let template = template.map(|url| format!(" template {}", url.rsplit_once('/').expect("a database").1));
    conn.execute_batch(&format!("create database {name}{}", template.unwrap_or_default()))
        .expect("the user may create databases");
    let (server, _) = base.rsplit_once('/').expect("the URL names a database");
    format!("{server}/{name}")
}

/// The server of `TEST_POSTGRES_URL`, or a temporary one.
#[expect(clippy::disallowed_methods, reason = "a setting of the tests, not of the program")]
fn postgres() -> &'static str {
    static URL: OnceLock<String> = OnceLock::new();
    URL.get_or_init(|| {
        if let Ok(url) = std::env::var("TEST_POSTGRES_URL") {
            return url;
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/postgres");
        let output = Command::new(script).arg("start").output().expect("scripts/postgres runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("a URL").trim().to_owned()
    })
}
