//! 500 hostile servers at once, and 20 valid servers that must still be polled on time.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rollcall_demo::fake_servers::{self, FakeStatus, StatusSource};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::cases::{self, Expected};
use super::single_ping::{RunningCase, runtime};
use crate::harness::{Engine, Program, Store, check};
use crate::http_client::KeepAliveClient;
use crate::machine_stalls::MachineStalls;
use crate::{create_key, until};

const HOSTILE: usize = 500;
const GOOD: usize = 20;
const INTERVAL: Duration = Duration::from_secs(5);
/// Polls of every valid server that are checked.
const POLLS: i64 = 4;
/// Resident memory that the hostile servers may add.
const GROWTH_KIB: u64 = 64 * 1024;
/// Longest time between two polls of a valid server: none was skipped.
const MAX_GAP: Duration = Duration::from_secs(10);
const PLAYERS: i64 = 7;
/// Polls before the servers turn hostile.
const WARM_UP_POLLS: i64 = 2;

fn source() -> StatusSource {
    Arc::new(|| {
        let motd = Value::String("§aA valid server".into());
        Some(FakeStatus {
            version: "1.21.4".into(),
            protocol: 769,
            players: PLAYERS,
            max_players: 20,
            motd,
            ..FakeStatus::default()
        })
    })
}

/// A line of `servers.ndjson`.
fn line(slug: &str, edition: &str, port: u16) -> String {
    let id = format!("{slug:-<24}");
    let server = json!({"id": id, "slug": slug, "name": slug, "ip": "127.0.0.1", "port": port, "edition": edition});
    format!("{server}\n")
}

struct HostileServers {
    hostile: HashMap<String, RunningCase>,
    lines: String,
}

impl HostileServers {
    /// From now on the hostile servers are polled in place of valid ones.
    fn enable(&self, store: &Store) {
        store.change(|conn| {
            for (slug, one) in &self.hostile {
                let query = one.query.as_ref().map_or("null".into(), |host| host.address.port().to_string());
                let port = one.game.address.port();
                let sql = format!("update servers set port = {port}, query_port = {query} where slug = '{slug}'");
                conn.execute(&sql, &[])?;
            }
            Ok(())
        });
    }

    fn replies(&self, slug: &str) -> bool {
        self.hostile.get(slug).is_none_or(|one| matches!(one.case.expected, Expected::Reply(_)))
    }

    /// Servers with the wrong state: those that reply must be online, the others offline.
    fn with_wrong_state(&self, shown: &HashMap<String, Value>) -> Vec<String> {
        let wrong = shown.iter().filter(|(slug, server)| server["isOnline"] != self.replies(slug));
        let name = |slug: &str| self.hostile.get(slug).map_or("valid", |one| one.case.name);
        wrong.map(|(slug, server)| format!("{slug} ({}): {}", name(slug), server["isOnline"])).collect()
    }
}

fn import(store: &Store, lines: &str) {
    let file = store.path().join("servers.ndjson");
    std::fs::write(&file, lines).expect("a file");
    let imported = store.rollcall(&["import", file.to_str().expect("plain text")]);
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
}

/// Valid servers. They have their own runtime, so that the hostile ones cannot starve them.
fn valid_servers(runtime: &Runtime, count: usize, bedrock: bool) -> Vec<fake_servers::FakeServer> {
    let _inside = runtime.enter();
    let open = if bedrock { fake_servers::FakeServer::bedrock } else { fake_servers::FakeServer::java };
    (0..count).map(|_| open(IpAddr::V4(Ipv4Addr::LOCALHOST), 0, source()).expect("a port")).collect()
}

/// Starts the hostile servers. Their rows begin with the port of a valid server.
async fn start_hostile(java: u16, bedrock: u16) -> HostileServers {
    let mut servers = HostileServers { hostile: HashMap::new(), lines: String::new() };
    for case in cases::all().iter().cycle().take(HOSTILE) {
        let slug = format!("hostile-{}", servers.hostile.len());
        let one = RunningCase::start(case.clone()).await;
        let port = if one.edition() == "java" { java } else { bedrock };
        servers.lines.push_str(&line(&slug, one.edition(), port));
        servers.hostile.insert(slug, one);
    }
    servers
}

#[test]
fn five_hundred_hostile_servers_use_little_memory_and_delay_no_polls() {
    rlimit::increase_nofile_limit(u64::MAX).expect("more files");
    let (runtime, quiet, store) = (runtime(), runtime(), Store::new(Engine::Sqlite));
    let mut command = store.command(&["serve", "--listen", "127.0.0.1:0", "--ping-interval", "5s"]);
    command.arg("--allow-private-addresses");
    let program = Program::start(command);
    let key = create_key(&store, 1_000_000);
    until("the key works", || {
        let reply = KeepAliveClient::new(program.address(), &key).get("/v1/servers").ok();
        reply.filter(|reply| reply.status == 200)
    });
    let (java, bedrock) = (valid_servers(&quiet, GOOD * 2 / 3, false), valid_servers(&quiet, GOOD.div_ceil(3), true));
    let [one_java, one_bedrock] = [&java[0], &bedrock[0]].map(|host| host.address().port());
    let hostile = runtime.block_on(start_hostile(one_java, one_bedrock));
    let good = java.iter().map(|host| ("java", host)).chain(bedrock.iter().map(|host| ("bedrock", host)));
    let good = good.enumerate().map(|(i, (edition, host))| line(&format!("good-{i}"), edition, host.address().port()));
    // The baseline is the same number of valid servers.
    import(&store, &format!("{}{}", good.collect::<String>(), hostile.lines));
    until("all servers are polled", || (fewest_polls(&store, "%") >= WARM_UP_POLLS).then_some(()));
    let before = peak_kib(&program);
    let quiet_log = program.log().len();
    let stalls = MachineStalls::watch();
    hostile.enable(&store);
    let (over, program) = (AtomicBool::new(false), &program);
    let slowest = std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let (mut client, mut slowest) = (KeepAliveClient::new(program.address(), &key), Duration::ZERO);
            while !over.load(Ordering::Relaxed) {
                let began = Instant::now();
                assert_eq!(client.get("/v1/live").expect("a response").status, 200);
                slowest = slowest.max(began.elapsed());
                #[expect(clippy::disallowed_methods, reason = "paces a blocking client")]
                std::thread::sleep(Duration::from_millis(20));
            }
            slowest
        });
        until("the valid servers are polled", || {
            (fewest_polls(&store, "good-%") > WARM_UP_POLLS + POLLS).then_some(())
        });
        over.store(true, Ordering::Relaxed);
        asking.join().expect("the API responds")
    });
    let most = peak_kib(program);
    let growth = most.saturating_sub(before);
    println!("{HOSTILE} hostile servers: {growth} KiB more than {before}; the slowest response {slowest:?}");
    let late = longest_gap(&store);
    let lost = stalls.lost();
    println!("{GOOD} valid servers, {POLLS} polls each, at most {late:?} apart; the machine stalled for {lost:?}");
    check_limits(&until("every server has the right state", || {
        let shown = shown(&runtime, program, &key);
        let wrong = hostile.with_wrong_state(&shown);
        println!("wrong state: {wrong:?}");
        wrong.is_empty().then_some(shown)
    }));
    let log = program.log();
    let errors = log[quiet_log..].lines().filter(|line| line.contains("panicked") || line.contains("\"ERROR\""));
    assert_eq!(errors.collect::<Vec<_>>(), Vec::<&str>::new());
    assert!(growth < GROWTH_KIB, "{growth} KiB more than {before}");
    assert!(late <= MAX_GAP + lost, "{late:?}, while the machine stalled for {lost:?}");
    drop((java, bedrock));
}

/// Peak resident memory.
fn peak_kib(program: &Program) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.pid())).expect("it runs");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a line of /proc/PID/status");
    line.split_whitespace().nth(1).expect("a number").parse().expect("a number")
}

/// The lowest number of stored polls among the servers with such a slug.
fn fewest_polls(store: &Store, slugs: &str) -> i64 {
    let sql = format!(
        "select count(a.at) from servers s left join samples a on a.server_n = s.n where s.slug like '{slugs}'
         group by s.n order by 1 limit 1"
    );
    let sql = sql.as_str();
    let mut conn = store.conn();
    rollcall_store::samples::write_pending(&mut conn).expect("the store writes");
    conn.query_optional(sql, &[], |row| row.get(0)).expect("the store reads").unwrap_or(0)
}

/// The longest time between two polls of a valid server. All must have succeeded.
fn longest_gap(store: &Store) -> Duration {
    let sql = "select s.slug, a.at, a.online, a.players from samples a join servers s on s.n = a.server_n
               where s.slug like 'good-%' order by s.n, a.at";
    let mut conn = store.conn();
    rollcall_store::samples::write_pending(&mut conn).expect("the store writes");
    let samples = conn.query(sql, &[], |row| (row.get(0), row.get(1), row.get(2), row.get(3)));
    let samples: Vec<(String, i64, bool, i64)> = samples.expect("the store reads");
    assert!(samples.iter().all(|(_, _, online, players)| *online && *players == PLAYERS), "{samples:?}");
    let sql = "select count(*) from outages o join servers s on s.n = o.server_n where s.slug like 'good-%'";
    assert_eq!(conn.query_one(sql, &[], |row| row.get::<i64>(0)).expect("the store reads"), 0, "outages");
    let pairs = samples.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    let longest = pairs.map(|pair| (pair[1].1 - pair[0].1).unsigned_abs()).max().expect("several polls");
    assert!(longest >= INTERVAL.as_millis() as u64 / 2);
    Duration::from_millis(longest)
}

/// Every server as the API shows it. Responses are checked against the OpenAPI document.
fn shown(runtime: &Runtime, program: &Program, key: &str) -> HashMap<String, Value> {
    let get = |path: String| {
        let response = runtime.block_on(program.get(&format!("/v1{path}"), &[("x-api-key", key)]));
        assert_eq!(response.status, 200, "{path}");
        check(&reqwest::Method::GET, &path, &response);
        response.data()
    };
    let mut shown = HashMap::new();
    for page in 1..=(HOSTILE + GOOD).div_ceil(100) {
        for server in get(format!("/servers?limit=100&page={page}"))["servers"].as_array().expect("a list") {
            let slug = server["slug"].as_str().expect("a slug").to_owned();
            let mut server = server.clone();
            // The details of every fourth server are enough.
            if shown.len() % 4 == 0 {
                let detail = get(format!("/servers/{slug}"));
                server["motdRaw"] = detail["motdRaw"].clone();
                server["protocol"] = detail["protocol"].clone();
            }
            shown.insert(slug, server);
        }
    }
    shown
}

/// All servers are listed, and every value is within its limits.
fn check_limits(shown: &HashMap<String, Value>) {
    assert_eq!(shown.len(), HOSTILE + GOOD);
    for (slug, server) in shown {
        let players = server["currentPlayers"].as_i64().expect("a number");
        assert!((0..=1_000_000).contains(&players), "{server}");
        assert!(server["protocol"].as_i64().is_none_or(|number| i32::try_from(number).is_ok()), "{server}");
        for (field, most) in [("version", 100), ("motd", 4_096), ("motdRaw", 4_096)] {
            let text = server[field].as_str().unwrap_or_default();
            let strange = text.chars().any(|c| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}'));
            assert!(text.chars().count() <= most && !strange, "{slug}: {text:?}");
        }
    }
}
