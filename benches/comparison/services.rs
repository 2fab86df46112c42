//! The services that are measured, each in its own process.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::ceiling;
use crate::data::BenchStore;
use crate::process_tree::{self, ProcessMemory, ProcessTree};

const START_TIMEOUT: Duration = Duration::from_secs(60);
const SETTLE_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ServiceKind {
    /// A bare hyper server: the upper limit.
    Ceiling,
    /// Rollcall on SQLite.
    Sqlite,
    /// Rollcall on PostgreSQL.
    Postgres,
    Fastify,
    Fastapi,
    Datasette,
}

impl ServiceKind {
    pub const ALL: [Self; 6] =
        [Self::Ceiling, Self::Sqlite, Self::Postgres, Self::Fastify, Self::Fastapi, Self::Datasette];
    pub const PEERS: [Self; 3] = [Self::Fastify, Self::Fastapi, Self::Datasette];
    pub const OURS: [Self; 2] = [Self::Sqlite, Self::Postgres];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ceiling => "ceiling",
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::Fastify => "fastify",
            Self::Fastapi => "fastapi",
            Self::Datasette => "datasette",
        }
    }

    /// The name in the report.
    pub fn title(self) -> &'static str {
        match self {
            Self::Ceiling => "bare hyper",
            Self::Sqlite => "Rollcall, SQLite",
            Self::Postgres => "Rollcall, PostgreSQL",
            Self::Fastify => "Fastify",
            Self::Fastapi => "FastAPI",
            Self::Datasette => "Datasette",
        }
    }

    pub fn is_ours(self) -> bool {
        Self::OURS.contains(&self)
    }

    pub fn is_peer(self) -> bool {
        Self::PEERS.contains(&self)
    }
}

pub struct ServiceProcess {
    pub kind: ServiceKind,
    pub address: SocketAddr,
    /// Header lines of every request, each ended by CRLF: the API key, if the service needs one.
    pub headers: String,
    /// The same with keys of different accounts.
    account_headers: Vec<String>,
    pub start_time: Duration,
    /// The time of the start before, which found no snapshot of the leaderboards.
    pub first_start_time: Option<Duration>,
    /// The main process of its database server.
    database_process: Option<u32>,
    tree: ProcessTree,
    stdout: Option<BufReader<std::process::ChildStdout>>,
}

/// CPU time in nanoseconds, of the service itself and of its database server.
#[derive(Clone, Copy, Default)]
pub struct CpuUsed {
    pub own: u64,
    pub database: u64,
}

impl CpuUsed {
    pub fn total(self) -> u64 {
        self.own + self.database
    }
}

impl ServiceProcess {
    /// The ceiling gets the same request bytes as Rollcall, key included, and ignores them.
    pub fn ceiling(headers: String) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.arg(ceiling::ARGUMENT).stdout(Stdio::piped());
        let mut tree = ProcessTree::start(&mut command)?;
        let mut stdout = BufReader::new(tree.child().stdout.take().expect("stdout is piped"));
        let address = read_line(&mut stdout)?.parse().map_err(|_| "the ceiling printed no address".to_owned())?;
        Ok(Self {
            kind: ServiceKind::Ceiling,
            address,
            headers,
            account_headers: Vec::new(),
            start_time: Duration::ZERO,
            first_start_time: None,
            database_process: None,
            tree,
            stdout: Some(stdout),
        })
    }

    /// Makes the ceiling replay the responses of this file.
    pub fn load_recording(&mut self, path: &Path) {
        let stdin = self.tree.child().stdin.as_mut().expect("stdin is piped");
        writeln!(stdin, "{}", path.display()).and_then(|()| stdin.flush()).expect("the ceiling reads its input");
        let stdout = self.stdout.as_mut().expect("stdout is piped");
        assert_eq!(read_line(stdout).as_deref(), Ok("ready"), "the ceiling loads the recording");
    }

    /// Rollcall with default settings, except for more connections per IP, no polling, and `settings`, which are environment
    /// variables.
    pub fn rollcall(
        kind: ServiceKind,
        store: &BenchStore,
        accounts: &[String],
        database_process: Option<u32>,
        settings: &[(&str, &str)],
    ) -> Result<Self, String> {
        let mut keys = store.keys(accounts)?.into_iter().map(|key| format!("x-api-key: {key}\r\n"));
        let (headers, account_headers) = (keys.next().unwrap_or_default(), keys.collect());
        let mut command = Command::new(env!("CARGO_BIN_EXE_rollcall"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--ping-interval", "off"]);
        // Picture URLs must not depend on the port.
        command.args(["--public-url", "https://stats.example.org"]).args(store.args());
        command.current_dir(&store.folder).stdout(Stdio::piped());
        command.env("ROLLCALL_LOG_FILTER", "error").env("ROLLCALL_HTTP_MAX_CONNECTIONS_PER_ADDRESS", "2048");
        command.envs(settings.iter().copied());
        let started = Instant::now();
        let mut tree = ProcessTree::start(&mut command)?;
        let mut stdout = BufReader::new(tree.child().stdout.take().expect("stdout is piped"));
        let line = read_line(&mut stdout)?;
        let start_time = started.elapsed();
        let address = line.rsplit('/').next().and_then(|address| address.parse().ok());
        let address = address.ok_or_else(|| format!("Rollcall printed no address: {line}"))?;
        Ok(Self {
            kind,
            address,
            headers,
            account_headers,
            start_time,
            first_start_time: None,
            database_process,
            tree,
            stdout: Some(stdout),
        })
    }

    /// Starts Rollcall, waits until it has stored its leaderboard snapshot, and starts it again.
    pub fn rollcall_restarted(
        kind: ServiceKind,
        store: &BenchStore,
        accounts: &[String],
        database_process: Option<u32>,
    ) -> Result<Self, String> {
        let first = Self::rollcall(kind, store, accounts, database_process, &[])?;
        first.wait_until_settled();
        let first_start_time = Some(first.start_time);
        drop(first);
        let restarted = Self { first_start_time, ..Self::rollcall(kind, store, accounts, database_process, &[])? };
        restarted.wait_until_settled();
        Ok(restarted)
    }

    /// A peer that listens on this port.
    pub fn peer(kind: ServiceKind, command: &mut Command, port: u16) -> Result<Self, String> {
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let started = Instant::now();
        let mut tree = ProcessTree::start(command)?;
        while std::net::TcpStream::connect(address).is_err() {
            if tree.has_ended() || started.elapsed() > START_TIMEOUT {
                return Err(format!("{} does not start on port {port}", kind.title()));
            }
            #[expect(clippy::disallowed_methods, reason = "polls with a timeout before the measurement")]
            std::thread::sleep(Duration::from_millis(50));
        }
        // The port is open once the first worker listens; the others need a moment more.
        #[expect(clippy::disallowed_methods, reason = "waits before the measurement")]
        std::thread::sleep(Duration::from_millis(500));
        Ok(Self {
            kind,
            address,
            headers: String::new(),
            account_headers: Vec::new(),
            start_time: started.elapsed(),
            first_start_time: None,
            database_process: None,
            tree,
            stdout: None,
        })
    }

    /// The headers to use in turn: those of different accounts if wanted and available, else always the same.
    pub fn request_headers(&self, by_account: bool) -> &[String] {
        if by_account && !self.account_headers.is_empty() {
            &self.account_headers
        } else {
            std::slice::from_ref(&self.headers)
        }
    }

    pub fn cpu_used(&self) -> CpuUsed {
        let cpu = |id: u32| process_tree::cpu_nanos(&process_tree::with_descendants(id));
        CpuUsed { own: cpu(self.tree.id()), database: self.database_process.map_or(0, cpu) }
    }

    /// Waits until the background work after a start is done: Rollcall builds its search index then.
    pub fn wait_until_settled(&self) {
        const INTERVAL: Duration = Duration::from_millis(250);
        let started = Instant::now();
        loop {
            let before = self.cpu_used().total();
            #[expect(clippy::disallowed_methods, reason = "polls with a timeout before the measurement")]
            std::thread::sleep(INTERVAL);
            let busy = Duration::from_nanos(self.cpu_used().total() - before);
            if busy < INTERVAL / 10 || started.elapsed() > SETTLE_TIMEOUT {
                return;
            }
        }
    }

    /// Stops it, so that its background work does not disturb the measured service. Its database server continues.
    pub fn pause(&self) {
        self.tree.pause();
    }

    pub fn resume(&self) {
        self.tree.resume();
    }

    pub fn memory(&self) -> ProcessMemory {
        process_tree::memory(&process_tree::with_descendants(self.tree.id()))
    }
}

fn read_line(reader: &mut impl BufRead) -> Result<String, String> {
    let mut line = String::new();
    reader.read_line(&mut line).map_err(|error| error.to_string())?;
    if line.is_empty() { Err("the process ended at its start".to_owned()) } else { Ok(line.trim_end().to_owned()) }
}

/// A port that is free now.
pub fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bind a free port");
    listener.local_addr().expect("the listener is bound").port()
}
