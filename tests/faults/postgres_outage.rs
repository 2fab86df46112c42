//! PostgreSQL outages under load.

use crate::harness::{PostgresServer, Program, Store};
use crate::store_outage::{PER_MINUTE, survives};
use crate::{SERVE, create_key};

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
