//! The demo goes on as its generated history ended. Hours of injected time pass; its fake servers are polled like real ones.

use std::time::{Duration, Instant};

use rollcall::config::{Config, Flags};
use rollcall::tracker::Tracker;
use rollcall_demo::{DemoServers, ServerIcons, WorldSize, start_demo_servers};
use rollcall_minecraft::Resolver;
use rollcall_model::time::{DAY, HOUR, MINUTE, parse_iso};
use rollcall_store::media::Media;
use rollcall_store::{Conn, Connections, Pool, values};

use crate::harness::{Engine, NOW, SEED, Server, run_blocking};

/// Time between two polls of each server.
const STEP: i64 = 10 * MINUTE;
const HOURS: i64 = 2;
/// How long the polls of a step may take.
const SOON: Duration = Duration::from_secs(60);
/// How long a step may make no progress before time goes on.
const STALLED: Duration = Duration::from_secs(5);
/// Tables with the time of their rows.
const EVENTS: [(&str, &str); 3] = [("sessions", "joined_at"), ("votes", "voted_at"), ("reviews", "created_at")];

fn start(server: &Server) -> DemoServers {
    let open = async { start_demo_servers(SEED, NOW, &WorldSize::tests(), &ServerIcons::new(), &server.clock) };
    let mut demo = server.run(open).expect("free ports on loopback");
    let (games, queries) = (std::mem::take(&mut demo.games), std::mem::take(&mut demo.queries));
    let pool = run_blocking(|| Pool::open(&server.store.database, Connections::default())).expect("the store opens");
    let media = Media::in_folder(&server.store.path().join("media")).expect("a folder");
    let settings = Config::load(&Flags::default()).expect("the defaults").tracker;
    let resolver = Resolver::Static { games, queries };
    let tracker = Tracker::new(
        &settings,
        true,
        std::sync::Arc::new(settings.ping_client(resolver)),
        Vec::new(),
        pool,
        media,
        server.clock.clone(),
    )
    .expect("polling is on");
    server.spawn(tracker.run(std::future::pending()));
    demo
}

/// Waits until this number of rows is 0.
fn wait_until_none(server: &Server, conn: &mut Conn, what: &str, now: i64) {
    let (started, mut stalled) = (Instant::now(), Instant::now());
    loop {
        let sql = format!("select count(*) from {what}");
        let count: i64 = conn.query_one(&sql, values![now], |row| row.get(0)).unwrap();
        if count == 0 {
            return;
        }
        assert!(started.elapsed() < SOON, "{count} {what}");
        // On a busy machine a ping may time out; the server is due again a minute later.
        if stalled.elapsed() > STALLED && server.clock.now() < now + STEP - 2 * MINUTE {
            server.clock.set(server.clock.now() + 2 * MINUTE);
            stalled = Instant::now();
        }
        #[expect(clippy::disallowed_methods, reason = "polls with a deadline in a blocking thread")]
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Servers that the tracker does not know yet.
const UNTRACKED: &str =
    "servers s where $1 > cast(0 as bigint) and not exists (select 1 from tracking t where t.server_n = s.n)";
/// Servers whose poll of this moment is not stored. One that fails is polled less and less often.
const NOT_POLLED: &str = "servers s join tracking t on t.server_n = s.n
                          where s.last_ping < $1 and s.is_online and t.failing_since is null";

fn count(conn: &mut Conn, (table, time): (&str, &str), from: i64, to: i64) -> i64 {
    let sql = format!("select count(*) from {table} where {time} > $1 and {time} <= $2");
    conn.query_one(&sql, values![from, to], |row| row.get(0)).unwrap()
}

#[test]
#[ignore = "slow, ./test runs it"]
fn the_present_continues_the_past() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let conn = &mut server.store.conn();
        let demo = start(&server);
        wait_until_none(&server, conn, UNTRACKED, NOW);
        for step in 1..=HOURS * HOUR / STEP {
            let now = NOW + step * STEP;
            server.clock.set(now);
            demo.activity.write(conn, now - STEP, now).unwrap();
            wait_until_none(&server, conn, NOT_POLLED, now);
        }
        for event in EVENTS {
            // A ping that timed out counts up to two minutes later.
            let now = count(conn, event, NOW, server.clock.now());
            let before: Vec<_> = (0..24 / HOURS)
                .map(|window| NOW - DAY + window * HOURS * HOUR)
                .map(|from| count(conn, event, from, from + HOURS * HOUR))
                .collect();
            let (low, high) = (before.iter().min().unwrap(), before.iter().max().unwrap());
            assert!((low..=high).contains(&&now), "{event:?}: {before:?}, then {now}");
        }
        let fresh = |live: &serde_json::Value| {
            let newest = live["recentActivity"][0]["time"].as_str().and_then(parse_iso);
            newest > Some(NOW + (HOURS - 1) * HOUR)
        };
        server.run(server.until("/live", |live| fresh(&live.data())));
    }
}
