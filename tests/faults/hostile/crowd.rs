//! Five hundred of them at once, and twenty sound servers that must not notice.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rollcall_demo::fake_servers::{self, Says, Source};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::alone::{Standing, runtime};
use super::kinds::{self, End};
use crate::caller::Caller;
use crate::harness::{Engine, Program, Store, check};
use crate::stalls::Stalls;
use crate::{create_key, until};

const HOSTILE: usize = 500;
const GOOD: usize = 20;
const INTERVAL: Duration = Duration::from_secs(5);
/// Rounds of every sound server that are looked at.
const ROUNDS: i64 = 4;
/// Resident memory that they may add.
const GROWTH_KIB: u64 = 64 * 1024;
/// Between two rounds of a sound server: none was left out.
const LATEST: Duration = Duration::from_secs(10);
const PLAYERS: i64 = 7;
/// Rounds in which all are sound.
const QUIET_ROUNDS: i64 = 2;

fn source() -> Source {
    Arc::new(|| {
        let motd = Value::String("§aA sound server".into());
        Some(Says {
            version: "1.21.4".into(),
            protocol: 769,
            players: PLAYERS,
            max_players: 20,
            motd,
            ..Says::default()
        })
    })
}

/// A line of `servers.ndjson`.
fn line(slug: &str, edition: &str, port: u16) -> String {
    let id = format!("{slug:-<24}");
    let server = json!({"id": id, "slug": slug, "name": slug, "ip": "127.0.0.1", "port": port, "edition": edition});
    format!("{server}\n")
}

struct Crowd {
    hostile: HashMap<String, Standing>,
    lines: String,
}

impl Crowd {
    /// The hostile ones are there from now on.
    fn come(&self, store: &Store) {
        store.change(|conn| {
            for (slug, one) in &self.hostile {
                let query = one.query.as_ref().map_or("null".into(), |host| host.address.port().to_string());
                let port = one.host.address.port();
                let sql = format!("update servers set port = {port}, query_port = {query} where slug = '{slug}'");
                conn.execute(&sql, &[])?;
            }
            Ok(())
        });
    }

    fn answers(&self, slug: &str) -> bool {
        self.hostile.get(slug).is_none_or(|one| matches!(one.kind.end, End::Told(_)))
    }

    /// Whoever is shown as what he is not: who answers nothing is to be offline, who answers online.
    fn mistaken(&self, shown: &HashMap<String, Value>) -> Vec<String> {
        let wrong = shown.iter().filter(|(slug, server)| server["isOnline"] != self.answers(slug));
        let name = |slug: &str| self.hostile.get(slug).map_or("sound", |one| one.kind.name);
        wrong.map(|(slug, server)| format!("{slug} ({}): {}", name(slug), server["isOnline"])).collect()
    }
}

fn import(store: &Store, lines: &str) {
    let file = store.path().join("servers.ndjson");
    std::fs::write(&file, lines).expect("a file");
    let imported = store.rollcall(&["import", file.to_str().expect("plain text")]);
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
}

/// Sound servers, Java first, then Bedrock. They have a runtime of their own: it is not they who are to be starved.
fn sound(runtime: &Runtime, count: usize, bedrock: bool) -> Vec<fake_servers::Host> {
    let _inside = runtime.enter();
    let open = if bedrock { fake_servers::Host::bedrock } else { fake_servers::Host::java };
    (0..count).map(|_| open(IpAddr::V4(Ipv4Addr::LOCALHOST), 0, source()).expect("a port")).collect()
}

/// Opens the hostile ones. At first each is a sound server of its edition, at one of these ports.
async fn gather(java: u16, bedrock: u16) -> Crowd {
    let mut crowd = Crowd { hostile: HashMap::new(), lines: String::new() };
    for kind in kinds::all().iter().cycle().take(HOSTILE) {
        let slug = format!("hostile-{}", crowd.hostile.len());
        let one = Standing::up(kind.clone()).await;
        let port = if one.edition() == "java" { java } else { bedrock };
        crowd.lines.push_str(&line(&slug, one.edition(), port));
        crowd.hostile.insert(slug, one);
    }
    crowd
}

#[test]
fn five_hundred_at_once_fill_no_memory_and_delay_nobody() {
    rlimit::increase_nofile_limit(u64::MAX).expect("more files");
    let (runtime, quiet, store) = (runtime(), runtime(), Store::new(Engine::Sqlite));
    let mut command = store.command(&["serve", "--listen", "127.0.0.1:0", "--ping-interval", "5s"]);
    command.arg("--allow-private-addresses");
    let program = Program::start(command);
    let key = create_key(&store, 1_000_000);
    until("the key is known", || {
        let reply = Caller::new(program.address(), &key).get("/v1/servers").ok();
        reply.filter(|reply| reply.status == 200)
    });
    let (java, bedrock) = (sound(&quiet, GOOD * 2 / 3, false), sound(&quiet, GOOD.div_ceil(3), true));
    let [one_java, one_bedrock] = [&java[0], &bedrock[0]].map(|host| host.address().port());
    let crowd = runtime.block_on(gather(one_java, one_bedrock));
    let good = java.iter().map(|host| ("java", host)).chain(bedrock.iter().map(|host| ("bedrock", host)));
    let good = good.enumerate().map(|(i, (edition, host))| line(&format!("good-{i}"), edition, host.address().port()));
    // As many sound servers are what they are measured against.
    import(&store, &format!("{}{}", good.collect::<String>(), crowd.lines));
    until("all are asked", || (least_rounds(&store, "%") >= QUIET_ROUNDS).then_some(()));
    let before = peak_kib(&program);
    let quiet_log = program.log().len();
    let stalls = Stalls::watch();
    crowd.come(&store);
    let (over, program) = (AtomicBool::new(false), &program);
    let slowest = std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let (mut caller, mut slowest) = (Caller::new(program.address(), &key), Duration::ZERO);
            while !over.load(Ordering::Relaxed) {
                let began = Instant::now();
                assert_eq!(caller.get("/v1/live").expect("an answer").status, 200);
                slowest = slowest.max(began.elapsed());
                std::thread::sleep(Duration::from_millis(20));
            }
            slowest
        });
        until("the sound ones are asked", || (least_rounds(&store, "good-%") > QUIET_ROUNDS + ROUNDS).then_some(()));
        over.store(true, Ordering::Relaxed);
        asking.join().expect("the API answers")
    });
    let most = peak_kib(program);
    let growth = most.saturating_sub(before);
    println!("{HOSTILE} hostile servers: {growth} KiB more than {before}; the slowest answer {slowest:?}");
    let late = on_time(&store);
    let lost = stalls.lost();
    println!(
        "{GOOD} sound servers, {ROUNDS} rounds each, at most {late:?} apart; the machine stood still for {lost:?}"
    );
    nobody_lies(&until("everybody is shown as what he is", || {
        let shown = shown(&runtime, program, &key);
        let mistaken = crowd.mistaken(&shown);
        println!("not known yet: {mistaken:?}");
        mistaken.is_empty().then_some(shown)
    }));
    let log = program.log();
    let troubles = log[quiet_log..].lines().filter(|line| line.contains("panicked") || line.contains("\"ERROR\""));
    assert_eq!(troubles.collect::<Vec<_>>(), Vec::<&str>::new());
    assert!(growth < GROWTH_KIB, "{growth} KiB more than {before}");
    assert!(late <= LATEST + lost, "{late:?}, while the machine stood still for {lost:?}");
    drop((java, bedrock));
}

/// The most that was ever resident.
fn peak_kib(program: &Program) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.pid())).expect("it runs");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("Linux says");
    line.split_whitespace().nth(1).expect("a figure").parse().expect("a figure")
}

/// How many rounds are kept of the server that has fewest, of those with such a slug.
fn least_rounds(store: &Store, slugs: &str) -> i64 {
    let sql = format!(
        "select count(a.at) from servers s left join samples a on a.server_n = s.n where s.slug like '{slugs}'
         group by s.n order by 1 limit 1"
    );
    let sql = sql.as_str();
    store.conn().first(sql, &[], |row| row.get(0)).expect("the store reads").unwrap_or(0)
}

/// The longest time between two rounds of a sound server, all of which were answered.
fn on_time(store: &Store) -> Duration {
    let sql = "select s.slug, a.at, a.online, a.players from samples a join servers s on s.n = a.server_n
               where s.slug like 'good-%' order by s.n, a.at";
    let mut conn = store.conn();
    let samples = conn.query(sql, &[], |row| (row.get(0), row.get(1), row.get(2), row.get(3)));
    let samples: Vec<(String, i64, bool, i64)> = samples.expect("the store reads");
    assert!(samples.iter().all(|(_, _, online, players)| *online && *players == PLAYERS), "{samples:?}");
    let sql = "select count(*) from outages o join servers s on s.n = o.server_n where s.slug like 'good-%'";
    assert_eq!(conn.one(sql, &[], |row| row.get::<i64>(0)).expect("the store reads"), 0, "outages");
    let pairs = samples.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    let longest = pairs.map(|pair| (pair[1].1 - pair[0].1).unsigned_abs()).max().expect("several rounds");
    assert!(longest >= INTERVAL.as_millis() as u64 / 2);
    Duration::from_millis(longest)
}

/// Every server as the API shows it, each answer held against the document.
fn shown(runtime: &Runtime, program: &Program, key: &str) -> HashMap<String, Value> {
    let get = |path: String| {
        let answer = runtime.block_on(program.get(&format!("/v1{path}"), &[("x-api-key", key)]));
        assert_eq!(answer.status, 200, "{path}");
        check(&reqwest::Method::GET, &path, &answer);
        answer.data()
    };
    let mut shown = HashMap::new();
    for page in 1..=(HOSTILE + GOOD).div_ceil(100) {
        for server in get(format!("/servers?limit=100&page={page}"))["servers"].as_array().expect("a list") {
            let slug = server["slug"].as_str().expect("a slug").to_owned();
            let mut server = server.clone();
            // A detail of every kind is enough.
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

/// All are there, and nothing that is shown is more than it may be.
fn nobody_lies(shown: &HashMap<String, Value>) {
    assert_eq!(shown.len(), HOSTILE + GOOD);
    for (slug, server) in shown {
        let players = server["currentPlayers"].as_i64().expect("a figure");
        assert!((0..=1_000_000).contains(&players), "{server}");
        assert!(server["protocol"].as_i64().is_none_or(|number| i32::try_from(number).is_ok()), "{server}");
        for (field, most) in [("version", 100), ("motd", 4_096), ("motdRaw", 4_096)] {
            let text = server[field].as_str().unwrap_or_default();
            let strange = text.chars().any(|c| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}'));
            assert!(text.chars().count() <= most && !strange, "{slug}: {text:?}");
        }
    }
}
