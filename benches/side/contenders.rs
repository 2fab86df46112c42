//! Who is measured, each as a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::ceiling;
use crate::data::Store;
use crate::processes::{self, Memory, Tree};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    Ceiling,
    Sqlite,
    Postgres,
    Fastify,
    Fastapi,
    Datasette,
}

impl Kind {
    pub const PEERS: [Self; 3] = [Self::Fastify, Self::Fastapi, Self::Datasette];
    pub const OURS: [Self; 2] = [Self::Sqlite, Self::Postgres];

    /// As it is named on the command line.
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
}

pub struct Contender {
    pub kind: Kind,
    pub address: SocketAddr,
    /// Headers of every request, each line ended: the key, where one is asked for.
    pub headers: String,
    /// The same with the keys of different accounts.
    pub accounts: Vec<String>,
    pub started_in: Duration,
    /// The same of a start before, which could not go on from anything.
    pub first_started_in: Option<Duration>,
    /// The first process of the database beside it.
    pub beside: Option<u32>,
    tree: Tree,
    out: Option<BufReader<std::process::ChildStdout>>,
}

/// Seconds of a core: its own, and those of the database beside it.
#[derive(Clone, Copy, Default)]
pub struct Used {
    pub own: u64,
    pub beside: u64,
}

impl Contender {
    /// Asked in the same words as ours, key and all, though it reads none of them.
    pub fn ceiling(headers: String) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.arg(ceiling::ARGUMENT).stdout(Stdio::piped());
        let mut tree = Tree::start(&mut command)?;
        let mut out = BufReader::new(tree.child().stdout.take().expect("piped"));
        let address = line(&mut out)?.parse().map_err(|_| "the ceiling does not say where it listens".to_owned())?;
        Ok(Self {
            kind: Kind::Ceiling,
            address,
            headers,
            accounts: Vec::new(),
            started_in: Duration::ZERO,
            first_started_in: None,
            beside: None,
            tree,
            out: Some(out),
        })
    }

    /// Lets the ceiling answer what is in this file.
    pub fn load(&mut self, recorded: &Path) {
        let input = self.tree.child().stdin.as_mut().expect("piped");
        writeln!(input, "{}", recorded.display()).and_then(|()| input.flush()).expect("the ceiling listens");
        let out = self.out.as_mut().expect("the ceiling speaks");
        assert_eq!(line(out).as_deref(), Ok("ready"), "the ceiling takes what is recorded");
    }

    /// Our program with its default settings, but for how many connections one address may have, and nobody is pinged.
    pub fn ours(kind: Kind, store: &Store, accounts: &[String], beside: Option<u32>) -> Result<Self, String> {
        let mut keys = store.keys(accounts)?.into_iter().map(|key| format!("x-api-key: {key}\r\n"));
        let (headers, accounts) = (keys.next().unwrap_or_default(), keys.collect());
        let mut command = Command::new(env!("CARGO_BIN_EXE_rollcall"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--ping-interval", "off"]);
        // The same addresses of pictures in every answer, wherever it listens.
        command.args(["--public-url", "https://stats.example.org"]).args(store.args());
        command.current_dir(&store.folder).stdout(Stdio::piped());
        command.env("ROLLCALL_LOG_FILTER", "error").env("ROLLCALL_HTTP_MAX_CONNECTIONS_PER_ADDRESS", "2048");
        let began = Instant::now();
        let mut tree = Tree::start(&mut command)?;
        let mut out = BufReader::new(tree.child().stdout.take().expect("piped"));
        let said = line(&mut out)?;
        let started_in = began.elapsed();
        let address = said.rsplit('/').next().and_then(|address| address.parse().ok());
        let address = address.ok_or_else(|| format!("it does not say where it listens: {said}"))?;
        let first_started_in = None;
        Ok(Self { kind, address, headers, accounts, started_in, first_started_in, beside, tree, out: Some(out) })
    }

    /// The same, started a second time once it has kept what its next start goes on from.
    pub fn ours_again(kind: Kind, store: &Store, accounts: &[String], beside: Option<u32>) -> Result<Self, String> {
        let first = Self::ours(kind, store, accounts, beside)?;
        first.settle();
        let first_started_in = Some(first.started_in);
        drop(first);
        let again = Self { first_started_in, ..Self::ours(kind, store, accounts, beside)? };
        again.settle();
        Ok(again)
    }

    /// Somebody else's, which listens on the port it is given.
    pub fn peer(kind: Kind, command: &mut Command, port: u16) -> Result<Self, String> {
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let began = Instant::now();
        let mut tree = Tree::start(command)?;
        while std::net::TcpStream::connect(address).is_err() {
            if tree.has_ended() || began.elapsed() > Duration::from_secs(60) {
                return Err(format!("{} does not start on port {port}", kind.title()));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        // All its workers, not only the first.
        std::thread::sleep(Duration::from_millis(500));
        let (headers, accounts) = (String::new(), Vec::new());
        let (started_in, first_started_in, beside) = (began.elapsed(), None, None);
        Ok(Self { kind, address, headers, accounts, started_in, first_started_in, beside, tree, out: None })
    }

    /// The headers to ask it with in turn: always the same, or those of different accounts, if it knows any.
    pub fn choice(&self, accounts: bool) -> &[String] {
        if accounts && !self.accounts.is_empty() { &self.accounts } else { std::slice::from_ref(&self.headers) }
    }

    pub fn used(&self) -> Used {
        let beside = self.beside.map_or(0, |id| processes::cpu(&processes::family(id)));
        Used { own: processes::cpu(&processes::family(self.tree.id())), beside }
    }

    /// Waits until it has done what it does after its start: ours makes an index, which whoever is measured would pay for.
    pub fn settle(&self) {
        const LOOK: Duration = Duration::from_millis(250);
        let began = Instant::now();
        loop {
            let before = self.used();
            std::thread::sleep(LOOK);
            let after = self.used();
            let worked = Duration::from_nanos(after.own + after.beside - before.own - before.beside);
            if worked < LOOK / 10 || began.elapsed() > Duration::from_secs(60) {
                return;
            }
        }
    }

    /// Lets it do nothing while it is not its turn: what it does by itself, whoever is measured would wait for. The database
    /// beside it goes on.
    pub fn hold(&self) {
        self.tree.hold();
    }

    pub fn go_on(&self) {
        self.tree.go_on();
    }

    pub fn memory(&self) -> Memory {
        processes::memory(&processes::family(self.tree.id()))
    }
}

fn line(out: &mut impl BufRead) -> Result<String, String> {
    let mut line = String::new();
    out.read_line(&mut line).map_err(|error| error.to_string())?;
    if line.is_empty() { Err("it ended at its start".to_owned()) } else { Ok(line.trim_end().to_owned()) }
}

/// A port that is free now.
pub fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("bound").port()
}
