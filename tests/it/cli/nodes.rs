//! Several processes over one store: how they start, agree on the schema and the clock, and stop.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use super::{Program, complaint};
use crate::harness::{DEADLINE, Engine, Store, run_blocking};

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];
/// What a store of the next version has run.
const UNKNOWN_MIGRATION: i64 = 999;
const BEFORE_ALTER_OF_TEXTURES: i64 = 20;

fn execute(store: &Store, sql: &str) {
    store.change(|conn| conn.execute_batch(sql));
}

#[test]
fn processes_that_start_together_on_an_empty_database_all_serve() {
    let store = Store::new(Engine::Postgres);
    std::thread::scope(|scope| {
        let start = || Program::start(store.command(&SERVE));
        let started: Vec<_> = (0..3).map(|_| scope.spawn(start)).collect();
        for program in started {
            assert!(program.join().unwrap().url.starts_with("http://127.0.0.1:"));
        }
    });
}

#[test]
fn a_store_of_a_newer_version_is_refused() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        assert!(store.rollcall(&["migrate"]).status.success());
        execute(&store, &format!("insert into migrations (number) values ({UNKNOWN_MIGRATION})"));
        // The schema allows this version; a later migration takes that back.
        assert!(store.rollcall(&["server", "list"]).status.success());
        execute(&store, "update schema_compatibility set oldest_program = 999");
        for command in [&SERVE[..], &["migrate"], &["server", "list"]] {
            let output = store.rollcall(command);
            let complaint = complaint(&output, 2);
            let expected = "the schema of the store is newer than this program: it has migration 999. Use the newer version \
                            of rollcall";
            assert!(complaint.ends_with(expected), "{complaint}");
        }
    }
}

#[tokio::test]
async fn a_schema_that_becomes_too_new_makes_the_service_unready() {
    let store = Store::new(Engine::Postgres);
    let program = Program::start(store.command(&SERVE));
    execute(
        &store,
        "insert into migrations (number) values (999); update schema_compatibility set oldest_program = 999",
    );
    let response = program.get("/readyz", &[]).await;
    let body = String::from_utf8(response.body).unwrap();
    assert_eq!(response.status, 503);
    assert!(body.starts_with("not ready: the schema of the store is newer than this program"), "{body}");
}

#[test]
fn variables_of_a_kubernetes_service_are_ignored() {
    let store = Store::new(Engine::Sqlite);
    let mut command = store.command(&SERVE);
    for (name, value) in [
        ("ROLLCALL_PORT", "tcp://10.0.0.1:8080"),
        ("ROLLCALL_SERVICE_HOST", "10.0.0.1"),
        ("ROLLCALL_SERVICE_PORT", "8080"),
        ("ROLLCALL_SERVICE_PORT_HTTP", "8080"),
        ("ROLLCALL_PORT_8080_TCP", "tcp://10.0.0.1:8080"),
        ("ROLLCALL_PORT_8080_TCP_PROTO", "tcp"),
        ("ROLLCALL_PORT_8080_TCP_PORT", "8080"),
        ("ROLLCALL_PORT_8080_TCP_ADDR", "10.0.0.1"),
    ] {
        command.env(name, value);
    }
    Program::start(command);
    let output = store.command(&["serve"]).env("ROLLCALL_PORTS", "8080").output().unwrap();
    assert!(complaint(&output, 2).ends_with("environment variable ROLLCALL_PORTS: no such setting"));
}

#[test]
fn the_service_waits_for_postgresql_and_says_so() {
    let store = Store::at("postgres://rollcall@127.0.0.1:9/nothing".to_owned());
    let output = store.command(&SERVE).env("ROLLCALL_DATABASE_WAIT", "1").output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(log.contains("cannot reach postgres://127.0.0.1:9/nothing; trying for 1 s"), "{log}");
    assert_eq!(output.status.code(), Some(1));
}

/// One response of a connection that stays open.
fn exchange(stream: &mut TcpStream, path: &str) -> String {
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut response = vec![0; 4096];
    let length = stream.read(&mut response).unwrap();
    String::from_utf8_lossy(&response[..length]).into_owned()
}

#[test]
fn a_stopping_service_fails_its_health_check_and_serves_on() {
    let store = Store::new(Engine::Sqlite);
    let mut command = store.command(&SERVE);
    command.env("ROLLCALL_HTTP_SHUTDOWN_DELAY", "3600");
    let program = Program::start(command);
    let mut idle = TcpStream::connect(program.address()).unwrap();
    assert!(!exchange(&mut idle, "/healthz").contains("connection: close"));
    program.signal("TERM");
    program.until_logged("stopping");
    // A new connection, and one from before: both are answered and then closed.
    let mut connection = TcpStream::connect(program.address()).unwrap();
    let response = exchange(&mut connection, "/readyz");
    assert!(response.starts_with("HTTP/1.1 503 "), "{response}");
    assert!(response.ends_with("not ready: the service is stopping\n"), "{response}");
    for (stream, path) in [(&mut idle, "/healthz"), (&mut TcpStream::connect(program.address()).unwrap(), "/")] {
        let response = exchange(stream, path);
        assert!(response.starts_with("HTTP/1.1 200 ") && response.contains("connection: close"), "{response}");
    }
    let (status, _) = program.stop("TERM");
    assert!(status.success(), "the second signal ends the wait: {status}");
}

/// PostgreSQL finds this function before its own one.
pub const FUTURE_CLOCK: &str = "
    create function public.clock_timestamp() returns timestamptz language sql as
        $$ select pg_catalog.clock_timestamp() + interval '2 hours' $$;
    do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$";

#[tokio::test]
async fn a_wrong_clock_makes_the_service_unready_and_stops_its_polls() {
    let store = Store::new(Engine::Postgres);
    execute(&store, FUTURE_CLOCK);
    assert!(store.rollcall(&["server", "add", "play.example.org", "--name", "Example"]).status.success());
    let program = Program::start(store.command(&SERVE));
    let response = program.get("/readyz", &[]).await;
    let body = String::from_utf8(response.body).unwrap();
    assert_eq!(response.status, 503);
    assert!(body.starts_with("not ready: the clock of this machine is 7"), "{body}");
    assert!(body.ends_with(" s behind that of the database\n"), "{body}");
    program.until_logged("polling paused");
    execute(&store, "drop function public.clock_timestamp()");
    assert_eq!(program.get("/readyz", &[]).await.status, 200);
    program.until_logged("polling resumed");
}

/// What a machine wrote whose clock was two hours ahead.
const FROM_THE_FUTURE: i64 = 2 * 3_600_000;

#[tokio::test]
async fn polls_and_samples_from_the_future_are_planned_again() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        assert!(store.rollcall(&["server", "add", "127.0.0.1:9", "--name", "Example"]).status.success());
        let now = rollcall_model::clock::Clock::System.now();
        Program::start(store.command(&SERVE)).until_logged("started polling");
        let future = now + FROM_THE_FUTURE;
        let shifted = format!(
            "update poll_schedule set due_at = {future};
             update tracking set sample_at = {future};
             insert into samples (server_n, at, online, players, latency) select server_n, {future}, true, 1, 1 from tracking"
        );
        execute(&store, &shifted);
        let program = Program::start(store.command(&SERVE));
        program.until_logged("planned them again");
        let left = run_blocking(|| {
            let sql = format!("select count(*) from samples where at >= {future}");
            store.conn().query_one(&sql, &[], |row| row.get::<i64>(0)).unwrap()
        });
        assert_eq!(left, 0);
    }
}

#[test]
fn a_migration_that_waits_for_a_lock_does_not_stop_readers() {
    let store = Store::new(Engine::Postgres);
    // The next one changes a table.
    let numbers: Vec<i64> = (1..BEFORE_ALTER_OF_TEXTURES).collect();
    store.change(|conn| rollcall_store::migrate_like(conn, &numbers));
    let mut holder = store.conn();
    // Another one: an index is built when everyone is done who reads while the build begins.
    let mut observer = store.conn();
    std::thread::scope(|scope| {
        let migrate = holder.transaction(|holder| {
            holder.execute_batch("lock table textures in access share mode")?;
            let migrate = scope.spawn(|| store.rollcall(&["migrate"]));
            let waiting = "select count(*) from pg_locks where not granted and relation = 'textures'::regclass";
            let started = Instant::now();
            while observer.query_one(waiting, &[], |row| row.get::<i64>(0))? == 0 {
                assert!(started.elapsed() < DEADLINE, "the migration does not want the lock");
            }
            // It would wait for the holder, and readers behind it. They give up after a while.
            for _ in 0..3 {
                execute(&store, "set statement_timeout = 20000; select count(*) from textures");
            }
            Ok::<_, rollcall_store::Error>(migrate)
        });
        let output = migrate.unwrap().join().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    });
}
