//! Reads from replicas that lag, die, come back and are promoted.

use crate::harness::{PostgresServer, Program, Store};
use crate::http_client::KeepAliveClient;
use crate::{create_key, until};

const PER_MINUTE: u32 = 1_000_000;
const SERVE: [&str; 5] = ["serve", "--listen", "127.0.0.1:0", "--ping-interval", "off"];
const READS: u64 = 20;

struct Setup {
    primary: PostgresServer,
    replica: PostgresServer,
    program: Program,
    key: String,
    store: Store,
}

impl Setup {
    /// A service that knows the primary only.
    fn start() -> Self {
        Self::with_hosts(|primary, _| primary.to_owned())
    }

    /// `hosts`: those of the database, of the primary's address and the replica's.
    fn with_hosts(hosts: impl FnOnce(&str, &str) -> String) -> Self {
        let primary = PostgresServer::start();
        // Not a superuser: what the service asks of a replica must be allowed to everybody.
        primary.sql("create role service login");
        primary.sql("create database service owner service");
        let url = format!("postgres://service@{}/service", primary.address());
        let key = create_key(&Store::at(url.clone()), PER_MINUTE);
        let replica = PostgresServer::with(&["replicate", &primary.url]);
        let store = Store::at(url.replace(primary.address(), &hosts(primary.address(), replica.address())));
        let mut command = store.command(&SERVE);
        command.env("ROLLCALL_DATABASE_REPLICAS", url.replace(primary.address(), replica.address()));
        command.env("ROLLCALL_METRICS_LISTEN", "127.0.0.1:0");
        let program = Program::start(command);
        program.until_logged(&format!("replica postgres://{}/service is used", replica.address()));
        Self { primary, replica, program, key, store }
    }

    fn client(&self) -> KeepAliveClient {
        KeepAliveClient::new(self.program.address(), &self.key)
    }

    /// Whether the replica is left out for this reason.
    fn is_left_out(&self, reason: &str) -> bool {
        let name = format!("postgres://{}/service", self.replica.address());
        self.metric(&format!("rollcall_replica_left_out{{replica=\"{name}\",reason=\"{reason}\"}}")) == 1
    }

    /// Reads that were answered by the `primary` or a `replica`.
    fn answered_by(&self, server: &str) -> u64 {
        self.metric(&format!("rollcall_replicated_reads_total{{answered_by=\"{server}\"}}"))
    }

    /// The sum of the samples that begin like this.
    fn metric(&self, begin: &str) -> u64 {
        let url = self.program.metrics();
        let address = url.trim_start_matches("http://").trim_end_matches("/metrics");
        let body = KeepAliveClient::new(address, "").get("/metrics").expect("metrics").body;
        let values = body.lines().filter(|line| line.starts_with(begin)).map(|line| line.rsplit(' ').next());
        values.map(|value| value.and_then(|value| value.parse::<f64>().ok()).expect("a number") as u64).sum()
    }

    fn answered(&self) -> u64 {
        let name = format!("postgres://{}/service", self.replica.address());
        self.metric(&format!("rollcall_replica_reads_total{{replica=\"{name}\",outcome=\"answered\"}}"))
    }

    /// Reads until the replica has answered another few.
    fn until_replica_answers(&self) {
        let (mut client, before, mut i) = (self.client(), self.answered(), 0);
        until("the replica answers", || {
            i += 1;
            assert_eq!(client.get(&format!("/v1/players/nobody{before}x{i}")).expect("a response").status, 404);
            (self.answered() > before).then_some(())
        });
    }
}

#[test]
fn a_lagging_replica_is_left_out_and_used_again() {
    let setup = Setup::start();
    setup.until_replica_answers();
    setup.replica.sql("select pg_wal_replay_pause()");
    // Another process changes a server, and this one loads the change into its catalogue.
    let added = setup.store.rollcall(&["server", "add", "192.0.2.1", "--name", "Alpha"]);
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    let mut client = setup.client();
    until("the server is known", || (client.get("/v1/servers/alpha").expect("a response").status == 200).then_some(()));
    let answered = setup.answered();
    for i in 0..READS {
        assert_eq!(client.get("/v1/servers/alpha").expect("a response").status, 200);
        assert_eq!(client.get(&format!("/v1/players/nobody{i}")).expect("a response").status, 404);
    }
    assert_eq!(setup.answered(), answered, "the replica does not have the server");
    setup.program.until_logged("is left out, the primary answers: it lags behind");
    assert_eq!(setup.metric("rollcall_replica_used"), 0);
    assert!(setup.is_left_out("behind"));
    assert_eq!(setup.metric("rollcall_replica_left_out"), 1, "there is one reason");
    assert!(setup.answered_by("primary") >= READS);
    setup.replica.sql("select pg_wal_replay_resume()");
    setup.until_replica_answers();
    assert_eq!(setup.metric("rollcall_replica_used"), 1);
    assert_eq!(setup.metric("rollcall_replica_left_out"), 0);
    assert_eq!(setup.answered_by("replica"), setup.answered());
    let log = setup.program.log();
    assert_eq!(log.matches("is left out").count(), 1, "{log}");
    assert_eq!(log.matches("/service is used").count(), 2, "{log}");
}

/// Somebody looks at a skin, and this process counts that.
#[test]
fn a_replica_without_the_writes_of_this_process_is_left_out() {
    let setup = Setup::start();
    setup.until_replica_answers();
    setup.replica.sql("select pg_wal_replay_pause()");
    let mut client = setup.client();
    assert_eq!(client.get("/skins/default-classic").expect("a response").status, 200);
    setup.program.until_logged("is left out, the primary answers: it lags behind");
    setup.replica.sql("select pg_wal_replay_resume()");
    setup.until_replica_answers();
}

#[test]
fn a_lost_replica_fails_no_read() {
    let setup = Setup::start();
    setup.until_replica_answers();
    let mut client = setup.client();
    std::thread::scope(|scope| {
        let crash = scope.spawn(|| setup.replica.control("crash"));
        for i in 0_u64.. {
            assert_eq!(client.get(&format!("/v1/players/lost{i}")).expect("a response").status, 404);
            if crash.is_finished() && i > READS {
                break;
            }
        }
    });
    setup.program.until_logged("is left out, the primary answers");
    assert!(setup.is_left_out("unusable"));
    assert_eq!(client.get("/readyz").expect("a response").status, 200);
    setup.replica.control("resume");
    setup.until_replica_answers();
    // A promoted replica has a history of its own.
    setup.replica.control("promote");
    setup.program.until_logged("it takes writes, so it is not a replica, or was promoted");
    assert!(setup.is_left_out("promoted"));
    let answered = setup.answered();
    for i in 0..READS {
        assert_eq!(client.get(&format!("/v1/players/promoted{i}")).expect("a response").status, 404);
    }
    assert_eq!(setup.answered(), answered);
}

/// The primary is lost for good, and the replica that answered reads takes its place: it is left out as a replica, and the node reads
/// and writes there as its primary, without a restart.
#[test]
fn a_node_follows_a_promoted_replica() {
    let setup = Setup::with_hosts(|primary, replica| format!("{primary},{replica}"));
    // What is committed is on the replica.
    setup.primary.sql("alter system set synchronous_standby_names = '*'");
    setup.primary.sql("select pg_reload_conf()");
    setup.until_replica_answers();
    let before = create_key(&setup.store, PER_MINUTE);
    setup.primary.control("crash");
    setup.replica.control("promote");
    setup.program.until_logged("it takes writes, so it is not a replica, or was promoted");
    assert!(setup.is_left_out("promoted"));
    let mut client = setup.client();
    until("the node is ready", || (client.get("/readyz").expect("a response").status == 200).then_some(()));
    let (by_replica, by_primary) = (setup.answered_by("replica"), setup.answered_by("primary"));
    for i in 0..READS {
        assert_eq!(client.get(&format!("/v1/players/promoted{i}")).expect("a response").status, 404);
    }
    assert_eq!(setup.answered_by("replica"), by_replica);
    assert!(setup.answered_by("primary") >= by_primary + READS);
    // A key that the lost primary stored last, and one that only the new one has: the first request of each writes a reservation.
    for key in [before, create_key(&setup.store, PER_MINUTE)] {
        let mut client = KeepAliveClient::new(setup.program.address(), &key);
        until("the key is known", || (client.get("/v1/servers").expect("a response").status == 200).then_some(()));
    }
    let added = setup.store.rollcall(&["server", "add", "192.0.2.1", "--name", "Alpha"]);
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    until("the server is known", || (client.get("/v1/servers/alpha").expect("a response").status == 200).then_some(()));
}
