//! Tiers that are taken over from a tier list: a stand-in, because the real one needs the internet.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use rollcall_model::time::{HOUR, MINUTE, iso};
use serde_json::{Value, json};

use crate::harness::{Browser, Engine, NOW, Server, until};
use crate::linking::{JEB, NOTCH, link};

/// More players than a page has.
const STRANGERS: usize = 70;

/// A tier list, and the requests that it got.
#[derive(Clone, Default)]
struct TierList {
    /// The whole list, in order.
    players: Arc<Mutex<Vec<Value>>>,
    /// A response instead of the right one.
    failure: Arc<Mutex<Option<String>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl TierList {
    fn start(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/api/v2/", listener.local_addr().expect("an address"));
        let list = self.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut request = [0; 4096];
                let length = stream.read(&mut request).unwrap_or(0);
                let answer = list.answer(&String::from_utf8_lossy(&request[..length]));
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        url
    }

    fn answer(&self, request: &str) -> String {
        let target = request.split(' ').nth(1).unwrap_or_default().to_owned();
        self.asked.lock().expect("no panic while locked").push(target.clone());
        if let Some(failure) = self.failure.lock().expect("no panic while locked").as_ref() {
            return failure.clone();
        }
        let players = self.players.lock().expect("no panic while locked");
        let body = match target.strip_prefix("/api/v2/mode/overall?count=50&from=") {
            Some(from) => {
                let from: usize = from.parse().expect("a number");
                Some(json!(players.iter().skip(from).take(50).collect::<Vec<_>>()))
            }
            None => {
                let uuid = target.strip_prefix("/api/v2/profile/").unwrap_or_default();
                players.iter().find(|player| player["uuid"] == uuid).cloned()
            }
        };
        match body {
            Some(body) => {
                let body = body.to_string();
                format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
            }
            None => "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned(),
        }
    }

    fn set(&self, players: Vec<Value>) {
        *self.players.lock().expect("no panic while locked") = players;
    }

    fn fail(&self, failure: Option<&str>) {
        *self.failure.lock().expect("no panic while locked") =
            failure.map(|status| format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n"));
    }

    /// Answers every request with this body.
    fn say(&self, body: &str) {
        let response = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        *self.failure.lock().expect("no panic while locked") = Some(response);
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic while locked").clone()
    }

    /// Waits until this many requests arrived.
    async fn until_asked(&self, count: usize) {
        until(async || match self.asked() {
            asked if asked.len() >= count => Ok(()),
            asked => Err(format!("not {count} requests arrived, only {asked:?}")),
        })
        .await;
    }
}

fn ranked(uuid: &str, tier: i64, pos: i64) -> Value {
    let rankings = json!({"sword": {"tier": tier, "pos": pos, "retired": false}, "axe": {"tier": 5, "pos": 1}});
    json!({"uuid": uuid, "name": "x", "region": "EU", "points": 300, "rankings": rankings})
}

fn strangers() -> Vec<Value> {
    (0..STRANGERS).map(|i| ranked(&format!("00000000-0000-4000-8000-{i:012}"), 2, 0)).collect()
}

fn server(engine: Engine, url: &str) -> Server {
    let url = url.to_owned();
    Server::empty_with(engine, move |config| {
        config.tiers.base_url.clone_from(&url);
        config.tiers.requests_per_minute = 60_000;
    })
}

/// Waits until the next round is due at this time: the last one has ended.
async fn until_due(server: &Server, at: i64) {
    let is_due = |at: i64| server.store.change(|conn| rollcall_store::tier_sync::is_due(conn, at));
    until(async || match (is_due(at - 1), is_due(at)) {
        (false, true) => Ok(()),
        (true, _) => Err(format!("a round is due before {at}")),
        (false, false) => Err(format!("no round is due at {at}")),
    })
    .await;
}

fn tier(response: &crate::harness::TestResponse) -> Value {
    let player = &response.data()["player"];
    json!([player["tierOverall"], player["tierPoints"], player["tierRank"]])
}

#[test]
fn tiers_follow_the_list_and_stay_when_it_fails() {
    for engine in Engine::BOTH {
        let list = TierList::default();
        let url = list.start();
        list.fail(Some("500 Internal Server Error"));
        let server = server(engine, &url);
        server.run(async {
            list.until_asked(1).await;
            until_due(&server, NOW + 30 * MINUTE).await;
            let mut ada = Browser::signed_up(&server, "ada-tier").await;
            let mut bob = Browser::signed_up(&server, "bob-tier").await;
            link(&mut ada, NOTCH, "Notch").await;
            link(&mut bob, JEB, "jeb_").await;
            server.until("/players/Notch", |response| tier(response) == json!(["Unranked", 0, null])).await;
            // A failed round is repeated after half an hour.
            list.set([strangers(), vec![ranked(NOTCH, 3, 0)]].concat());
            list.fail(None);
            server.clock.set(NOW + 30 * MINUTE);
            server.until("/players/Notch", |response| tier(response) == json!(["HT3", 10, STRANGERS + 1])).await;
            let players = server.get("/players?limit=10").await.data();
            let notch =
                players["players"].as_array().expect("players").iter().find(|player| player["gameUuid"] == NOTCH);
            assert_eq!(notch.expect("Notch")["lastTierSyncAt"], iso(NOW + 30 * MINUTE));
            assert_eq!(players["pagination"]["total"], 2, "players of the list are not created");
            list.until_asked(4).await;
            let expected = [
                "/api/v2/mode/overall?count=50&from=0".to_owned(),
                "/api/v2/mode/overall?count=50&from=0".to_owned(),
                "/api/v2/mode/overall?count=50&from=50".to_owned(),
                format!("/api/v2/profile/{JEB}"),
            ];
            assert_eq!(list.asked(), expected, "the linked player who is not on the list has a profile");
            // Six hours later: better, then the source is busy.
            list.set(vec![ranked(NOTCH, 1, 1)]);
            server.clock.set(NOW + 30 * MINUTE + 6 * HOUR);
            server.until("/players/Notch", |response| tier(response) == json!(["LT1", 45, 1])).await;
            list.until_asked(6).await;
            list.fail(Some("429 Too Many Requests\r\nretry-after: 7200"));
            server.clock.set(NOW + 30 * MINUTE + 12 * HOUR);
            list.until_asked(7).await;
            until_due(&server, NOW + 30 * MINUTE + 14 * HOUR).await;
            assert_eq!(tier(&server.get("/players/Notch").await), json!(["LT1", 45, 1]), "the last answer stays");
        });
        // A restart does not ask before the time that Retry-After named.
        let store = server.stop();
        list.fail(None);
        list.set(Vec::new());
        let at = NOW + 30 * MINUTE + 12 * HOUR;
        let server = Server::set_up(store, at + 2 * HOUR - 1, |config| {
            config.tiers.base_url.clone_from(&url);
            config.tiers.requests_per_minute = 60_000;
        });
        server.run(async {
            server.until_run("tier_list").await;
            assert_eq!(list.asked().len(), 7);
            server.clock.set(at + 2 * HOUR);
            // Not ranked any more: neither on the list nor with a profile.
            server.until("/players/Notch", |response| tier(response) == json!(["Unranked", 0, null])).await;
            let row = server.get("/players?limit=10").await.data();
            assert!(
                row["players"].as_array().expect("players").iter().all(|player| player["lastTierSyncAt"].is_null())
            );
        });
    }
}

#[test]
fn hostile_answers_change_nothing() {
    let list = TierList::default();
    let url = list.start();
    list.set(vec![ranked(NOTCH, 2, 1)]);
    let server = server(Engine::Sqlite, &url);
    server.run(async {
        let mut ada = Browser::signed_up(&server, "ada-hostile").await;
        list.until_asked(1).await;
        link(&mut ada, NOTCH, "Notch").await;
        server.clock.set(NOW + 6 * HOUR);
        server.until("/players/Notch", |response| tier(response) == json!(["LT2", 20, 1])).await;
        let wrong_type = json!([{"uuid": NOTCH, "rankings": {"sword": {"tier": "1", "pos": 0}}}]).to_string();
        let huge = json!([{"uuid": NOTCH, "rankings": {}, "padding": "x".repeat(2_000_000)}]).to_string();
        for (hours, body) in [(12, "{}"), (18, "<html>"), (24, &wrong_type), (30, &huge)] {
            list.say(body);
            server.clock.set(NOW + hours * HOUR);
            until_due(&server, NOW + hours * HOUR + 30 * MINUTE).await;
        }
        assert_eq!(tier(&server.get("/players/Notch").await), json!(["LT2", 20, 1]));
    });
}
