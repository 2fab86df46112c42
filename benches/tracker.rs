//! The whole tracker at work: `cargo bench --bench tracker`. The real program watches 100,000 servers once a minute on a store of its
//! own, while one client reads a list, and it is told what that takes: processor, memory, disk, how late rounds are, and how
//! long the client waits.
//!
//! Options after `--`: `--servers N`, `--minutes N` (measured, after a warm-up of one and a half), `--players N` (names that
//! every answer tells), `--database URL` (an empty PostgreSQL database instead of SQLite).
//!
//! All addresses lie in 127.0.0.0/8, and a few simulated servers, in a process of their own, answer for all of them.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

#[path = "ping/process.rs"]
mod process;

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use process::Process;
use rollcall_demo::fake_servers::{Host, Says, Source};
use rollcall_model::clock::Clock;
use rollcall_store::media::Media;
use rollcall_store::{Conn, Database, Value};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const HOSTS_ARGUMENT: &str = "--hosts";
/// Ports, each of which answers at every address.
const HOSTS: usize = 16;
const INTERVAL: i64 = 60_000;
const WARM_UP: Duration = Duration::from_secs(90);
/// How often it is looked at sizes and lateness.
const LOOK: Duration = Duration::from_secs(5);
/// Between two requests of the client.
const PAUSE: Duration = Duration::from_millis(20);
const PATH: &str = "/v1/servers?sort=players";

struct Options {
    servers: usize,
    minutes: u64,
    players: usize,
    database: Option<String>,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| args.iter().position(|arg| arg == name).and_then(|place| args.get(place + 1));
    let number = |name: &str, usual: usize| after(name).map_or(usual, |text| text.parse().expect("a number"));
    if args.first().is_some_and(|arg| arg == HOSTS_ARGUMENT) {
        return answer(number("--players", 0));
    }
    let options = Options {
        servers: number("--servers", 100_000),
        minutes: number("--minutes", 3) as u64,
        players: number("--players", 0),
        database: after("--database").cloned(),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let mut hosts = Process::this(None, &[HOSTS_ARGUMENT, "--players", &options.players.to_string()]);
    let line = hosts.line();
    let ports: Vec<&str> = line.split(' ').collect();
    let store = Store { folder: folder.path(), database: options.database.as_deref() };
    let key = fill(&store, &options, &ports);
    let program = [env!("CARGO_BIN_EXE_rollcall").to_owned(), "serve".into()];
    let serve = ["--listen", "127.0.0.1:0", "--ping-interval", "60s", "--allow-private-addresses"];
    let mut program = Process::start(None, &program, &[&serve[..], &store.args()].concat());
    let address = program.line().rsplit('/').next().and_then(|address| address.parse().ok());
    let address: SocketAddr = address.expect("it says where it listens");
    println!("{} servers, {} minutes after a warm-up of {} s", options.servers, options.minutes, WARM_UP.as_secs());
    watch(&options, &store, &program, &hosts, address, &key);
}

/// What hosts say: players come and go, the rest stays.
fn answer(names: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let began = Instant::now();
        let hosts = (0..HOSTS).map(|host| {
            let source: Source = Arc::new(move || {
                let moment = began.elapsed().as_secs() as i64 / 2;
                let players = 20 + (moment * 7 + host as i64 * 13) % 100;
                Some(says(host, players, names))
            });
            Host::java(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0, source).expect("a free port")
        });
        let hosts: Vec<Host> = hosts.collect();
        let ports: Vec<String> = hosts.iter().map(|host| host.address().port().to_string()).collect();
        println!("{}", ports.join(" "));
        let end = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        let _ = end.await;
    });
}

fn says(host: usize, players: i64, names: usize) -> Says {
    let name = |i: usize| (format!("Player_{host}_{i}"), format!("069a79f4-44e9-4726-a5be-{host:04x}{i:08x}"));
    Says {
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
        ..Says::default()
    }
}

struct Store<'a> {
    folder: &'a Path,
    database: Option<&'a str>,
}

impl Store<'_> {
    fn args(&self) -> Vec<&str> {
        let data = ["--data", self.folder.to_str().expect("a path of text")];
        self.database.map_or_else(|| data.to_vec(), |url| [&data[..], &["--database", url]].concat())
    }

    fn open(&self) -> Conn {
        let database = match self.database {
            Some(url) => Database::Postgres(url.to_owned()),
            None => Database::Sqlite(self.folder.join("rollcall.db")),
        };
        Conn::open_again(&database).expect("a store")
    }

    /// Bytes of the database, and of what is written ahead of it.
    fn sizes(&self, conn: &mut Conn) -> (u64, u64) {
        let length = |name: &str| self.folder.join(name).metadata().map_or(0, |file| file.len());
        if conn.is_postgres() {
            let size = conn.one("select pg_database_size(current_database())", &[], |row| row.get::<i64>(0));
            return (size.expect("a size").cast_unsigned(), 0);
        }
        (length("rollcall.db"), length("rollcall.db-wal"))
    }

    fn run(&self, args: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rollcall"));
        let ended = command.args(args).args(self.args()).output().expect("the program starts");
        assert!(ended.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ended.stderr));
        String::from_utf8(ended.stdout).expect("text").trim().to_owned()
    }
}

/// Imports the servers, and gives a key to read with.
fn fill(store: &Store, options: &Options, ports: &[&str]) -> String {
    let media = Media::in_folder(&store.folder.join("media")).expect("a folder for pictures");
    let keep = |kind: &str, png: &[u8]| media.put_png_blocking(kind, png).expect("a picture");
    let icon = keep("icon", &rollcall_paint::icon("Bench", 1));
    let banner = keep("banner", &rollcall_paint::banner("Bench", "", 1));
    let motd = keep("motd", &rollcall_paint::motd("Bench"));
    let path = store.folder.join("servers.ndjson");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("a file"));
    for i in 0..options.servers {
        let line = json!({
            "id": format!("bench{i:06}"), "name": format!("Server {i}"), "slug": format!("server-{i}"),
            "ip": format!("127.{}.{}.{}", 1 + i / 62_500, i / 250 % 250, 1 + i % 250),
            "port": ports[i % ports.len()].parse::<u16>().expect("a port"),
            "icon": icon, "banner": banner, "motdImage": motd, "country": "Germany",
        });
        writeln!(file, "{line}").expect("room on the disk");
    }
    file.flush().expect("room on the disk");
    let began = Instant::now();
    store.run(&["import", path.to_str().expect("a path of text")]);
    println!("import: {:.1} s", began.elapsed().as_secs_f64());
    let most = u32::MAX.to_string();
    let key = ["key", "create", "--per-minute", &most, "--per-day", &most, "--per-month", &most];
    let said = store.run(&key);
    let key = said.split_whitespace().find(|word| word.starts_with("rc_") || word.len() > 30);
    key.unwrap_or_else(|| panic!("a key in: {said}")).to_owned()
}

fn watch(options: &Options, store: &Store, program: &Process, hosts: &Process, address: SocketAddr, key: &str) {
    let mut conn = store.open();
    std::thread::sleep(WARM_UP);
    let (used, served, began, from) = (program.used(), hosts.used(), Instant::now(), Clock::System.now());
    let (size, _) = store.sizes(&mut conn);
    let written = program.figure("io", "write_bytes:");
    let measured = Duration::from_secs(60 * options.minutes);
    let client = std::thread::spawn({
        let key = key.to_owned();
        move || waits(address, &key, measured)
    });
    let (mut most_wal, mut most_resident, mut latest) = (0, 0, 0);
    while began.elapsed() < measured {
        std::thread::sleep(LOOK.min(measured.saturating_sub(began.elapsed())));
        most_wal = most_wal.max(store.sizes(&mut conn).1);
        most_resident = most_resident.max(program.resident());
        let due = conn.one("select coalesce(min(due_at), 0) from tracking", &[], |row| row.get::<i64>(0));
        latest = latest.max(Clock::System.now() - due.expect("an answer"));
    }
    let (seconds, until) = (began.elapsed().as_secs_f64(), Clock::System.now());
    let (used, served) = (program.used() - used, hosts.used() - served);
    let written = program.figure("io", "write_bytes:") - written;
    let grown = store.sizes(&mut conn).0.saturating_sub(size);
    let waits = client.join().expect("the client ends well");
    let kept = kept(&mut conn, from, until);
    let minutes = seconds / 60.0;
    println!(
        "kept: {:.0} samples a minute of {} servers; {} of them fell silent",
        kept.samples as f64 / minutes,
        options.servers,
        kept.silent
    );
    println!(
        "processor: {:.1} s user + {:.1} s system in {seconds:.0} s, {:.0}% of a core, {:.0} µs a round; the simulated servers {:.0}%",
        used.user,
        used.system,
        100.0 * used.seconds() / seconds,
        1e6 * used.seconds() / kept.samples.max(1) as f64,
        100.0 * served.seconds() / seconds
    );
    println!("memory: {:.0} MB resident at most", most_resident as f64 / 1e6);
    println!(
        "disk: the database grows by {:.1} MB a minute; {:.0} MB a minute are written, write-ahead log at most {:.1} MB",
        grown as f64 / 1e6 / minutes,
        written as f64 / 1e6 / minutes,
        most_wal as f64 / 1e6
    );
    println!(
        "rounds: the latest that waited was {:.1} s late; from one to the next {} s",
        latest as f64 / 1e3,
        spread(&kept.pauses, 1e3)
    );
    println!("GET {PATH}: {} requests, ms {}", waits.len(), spread(&waits, 1e3));
}

struct Kept {
    samples: usize,
    silent: i64,
    /// Between the samples of a server, in milliseconds, in order.
    pauses: Vec<i64>,
}

fn kept(conn: &mut Conn, from: i64, until: i64) -> Kept {
    let (mut samples, mut pauses, mut last) = (0, Vec::new(), (0, 0));
    // One minute more in front, so that every sample has one before it.
    let values = [Value::from(from - 3 * INTERVAL / 2), Value::from(until)];
    conn.for_each(
        "select server_n, at from samples where at >= $1 and at < $2 order by server_n, at",
        &values,
        |row| {
            let (server, at): (i64, i64) = (row.get(0), row.get(1));
            if at >= from && server != 0 {
                samples += 1;
                if last.0 == server {
                    pauses.push(at - last.1);
                }
            }
            last = (server, at);
        },
    )
    .expect("samples");
    pauses.sort_unstable();
    let silent = "select count(*) from servers where not is_online";
    Kept { samples, silent: conn.one(silent, &[], |row| row.get(0)).expect("a count"), pauses }
}

/// Median, p99 and most, of figures in order.
fn spread(figures: &[i64], unit: f64) -> String {
    let at = |share: usize| figures.get((figures.len() * share / 1000).min(figures.len().saturating_sub(1)));
    let shown = |share: usize| at(share).map_or(0.0, |figure| *figure as f64 / unit);
    format!("{:.2} (p1 {:.2}, p99 {:.2}, most {:.2})", shown(500), shown(10), shown(990), shown(1000))
}

/// How long a steady client waits for each answer, in microseconds, in order.
fn waits(address: SocketAddr, key: &str, measured: Duration) -> Vec<i64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let request = format!("GET {PATH} HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\n\r\n");
        let (mut waits, began) = (Vec::new(), Instant::now());
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        let mut buffer = vec![0; 256 * 1024];
        while began.elapsed() < measured {
            let asked = Instant::now();
            stream.write_all(request.as_bytes()).await.expect("it reads");
            let (mut filled, mut whole) = (0, None);
            while whole.is_none_or(|whole| filled < whole) {
                let read = stream.read(&mut buffer[filled..]).await.expect("it answers");
                assert!(read > 0, "it closed the connection");
                filled += read;
                whole = whole.or_else(|| length(&buffer[..filled]));
            }
            assert!(buffer.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&buffer[..filled.min(400)]));
            waits.push(asked.elapsed().as_micros() as i64);
            tokio::time::sleep(PAUSE).await;
        }
        waits.sort_unstable();
        waits
    })
}

/// Head and body together, once the head is there.
fn length(bytes: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length: ";
    let head = memchr::memmem::find(bytes, b"\r\n\r\n")? + 4;
    let value = memchr::memmem::find(&bytes[..head], NAME)? + NAME.len();
    let digits = bytes[value..].iter().take_while(|byte| byte.is_ascii_digit());
    Some(head + digits.fold(0, |length, digit| length * 10 + usize::from(digit - b'0')))
}
