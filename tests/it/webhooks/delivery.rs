//! How messages are sent: signatures, retries, and receivers that misbehave.

use std::collections::HashSet;
use std::time::Duration;

use rollcall_model::event::{EventFacts, EventKind};
use rollcall_model::time::{DAY, HOUR, MINUTE, SECOND, iso};
use rollcall_store::audit::Author;
use rollcall_store::events::{self, NewEvent};
use rollcall_store::retry_schedule::WEBHOOKS;
use rollcall_store::webhooks::delivery_log;
use rollcall_store::{accounts, player_erasure, revision};
use serde_json::json;

use super::{
    SECRET, create, deliveries, node, public_servers, server, settings, until_deliveries, until_nothing_is_due, write,
};
use crate::harness::{Answer, Engine, NOW, Server, WebhookReceiver, until};

/// How many messages of an endpoint are being sent.
fn sending(server: &Server, id: &str) -> usize {
    deliveries(server, id).iter().filter(|(state, _, _)| state == "sending").count()
}

/// Waits until every attempt that was begun for an endpoint has ended.
async fn until_sent(server: &Server, id: &str) {
    until(async || match sending(server, id) {
        0 => Ok(()),
        count => Err(format!("{count} messages of {id} are being sent")),
    })
    .await;
}

#[test]
fn a_message_is_signed_and_comes_once() {
    for engine in Engine::BOTH {
        let server = server(engine);
        let second = node(server.store.clone());
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            create(&server, "one", &settings(&receiver.url(), &["server.offline"]));
            let n = public_servers(&server, 1)[0];
            let ids = write(&server, NOW, &[(EventKind::ServerOffline, n), (EventKind::ServerOnline, n)]);
            let message = receiver.until(1).await.remove(0);
            let event = server.get("/events?type=server.offline").await.data()["events"][0].clone();
            assert_eq!(
                message.json(),
                json!({"type": "server.offline", "timestamp": iso(NOW), "data": event}),
                "{engine:?}"
            );
            assert_eq!((message.id(), &event["id"]), (ids[0].as_str(), &json!(ids[0])));
            assert_eq!(message.header("webhook-timestamp"), (NOW / SECOND).to_string());
            assert_eq!(message.header("content-type"), "application/json");
            assert!(message.header("user-agent").starts_with("Rollcall/"));
            assert!(message.is_signed_with(SECRET) && message.path == "/in");
            until_deliveries(&server, "one", &[("delivered", 1, 204)]).await;
            for node in [&server, &second] {
                until_nothing_is_due(node).await;
            }
            until_deliveries(&server, "one", &[("delivered", 1, 204)]).await;
            assert_eq!(receiver.received().len(), 1, "two nodes, one message");
        });
        drop(second);
    }
}

#[test]
fn a_failing_receiver_is_tried_for_three_days() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            receiver.answer(|_| Answer { body: "out of order".into(), ..Answer::status(500) });
            create(&server, "one", &settings(&receiver.url(), &["server.offline"]));
            let n = public_servers(&server, 1)[0];
            let ids = write(&server, NOW, &[(EventKind::ServerOffline, n)]);
            receiver.until(1).await;
            until_deliveries(&server, "one", &[("waiting", 1, 500)]).await;
            let mut now = NOW;
            let last = *WEBHOOKS.pauses.last().expect("a pause");
            for (i, pause) in WEBHOOKS.pauses.iter().copied().chain([last]).enumerate() {
                let attempts = i as i64 + 1;
                server.clock.set(now + pause - 1);
                if i < 2 {
                    until_nothing_is_due(&server).await;
                }
                until_deliveries(&server, "one", &[("waiting", attempts, 500)]).await;
                assert_eq!(receiver.received().len() as i64, attempts, "not before its time");
                now += pause;
                server.clock.set(now);
                receiver.until(i + 2).await;
                let state = if i == WEBHOOKS.pauses.len() { "failed" } else { "waiting" };
                until_deliveries(&server, "one", &[(state, attempts + 1, 500)]).await;
            }
            assert!(now - NOW > 2 * DAY && now - NOW < 3 * DAY, "{}", now - NOW);
            server.clock.set(now + 30 * HOUR);
            until_nothing_is_due(&server).await;
            until_deliveries(&server, "one", &[("failed", WEBHOOKS.pauses.len() as i64 + 2, 500)]).await;
            let received = receiver.received();
            assert_eq!(received.len(), WEBHOOKS.pauses.len() + 2);
            assert!(received.iter().all(|message| message.id() == ids[0] && message.is_signed_with(SECRET)));
            let times: HashSet<&str> = received.iter().map(|message| message.header("webhook-timestamp")).collect();
            assert_eq!(times.len(), received.len(), "each attempt has its own time");
        });
    }
}

#[test]
fn an_endpoint_that_is_gone_gets_nothing_more() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            receiver.answer(|_| Answer::status(410));
            create(&server, "one", &settings(&receiver.url(), &["server.offline"]));
            let n = public_servers(&server, 1)[0];
            write(&server, NOW, &[(EventKind::ServerOffline, n), (EventKind::ServerOffline, n)]);
            until_deliveries(&server, "one", &[("failed", 1, 410), ("cancelled", 0, 0)]).await;
            write(&server, NOW, &[(EventKind::ServerOffline, n)]);
            server.clock.set(NOW + HOUR);
            until_nothing_is_due(&server).await;
            until_deliveries(&server, "one", &[("failed", 1, 410), ("cancelled", 0, 0)]).await;
            assert_eq!(receiver.received().len(), 1, "{engine:?}");
        });
    }
}

#[test]
fn a_disabled_account_gets_nothing() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            receiver.answer(|_| Answer::status(500));
            create(&server, "one", &settings(&receiver.url(), &["server.offline"]));
            let n = public_servers(&server, 1)[0];
            write(&server, NOW, &[(EventKind::ServerOffline, n)]);
            until_deliveries(&server, "one", &[("waiting", 1, 500)]).await;
            let set_disabled = |disabled: bool| {
                let author = Author::command_line(NOW);
                server.store.change(|conn| {
                    let account = accounts::by_id(conn, "owner-of-one")?.expect("the account");
                    accounts::set_disabled(conn, account.n, disabled, &author)
                });
            };
            set_disabled(true);
            server.clock.set(NOW + 5 * SECOND);
            until_deliveries(&server, "one", &[("cancelled", 1, 500)]).await;
            write(&server, NOW, &[(EventKind::ServerOffline, n)]);
            until_nothing_is_due(&server).await;
            set_disabled(false);
            receiver.answer(|_| Answer::status(200));
            write(&server, NOW, &[(EventKind::ServerOffline, n)]);
            until_deliveries(&server, "one", &[("cancelled", 1, 500), ("delivered", 1, 200)]).await;
            assert_eq!(receiver.received().len(), 2, "{engine:?}: not what happened meanwhile");
        });
    }
}

#[test]
fn the_log_is_bounded_and_forgets_players_who_opt_out() {
    for engine in Engine::BOTH {
        let server = server(engine);
        let receiver = server.run(WebhookReceiver::start());
        create(&server, "one", &settings(&receiver.url(), &["player.renamed", "server.offline"]));
        let player_n = server.store.change(|conn| {
            let sql = "select n, nickname from players order by n limit 1";
            let (n, name): (i64, String) = conn.query_one(sql, &[], |row| (row.get(0), row.get(1)))?;
            revision::bump(conn)?;
            let facts = EventFacts { text: Some(name), previous_text: Some("Before".into()), ..EventFacts::default() };
            let renamed = NewEvent {
                player_n: Some(n),
                server_n: None,
                facts,
                ..NewEvent::of_server(EventKind::PlayerRenamed, NOW, 0)
            };
            events::write(conn, &[renamed])?;
            Ok(n)
        });
        server.run(until_deliveries(&server, "one", &[("delivered", 1, 204)]));
        let bodies = || -> Vec<String> {
            server.store.change(|conn| conn.query("select request from webhook_deliveries", &[], |row| row.get(0)))
        };
        assert!(bodies()[0].contains("Before"));
        server.store.change(|conn| player_erasure::erase(conn, player_n, &Author::command_line(NOW)));
        assert_eq!(bodies(), [""], "{engine:?}");
        let count = || bodies().len() as i64;
        server.store.change(|conn| {
            let sql = "insert into webhook_deliveries (webhook_n, message_id, kind, lane, state, attempts, give_up_at, status, error,
                           request, response, created_at, updated_at)
                       select webhook_n, message_id, kind, lane, state, attempts, give_up_at, status, error, request, response,
                              created_at, updated_at + 1 from webhook_deliveries limit 1";
            (0..delivery_log::MAX_FINISHED + 5).try_for_each(|_| conn.execute(sql, &[]).map(drop))
        });
        let overfull = server.store.change(delivery_log::overfull);
        assert_eq!(overfull.len(), 1);
        while server.store.change(|conn| delivery_log::delete_old(conn, &overfull, NOW)) {}
        assert_eq!(count(), delivery_log::MAX_FINISHED, "{engine:?}");
        let later = NOW + delivery_log::KEPT + MINUTE;
        assert!(server.store.change(|conn| delivery_log::has_expired(conn, later)));
        while server.store.change(|conn| delivery_log::delete_old(conn, &[], later)) {}
        assert_eq!(count(), 0, "{engine:?}");
    }
}

#[test]
fn redirects_fail() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let (receiver, other) = (WebhookReceiver::start().await, WebhookReceiver::start().await);
            let url = other.url();
            receiver.answer(move |_| Answer::status(307).with_header("location", &url));
            create(&server, "one", &settings(&receiver.url(), &["server.offline"]));
            write(&server, NOW, &[(EventKind::ServerOffline, public_servers(&server, 1)[0])]);
            until_deliveries(&server, "one", &[("waiting", 1, 307)]).await;
            until_nothing_is_due(&server).await;
            until_deliveries(&server, "one", &[("waiting", 1, 307)]).await;
            assert_eq!((receiver.received().len(), other.received().len()), (1, 0), "{engine:?}");
        });
    }
}

#[test]
fn private_addresses_are_not_reached() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            let urls = [receiver.url(), format!("http://localhost:{}/", receiver.address.port())];
            for (i, url) in urls.iter().enumerate() {
                create(&server, &format!("hook{i}"), &settings(url, &["server.offline"]));
            }
            write(&server, NOW, &[(EventKind::ServerOffline, public_servers(&server, 1)[0])]);
            for i in 0..urls.len() {
                until_deliveries(&server, &format!("hook{i}"), &[("waiting", 1, 0)]).await;
            }
            let sql = "select distinct error from webhook_deliveries";
            let errors: Vec<String> = server.store.change(|conn| conn.query(sql, &[], |row| row.get(0)));
            assert_eq!(errors, ["the host is not known or has no public address"], "{engine:?}");
            assert_eq!(receiver.received().len(), 0);
        });
    }
}

#[test]
fn messages_of_a_server_stay_in_order() {
    for engine in Engine::BOTH {
        let server = server(engine);
        let second = node(server.store.clone());
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            let servers = public_servers(&server, 2);
            let (blocked, free) = (servers[0], servers[1]);
            create(&server, "one", &settings(&receiver.url(), &["server.offline", "server.online"]));
            // The first message of one server fails: its others wait, those of another server do not.
            let ids = write(
                &server,
                NOW,
                &[
                    (EventKind::ServerOffline, blocked),
                    (EventKind::ServerOffline, free),
                    (EventKind::ServerOnline, blocked),
                    (EventKind::ServerOnline, free),
                    (EventKind::ServerOffline, blocked),
                ],
            );
            let first = ids[0].clone();
            receiver.answer(move |message| Answer::status(if message.id() == first { 500 } else { 200 }));
            let (done, waits) = (("delivered", 1, 200), ("queued", 0, 0));
            until_deliveries(&server, "one", &[("waiting", 1, 500), done, waits, done, waits]).await;
            receiver.answer(|_| Answer::status(200));
            server.clock.set(NOW + 5 * SECOND);
            second.clock.set(NOW + 5 * SECOND);
            until_deliveries(&server, "one", &[("delivered", 2, 200), done, done, done, done]).await;
            let order = |wanted: &[usize]| {
                let wanted: Vec<&String> = wanted.iter().map(|i| &ids[*i]).collect();
                let received = receiver.received();
                let found: Vec<String> = received.iter().map(|message| message.id().to_owned()).collect();
                let found: Vec<&String> = found.iter().filter(|id| wanted.contains(id)).collect();
                let mut deduplicated = found.clone();
                deduplicated.dedup();
                assert_eq!(deduplicated, wanted);
            };
            order(&[0, 2, 4]);
            order(&[1, 3]);
        });
        drop(second);
    }
}

#[test]
fn a_dead_receiver_delays_nobody_else() {
    for engine in Engine::BOTH {
        let server = node(Server::own(engine).stop());
        server.run(async {
            let (dead, alive) = (WebhookReceiver::start().await, WebhookReceiver::start().await);
            dead.answer(|_| Answer { delay: Duration::from_secs(60), ..Answer::status(200) });
            for i in 0..8 {
                create(&server, &format!("dead{i}"), &settings(&dead.url(), &["server.offline"]));
            }
            create(&server, "alive", &settings(&alive.url(), &["server.offline"]));
            let servers = public_servers(&server, 8);
            let told: Vec<_> = servers.iter().map(|n| (EventKind::ServerOffline, *n)).collect();
            write(&server, NOW, &told);
            alive.until(8).await;
            dead.until(32).await;
            until_nothing_is_due(&server).await;
            for i in 0..8 {
                assert!(sending(&server, &format!("dead{i}")) <= 4, "{engine:?}: four at a time for each endpoint");
            }
            assert_eq!(dead.received().len(), 32, "{engine:?}: for each of eight endpoints");
            write(&server, NOW, &told);
            alive.until(16).await;
        });
    }
}

#[test]
fn a_receiver_that_comes_back_gets_everything_at_once() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            receiver.answer(|_| Answer::status(503).with_header("retry-after", "120"));
            create(&server, "one", &settings(&receiver.url(), &["server.offline"]));
            let told: Vec<_> = public_servers(&server, 6).into_iter().map(|n| (EventKind::ServerOffline, n)).collect();
            write(&server, NOW, &told);
            receiver.until(1).await;
            until_sent(&server, "one").await;
            until_nothing_is_due(&server).await;
            assert_eq!(sending(&server, "one"), 0, "{engine:?}");
            let tried = receiver.received().len();
            assert!(tried <= 4, "{tried} attempts although the receiver asked for a pause");
            receiver.answer(|_| Answer::status(200));
            server.clock.set(NOW + 2 * MINUTE - 1);
            until_nothing_is_due(&server).await;
            assert_eq!((sending(&server, "one"), receiver.received().len()), (0, tried), "{engine:?}");
            server.clock.set(NOW + 2 * MINUTE);
            receiver.until(tried + 6).await;
            until(async || {
                let found = deliveries(&server, "one");
                let all = found.iter().all(|(state, _, _)| state == "delivered");
                if all { Ok(()) } else { Err(format!("the deliveries are {found:?}")) }
            })
            .await;
            assert_eq!(receiver.received().len(), tried + 6, "{engine:?}: each of the six once more");
        });
    }
}
