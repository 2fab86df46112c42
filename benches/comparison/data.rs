//! The data that all services serve. It is generated once below `target/bench/`, and again when the code that generates it changes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use indicatif::ProgressBar;
use rollcall_model::time::{self, MINUTE};
use rollcall_store::{Conn, Database};
use serde_json::json;

use crate::progress;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum DataSize {
    Small,
    Large,
}

impl DataSize {
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Large => "large",
        }
    }

    pub fn description(self) -> &'static str {
        match self {
            Self::Small => "10,000 servers, 100,000 players, 500,000 votes, 1,000,000 sessions",
            Self::Large => "100,000 servers, 1,000,000 players, 5,000,000 votes, 10,000,000 sessions",
        }
    }

    fn scale(self) -> usize {
        match self {
            Self::Small => 1,
            Self::Large => 10,
        }
    }

    /// Extra reviews for the most-voted server: the seed gives a server too few for many pages.
    fn reviews(self) -> usize {
        2_000 * self.scale()
    }

    pub fn events(self) -> usize {
        50_000 * self.scale()
    }

    /// Arguments of `rollcall seed`.
    fn seed_args(self) -> Vec<String> {
        let count = |small: usize| (small * self.scale()).to_string();
        let options = [
            ("--servers", count(10_000)),
            ("--players", count(100_000)),
            ("--votes", count(500_000)),
            ("--sessions", "10".to_owned()),
            ("--seed", "1".to_owned()),
        ];
        options.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect()
    }
}

/// Files that stay for the next run.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("bench")
}

/// A store of Rollcall with generated data.
#[derive(Clone)]
pub struct BenchStore {
    pub folder: PathBuf,
    /// The PostgreSQL database; `None`: SQLite in the folder.
    pub url: Option<String>,
}

impl BenchStore {
    pub fn sqlite(size: DataSize) -> Self {
        Self { folder: folder().join(size.name()), url: None }
    }

    pub fn postgres(size: DataSize, server: &str) -> Self {
        let url = format!("{}/{}", server.rsplit_once('/').map_or(server, |(server, _)| server), size.name());
        Self { folder: folder().join(format!("postgres-{}", size.name())), url: Some(url) }
    }

    pub fn args(&self) -> Vec<String> {
        let mut args = vec!["--data".to_owned(), self.folder.display().to_string()];
        if let Some(url) = &self.url {
            args.extend(["--database".to_owned(), url.clone()]);
        }
        args
    }

    pub fn database(&self) -> Database {
        match &self.url {
            Some(url) => url.parse().expect("a URL of this program"),
            None => Database::Sqlite(self.folder.join("rollcall.db")),
        }
    }

    /// The folder of the database files.
    pub fn files(&self) -> Result<PathBuf, String> {
        let Some(url) = &self.url else { return Ok(self.folder.clone()) };
        let sql = "select current_setting('data_directory') || '/base/' || oid from pg_database
                   where datname = current_database()";
        let connect = postgres::Client::connect(url, postgres::NoTls);
        let row = connect.and_then(|mut client| client.query_one(sql, &[])).map_err(|error| error.to_string())?;
        Ok(row.get::<_, String>(0).into())
    }

    /// Runs a command of Rollcall on this store. Returns its output.
    pub fn run(&self, args: &[&str]) -> Result<String, String> {
        self.run_with_input(args, "")
    }

    pub fn run_with_input(&self, args: &[&str], input: &str) -> Result<String, String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rollcall"));
        command.args(args).args(self.args()).current_dir(&self.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        // A command that reads no input may have ended already.
        let _ = child.stdin.take().expect("stdin is piped").write_all(input.as_bytes());
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("rollcall {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// An API key without an owner and one for each account, with unreachable quotas. They are created once and stored in a file.
    pub fn keys(&self, accounts: &[String]) -> Result<Vec<String>, String> {
        let path = self.folder.join("keys");
        if let Ok(keys) = std::fs::read_to_string(&path) {
            return Ok(keys.lines().map(str::to_owned).collect());
        }
        let (quota, mut keys) = (u32::MAX.to_string(), Vec::new());
        for owner in std::iter::once(None).chain(accounts.iter().map(Some)) {
            let mut args = vec!["key", "create", "--name", "bench"];
            for limit in ["--per-minute", "--per-day", "--per-month"] {
                args.extend([limit, &quota]);
            }
            args.extend(owner.into_iter().flat_map(|owner| ["--owner", owner]));
            keys.push(self.run(&args)?);
        }
        write(&path, &keys.join("\n"))?;
        Ok(keys)
    }

    pub fn is_ready(&self, size: DataSize) -> bool {
        contains(&self.folder.join("seeded"), &fingerprint(size)) && self.folder.join("reviewed").exists()
    }

    /// Generates the data unless it exists.
    pub fn fill(&self, size: DataSize) -> Result<(), String> {
        let (seeded, reviewed) = (self.folder.join("seeded"), self.folder.join("reviewed"));
        let engine = if self.url.is_some() { "PostgreSQL" } else { "SQLite" };
        if !contains(&seeded, &fingerprint(size)) {
            let bar = progress::spinner(format!("{engine}, {}: {}", size.name(), size.description()));
            self.clear()?;
            let options = size.seed_args();
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            self.run(&[&["seed"], &options[..]].concat())?;
            write(&seeded, &fingerprint(size))?;
            progress::done(&bar);
        }
        if !reviewed.exists() {
            let bar = progress::spinner(format!("{engine}, {}: reviews of the most-voted server", size.name()));
            self.import_reviews(size)?;
            self.vacuum(&bar)?;
            write(&reviewed, "")?;
            progress::done(&bar);
        }
        Ok(())
    }

    fn clear(&self) -> Result<(), String> {
        let _ = std::fs::remove_dir_all(&self.folder);
        std::fs::create_dir_all(&self.folder).map_err(|error| format!("{}: {error}", self.folder.display()))?;
        let Some(url) = &self.url else { return Ok(()) };
        let (server, name) = url.rsplit_once('/').expect("the URL ends with a database name");
        let connect = postgres::Client::connect(&format!("{server}/postgres"), postgres::NoTls);
        let mut client = connect.map_err(|error| error.to_string())?;
        for sql in [format!("drop database if exists {name}"), format!("create database {name}")] {
            client.batch_execute(&sql).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn import_reviews(&self, size: DataSize) -> Result<(), String> {
        let mut conn = Conn::open_existing(&self.database()).map_err(|error| error.to_string())?;
        let most_voted =
            "select id, created_at from servers where visibility = 'PUBLIC' order by total_votes desc, id limit 1";
        let (server, created): (String, i64) =
            conn.query_one(most_voted, &[], |row| (row.get(0), row.get(1))).map_err(|error| error.to_string())?;
        let players: Vec<(String, String)> = conn
            .query(&format!("select id, nickname from players order by n limit {}", size.reviews()), &[], |row| {
                (row.get(0), row.get(1))
            })
            .map_err(|error| error.to_string())?;
        drop(conn);
        let path = self.folder.join("reviews.ndjson");
        let mut lines = Vec::new();
        for (i, (id, name)) in players.iter().enumerate() {
            let line = json!({
                "id": format!("bench-review-{i}"), "serverId": server, "playerId": id, "gameUsername": name,
                "rating": 1 + i % 5, "content": "A fine place to build, with people who help. ".repeat(1 + i % 4),
                "createdAt": time::iso(created + i as i64 * MINUTE),
            });
            writeln!(lines, "{line}").expect("write to memory");
        }
        std::fs::write(&path, lines).map_err(|error| error.to_string())?;
        self.run(&["import", "reviews.ndjson"])?;
        std::fs::remove_file(&path).map_err(|error| error.to_string())
    }

    /// Does what autovacuum would do after a while.
    fn vacuum(&self, bar: &ProgressBar) -> Result<(), String> {
        if let Some(url) = &self.url {
            bar.tick();
            let connect = postgres::Client::connect(url, postgres::NoTls);
            let mut client = connect.map_err(|error| error.to_string())?;
            client.batch_execute("vacuum analyze").map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

/// Changes when the seed arguments or the code of the generator change: then the data is generated again.
pub fn fingerprint(size: DataSize) -> String {
    let mut files = Vec::new();
    collect_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/demo/src"), &mut files);
    files.sort();
    let mut checksum = crc32fast::Hasher::new();
    for file in files {
        checksum.update(&std::fs::read(file).unwrap_or_default());
    }
    format!("{} seed code {:08x}", size.seed_args().join(" "), checksum.finalize())
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        // Tests do not change the data.
        if path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests")) {
            continue;
        }
        if path.is_dir() { collect_files(&path, files) } else { files.push(path) }
    }
}

pub fn contains(file: &Path, text: &str) -> bool {
    std::fs::read_to_string(file).is_ok_and(|content| content == text)
}

pub fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}
