//! kill -9 of one of two nodes while a client follows the stream of events: with the id of the last one it continues on the other node,
//! misses nothing and sees nothing twice.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::create_key;
use crate::harness::{Engine, Program, Store};
use crate::until;
use crate::webhook_delivery::{SERVE, add_servers, write};

const KILLS: usize = 20;
const EVENTS_PER_LIFE: usize = 12;
const UNPOISONED: &str = "nothing panics under this lock";

#[test]
fn a_client_continues_on_the_other_node() {
    std::thread::scope(|scope| {
        for engine in Engine::BOTH {
            scope.spawn(move || follow_two_nodes(engine));
        }
    });
}

/// What a client of the stream keeps.
#[derive(Default)]
struct Follower {
    last_id: String,
    received: Vec<String>,
}

fn follow_two_nodes(engine: Engine) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let store = Store::new(engine);
    let servers = add_servers(&store);
    let key = create_key(&store, 1_000_000);
    let survivor = Program::start(store.command(&SERVE));
    let follower = Arc::new(Mutex::new(Follower { last_id: "start".into(), received: Vec::new() }));
    let follow = |program: &Program| {
        let (url, key, follower) = (format!("{}/v1/events/stream", program.url), key.clone(), follower.clone());
        runtime.spawn(async move { read(&url, &key, &follower).await })
    };
    let mut written = Vec::new();
    for kill in 0..KILLS {
        let victim = Program::start(store.command(&SERVE));
        let reading = follow(&victim);
        for i in 0..EVENTS_PER_LIFE {
            written.push(write(&store, servers[(kill + i) % servers.len()]));
        }
        // Not to wait for something, but to crash at another moment each time: before, while or after events are sent.
        #[expect(clippy::disallowed_methods, reason = "crashes at a different moment each time")]
        std::thread::sleep(Duration::from_millis((kill as u64 * 37) % 700));
        victim.signal("KILL");
        drop(victim);
        runtime.block_on(reading).expect("the client survives");
        // Every other time the next node is a new one at once.
        if kill % 2 == 0 {
            let reading = follow(&survivor);
            written.push(write(&store, servers[0]));
            until_received(&follower, &written);
            reading.abort();
        }
    }
    let reading = follow(&survivor);
    until_received(&follower, &written);
    reading.abort();
    let received = &follower.lock().expect(UNPOISONED).received;
    assert_eq!(received, &written, "{engine:?}: each once, in order");
    println!("{engine:?}: {KILLS} crashes, {} events followed in order, none lost or repeated", written.len());
}

fn until_received(follower: &Mutex<Follower>, written: &[String]) {
    let newest = written.last().expect("events are written");
    until("the newest event arrives", || {
        (follower.lock().expect(UNPOISONED).received.last() == Some(newest)).then_some(())
    });
}

/// Reads from the last id on until the connection ends.
async fn read(url: &str, key: &str, follower: &Mutex<Follower>) {
    let last_id = follower.lock().expect(UNPOISONED).last_id.clone();
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let request = client.get(url).header("x-api-key", key).header("last-event-id", last_id);
    let Ok(mut response) = request.send().await else { return };
    assert_eq!(response.status(), 200);
    let mut buffer = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        buffer.extend_from_slice(&chunk);
        // A block that was cut off did not arrive.
        while let Some(end) = buffer.windows(2).position(|bytes| bytes == b"\n\n") {
            let block = String::from_utf8(buffer.drain(..end + 2).collect()).expect("UTF-8");
            let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
            let Some(id) = field("id: ") else { continue };
            let mut follower = follower.lock().expect(UNPOISONED);
            if field("data: ").is_some() {
                follower.received.push(id.clone());
            }
            follower.last_id = id;
        }
    }
}
