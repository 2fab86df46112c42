//! PostgreSQL outages under load.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use crate::harness::{PostgresServer, Program, Store};
use crate::http_client::KeepAliveClient;
use crate::store_outage::{CLIENTS, EndOfLoad, PER_MINUTE, survives};
use crate::{SERVE, create_key, until};

/// A 256th of it is reserved ahead.
const HIGH_LIMIT: u32 = 100_000_000;
/// So low that a request in ten needs a reservation.
const LOW_LIMIT: u32 = 6_000;
/// At most what waits and what is reserved ahead, a 256th of the limit.
const LOW_RESERVATION: u32 = CLIENTS + LOW_LIMIT / 256;
/// How often connections end during a load.
const ENDS: u32 = 40;
/// Between two requests of a client, so that a load stays below [`LOW_LIMIT`].
const PAUSE: Duration = Duration::from_millis(5);

#[test]
fn survives_a_postgresql_crash() {
    let server = PostgresServer::start();
    let store = Store::at(server.url.clone());
    let key = create_key(&store, PER_MINUTE);
    let program = Program::start(store.command(&SERVE));
    survives(program, &key, || server.control("crash"), || server.control("resume"));
    create_key(&store, PER_MINUTE);
}

/// The primary dies for good and its replica is promoted. The service knows both hosts and needs no restart.
#[test]
fn survives_a_failover() {
    let primary = PostgresServer::start();
    let replica = PostgresServer::with(&["replicate", &primary.url]);
    // What is committed is on the replica.
    primary.sql("alter system set synchronous_standby_names = '*'");
    primary.sql("select pg_reload_conf()");
    let hosts = format!("{},{}", primary.address(), replica.address());
    let store = Store::at(primary.url.replace(primary.address(), &hosts));
    let key = create_key(&store, PER_MINUTE);
    let program = Program::start(store.command(&SERVE));
    survives(program, &key, || primary.control("crash"), || replica.control("promote"));
    create_key(&store, PER_MINUTE);
}

/// Runs a load while the connections of the service end again and again, as by `pg_terminate_backend`, and new ones work. Each request
/// must get the status. Returns how many there were.
fn answers_while_connections_end(
    server: &PostgresServer,
    program: &Program,
    key: &str,
    status: u16,
    path: impl Fn(u32) -> String + Sync,
) -> u32 {
    let (done, answered) = (AtomicBool::new(false), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            let (done, answered, path) = (&done, &answered, &path);
            scope.spawn(move || {
                let mut connection = KeepAliveClient::new(program.address(), key);
                while !done.load(Ordering::Relaxed) {
                    let reply = connection.get(&path(answered.fetch_add(1, Ordering::Relaxed))).expect("a response");
                    assert_eq!(reply.status, status, "{}", reply.body);
                    #[expect(clippy::disallowed_methods, reason = "paces a blocking client")]
                    std::thread::sleep(PAUSE);
                }
            });
        }
        let _end = EndOfLoad(&done);
        for _ in 0..ENDS {
            let before = answered.load(Ordering::Relaxed);
            server.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rollcall' and pid <> pg_backend_pid()");
            until("the load goes on", || (answered.load(Ordering::Relaxed) > before + 20).then_some(()));
        }
    });
    answered.into_inner()
}

/// The limit is so high that hardly any quota is reserved meanwhile.
#[test]
fn reads_survive_the_end_of_their_connections() {
    let server = PostgresServer::start();
    let store = Store::at(server.url.clone());
    let key = create_key(&store, HIGH_LIMIT);
    let program = Program::start(store.command(&SERVE));
    // Each is a read of its own.
    answers_while_connections_end(&server, &program, &key, 404, |i| format!("/v1/players/nobody{i}"));
}

/// What is counted of a reservation whose answer is lost stays counted; nothing is given back or recorded twice.
#[test]
fn a_reservation_survives_the_end_of_its_connection() {
    let server = PostgresServer::start();
    let store = Store::at(server.url.clone());
    let key = create_key(&store, LOW_LIMIT);
    let program = Program::start(store.command(&SERVE));
    let answered = answers_while_connections_end(&server, &program, &key, 200, |_| "/v1/servers".into());
    let mut client = KeepAliveClient::new(program.address(), &key);
    let last = client.get("/v1/servers").expect("a response");
    let (requests, used) = (answered + 1, last.used());
    assert!(used >= requests, "quota was given back: {used} used, {requests} requests");
    assert!(used <= requests + ENDS * LOW_RESERVATION, "{used} used, {requests} requests");
    let (status, _) = program.stop("TERM");
    assert!(status.success(), "{status}");
    assert_eq!(server.query("select sum(requests)::text from key_usage"), requests.to_string());
}

#[test]
fn survives_a_read_only_postgresql() {
    let server = PostgresServer::start();
    let store = Store::at(server.url.clone());
    let key = create_key(&store, PER_MINUTE);
    let program = Program::start(store.command(&SERVE));
    let set = |to: &str| {
        // As after a failover to a replica: connections end, and new ones are read-only.
        server.sql(&format!("alter system set default_transaction_read_only = {to}"));
        server.sql("select pg_reload_conf()");
        server.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rollcall' and pid <> pg_backend_pid()");
    };
    survives(program, &key, || set("on"), || set("off"));
    create_key(&store, PER_MINUTE);
}
