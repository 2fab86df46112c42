//! kill -9 while votes are cast and delivered: none is lost, and none arrives twice.

use std::collections::HashMap;
use std::process::Command;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rollcall_minecraft::votifier::fake_receiver::{FakeReceiver, Settings};
use rollcall_model::clock::Clock;
use rollcall_model::secret::Secret;
use rollcall_store::audit::Author;
use rollcall_store::totals::{self, RecomputeScope};
use rollcall_store::voting::receivers::{self, VoteReceiver};

use crate::harness::{Engine, Program, Store};
use crate::login_flood::{FormClient, status};
use crate::until;

const KILLS: usize = 50;
const VOTES_PER_LIFE: usize = 6;
/// Milliseconds from the first vote of a life to its end. Casting the votes of a life takes about half of it.
const LONGEST_LIFE: u64 = 600;
const TOKEN: &str = "the-token-of-the-receiver";
const SERVE: [&str; 6] = ["serve", "--listen", "127.0.0.1:0", "--ping-interval", "off", "--allow-private-addresses"];
const PAGE: &str = "/servers/alpha/vote";

/// A vote until it is answered.
struct CastVote {
    nickname: String,
    address: String,
    /// It was sent before, and the service was killed before it answered.
    is_repeated: bool,
}

#[test]
fn crashes_lose_no_vote_and_deliver_none_twice() {
    // To repeat a run, replace the number with the one that it printed.
    let seed: u64 = rand::random();
    println!("the seed of the moments of the crashes: {seed}");
    // Side by side: both wait for a lease of a minute.
    std::thread::scope(|scope| {
        for engine in Engine::BOTH {
            scope.spawn(move || crash_deliveries(engine, StdRng::seed_from_u64(seed)));
        }
    });
}

fn crash_deliveries(engine: Engine, mut rng: StdRng) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let receiver = runtime.block_on(FakeReceiver::start(Settings::with_token(TOKEN))).expect("a free port");
    let store = Store::new(engine);
    assert!(store.rollcall(&["server", "add", "192.0.2.1", "--name", "Alpha"]).status.success());
    let settings = VoteReceiver {
        protocol: "v2".into(),
        host: "127.0.0.1".into(),
        port: i64::from(receiver.address().port()),
        secret: Secret::from(TOKEN),
        repeats_uncertain: false,
        failures: 0,
    };
    store.change(|conn| receivers::set(conn, 1, &settings, &Author::command_line(Clock::System.now())));
    let (mut unanswered, mut repeated) = (Vec::new(), 0);
    for life in 0..KILLS {
        unanswered.extend((0..VOTES_PER_LIFE).map(|i| CastVote {
            nickname: format!("V{life}x{i}"),
            address: format!("198.51.{life}.{i}"),
            is_repeated: false,
        }));
        let program = Program::start(serve(&store));
        let form = FormClient::open(&program, PAGE);
        let lifetime = Duration::from_millis(rng.random_range(0..LONGEST_LIFE));
        unanswered = std::thread::scope(|scope| {
            let (program, form) = (&program, &form);
            let voter = scope.spawn(move || cast_until_killed(program, form, unanswered));
            // Not to wait for something, but to crash at another moment each time.
            #[expect(clippy::disallowed_methods, reason = "crashes at a different moment each time")]
            std::thread::sleep(lifetime);
            program.signal("KILL");
            voter.join().expect("the voter ends")
        });
        repeated += unanswered.iter().filter(|vote| vote.is_repeated).count();
        drop(program);
    }
    let program = Program::start(serve(&store));
    let form = FormClient::open(&program, PAGE);
    assert!(cast_until_killed(&program, &form, unanswered).is_empty(), "a running service answers every vote");
    // A vote that was being sent is given up when its lease ends, after a minute.
    let count = |states: &str| -> i64 {
        let sql = format!("select count(*) from vote_deliveries where state in ({states})");
        store.change(|conn| conn.query_one(&sql, &[], |row| row.get(0)))
    };
    until("every delivery ends", || (count("'waiting', 'sending', 'retrying'") == 0).then_some(()));
    drop(program);
    assert_every_vote_is_counted_once(&store, engine);
    let mut received: HashMap<String, usize> = HashMap::new();
    for vote in receiver.votes() {
        *received.entry(vote.username).or_default() += 1;
    }
    let sql = "select username, state from vote_deliveries order by n";
    let deliveries: Vec<(String, String)> = store.change(|conn| conn.query(sql, &[], |row| (row.get(0), row.get(1))));
    for (username, state) in &deliveries {
        let arrived = received.get(username).copied().unwrap_or(0);
        match state.as_str() {
            "delivered" => assert_eq!(arrived, 1, "{username}"),
            "uncertain" => assert!(arrived <= 1, "{username} arrived {arrived} times"),
            other => panic!("{username} is {other}"),
        }
    }
    let (delivered, uncertain) = (count("'delivered'"), count("'uncertain'"));
    assert!(delivered > uncertain, "{delivered} delivered, {uncertain} uncertain");
    println!(
        "{engine:?}: {KILLS} crashes, {repeated} votes cast again, {delivered} delivered, {uncertain} uncertain, 0 lost"
    );
}

fn serve(store: &Store) -> Command {
    let mut command = store.command(&SERVE);
    // Each voter has an address.
    command.env("ROLLCALL_HTTP_TRUSTED_PROXIES", "127.0.0.1/32").env("ROLLCALL_VOTING_HUMAN_CHECK", "off");
    command
}

/// Casts votes one after the other, as visitors do. Returns those that got no answer: they may count or not.
fn cast_until_killed(program: &Program, form: &FormClient, votes: Vec<CastVote>) -> Vec<CastVote> {
    let mut unanswered = Vec::new();
    for vote in votes {
        let headers = format!("x-forwarded-for: {}\r\n", vote.address);
        let answer = form.try_send_with(program, PAGE, &headers, &format!("nickname={}", vote.nickname));
        match answer.as_deref().map(status) {
            Some("303") => {}
            // It was stored before the crash.
            Some("409") if vote.is_repeated => {}
            None | Some("none") => unanswered.push(CastVote { is_repeated: true, ..vote }),
            Some(_) => panic!("{} got {answer:?}", vote.nickname),
        }
    }
    unanswered
}

/// All votes were answered at last: each must be stored, counted and delivered as one.
fn assert_every_vote_is_counted_once(store: &Store, engine: Engine) {
    let mut expected: Vec<String> =
        (0..KILLS).flat_map(|life| (0..VOTES_PER_LIFE).map(move |i| format!("V{life}x{i}"))).collect();
    expected.sort();
    let (mut delivered, counted, total) = store.change(|conn| {
        let sql =
            "select d.username from vote_deliveries d join votes v on v.id = d.vote_id and v.server_n = d.server_n";
        let delivered: Vec<String> = conn.query(sql, &[], |row| row.get(0))?;
        let sql = "select (select count(*) from votes), (select count(*) from vote_deliveries)";
        let counted: (i64, i64) = conn.query_one(sql, &[], |row| (row.get(0), row.get(1)))?;
        let sql = "select total_votes from servers where n = 1";
        let live: i64 = conn.query_one(sql, &[], |row| row.get(0))?;
        totals::recompute(conn, &RecomputeScope::All)?;
        let recomputed: i64 = conn.query_one(sql, &[], |row| row.get(0))?;
        Ok((delivered, counted, (live, recomputed)))
    });
    delivered.sort();
    assert_eq!(delivered, expected, "{engine:?}");
    let all = expected.len() as i64;
    assert_eq!((counted, total), ((all, all), (all, all)), "{engine:?}");
}
