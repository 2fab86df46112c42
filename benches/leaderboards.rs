//! Leaderboards with a million players and ten million sessions: the time of the first build and of each later refresh, and the
//! longest wait of a reader meanwhile.
//!
//! The store is created once, below `target/`; that takes some minutes and some gigabytes. `now` is the end of its history.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

mod process_usage;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use process_usage::{cpu_seconds, memory_kib};
use rollcall::catalogue::{Catalogue, LeaderboardMetric, PlayerSort, RefreshMode};
use rollcall_demo::{BulkSeedOptions, GenerateProgress, PICTURE_POOL_SIZE, PictureGenerator, bulk_seed};
use rollcall_model::clock::Clock;
use rollcall_model::period::Period;
use rollcall_model::resources;
use rollcall_model::time::MINUTE;
use rollcall_store::builtin_skins::{BuiltinPictures, ensure_builtin};
use rollcall_store::media::Media;
use rollcall_store::values;
use rollcall_store::{Conn, Connections, Database, Pool, migrate, revision};

/// The allocator of the service.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const OPTIONS: BulkSeedOptions =
    BulkSeedOptions { servers: 2_000, players: 1_000_000, votes: 100_000, sessions: 10, seed: 1 };
/// Players with a running session, which grows with every refresh as the tracker does it.
const PLAYING: i64 = 5_000;
/// New players at every refresh.
const NEW_PLAYERS: i64 = 50;
const REFRESHES: i64 = 10;
/// The pause between two reads.
const READ_INTERVAL: Duration = Duration::from_micros(200);

fn main() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("leaderboards");
    let database = Database::Sqlite(folder.join("rollcall.db"));
    let now = prepare_store(&folder, &database);
    let pool = Pool::open(&database, Connections::default()).expect("open the database");
    let catalogue = Arc::new(Catalogue::new(resources::Pictures { base: String::new() }));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("build the runtime");
    let done = Arc::new(AtomicBool::new(false));
    runtime.block_on(async {
        // On a worker thread, as in the service: `block_in_place` needs one.
        let (work, reading) = (catalogue.clone(), done.clone());
        let reader = std::thread::spawn(move || read(&catalogue, &reading));
        tokio::spawn(async move { measure(&work, &pool, &database, now).await })
            .await
            .expect("the measurement does not panic");
        done.store(true, Ordering::Relaxed);
        let (longest, reads) = reader.join().expect("the reader does not panic");
        println!("longest wait of a reader: {:.1} ms over {reads} reads", longest.as_secs_f64() * 1e3);
    });
}

async fn measure(catalogue: &Catalogue, pool: &Pool, database: &Database, now: i64) {
    timed("first build with the directory", refresh(catalogue, pool, now)).await;
    for round in 1..=REFRESHES {
        let now = now + round * MINUTE;
        let mut conn = Conn::open(database).expect("open the database");
        tokio::task::block_in_place(|| add_activity(&mut conn, round));
        timed("refresh of the directory", refresh(catalogue, pool, now)).await;
        timed("refresh of the leaderboards", catalogue.refresh_leaderboards(pool, now)).await;
    }
}

async fn refresh(catalogue: &Catalogue, pool: &Pool, now: i64) -> rollcall_store::Result<()> {
    catalogue.refresh(pool, now, RefreshMode::Immediate).await.map(drop)
}

async fn timed(what: &str, work: impl Future<Output = rollcall_store::Result<()>>) {
    let (started, cpu) = (Instant::now(), cpu_seconds());
    work.await.expect("the refresh succeeds");
    let (took, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let (used, peak) = (memory_kib("VmRSS:") / 1024, memory_kib("VmHWM:") / 1024);
    println!("{what}: {took:.2} s, {cpu:.2} s of CPU; uses {used} MiB, peak {peak} MiB");
}

/// Adds a minute to thousands of running sessions and to the totals of their players.
fn add_activity(conn: &mut Conn, round: i64) {
    let outcome: rollcall_store::Result<()> = conn.transaction(|conn| {
        let rev = revision::bump(conn)?;
        // Other players each round.
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
            values![rev, from, from + NEW_PLAYERS],
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
    outcome.expect("the transaction commits");
}

/// Reads pages until `done` is set. Returns the longest time of a read, and the number of reads.
fn read(catalogue: &Catalogue, done: &AtomicBool) -> (Duration, u64) {
    let (mut longest, mut reads) = (Duration::ZERO, 0);
    while !done.load(Ordering::Relaxed) {
        let started = Instant::now();
        {
            let players = catalogue.players();
            players.page(None, PlayerSort::Playtime, 100, 20);
            catalogue.leaderboards().get(LeaderboardMetric::Best, Period::Week).0.page(None, 100, 20);
        }
        drop(catalogue.servers());
        longest = longest.max(started.elapsed());
        reads += 1;
        #[expect(clippy::disallowed_methods, reason = "paces a blocking reader")]
        std::thread::sleep(READ_INTERVAL);
    }
    (longest, reads)
}

/// Creates the store unless it exists. Returns the end of its history.
fn prepare_store(folder: &Path, database: &Database) -> i64 {
    std::fs::create_dir_all(folder).expect("create the folder");
    let mut conn = Conn::open(database).expect("open the database");
    migrate(&mut conn).expect("migrate the schema");
    let players: i64 = conn.query_one("select count(*) from players", &[], |row| row.get(0)).expect("count rows");
    if players == 0 {
        let media = Media::in_folder(&folder.join("media")).expect("open the media folder");
        ensure_builtin(&mut conn, &BuiltinPictures::save(&media).expect("store the built-in skins"))
            .expect("store the built-in skins");
        let pictures = PictureGenerator::pooled(media, PICTURE_POOL_SIZE);
        bulk_seed(&mut conn, &OPTIONS, Clock::System.now(), &pictures, &GenerateProgress::on_stderr())
            .expect("seed the demo data");
    }
    let players: i64 = conn.query_one("select count(*) from players", &[], |row| row.get(0)).expect("count rows");
    let sessions: i64 = conn.query_one("select count(*) from sessions", &[], |row| row.get(0)).expect("count rows");
    println!("{players} players, {sessions} sessions");
    conn.query_one("select max(joined_at) from sessions", &[], |row| row.get(0)).expect("read the latest session")
}
