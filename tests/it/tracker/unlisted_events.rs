//! Who is told when an unlisted server comes and goes: those who manage it, and no one else.

use rollcall_model::webhook::ServerScope;
use rollcall_store::webhooks::WebhookSettings;
use serde_json::{Value, json};

use super::{TrackerFixture, says};
use crate::events::stream_client::StreamClient;
use crate::harness::{Engine, Server, WebhookReceiver};
use crate::webhooks::{create, settings, until_nothing_is_due};

const TYPES: [&str; 2] = ["server.online", "server.offline"];
const EVENTS: &str = "?type=server.online,server.offline";

/// Events without ids, all of them about this server.
fn about(slug: &str, mut events: Vec<Value>) -> Vec<Value> {
    for event in &mut events {
        assert_eq!(event["server"]["slug"], slug, "{event}");
        event.as_object_mut().expect("an object").retain(|key, _| key != "id" && key != "server");
    }
    events
}

/// The events that came, in the order of their messages.
fn received(receiver: &WebhookReceiver) -> Vec<Value> {
    receiver.received().iter().map(|message| message.json()["data"].clone()).collect()
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().expect("a type")).collect()
}

#[test]
fn only_those_who_manage_an_unlisted_server_are_told_that_it_comes_and_goes() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.tracker.allow_private_addresses = true);
        let mut fixture = TrackerFixture::over(server);
        let games =
            [("open.example", "Open"), ("quiet.example", "Quiet"), ("gone.example", "Gone")].map(|(host, name)| {
                let game = fixture.java(host, says(10));
                fixture.command(&["add", host, "--name", name]);
                game
            });
        fixture.command(&["set", "quiet", "--visibility", "unlisted"]);
        fixture.command(&["set", "gone", "--visibility", "hidden"]);
        let (quiet, id): (i64, String) = fixture.store().change(|conn| {
            conn.query_one("select n, id from servers where slug = 'quiet'", &[], |row| (row.get(0), row.get(1)))
        });
        let start = || fixture.server.run(WebhookReceiver::start());
        let (own, chosen, all, other) = (start(), start(), start(), start());
        let webhook = |receiver: &WebhookReceiver, scope: ServerScope, servers: &[i64]| WebhookSettings {
            scope,
            servers: servers.to_vec(),
            ..settings(&receiver.url(), &TYPES)
        };
        create(&fixture.server, "own", &webhook(&own, ServerScope::Own, &[]));
        create(&fixture.server, "chosen", &webhook(&chosen, ServerScope::Chosen, &[quiet]));
        create(&fixture.server, "all", &webhook(&all, ServerScope::All, &[]));
        create(&fixture.server, "other", &webhook(&other, ServerScope::Chosen, &[quiet]));
        fixture.store().change(|conn| {
            let sql =
                "update servers set owner_n = (select n from accounts where id = 'owner-of-own') where slug <> 'open'";
            conn.execute(sql, &[])?;
            let sql = "insert into server_editors (server_n, account_n, added_at)
                       select s.n, a.n, 0 from servers s, accounts a
                       where s.slug <> 'open' and a.id in ('owner-of-chosen', 'owner-of-all')";
            conn.execute(sql, &[])
        });
        let mut stream = fixture.server.run(StreamClient::open(&fixture.server, &fixture.server.key, EVENTS, &[]));
        fixture.server.run(stream.opening_id());

        fixture.track();
        for game in &games {
            fixture.set_reply(game, None);
        }
        fixture.polls(2);
        for game in &games {
            fixture.set_reply(game, Some(says(10)));
        }
        fixture.poll();

        let events = |count: usize| {
            let is_there = |data: &Value| data["events"].as_array().expect("events").len() >= count;
            let data = fixture.until(&format!("/events{EVENTS}"), is_there);
            about("open", data["events"].as_array().expect("events").clone())
        };
        let public = events(3);
        assert_eq!(types(&public), ["server.online", "server.offline", "server.online"], "{engine:?}");
        for receiver in [&own, &chosen, &all] {
            fixture.server.run(receiver.until(3));
        }
        fixture.server.run(until_nothing_is_due(&fixture.server));
        // The servers came and went at the same times, for the same reason.
        assert_eq!(about("quiet", received(&own)), public, "{engine:?}");
        assert_eq!(about("quiet", received(&chosen)), public, "{engine:?}");
        assert_eq!(about("open", received(&all)), public, "{engine:?}: an unlisted server is none of all public ones");
        assert_eq!(received(&other), Vec::<Value>::new(), "{engine:?}");
        assert_eq!(received(&own)[0]["server"], json!({"id": id, "slug": "quiet", "name": "Quiet"}));
        let streamed = fixture.server.run(stream.take(3)).into_iter().map(|event| event.data).collect();
        assert_eq!(about("open", streamed), public, "{engine:?}");

        // Hidden, it is silent.
        fixture.command(&["set", "quiet", "--visibility", "hidden"]);
        for game in &games {
            fixture.set_reply(game, None);
        }
        fixture.polls(2);
        assert_eq!(types(&events(4))[3], "server.offline", "{engine:?}");
        fixture.server.run(all.until(4));
        fixture.server.run(until_nothing_is_due(&fixture.server));
        assert_eq!([&own, &chosen, &all, &other].map(|receiver| receiver.received().len()), [3, 3, 4, 0], "{engine:?}");
    }
}
