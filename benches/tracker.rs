//! The complete tracker: `cargo bench --bench tracker`. Rollcall polls 100,000 servers once a minute on a new store, while one
//! client reads a list. Measures CPU time, memory, disk writes, the delay of polls, and the latency of the client.
//!
//! Options after `--`: `--servers N`, `--minutes N` (measured, after a warm-up of one and a half), `--players N` (player names in
//! every status), `--database URL` (an empty PostgreSQL database instead of SQLite).
//!
//! All addresses are in 127.0.0.0/8. A few fake servers in a separate process respond at all of them.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

#[path = "ping/child_process.rs"]
mod child_process;

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use child_process::ChildProcess;
use rollcall_demo::fake_servers::{FakeServer, FakeStatus, StatusSource};
use rollcall_model::clock::Clock;
use rollcall_store::media::Media;
use rollcall_store::{Conn, Database, Value};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The allocator of the service.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The hidden argument that makes this program the fake servers.
const FAKE_SERVERS_ARGUMENT: &str = "--fake-servers";
/// Fake servers, each on its own port at every address.
const FAKE_SERVERS: usize = 16;
/// Milliseconds between two polls of a server.
const INTERVAL: i64 = 60_000;
const WARM_UP: Duration = Duration::from_secs(90);
/// How often memory, file sizes and delays are sampled.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(5);
/// The pause between two requests of the client.
const PAUSE: Duration = Duration::from_millis(20);
const PATH: &str = "/v1/servers?sort=players";

struct TrackerOptions {
    servers: usize,
    minutes: u64,
    players: usize,
    database: Option<String>,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| args.iter().position(|arg| arg == name).and_then(|index| args.get(index + 1));
    let number = |name: &str, default: usize| value(name).map_or(default, |text| text.parse().expect("a number"));
    if args.first().is_some_and(|arg| arg == FAKE_SERVERS_ARGUMENT) {
        return run_fake_servers(number("--players", 0));
    }
    let options = TrackerOptions {
        servers: number("--servers", 100_000),
        minutes: number("--minutes", 3) as u64,
        players: number("--players", 0),
        database: value("--database").cloned(),
    };
    let folder = tempfile::tempdir().expect("create a folder");
    let mut fake_servers =
        ChildProcess::same_program(None, &[FAKE_SERVERS_ARGUMENT, "--players", &options.players.to_string()]);
    let line = fake_servers.read_line();
    let ports: Vec<&str> = line.split(' ').collect();
    let store = TrackerStore { folder: folder.path(), database: options.database.as_deref() };
    let key = fill(&store, &options, &ports);
    let program = [env!("CARGO_BIN_EXE_rollcall").to_owned(), "serve".into()];
    let serve = ["--listen", "127.0.0.1:0", "--ping-interval", "60s", "--allow-private-addresses"];
    let mut program = ChildProcess::start(None, &program, &[&serve[..], &store.args()].concat());
    let address = program.read_line().rsplit('/').next().and_then(|address| address.parse().ok());
    let address: SocketAddr = address.expect("rollcall prints its address");
    println!("{} servers, {} minutes after a warm-up of {} s", options.servers, options.minutes, WARM_UP.as_secs());
    measure(&options, &store, &program, &fake_servers, address, &key);
}

/// Only the player counts of the fake servers change.
fn run_fake_servers(names: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("build the runtime");
    runtime.block_on(async {
        let started = Instant::now();
        let servers = (0..FAKE_SERVERS).map(|host| {
            let source: StatusSource = Arc::new(move || {
                let moment = started.elapsed().as_secs() as i64 / 2;
                let players = 20 + (moment * 7 + host as i64 * 13) % 100;
                Some(status(host, players, names))
            });
            FakeServer::java(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0, source).expect("bind a port")
        });
        let servers: Vec<FakeServer> = servers.collect();
        let ports: Vec<String> = servers.iter().map(|server| server.address().port().to_string()).collect();
        println!("{}", ports.join(" "));
        let end = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        let _ = end.await;
    });
}

fn status(host: usize, players: i64, names: usize) -> FakeStatus {
    let name = |i: usize| (format!("Player_{host}_{i}"), format!("069a79f4-44e9-4726-a5be-{host:04x}{i:08x}"));
    FakeStatus {
        version: format!("Paper 1.21.{}", host % 8),
        protocol: 770,
        players,
        max_players: 200,
        sample: (0..names).map(name).collect(),
        motd: json!({ "text": "", "extra": [
            { "text": format!("Network {host}"), "color": "gold", "bold": true },
            { "text": "  survival, skyblock and more\n", "color": "gray" },
            { "text": "join us", "color": "#33ccff" },
        ] }),
        ..FakeStatus::default()
    }
}

struct TrackerStore<'a> {
    folder: &'a Path,
    database: Option<&'a str>,
}

impl TrackerStore<'_> {
    fn args(&self) -> Vec<&str> {
        let data = ["--data", self.folder.to_str().expect("the path is UTF-8")];
        self.database.map_or_else(|| data.to_vec(), |url| [&data[..], &["--database", url]].concat())
    }

    fn open(&self) -> Conn {
        let database = match self.database {
            Some(url) => url.parse().expect("a URL of this program"),
            None => Database::Sqlite(self.folder.join("rollcall.db")),
        };
        Conn::open_existing(&database).expect("open the database")
    }

    /// Bytes of the database and of its write-ahead log.
    fn sizes(&self, conn: &mut Conn) -> (u64, u64) {
        let length = |name: &str| self.folder.join(name).metadata().map_or(0, |file| file.len());
        if conn.is_postgres() {
            let size = conn.query_one("select pg_database_size(current_database())", &[], |row| row.get::<i64>(0));
            return (size.expect("query the size").cast_unsigned(), 0);
        }
        (length("rollcall.db"), length("rollcall.db-wal"))
    }

    fn run(&self, args: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rollcall"));
        let output = command.args(args).args(self.args()).output().expect("start rollcall");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("the output is UTF-8").trim().to_owned()
    }
}

/// Imports the servers and creates an API key.
fn fill(store: &TrackerStore, options: &TrackerOptions, ports: &[&str]) -> String {
    let media = Media::in_folder(&store.folder.join("media")).expect("open the media folder");
    let save = |kind: &str, png: &[u8]| media.put_png_blocking(kind, png).expect("save the picture");
    let icon = save("icon", &rollcall_paint::icon("Bench", 1));
    let banner = save("banner", &rollcall_paint::banner("Bench", "", 1));
    let motd = save("motd", &rollcall_paint::motd("Bench"));
    let path = store.folder.join("servers.ndjson");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("create the file"));
    for i in 0..options.servers {
        let line = json!({
            "id": format!("bench{i:06}"), "name": format!("Server {i}"), "slug": format!("server-{i}"),
            "ip": format!("127.{}.{}.{}", 1 + i / 62_500, i / 250 % 250, 1 + i % 250),
            "port": ports[i % ports.len()].parse::<u16>().expect("a port number"),
            "icon": icon, "banner": banner, "motdImage": motd, "country": "Germany",
        });
        writeln!(file, "{line}").expect("write the file");
    }
    file.flush().expect("write the file");
    let started = Instant::now();
    store.run(&["import", path.to_str().expect("the path is UTF-8")]);
    println!("import: {:.1} s", started.elapsed().as_secs_f64());
    let quota = u32::MAX.to_string();
    let key = ["key", "create", "--per-minute", &quota, "--per-day", &quota, "--per-month", &quota];
    let output = store.run(&key);
    let key = output.split_whitespace().find(|word| word.starts_with("rc_") || word.len() > 30);
    key.unwrap_or_else(|| panic!("no API key in: {output}")).to_owned()
}

fn measure(
    options: &TrackerOptions,
    store: &TrackerStore,
    program: &ChildProcess,
    fake_servers: &ChildProcess,
    address: SocketAddr,
    key: &str,
) {
    let mut conn = store.open();
    #[expect(clippy::disallowed_methods, reason = "a blocking benchmark without a runtime")]
    std::thread::sleep(WARM_UP);
    let (cpu, server_cpu, started, from) = (program.cpu(), fake_servers.cpu(), Instant::now(), Clock::System.now());
    let (size, _) = store.sizes(&mut conn);
    let written = program.proc_field("io", "write_bytes:");
    let measured = Duration::from_secs(60 * options.minutes);
    let client = std::thread::spawn({
        let key = key.to_owned();
        move || latencies(address, &key, measured)
    });
    let (mut peak_wal, mut peak_resident, mut max_delay) = (0, 0, 0);
    while started.elapsed() < measured {
        #[expect(clippy::disallowed_methods, reason = "a blocking benchmark without a runtime")]
        std::thread::sleep(SAMPLE_INTERVAL.min(measured.saturating_sub(started.elapsed())));
        peak_wal = peak_wal.max(store.sizes(&mut conn).1);
        peak_resident = peak_resident.max(program.resident());
        let due = conn.query_one("select coalesce(min(due_at), 0) from poll_schedule", &[], |row| row.get::<i64>(0));
        max_delay = max_delay.max(Clock::System.now() - due.expect("query the schedule"));
    }
    let (seconds, until) = (started.elapsed().as_secs_f64(), Clock::System.now());
    let (cpu, server_cpu) = (program.cpu() - cpu, fake_servers.cpu() - server_cpu);
    let written = program.proc_field("io", "write_bytes:") - written;
    let grown = store.sizes(&mut conn).0.saturating_sub(size);
    let latencies = client.join().expect("the client does not panic");
    rollcall_store::samples::write_pending(&mut conn).expect("write the samples that wait");
    let samples = written_samples(&mut conn, from, until);
    let minutes = seconds / 60.0;
    println!(
        "samples: {:.0} per minute of {} servers; {} servers are unreachable",
        samples.count as f64 / minutes,
        options.servers,
        samples.unreachable
    );
    println!(
        "CPU: {:.1} s user + {:.1} s system in {seconds:.0} s, {:.0}% of a core, {:.0} µs per poll; the fake servers {:.0}%",
        cpu.user,
        cpu.system,
        100.0 * cpu.total() / seconds,
        1e6 * cpu.total() / samples.count.max(1) as f64,
        100.0 * server_cpu.total() / seconds
    );
    println!("memory: {:.0} MB resident at peak", peak_resident as f64 / 1e6);
    println!(
        "disk: the database grows by {:.1} MB per minute; {:.0} MB per minute are written; write-ahead log {:.1} MB at peak",
        grown as f64 / 1e6 / minutes,
        written as f64 / 1e6 / minutes,
        peak_wal as f64 / 1e6
    );
    println!(
        "polls: delayed by at most {:.1} s; interval between two polls {} s",
        max_delay as f64 / 1e3,
        spread(&samples.intervals, 1e3)
    );
    println!("GET {PATH}: {} requests, latency in ms {}", latencies.len(), spread(&latencies, 1e3));
}

struct WrittenSamples {
    count: usize,
    /// Servers that are offline at the end.
    unreachable: i64,
    /// Milliseconds between two samples of a server, sorted.
    intervals: Vec<i64>,
}

fn written_samples(conn: &mut Conn, from: i64, until: i64) -> WrittenSamples {
    let (mut count, mut intervals, mut last) = (0, Vec::new(), (0, 0));
    // Starts earlier, so that every counted sample has one before it.
    let values = [Value::from(from - 3 * INTERVAL / 2), Value::from(until)];
    conn.for_each(
        "select server_n, at from samples where at >= $1 and at < $2 order by server_n, at",
        &values,
        |row| {
            let (server, at): (i64, i64) = (row.get(0), row.get(1));
            if at >= from && server != 0 {
                count += 1;
                if last.0 == server {
                    intervals.push(at - last.1);
                }
            }
            last = (server, at);
        },
    )
    .expect("query the samples");
    intervals.sort_unstable();
    let unreachable = "select count(*) from servers where not is_online";
    let unreachable = conn.query_one(unreachable, &[], |row| row.get(0)).expect("count rows");
    WrittenSamples { count, unreachable, intervals }
}

/// Median, p1, p99 and maximum of sorted values.
fn spread(values: &[i64], unit: f64) -> String {
    let at = |per_mille: usize| values.get((values.len() * per_mille / 1000).min(values.len().saturating_sub(1)));
    let quantile = |per_mille: usize| at(per_mille).map_or(0.0, |value| *value as f64 / unit);
    format!("{:.2} (p1 {:.2}, p99 {:.2}, max {:.2})", quantile(500), quantile(10), quantile(990), quantile(1000))
}

/// The latencies of a steady client in microseconds, sorted.
fn latencies(address: SocketAddr, key: &str, measured: Duration) -> Vec<i64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("build the runtime");
    runtime.block_on(async {
        let request = format!("GET {PATH} HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\n\r\n");
        let (mut latencies, started) = (Vec::new(), Instant::now());
        let mut stream = TcpStream::connect(address).await.expect("connect to the server");
        let mut buffer = vec![0; 256 * 1024];
        while started.elapsed() < measured {
            let sent = Instant::now();
            stream.write_all(request.as_bytes()).await.expect("send the request");
            let (mut filled, mut total) = (0, None);
            while total.is_none_or(|total| filled < total) {
                let read = stream.read(&mut buffer[filled..]).await.expect("read the response");
                assert!(read > 0, "the server closed the connection");
                filled += read;
                total = total.or_else(|| response_length(&buffer[..filled]));
            }
            assert!(buffer.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&buffer[..filled.min(400)]));
            latencies.push(sent.elapsed().as_micros() as i64);
            tokio::time::sleep(PAUSE).await;
        }
        latencies.sort_unstable();
        latencies
    })
}

/// The length of head and body. `None`: the head is not complete yet.
fn response_length(bytes: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length: ";
    let head = memchr::memmem::find(bytes, b"\r\n\r\n")? + 4;
    let value = memchr::memmem::find(&bytes[..head], NAME)? + NAME.len();
    let digits = bytes[value..].iter().take_while(|byte| byte.is_ascii_digit());
    Some(head + digits.fold(0, |length, digit| length * 10 + usize::from(digit - b'0')))
}
