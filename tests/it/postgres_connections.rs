//! Connections to PostgreSQL: fewer than wanted, and through PgBouncer, which `./test` installs. TEST_PGBOUNCER names another one.

use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{DEADLINE, Engine, PostgresServer, Program, Store, run_blocking, skip_or_fail, until};

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];
const PGBOUNCER: &str = "/usr/sbin/pgbouncer";

fn create_key(store: &Store) -> String {
    let output = store.rollcall(&["key", "create"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("plain text").trim_end().to_owned()
}

/// Sends requests that read the store, at the same time.
async fn assert_serves(program: &Program, key: &str) {
    let headers = [("x-api-key", key)];
    let paths: Vec<String> = (0..20).map(|i| format!("/v1/players/nobody{i}")).collect();
    let replies = futures_util::future::join_all(paths.iter().map(|path| program.get(path, &headers))).await;
    for reply in replies {
        assert_eq!(reply.status, 404);
    }
    assert_eq!(program.get("/readyz", &[]).await.status, 200);
}

#[tokio::test]
async fn fewer_connections_than_wanted_are_enough() {
    let server = run_blocking(PostgresServer::start);
    // One for the start and one for each kind of work.
    run_blocking(|| server.sql("create role few login connection limit 6"));
    run_blocking(|| server.sql("create database few owner few"));
    let url = format!("postgres://few@{}/few", server.address());
    let store = Store::at(url);
    let key = run_blocking(|| create_key(&store));
    let program = run_blocking(|| Program::start(store.command(&SERVE)));
    assert_serves(&program, &key).await;
    program.until_logged("too many connections for role");
    assert_serves(&program, &key).await;
    run_blocking(|| assert!(program.stop("TERM").0.success()));
}

/// The program.
fn pgbouncer() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "a setting of the tests, not of the program")]
    std::env::var_os("TEST_PGBOUNCER").map_or_else(|| PGBOUNCER.into(), PathBuf::from)
}

/// PgBouncer before a server.
struct PgBouncer {
    process: Child,
    url: String,
    _folder: tempfile::TempDir,
}

impl PgBouncer {
    fn start(server: &PostgresServer, mode: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let owner = std::fs::metadata(server.data()).expect("the data folder");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port").port();
        let (path, server_port) = (folder.path().display(), server.address().rsplit_once(':').expect("a port").1);
        let settings = format!(
            "[databases]\n* = host=127.0.0.1 port={server_port}\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = trust\n\
             auth_file = {path}/users\npool_mode = {mode}\ndefault_pool_size = 40\n"
        );
        for (name, content) in [("settings", settings.as_str()), ("users", "\"rollcall\" \"\"\n")] {
            std::fs::write(folder.path().join(name), content).expect("a file");
        }
        for file in [folder.path().to_owned(), folder.path().join("settings"), folder.path().join("users")] {
            std::os::unix::fs::chown(file, Some(owner.uid()), Some(owner.gid())).expect("the server's user");
        }
        // It refuses to run as root.
        let mut command = Command::new("setpriv");
        command.args([&format!("--reuid={}", owner.uid()), &format!("--regid={}", owner.gid()), "--clear-groups"]);
        command.arg(pgbouncer()).arg(folder.path().join("settings")).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().expect("setpriv runs");
        let url = format!("postgres://rollcall@127.0.0.1:{port}/postgres");
        let bouncer = Self { process, url, _folder: folder };
        bouncer.wait_until_reachable();
        bouncer
    }

    fn wait_until_reachable(&self) {
        let started = Instant::now();
        while rollcall_store::Conn::open(&self.url.parse().expect("a URL")).is_err() {
            assert!(started.elapsed() < DEADLINE, "PgBouncer does not answer");
            #[expect(clippy::disallowed_methods, reason = "polls with a deadline in a blocking thread")]
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Whether this PgBouncer knows prepared statements in transaction mode.
fn has_prepared_statements() -> bool {
    let output = Command::new(pgbouncer()).arg("--version").output().expect("PgBouncer runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.split_whitespace().nth(1).expect("PgBouncer 1.18.0").split('.').map(str::parse::<u32>);
    version.take(2).map(|part| part.expect("a number")).collect::<Vec<_>>() >= vec![1, 21]
}

#[tokio::test]
async fn pgbouncer_is_used_in_the_modes_that_work() {
    if !pgbouncer().exists() {
        return skip_or_fail("pgbouncer_is_used_in_the_modes_that_work", "PgBouncer; scripts/debian-peers installs it");
    }
    let server = run_blocking(PostgresServer::start);
    let mut modes = vec!["session"];
    if has_prepared_statements() {
        modes.push("transaction\nmax_prepared_statements = 200");
    }
    for mode in modes {
        let bouncer = run_blocking(|| PgBouncer::start(&server, mode));
        let store = Store::at(bouncer.url.clone());
        let key = run_blocking(|| create_key(&store));
        let program = run_blocking(|| Program::start(store.command(&SERVE)));
        assert_serves(&program, &key).await;
        run_blocking(|| assert!(program.stop("TERM").0.success()));
    }
    let without = if has_prepared_statements() { "transaction\nmax_prepared_statements = 0" } else { "transaction" };
    let bouncer = run_blocking(|| PgBouncer::start(&server, without));
    let output = run_blocking(|| Store::at(bouncer.url.clone()).rollcall(&SERVE));
    let error = String::from_utf8(output.stderr).expect("plain text");
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("PgBouncer in transaction mode must be version 1.21 or later"), "{error}");
}

#[tokio::test]
#[ignore = "slow, ./test runs it"]
async fn a_query_that_was_given_up_is_cancelled() {
    let store = Store::new(Engine::Postgres);
    let key = run_blocking(|| create_key(&store));
    let added = run_blocking(|| store.rollcall(&["server", "add", "192.0.2.1", "--name", "Alpha"]));
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    let program = Program::start(store.command(&[&SERVE[..], &["--ping-interval", "off"]].concat()));
    let mut holder = run_blocking(|| store.conn());
    let sql = "select count(*) from pg_locks where not granted and relation = 'reviews'::regclass";
    let waiting = || run_blocking(|| store.conn().query_one(sql, &[], |row| row.get::<i64>(0))).unwrap();
    let (locked, release) = (tokio::sync::oneshot::channel(), std::sync::mpsc::channel::<()>());
    let hold = std::thread::spawn(move || {
        holder.transaction(|conn| {
            conn.execute_batch("lock table reviews in access exclusive mode")?;
            locked.0.send(()).expect("the test waits");
            release.1.recv().expect("the test tells");
            Ok::<_, rollcall_store::Error>(())
        })
    });
    locked.1.await.expect("the lock");
    let headers = [("x-api-key", key.as_str())];
    let (reply, noticed) = tokio::join!(program.get("/v1/servers/alpha/reviews", &headers), async {
        until(async || match waiting() {
            0 => Err("no query waits for the lock"),
            _ => Ok(()),
        })
        .await;
    });
    assert_eq!((reply.status, noticed), (503, ()), "the query waited for the lock and was given up");
    until(async || match waiting() {
        0 => Ok(()),
        _ => Err("the query waits on"),
    })
    .await;
    release.0.send(()).expect("the thread waits");
    hold.join().expect("no panic").unwrap();
}
