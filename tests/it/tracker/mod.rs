//! The tracker, from game servers on loopback to the API. The clock stands still but for the rounds that a test plays.

mod cli;
mod counted;
mod figures;
mod lived;
mod players;
mod shared_work;
mod year;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rollcall::config::{Config, Flags};
use rollcall::tracker::Tracker;
use rollcall_demo::fake_servers::{Host, Says};
use rollcall_model::clock::Clock;
use rollcall_ping::{Names, Places};
use rollcall_store::Pool;
use rollcall_store::media::Media;
use tokio::task::JoinHandle;

use crate::harness::{Engine, Server, Store, aside};

const INTERVAL: i64 = 60_000;
/// Within two intervals everybody's next round has come, wherever his moment of the interval is.
const STEP: i64 = 2 * INTERVAL;

/// What a game server says, until it is told to say something else; `None`: it is down.
type Line = Arc<Mutex<Option<Says>>>;

/// Game servers, a service, and trackers between them.
struct Ground {
    server: Server,
    games: Places,
    queries: Places,
    hosts: Vec<Host>,
    trackers: Vec<JoinHandle<()>>,
}

impl Ground {
    fn new(engine: Engine) -> Self {
        let server = Server::empty(engine);
        Self { server, games: Places::new(), queries: Places::new(), hosts: Vec::new(), trackers: Vec::new() }
    }

    fn store(&self) -> &Store {
        &self.server.store
    }

    /// `rollcall server ARGS`, which must go well; what it printed.
    fn command(&self, args: &[&str]) -> String {
        let output = self.store().rollcall(&[&["server"], args].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("plain text").trim_end().to_owned()
    }

    /// A Java server at `name`, port 25565.
    fn java(&mut self, name: &str, says: Says) -> Line {
        self.host(name, 25_565, says, |line| Host::java([127, 0, 0, 1].into(), 0, source(line)))
    }

    fn host(&mut self, name: &str, port: u16, says: Says, open: impl Fn(&Line) -> std::io::Result<Host>) -> Line {
        let line: Line = Arc::new(Mutex::new(Some(says)));
        let host = self.server.run(async { open(&line) }).expect("a host on loopback");
        self.games.insert((name.to_owned(), port), host.address());
        self.hosts.push(host);
        line
    }

    /// Lets the server at `name` answer queries on its own port, with the same players.
    fn query(&mut self, name: &str, line: &Line) {
        let host = self.server.run(async { Host::query([127, 0, 0, 1].into(), 0, source(line)) });
        let host = host.expect("a host on loopback");
        self.queries.insert((name.to_owned(), 25_565), host.address());
        self.hosts.push(host);
    }

    fn clock(&self) -> &Clock {
        &self.server.clock
    }

    /// Starts a tracker of its own, as another process would.
    fn track(&mut self) {
        let pool = aside(|| Pool::open(&self.store().database)).expect("the store opens");
        let media = Media::in_folder(&self.store().path().join("media")).expect("a folder");
        let settings = Config::load(&Flags::default()).expect("the defaults").tracker;
        let names = Names::Given { games: self.games.clone(), queries: self.queries.clone() };
        let tracker = Tracker::new(&settings, names, pool, media, self.clock().clone()).expect("it asks");
        let running = self.server.spawn(tracker.run(std::future::pending()));
        self.trackers.push(running);
        self.settle();
    }

    /// Ends a tracker as a crash would.
    fn kill_tracker(&mut self) {
        self.trackers.pop().expect("a tracker").abort();
    }

    /// Two intervals later, with what each server says by then.
    fn round(&self) {
        self.rounds(1);
    }

    fn rounds(&self, count: i64) {
        for _ in 0..count {
            // The hosts look for what they are to say twice a second.
            std::thread::sleep(Duration::from_millis(600));
            self.clock().set(self.clock().now() + STEP);
            self.settle();
        }
    }

    /// Waits until every server's round of this moment is kept.
    fn settle(&self) {
        let now = self.clock().now();
        let started = Instant::now();
        loop {
            let open: i64 = self.store().change(|conn| {
                conn.one(
                    "select (select count(*) from servers s where s.is_tracked
                              and not exists (select 1 from tracking t where t.server_n = s.n))
                          + (select count(*) from tracking
                             where server_n <> 0 and coalesce(sample_at, 0) <> $1 and coalesce(failing_since, 0) <> $1)",
                    rollcall_store::values![now],
                    |row| row.get(0),
                )
            });
            if open == 0 {
                return;
            }
            assert!(started.elapsed() < Duration::from_secs(30), "{open} rounds are not kept");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn get(&self, path: &str) -> serde_json::Value {
        self.server.run(self.server.get(path)).data()
    }

    /// Waits until the API shows it.
    fn until(&self, path: &str, wanted: impl Fn(&serde_json::Value) -> bool) -> serde_json::Value {
        self.server.run(self.server.until(path, |answer| answer.status == 200 && wanted(&answer.data()))).data()
    }
}

fn source(line: &Line) -> rollcall_demo::fake_servers::Source {
    let line = line.clone();
    Arc::new(move || line.lock().expect("nothing panics under this lock").clone())
}

fn says(players: i64) -> Says {
    Says {
        version: "1.21.4".into(),
        protocol: 769,
        players,
        max_players: 100,
        motd: serde_json::json!("§aHello"),
        ..Says::default()
    }
}

fn tell(line: &Line, says: Option<Says>) {
    *line.lock().expect("nothing panics under this lock") = says;
}
