//! kill -9 while votes are delivered: none is lost, and none arrives twice.

use std::collections::HashMap;
use std::time::Duration;

use rollcall_minecraft::votifier::fake_receiver::{FakeReceiver, Settings};
use rollcall_model::clock::Clock;
use rollcall_model::secret::Secret;
use rollcall_store::audit::Author;
use rollcall_store::voting::receivers::{self, VoteReceiver};
use rollcall_store::voting::{self, Ballot, CastOutcome};

use crate::harness::{Engine, Program, Store};
use crate::until;

const KILLS: usize = 50;
const VOTES_PER_LIFE: usize = 6;
const TOKEN: &str = "the-token-of-the-receiver";
const SERVE: [&str; 6] = ["serve", "--listen", "127.0.0.1:0", "--ping-interval", "off", "--allow-private-addresses"];

#[test]
fn crashes_lose_no_vote_and_deliver_none_twice() {
    // Side by side: both wait for a lease of a minute.
    std::thread::scope(|scope| {
        for engine in Engine::BOTH {
            scope.spawn(move || crash_deliveries(engine));
        }
    });
}

fn crash_deliveries(engine: Engine) {
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
    for kill in 0..KILLS {
        let program = Program::start(store.command(&SERVE));
        cast(&store, kill);
        // Not to wait for something, but to crash at another moment each time: before, while or after votes are sent.
        #[expect(clippy::disallowed_methods, reason = "crashes at a different moment each time")]
        std::thread::sleep(Duration::from_millis((kill as u64 * 37) % 400));
        program.signal("KILL");
        drop(program);
    }
    let program = Program::start(store.command(&SERVE));
    // A vote that was being sent is given up when its lease ends, after a minute.
    let count = |states: &str| -> i64 {
        let sql = format!("select count(*) from vote_deliveries where state in ({states})");
        store.change(|conn| conn.query_one(&sql, &[], |row| row.get(0)))
    };
    until("every delivery ends", || (count("'waiting', 'sending', 'retrying'") == 0).then_some(()));
    drop(program);
    let mut received: HashMap<String, usize> = HashMap::new();
    for vote in receiver.votes() {
        *received.entry(vote.username).or_default() += 1;
    }
    let sql = "select username, state from vote_deliveries order by n";
    let deliveries: Vec<(String, String)> = store.change(|conn| conn.query(sql, &[], |row| (row.get(0), row.get(1))));
    assert_eq!(deliveries.len(), KILLS * VOTES_PER_LIFE, "no vote is lost");
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
    println!("{engine:?}: {KILLS} crashes, {delivered} votes delivered once, {uncertain} uncertain, 0 lost");
}

/// As another process would.
fn cast(store: &Store, life: usize) {
    for i in 0..VOTES_PER_LIFE {
        let ballot = Ballot {
            server_n: 1,
            at: Clock::System.now(),
            account_n: None,
            nickname: format!("V{life}x{i}"),
            address: format!("198.51.{life}.{i}"),
        };
        let outcomes = store.change(|conn| voting::cast(conn, &[ballot]));
        assert_eq!(outcomes, [CastOutcome::Cast]);
    }
}
