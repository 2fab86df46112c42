//! PostgreSQL outages under load.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::harness::{PostgresServer, Program, Store};
use crate::http_client::KeepAliveClient;
use crate::store_outage::{CLIENTS, EndOfLoad, PER_MINUTE, survives};
use crate::{SERVE, create_key, until};

/// A 256th of it is reserved ahead.
const HIGH_LIMIT: u32 = 100_000_000;

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

/// Connections end, as after a failover or by `pg_terminate_backend`, and new ones work: no read fails. The limit is so high that no
/// quota must be reserved meanwhile: a write may fail.
#[test]
fn reads_survive_the_end_of_their_connections() {
    const ROUNDS: usize = 20;
    let server = PostgresServer::start();
    let store = Store::at(server.url.clone());
    let key = create_key(&store, HIGH_LIMIT);
    let program = Program::start(store.command(&SERVE));
    let (done, answered) = (AtomicBool::new(false), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (program, key, done, answered) = (&program, &key, &done, &answered);
            scope.spawn(move || {
                let mut connection = KeepAliveClient::new(program.address(), key);
                for i in 0_u64.. {
                    if done.load(Ordering::Relaxed) {
                        return;
                    }
                    // Each is a read of its own.
                    let reply = connection.get(&format!("/v1/players/nobody{client}x{i}")).expect("a response");
                    assert_eq!(reply.status, 404, "{}", reply.body);
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let end = EndOfLoad(&done);
        for _ in 0..ROUNDS {
            let before = answered.load(Ordering::Relaxed);
            server.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rollcall' and pid <> pg_backend_pid()");
            until("the load goes on", || (answered.load(Ordering::Relaxed) > before + 20).then_some(()));
        }
        drop(end);
    });
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
