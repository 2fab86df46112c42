//! What polls cost the disk: `cargo bench --bench tracker_writes`. Claims and persists polls as the tracker does, in simulated time
//! and without pings, and counts the bytes written and the bytes that stay.
//!
//! Options after `--`: `--servers N`, `--rounds N` (minutes), `--players N` (listed by every server; half of them change per hour),
//! `--history N` (hours of samples that each server has before), `--checkpoint N` (rounds between two checkpoints of PostgreSQL),
//! `--database URL` (an empty PostgreSQL database instead of SQLite; its user must be a superuser, for `checkpoint` and `pg_walinspect`;
//! `wal_keep_size` must be large enough for all rounds).

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use rollcall::tracker::{CompletedPoll, PollOutcome, PollSchedule, ReportedInfo, SanitizedStatus, persist_batch};
use rollcall_minecraft::ListedPlayer;
use rollcall_store::builtin_skins::{BuiltinPictures, ensure_builtin};
use rollcall_store::{Conn, Database, Value, tracking};

/// The rate at which the tracker of 100,000 servers fills its batches: one every 250 ms.
const BATCH: i64 = 417;
/// Servers with adjacent numbers are polled together, as among 100,000.
const SCHEDULED_AS: i64 = 100_000;
const INTERVAL: i64 = 60_000;
const HOUR: i64 = 3_600_000;
const START: i64 = 1_780_495_200_000;
/// Rounds before counting: the first ones insert all players.
const WARM_UP_ROUNDS: i64 = 6;

struct WriteOptions {
    servers: i64,
    rounds: i64,
    players: i64,
    history: i64,
    checkpoint: i64,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| args.iter().position(|arg| arg == name).and_then(|index| args.get(index + 1));
    let number = |name: &str, default: i64| value(name).map_or(default, |text| text.parse().expect("a number"));
    let options = WriteOptions {
        servers: number("--servers", 5_000),
        rounds: number("--rounds", 15),
        players: number("--players", 8),
        history: number("--history", 6),
        checkpoint: number("--checkpoint", 5),
    };
    let folder = tempfile::tempdir().expect("create a folder");
    let database = match value("--database") {
        Some(url) => url.parse().expect("a URL of this program"),
        None => Database::Sqlite(folder.path().join("rollcall.db")),
    };
    let mut conn = Conn::open(&database).expect("open the database");
    rollcall_store::migrate(&mut conn).expect("create the tables");
    ensure_builtin(&mut conn, &BuiltinPictures::paths()).expect("insert the default skins");
    fill(&mut conn, &options).expect("fill the store");
    let schedule = PollSchedule::new(INTERVAL, SCHEDULED_AS);
    poll(&mut conn, &options, schedule, 0..WARM_UP_ROUNDS);
    let before = Written::count(&mut conn);
    let polls = poll(&mut conn, &options, schedule, WARM_UP_ROUNDS..WARM_UP_ROUNDS + options.rounds);
    let after = Written::count(&mut conn);
    let per_poll = |bytes: i64| bytes as f64 / polls as f64;
    println!("{polls} polls of {} servers with {} listed players", options.servers, options.players);
    let written = after.log - before.log;
    println!(
        "log and data: {:.0} bytes per poll, {:.0} MB per minute of 100,000 servers",
        per_poll(written),
        per_poll(written) / 10.0
    );
    println!("the database grows by {:.0} bytes per poll", per_poll(after.size - before.size));
    if conn.is_postgres() {
        println!("data files: {:.0} bytes per poll", per_poll(after.data - before.data));
        print_wal(&mut conn, &before.position, polls);
    }
}

/// Servers with history, and the schedule.
fn fill(conn: &mut Conn, options: &WriteOptions) -> rollcall_store::Result<()> {
    let numbers = |count: i64, step: i64| {
        format!("with recursive i(i) as (select {step} union all select i + {step} from i where i < {})", count * step)
    };
    conn.execute_batch(&format!(
        "insert into servers (id, slug, name, short_description, ip, port, icon, banner, motd_image, motd_raw, visibility, is_online,
             current_players, max_players, version, protocol, latency, country, created_at, uptime, trend, recent_players, total_votes,
             vote_heat, vote_heat_at, rating_sum, rating_count, update_count, rev)
         {} select 'bench' || i, 'server-' || i, 'Server ' || i, 'A survival server with friendly people', 'play.server-' || i || '.example', 25565,
             '/media/icon/0123456789abcdef0123456789abcdef.png', '/media/banner/0123456789abcdef0123456789abcdef.png',
             '/media/motd/0123456789abcdef0123456789abcdef.png', '', 'PUBLIC', true, 0, 200, '1.21', 770, 0, 'Germany', 1, 100, 0, 0, 0,
             0, 0, 0, 0, 0, 1 from i",
        numbers(options.servers, 1)
    ))?;
    let sums = "watched_ms, online_ms, player_ms, peak, low";
    for (table, columns, values, rows, width) in [
        ("samples", "online, players, latency", "true, 20, 30", 60 * options.history, INTERVAL),
        ("samples_5m", sums, "300000, 300000, 6000000, 30, 20", 12 * options.history, 5 * INTERVAL),
        ("samples_hour", sums, "3600000, 3600000, 72000000, 30, 20", 10 * options.history, HOUR),
        ("samples_day", sums, "86400000, 86400000, 1728000000, 30, 20", 2 * options.history, 24 * HOUR),
    ] {
        let first = START - START % width - rows * width;
        conn.execute_batch(&format!(
            "insert into {table} (server_n, at, {columns}) {} select s.n, {first} + i - {width}, {values} from i cross join servers s
             order by {}",
            numbers(rows, width),
            // The order in which a tracker wrote them: the heap of PostgreSQL keeps it.
            if conn.is_postgres() { "i, s.n" } else { "s.n, i" }
        ))?;
    }
    let schedule = PollSchedule::new(INTERVAL, SCHEDULED_AS);
    conn.transaction(|conn| tracking::start_tracking(conn, -1, |n, _| schedule.first_due(n, START)))?;
    if conn.is_postgres() {
        conn.execute_batch("create extension if not exists pg_walinspect")?;
        clean_up(conn);
    }
    Ok(())
}

/// Vacuum, so that pages have free space, and a checkpoint, after which the first change of a page writes it to the log as a whole.
fn clean_up(conn: &mut Conn) {
    for sql in ["vacuum analyze", "checkpoint"] {
        conn.execute_batch(sql).expect("a superuser");
    }
}

/// Polls all servers in these rounds. Returns the number of polls.
fn poll(conn: &mut Conn, options: &WriteOptions, schedule: PollSchedule, rounds: std::ops::Range<i64>) -> i64 {
    let ticks = (options.servers / BATCH).max(1);
    let mut polls = 0;
    for tick in rounds.start * ticks..rounds.end * ticks {
        let now = START + tick * INTERVAL / ticks;
        if conn.is_postgres() && tick % (options.checkpoint * ticks) == 0 {
            clean_up(conn);
        }
        let next = |n: i64, since: Option<i64>| schedule.next_due(n, now, schedule.pause(since, now));
        let due = conn.transaction(|conn| tracking::claim(conn, now, 2 * BATCH, next)).expect("claim polls");
        let batch: Vec<CompletedPoll> = due.into_iter().map(|due| completed(options, due, now)).collect();
        polls += batch.len() as i64;
        conn.transaction(|conn| persist_batch(conn, &batch, schedule, true)).expect("persist polls");
    }
    polls
}

/// Only players and latency change from poll to poll.
fn completed(options: &WriteOptions, claim: tracking::ClaimedPoll, now: i64) -> CompletedPoll {
    let (n, minute) = (claim.server_n, (now - START) / INTERVAL);
    let listed = (0..options.players).map(|i| {
        // A player stays for an hour; each starts at another minute.
        let visit = (minute + i * 60 / options.players.max(1) + n) / 120;
        ListedPlayer {
            name: format!("P{n}_{i}_{visit}"),
            uuid: Some(format!("069a79f4-44e9-4726-a{visit:03x}-{n:08x}{i:04x}")),
        }
    });
    let status = SanitizedStatus {
        players: options.players + (n + minute) % 5,
        max_players: 200,
        listed: listed.collect(),
        list_is_complete: options.players < 12,
        ..SanitizedStatus::default()
    };
    let info = ReportedInfo {
        version: "Paper 1.21".to_owned(),
        protocol: 770,
        motd_raw: format!("§6§lNetwork {n}§7  survival, skyblock and more\n§bjoin us today, it is free"),
        ..ReportedInfo::default()
    };
    let outcome = PollOutcome::Replied { status, latency_ms: 20 + (n + minute) % 60 };
    CompletedPoll { claim, at: now, outcome, info, new_player_limit: 100 }
}

/// Bytes so far.
struct Written {
    /// Of the write-ahead log of PostgreSQL; of all files of SQLite.
    log: i64,
    /// Of the data files of PostgreSQL.
    data: i64,
    size: i64,
    /// The position in the write-ahead log of PostgreSQL.
    position: String,
}

impl Written {
    fn count(conn: &mut Conn) -> Self {
        if conn.is_postgres() {
            clean_up(conn);
            let sql = "select (pg_current_wal_lsn() - '0/0')::bigint,
                    (buffers_checkpoint + buffers_clean + buffers_backend) * 8192, pg_database_size(current_database()),
                    pg_current_wal_lsn()::text from pg_stat_bgwriter";
            return conn
                .query_one(sql, &[], |row| Self {
                    log: row.get(0),
                    data: row.get(1),
                    size: row.get(2),
                    position: row.get(3),
                })
                .expect("query the statistics");
        }
        let size = "select (page_count - freelist_count) * page_size from pragma_page_count, pragma_freelist_count, pragma_page_size";
        let io = std::fs::read_to_string("/proc/self/io").expect("read /proc");
        let log = io.lines().find_map(|line| line.strip_prefix("wchar: ")).expect("Linux counts written bytes");
        Self {
            log: log.parse().expect("a number"),
            data: 0,
            size: conn.query_one(size, &[], |row| row.get(0)).expect("query the size"),
            position: String::new(),
        }
    }
}

/// The parts of the write-ahead log, by table and index.
fn print_wal(conn: &mut Conn, since: &str, polls: i64) {
    let sql = "select coalesce(c.relname::text, w.resource_manager), w.record_type, count(*), sum(w.record_length)::bigint,
            sum(w.fpi_length)::bigint
        from pg_get_wal_records_info(cast($1 as text)::pg_lsn, pg_current_wal_lsn()) w
        left join pg_class c on pg_relation_filenode(c.oid) = cast(substring(w.block_ref from 'rel [0-9]+/[0-9]+/([0-9]+)') as oid)
        group by 1, 2 order by 4 desc limit 45";
    println!("{:>34} {:>22} {:>9} {:>9} {:>9}  per poll", "relation", "record", "records", "bytes", "of pages");
    let per_poll = |value: i64| value as f64 / polls as f64;
    conn.for_each(sql, &[Value::from(since.to_owned())], |row| {
        let (relation, record): (String, String) = (row.get(0), row.get(1));
        let [records, bytes, pages] = [2, 3, 4].map(|column| per_poll(row.get(column)));
        println!("{relation:>34} {record:>22} {records:>9.2} {bytes:>9.1} {pages:>9.1}");
    })
    .expect("read the write-ahead log");
}
