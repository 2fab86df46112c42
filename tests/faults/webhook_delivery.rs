//! kill -9 of one of two nodes while webhooks are sent: every event arrives, in order per server, and its id tells a repeat.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use rollcall_model::clock::Clock;
use rollcall_model::event::EventKind;
use rollcall_model::secret::Secret;
use rollcall_model::webhook::{ServerScope, WebhookFormat, WebhookType};
use rollcall_store::accounts::{self, NewAccount};
use rollcall_store::audit::Author;
use rollcall_store::events::{self, NewEvent};
use rollcall_store::webhooks::{self, WebhookSettings};
use rollcall_store::{revision, values};

use crate::harness::{Answer, Engine, Program, Store, WebhookReceiver};
use crate::until;

const KILLS: usize = 30;
const EVENTS_PER_LIFE: usize = 12;
const SERVERS: usize = 4;
const SECRET: &str = "whsec_dGhlIHNlY3JldCBvZiB0aGUgdGVzdHMgb2Ygd2ViaG9va3M=";
pub const SERVE: [&str; 6] =
    ["serve", "--listen", "127.0.0.1:0", "--ping-interval", "off", "--allow-private-addresses"];

#[test]
fn crashes_lose_no_event_and_keep_the_order() {
    // Side by side: both wait for a lease of a minute.
    std::thread::scope(|scope| {
        for engine in Engine::BOTH {
            scope.spawn(move || crash_one_of_two_nodes(engine));
        }
    });
}

fn crash_one_of_two_nodes(engine: Engine) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let receiver = runtime.block_on(WebhookReceiver::start());
    // Long enough that kills meet messages on their way.
    receiver.answer(|_| Answer { delay: Duration::from_millis(40), ..Answer::status(200) });
    let store = Store::new(engine);
    let servers = add_servers(&store);
    add_endpoint(&store, &receiver.url());
    let survivor = Program::start(store.command(&SERVE));
    let mut written: Vec<(String, i64)> = Vec::new();
    for kill in 0..KILLS {
        let victim = Program::start(store.command(&SERVE));
        for i in 0..EVENTS_PER_LIFE {
            let server_n = servers[(kill + i) % SERVERS];
            written.push((write(&store, server_n), server_n));
        }
        // Not to wait for something, but to crash at another moment each time: before, while or after messages are sent.
        #[expect(clippy::disallowed_methods, reason = "crashes at a different moment each time")]
        std::thread::sleep(Duration::from_millis((kill as u64 * 37) % 700));
        victim.signal("KILL");
        drop(victim);
    }
    // A message of a node that died is sent again when its lease ends, after a minute.
    let open = "select count(*) from webhook_deliveries where queue_n is not null";
    let delivered = "select count(*) from webhook_deliveries where state = 'delivered'";
    let count = |sql: &str| -> i64 { store.change(|conn| conn.query_one(sql, &[], |row| row.get(0))) };
    until("every event is delivered", || (count(open) == 0 && count(delivered) == written.len() as i64).then_some(()));
    drop(survivor);
    let received = receiver.received();
    assert!(received.iter().all(|message| message.is_signed_with(SECRET)));
    let arrived: BTreeSet<&str> = received.iter().map(|message| message.id()).collect();
    let wanted: BTreeSet<&str> = written.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(arrived, wanted, "{engine:?}: at least once, and nothing else");
    let server_of: HashMap<&str, i64> = written.iter().map(|(id, n)| (id.as_str(), *n)).collect();
    let mut by_server: BTreeMap<i64, Vec<&str>> = BTreeMap::new();
    for message in &received {
        let ids = by_server.entry(server_of[message.id()]).or_default();
        // A receiver that keeps the ids it has seen.
        if !ids.contains(&message.id()) {
            ids.push(message.id());
        }
    }
    for (server_n, ids) in by_server {
        assert!(ids.is_sorted(), "{engine:?}: server {server_n} is out of order: {ids:?}");
    }
    let repeated = received.len() - wanted.len();
    println!("{engine:?}: {KILLS} crashes, {} events delivered in order, {repeated} repeated, 0 lost", wanted.len());
}

fn add_endpoint(store: &Store, url: &str) {
    let author = Author::command_line(Clock::System.now());
    let settings = WebhookSettings {
        name: "Test".into(),
        host: "127.0.0.1".into(),
        url: Secret::from(url),
        format: WebhookFormat::Standard,
        types: vec![WebhookType::Event(EventKind::ServerOnline)],
        scope: ServerScope::All,
        servers: Vec::new(),
    };
    store.change(|conn| {
        let new = NewAccount {
            id: "ada",
            username: "ada",
            avatar: "",
            password: "",
            operator: false,
            password_expires_at: None,
        };
        let account_n = accounts::create(conn, &new, &author)?.expect("a new name");
        webhooks::create(conn, (account_n, "hook"), &settings, &Secret::from(SECRET), 1, &author)
    });
}

/// Public servers; returns their numbers.
pub fn add_servers(store: &Store) -> Vec<i64> {
    for i in 0..SERVERS {
        let (address, name) = (format!("192.0.2.{}", i + 1), format!("Server {i}"));
        assert!(store.rollcall(&["server", "add", &address, "--name", &name]).status.success());
    }
    store.change(|conn| conn.query("select n from servers order by n", values![], |row| row.get(0)))
}

/// An event of a server, as another process would write it; returns its id.
pub fn write(store: &Store, server_n: i64) -> String {
    store.change(|conn| {
        revision::bump(conn)?;
        events::write(conn, &[NewEvent::of_server(EventKind::ServerOnline, Clock::System.now(), server_n)])?;
        Ok(rollcall_model::event::id(events::newest_number(conn)?))
    })
}
