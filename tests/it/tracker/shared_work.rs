//! Several trackers on one store.

use super::counted::Counted;
use super::{Ground, INTERVAL, STEP};
use crate::harness::Engine;

const SERVERS: usize = 40;

#[test]
fn no_server_is_asked_twice_in_an_interval_and_none_is_left_out() {
    Engine::BOTH.into_iter().for_each(no_server_is_asked_twice_on);
}

fn no_server_is_asked_twice_on(engine: Engine) {
    let mut ground = Ground::new(engine);
    let servers: Vec<Counted> = ground.server.run(async {
        let mut servers = Vec::new();
        for _ in 0..SERVERS {
            servers.push(Counted::open().await);
        }
        servers
    });
    let mut lines = String::new();
    for (i, server) in servers.iter().enumerate() {
        let name = format!("s{i}.example");
        lines += &format!("{{\"id\":\"s{i}\",\"name\":\"s{i}\",\"ip\":\"{name}\"}}\n");
        ground.games.insert((name, 25_565), server.address);
    }
    let file = ground.store().path().join("servers.ndjson");
    std::fs::write(&file, lines).unwrap();
    assert!(ground.store().rollcall(&["import", file.to_str().unwrap()]).status.success());
    for _ in 0..3 {
        ground.track();
    }
    servers.iter().for_each(|server| assert_eq!(server.asked(), 1, "the first round"));
    for _ in 0..4 {
        ground.clock().set(ground.clock().now() + STEP);
        ground.settle();
        servers.iter().for_each(|server| assert_eq!(server.asked(), 1));
        // Nothing more is due within the interval.
        ground.clock().set(ground.clock().now() + INTERVAL / 4);
        std::thread::sleep(std::time::Duration::from_millis(700));
        servers.iter().for_each(|server| assert_eq!(server.asked(), 0));
    }
    // Two die, in the middle of it all: the third takes over what they had taken, within two intervals.
    ground.clock().set(ground.clock().now() + STEP);
    std::thread::sleep(std::time::Duration::from_millis(260));
    ground.kill_tracker();
    ground.kill_tracker();
    std::thread::sleep(std::time::Duration::from_millis(700));
    servers.iter().for_each(|server| assert!(server.asked() <= 1));
    ground.clock().set(ground.clock().now() + STEP);
    ground.settle();
    servers.iter().for_each(|server| assert_eq!(server.asked(), 1));
}
