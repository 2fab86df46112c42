//! The tracker, from fake game servers on loopback to the API. The clock stands still except where a test advances it.

mod cli;
mod concurrent_trackers;
mod counting_server;
mod erasure;
mod events;
mod history;
mod history_simulation;
mod hostile_counts;
mod hostile_lists;
mod link_by_report;
mod players;
mod reports;
mod running_sessions;
mod sample_partitions;
mod server_stats;
mod unlisted_events;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rollcall::config::{Config, Flags};
use rollcall::tracker::Tracker;
use rollcall_demo::fake_servers::{FakeServer, FakeStatus};
use rollcall_minecraft::{Edition, HostTable, PingClient, PingRequest, Resolver, SsrfGuard};
use rollcall_model::clock::Clock;
use rollcall_store::media::Media;
use rollcall_store::{Connections, Pool};
use tokio::task::JoinHandle;

use crate::harness::{Engine, Server, Store, run_blocking};

const INTERVAL: i64 = 60_000;
/// After two intervals every server's next poll is due, whatever its offset within the interval.
const STEP: i64 = 2 * INTERVAL;

/// How long a fake server or a tracker may take.
const SOON: Duration = Duration::from_secs(60);

/// What a fake game server replies; `None` while it is down.
type Reply = Arc<Mutex<Option<FakeStatus>>>;

/// A Java server of the test.
struct ControlledServer {
    reply: Reply,
    address: SocketAddr,
}

/// Fake game servers, a Rollcall server, and trackers that poll the former for the latter.
struct TrackerFixture {
    server: Server,
    games: HostTable,
    queries: HostTable,
    hosts: Vec<FakeServer>,
    /// What each host replies.
    replies: Vec<Reply>,
    trackers: Vec<JoinHandle<()>>,
}

impl TrackerFixture {
    fn new(engine: Engine) -> Self {
        Self::over(Server::empty(engine))
    }

    fn over(server: Server) -> Self {
        Self {
            server,
            games: HostTable::new(),
            queries: HostTable::new(),
            hosts: Vec::new(),
            replies: Vec::new(),
            trackers: Vec::new(),
        }
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

    /// A Java server at `name`, port 25565, with an IP address of its own.
    fn java(&mut self, name: &str, says: FakeStatus) -> ControlledServer {
        let last = u8::try_from(self.hosts.len() + 1).expect("few servers");
        let (reply, address) =
            self.host(name, 25_565, says, |reply| FakeServer::java([127, 0, 0, last].into(), 0, source(reply)));
        ControlledServer { reply, address }
    }

    fn bedrock(&mut self, name: &str, says: FakeStatus) {
        self.host(name, 19_132, says, |reply| FakeServer::bedrock([127, 0, 0, 1].into(), 0, source(reply)));
    }

    fn host(
        &mut self,
        name: &str,
        port: u16,
        says: FakeStatus,
        open: impl Fn(&Reply) -> std::io::Result<FakeServer>,
    ) -> (Reply, SocketAddr) {
        let reply: Reply = Arc::new(Mutex::new(Some(says)));
        let host = self.server.run(async { open(&reply) }).expect("a free port on loopback");
        let address = host.address();
        self.games.insert((name.to_owned(), port), address);
        self.hosts.push(host);
        self.replies.push(reply.clone());
        (reply, address)
    }

    /// Changes what a server replies, and waits until a ping sees it: fake servers re-read their reply twice a second.
    fn set_reply(&self, server: &ControlledServer, says: Option<FakeStatus>) {
        *server.reply.lock().expect("no panic while locked") = says.clone();
        let host = ("fake.example".to_owned(), 25_565);
        let resolver = Resolver::Static { games: [(host, server.address)].into(), queries: HostTable::new() };
        let client = PingClient { resolver, guard: SsrfGuard::new(true), timeout: SOON };
        let request = PingRequest::new("fake.example".parse().expect("a host name"), 25_565, Edition::Java);
        let started = Instant::now();
        loop {
            let is_current = match (self.server.run(client.ping(&request)), &says) {
                (Ok(ping), Some(says)) => {
                    let names = ping.status.sample.iter().map(|player| &player.name);
                    ping.status.players == says.players && names.eq(says.sample.iter().map(|(name, _)| name))
                }
                (Err(error), None) => error.reason() == "refused",
                _ => false,
            };
            if is_current {
                return;
            }
            assert!(started.elapsed() < SOON, "the fake server does not change its reply");
            #[expect(clippy::disallowed_methods, reason = "polls with a deadline in a blocking thread")]
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Lets the server at `name` reply to Query on the same port.
    fn query(&mut self, name: &str, says: FakeStatus) {
        let reply: Reply = Arc::new(Mutex::new(Some(says)));
        let host = self.server.run(async { FakeServer::query([127, 0, 0, 1].into(), 0, source(&reply)) });
        let host = host.expect("a free port on loopback");
        self.queries.insert((name.to_owned(), 25_565), host.address());
        self.hosts.push(host);
    }

    fn clock(&self) -> &Clock {
        &self.server.clock
    }

    /// Starts another tracker, as another process would, and waits for the polls that are due.
    fn track(&mut self) {
        let pool =
            run_blocking(|| Pool::open(&self.store().database, Connections::default())).expect("the store opens");
        let media = Media::in_folder(&self.store().path().join("media")).expect("a folder");
        let settings = Config::load(&Flags::default()).expect("the defaults").tracker;
        let resolver = Resolver::Static { games: self.games.clone(), queries: self.queries.clone() };
        let tracker = Tracker::new(
            &settings,
            true,
            Arc::new(settings.ping_client(resolver)),
            Vec::new(),
            pool,
            media,
            self.clock().clone(),
        )
        .expect("polling is on");
        let running = self.server.spawn(tracker.run(std::future::pending()));
        self.trackers.push(running);
        self.settle();
    }

    /// Ends the newest tracker as a crash would.
    fn kill_tracker(&mut self) {
        self.trackers.pop().expect("a tracker").abort();
    }

    /// Advances the clock so that every server is polled once more.
    fn poll(&self) {
        self.polls(1);
    }

    fn polls(&self, count: i64) {
        for _ in 0..count {
            self.advance(STEP);
            self.settle();
        }
    }

    fn advance(&self, millis: i64) {
        self.clock().set(self.clock().now() + millis);
    }

    /// Waits until the poll of every server at this moment is stored.
    fn settle(&self) {
        self.until_stored(
            "select (select count(*) from servers s where s.is_tracked
                      and not exists (select 1 from tracking t where t.server_n = s.n))
                  + (select count(*) from tracking
                     where server_n <> 0 and coalesce(sample_at, 0) <> $1 and coalesce(failing_since, 0) <> $1)",
        );
    }

    /// Waits until the totals over all servers at this moment are stored. There are none without a public online server.
    fn settle_totals(&self) {
        self.until_stored("select count(*) from tracking where server_n = 0 and coalesce(sample_at, 0) <> $1");
    }

    /// Waits until this number of missing rows is 0.
    fn until_stored(&self, sql: &str) {
        let now = self.clock().now();
        let started = Instant::now();
        loop {
            let missing: i64 =
                self.store().change(|conn| conn.query_one(sql, rollcall_store::values![now], |row| row.get(0)));
            if missing == 0 {
                return;
            }
            assert!(started.elapsed() < SOON, "{missing} polls are not stored");
            #[expect(clippy::disallowed_methods, reason = "polls with a deadline in a blocking thread")]
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn get(&self, path: &str) -> serde_json::Value {
        self.server.run(self.server.get(path)).data()
    }

    /// Waits until the API responds as wanted.
    fn until(&self, path: &str, wanted: impl Fn(&serde_json::Value) -> bool) -> serde_json::Value {
        self.server.run(self.server.until(path, |response| response.status == 200 && wanted(&response.data()))).data()
    }
}

fn source(reply: &Reply) -> rollcall_demo::fake_servers::StatusSource {
    let reply = reply.clone();
    Arc::new(move || reply.lock().expect("no panic while locked").clone())
}

fn says(players: i64) -> FakeStatus {
    FakeStatus {
        version: "1.21.4".into(),
        protocol: 769,
        players,
        max_players: 100,
        motd: serde_json::json!("§aHello"),
        ..FakeStatus::default()
    }
}
