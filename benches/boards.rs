//! What the leaderboards cost at a million players and ten million sessions: how long the first build and each later
//! refresh take, and how long a reader has to wait meanwhile.
//!
//! The store is made once, below `target/`; it takes some minutes and some gigabytes. `now` is where its history ends.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

mod usage;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rollcall::catalogue::{Catalogue, Haste, Metric, PlayerSort};
use rollcall_demo::{POOL, Pictures, Progress, SeedOptions, seed};
use rollcall_model::clock::Clock;
use rollcall_model::period::Period;
use rollcall_model::resources;
use rollcall_model::time::MINUTE;
use rollcall_store::builtin_skins::{BuiltinPictures, ensure_builtin};
use rollcall_store::media::Media;
use rollcall_store::values;
use rollcall_store::{Conn, Database, Pool, changes, migrate};
use usage::cpu_seconds;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const OPTIONS: SeedOptions = SeedOptions { servers: 2_000, players: 1_000_000, votes: 100_000, sessions: 10, seed: 1 };
/// Players whose running sessions grow from one refresh to the next, as a tracker makes them.
const PLAYING: i64 = 5_000;
/// Players that are seen for the first time.
const NEWCOMERS: i64 = 50;
const REFRESHES: i64 = 10;
/// How often a reader comes by.
const READ_EVERY: Duration = Duration::from_micros(200);

fn main() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("boards");
    let database = Database::Sqlite(folder.join("rollcall.db"));
    let now = prepare(&folder, &database);
    let pool = Pool::open(&database).expect("a store");
    let catalogue = Arc::new(Catalogue::new(resources::Pictures { base: String::new() }));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let done = Arc::new(AtomicBool::new(false));
    runtime.block_on(async {
        // On a worker, as in the program: what blocks there must be allowed to.
        let (work, reading) = (catalogue.clone(), done.clone());
        let reader = std::thread::spawn(move || read(&catalogue, &reading));
        tokio::spawn(async move { measure(&work, &pool, &database, now).await }).await.expect("it ends well");
        done.store(true, Ordering::Relaxed);
        let (longest, reads) = reader.join().expect("the reader ends well");
        println!("longest wait of a reader: {:.1} ms over {reads} reads", longest.as_secs_f64() * 1e3);
    });
}

async fn measure(catalogue: &Catalogue, pool: &Pool, database: &Database, now: i64) {
    timed("first build, with the directory", refresh(catalogue, pool, now)).await;
    for round in 1..=REFRESHES {
        let now = now + round * MINUTE;
        let mut conn = Conn::open(database).expect("a store");
        tokio::task::block_in_place(|| play(&mut conn, round));
        timed("refresh of the directory", refresh(catalogue, pool, now)).await;
        timed("refresh of the boards", catalogue.rank(pool, now)).await;
    }
}

async fn refresh(catalogue: &Catalogue, pool: &Pool, now: i64) -> rollcall_store::Result<()> {
    catalogue.refresh(pool, now, Haste::AtOnce).await.map(drop)
}

async fn timed(what: &str, work: impl Future<Output = rollcall_store::Result<()>>) {
    let (started, cpu) = (Instant::now(), cpu_seconds());
    work.await.expect("the store answers");
    let (took, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let (holds, peak) = (memory_mib("VmRSS:"), memory_mib("VmHWM:"));
    println!("{what}: {took:.2} s, {cpu:.2} s of CPU; holds {holds} MiB, at most {peak} MiB so far");
}

/// Another minute of thousands of running sessions, with what that changes of their players.
fn play(conn: &mut Conn, round: i64) {
    let done: rollcall_store::Result<()> = conn.transaction(|conn| {
        let rev = changes::raise(conn)?;
        // Another part of the players every time.
        let (from, to) = (round * PLAYING * 7, round * PLAYING * 7 + PLAYING);
        let sql = "select name from pragma_table_info('players') where name not in ('n', 'id', 'game_uuid', 'rev')";
        let columns: Vec<String> = conn.query(sql, &[], |row| row.get(0))?;
        let columns = columns.join(", ");
        conn.execute(
            &format!(
                "insert into players (id, game_uuid, rev, {columns})
                 select 'new-' || $1 || '-' || id, 'new-' || $1 || '-' || id, $1, {columns} from players
                 where n > $2 and n <= $3"
            ),
            values![rev, from, from + NEWCOMERS],
        )?;
        conn.execute(
            "update sessions set left_at = left_at + 60000, play_time = play_time + 60
             where n in (select max(x.n) from sessions x where x.player_n > $1 and x.player_n <= $2 group by x.player_n)",
            values![from, to],
        )?;
        conn.execute(
            "update players set total_play_time = total_play_time + 60, rev = $1 where n > $2 and n <= $3",
            values![rev, from, to],
        )?;
        Ok(())
    });
    done.expect("the store takes it");
}

/// Looks at a page of everything again and again; gives the longest time that took.
fn read(catalogue: &Catalogue, done: &AtomicBool) -> (Duration, u64) {
    let (mut longest, mut reads) = (Duration::ZERO, 0);
    while !done.load(Ordering::Relaxed) {
        let started = Instant::now();
        {
            let players = catalogue.players();
            players.page(None, PlayerSort::Playtime, 100, 20);
            catalogue.boards().get(Metric::Best, Period::Week).0.page(None, 100, 20);
        }
        drop(catalogue.servers());
        longest = longest.max(started.elapsed());
        reads += 1;
        std::thread::sleep(READ_EVERY);
    }
    (longest, reads)
}

/// The store, made if it is not there yet, and the moment at which its history ends.
fn prepare(folder: &Path, database: &Database) -> i64 {
    std::fs::create_dir_all(folder).expect("a folder");
    let mut conn = Conn::open(database).expect("a store");
    migrate(&mut conn).expect("the schema");
    let players: i64 = conn.one("select count(*) from players", &[], |row| row.get(0)).expect("a count");
    if players == 0 {
        let media = Media::in_folder(&folder.join("media")).expect("a folder for pictures");
        ensure_builtin(&mut conn, &BuiltinPictures::keep(&media).expect("two skins")).expect("two skins");
        let pictures = Pictures::pool(media, POOL);
        seed(&mut conn, &OPTIONS, Clock::System.now(), &pictures, &Progress::on_stderr()).expect("a world");
    }
    let players: i64 = conn.one("select count(*) from players", &[], |row| row.get(0)).expect("a count");
    let sessions: i64 = conn.one("select count(*) from sessions", &[], |row| row.get(0)).expect("a count");
    println!("{players} players, {sessions} sessions");
    conn.one("select max(joined_at) from sessions", &[], |row| row.get(0)).expect("a moment")
}

fn memory_mib(which: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let size = status.lines().find_map(|line| line.strip_prefix(which)).unwrap_or_default();
    size.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}
