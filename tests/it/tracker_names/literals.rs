//! Addresses as people write them who do not want them to be known.

use rollcall_ping::{Edition, Host};

use super::name_server::{NameServer, Reply, address};
use super::trap::Trap;
use super::{DEADLINE, ask, asker, reason};
use crate::harness::{Engine, Store};
use hickory_resolver::proto::rr::RecordType;

const ODD: [&str; 26] = [
    "127.0.0.1",
    "127.0.0.1.",
    "[127.0.0.1]",
    "127.1",
    "127.0.1",
    "0x7f.1",
    "0x7f000001",
    "0x7f.0x0.0x0.0x1",
    "2130706433",
    "017700000001",
    "0177.0.0.1",
    "127.0.0.01",
    "１２７.０.０.１",
    "127。0。0。1",
    "①②⑦.⓪.⓪.①",
    "localhost",
    "LOCALHOST",
    "localhost.localdomain",
    "ｌｏｃａｌｈｏｓｔ",
    "[::1]",
    "::1",
    "0:0:0:0:0:0:0:1",
    "[::ffff:127.0.0.1]",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "0",
];

/// A name server for which every name is this machine.
async fn liar() -> NameServer {
    NameServer::start(|_, wanted| match wanted {
        RecordType::SRV => Reply::Missing,
        wanted => address("127.0.0.1", wanted),
    })
    .await
}

#[tokio::test]
async fn no_spelling_of_this_machine_gets_through() {
    let (names, trap) = (liar().await, Trap::set().await);
    let asker = asker(&names, false, DEADLINE);
    let mut asked = 0;
    for text in ODD {
        // What is no host is refused before anybody is asked.
        if text.parse::<Host>().is_err() {
            continue;
        }
        asked += 1;
        for edition in Edition::ALL {
            assert_eq!(reason(ask(&asker, text, trap.port, edition).await), "forbidden address", "{text}");
        }
    }
    assert!(asked > 20, "{asked}");
    assert_eq!(trap.knocks(), 0);
}

#[tokio::test]
async fn the_command_line_says_why() {
    let (names, trap) = (liar().await, Trap::set().await);
    let store = Store::new(Engine::Sqlite);
    for host in ["name.example", "0x7f.1", "１２７.０.０.１", "[::ffff:127.0.0.1]"] {
        let address = format!("{host}:{}", trap.port);
        let run = |flags: &[&str]| {
            let mut command = store.command(&[&["server", "ping", &address], flags].concat());
            command.env("ROLLCALL_TRACKER_NAME_SERVER", names.address().to_string());
            command.env("ROLLCALL_TRACKER_DEADLINE", "1");
            command
        };
        let output = tokio::task::spawn_blocking({
            let mut command = run(&[]);
            move || command.output().expect("it runs")
        });
        let said = String::from_utf8(output.await.expect("it ends").stderr).expect("plain text");
        assert!(said.contains("is not a public address (this machine)"), "{said}");
        assert_eq!(trap.knocks(), 0);
    }
}
