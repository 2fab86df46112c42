//! Webhooks on the dashboard, as a user sets them up.

use rollcall_model::event::EventKind;
use rollcall_model::time::{DAY, HOUR, MINUTE, SECOND, iso};
use serde_json::json;

use super::{public_servers, server, write};
use crate::harness::{Answer, Browser, Engine, NOW, Server, TestResponse, WebhookReceiver};

const LIST: &str = "/dashboard/webhooks";

/// Creates a webhook for these types; returns its id and its secret.
async fn create(user: &mut Browser<'_>, url: &str, format: &str, types: &[&str]) -> (String, String) {
    let id = user.get(LIST).await.field("id");
    let names: Vec<String> = types.iter().map(|name| format!("type {name}")).collect();
    let mut fields = vec![("id", id.as_str()), ("name", "My bot"), ("url", url), ("format", format), ("scope", "all")];
    fields.extend(names.iter().map(|name| (name.as_str(), "yes")));
    let created = user.send(LIST, &fields).await;
    assert_eq!(created.status, 200, "{}", created.notice());
    (id, created.secret())
}

/// Waits until a page contains a text.
async fn until(user: &mut Browser<'_>, path: &str, text: &str) -> TestResponse {
    crate::harness::until(async || {
        let page = user.get(path).await;
        if page.html().contains(text) { Ok(page) } else { Err(format!("no {text} in {}", page.html())) }
    })
    .await
}

/// The path of the newest delivery of a log.
fn newest_delivery(log: &TestResponse) -> String {
    let html = log.html();
    let rest = html.split("<th scope=\"row\"><a href=\"").nth(1).expect("a delivery");
    rest.split('"').next().expect("a path").to_owned()
}

#[test]
fn a_webhook_from_its_creation_to_its_end() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            receiver.answer(|_| Answer { body: "<b>thanks</b>".into(), ..Answer::status(202) });
            let mut ada = Browser::signed_up(&server, "ada").await;
            let (id, secret) = create(&mut ada, &receiver.url(), "standard", &["server.offline"]).await;
            assert!(secret.starts_with("whsec_"));
            let page = format!("{LIST}/{id}");
            assert!(!ada.get(&format!("{page}/settings")).await.html().contains(&secret), "shown once");
            // A test.
            ada.get(&page).await;
            let tested = ada.send(&format!("{page}/test"), &[]).await;
            assert_eq!(tested.notice(), "The test arrived: the receiver answered 202.");
            let test = receiver.until(1).await.remove(0);
            assert!(test.is_signed_with(&secret) && test.id().starts_with("test_"), "{engine:?}");
            let wanted = json!({"id": test.id(), "type": "webhook.test", "at": iso(NOW), "server": null, "player": null,
                                "data": {"text": "This is a test."}});
            assert_eq!(test.json(), json!({"type": "webhook.test", "timestamp": iso(NOW), "data": wanted}));
            // An event, with its bodies in the log.
            let ids = write(&server, NOW, &[(EventKind::ServerOffline, public_servers(&server, 1)[0])]);
            let log = until(&mut ada, &page, "Delivered: 2").await;
            let detail = ada.get(&newest_delivery(&log)).await.html();
            for part in [ids[0].as_str(), "server.offline", "&#60;b&#62;thanks&#60;/b&#62;", "&#34;timestamp&#34;"] {
                assert!(detail.contains(part), "{part} in {detail}");
            }
            // Again, with the same id.
            let resent = ada.send(&format!("{}/resend", newest_delivery(&log)), &[]).await;
            assert_eq!(resent.redirect_target(), format!("{page}?done=webhook-resent"));
            let received = receiver.until(3).await;
            assert_eq!((received[1].id(), received[2].id()), (ids[0].as_str(), ids[0].as_str()));
            let listed = ada.get(LIST).await.html();
            assert!(listed.contains("My bot") && listed.contains("127.0.0.1") && listed.contains("Active"));
            // The end.
            ada.get(&format!("{page}/settings")).await;
            let disabled = ada.send(&format!("{page}/disable"), &[]).await;
            assert_eq!(disabled.redirect_target(), format!("{page}/settings?done=webhook-disabled"));
            write(&server, NOW, &[(EventKind::ServerOffline, public_servers(&server, 1)[0])]);
            let enabled = ada.send(&format!("{page}/enable"), &[]).await;
            assert_eq!(enabled.redirect_target(), format!("{page}/settings?done=webhook-enabled"));
            let ids = write(&server, NOW, &[(EventKind::ServerOffline, public_servers(&server, 1)[0])]);
            let received = receiver.until(4).await;
            assert_eq!((received.len(), received[3].id()), (4, ids[0].as_str()), "not what happened meanwhile");
            assert_eq!(ada.send(&format!("{page}/delete"), &[]).await.status, 422);
            let deleted = ada.send(&format!("{page}/delete"), &[("sure", "yes")]).await;
            assert_eq!(deleted.redirect_target(), format!("{LIST}?done=webhook-deleted"));
            assert_eq!(ada.get(&page).await.status, 404);
            let log = ada.get("/dashboard/log").await.html();
            for action in ["created", "enabled", "disabled", "deleted"] {
                assert!(log.contains(&format!("<strong>webhook {action}</strong>")), "{action}");
            }
        });
    }
}

#[test]
fn a_rotated_secret_signs_beside_the_new_one_for_a_day() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            let mut ada = Browser::signed_up(&server, "ada").await;
            let (id, old) = create(&mut ada, &receiver.url(), "standard", &["vote.created"]).await;
            let page = format!("{LIST}/{id}");
            let version = ada.get(&format!("{page}/settings")).await.field("version");
            let rotated = ada.send(&format!("{page}/rotate"), &[("version", &version)]).await;
            let new = rotated.secret();
            assert!(new != old && new.starts_with("whsec_"));
            let twice = ada.send(&format!("{page}/rotate"), &[("version", &version)]).await;
            assert_eq!(twice.redirect_target(), format!("{page}/settings?done=webhook-changed-before"));
            for (at, both) in [(NOW, true), (NOW + DAY - 1, true), (NOW + DAY, false)] {
                server.clock.set(at);
                ada.get(&page).await;
                let count = receiver.received().len();
                ada.send(&format!("{page}/test"), &[]).await;
                let message = receiver.until(count + 1).await.remove(count);
                let signed = (message.is_signed_with(&new), message.is_signed_with(&old));
                assert_eq!(signed, (true, both), "{engine:?} {at}");
            }
            // A session that is not fresh must prove itself first.
            let stale = ada.send(&format!("{page}/rotate"), &[("version", "2")]).await;
            assert_eq!(stale.redirect_target(), format!("/dashboard/confirm?next={page}/settings"));
        });
    }
}

#[test]
fn events_of_a_time_are_sent_again() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            let mut ada = Browser::signed_up(&server, "ada").await;
            let n = public_servers(&server, 1)[0];
            // Before the webhook exists, and one of another type.
            let offline =
                |at: i64| write(&server, at, &[(EventKind::ServerOffline, n), (EventKind::ServerOnline, n)]).remove(0);
            let times = [NOW - 2 * HOUR, NOW - HOUR, NOW - MINUTE];
            let before: Vec<String> = times.into_iter().map(offline).collect();
            let (id, _) = create(&mut ada, &receiver.url(), "standard", &["server.offline"]).await;
            let page = format!("{LIST}/{id}");
            let after = offline(NOW);
            receiver.until(1).await;
            ada.get(&page).await;
            let range = [("from", &iso(NOW - HOUR)[..16]), ("to", &iso(NOW + MINUTE)[..16])];
            let replayed = ada.send(&format!("{page}/replay"), &range).await;
            assert_eq!(replayed.redirect_target(), format!("{page}?done=webhook-replayed"));
            let received = receiver.until(4).await;
            let found: Vec<&str> = received.iter().map(|message| message.id()).collect();
            assert_eq!(found, [&after, &before[1], &before[2], &after], "{engine:?}");
            until(&mut ada, &page, "Delivered: 3").await;
            for (from, to, message) in [
                ("2026-06-03T10:00", "2026-06-03T09:00", "The start must be before the end."),
                ("2026-01-01T10:00", "2026-01-01T11:00", "Events are kept for 30 days. Choose a later end."),
                ("soon", "2026-06-03T09:00", "Enter a day and a time in UTC, such as 2026-01-31T09:30, not “soon”."),
            ] {
                let refused = ada.send(&format!("{page}/replay"), &[("from", from), ("to", to)]).await;
                assert_eq!((refused.status, refused.notice().as_str()), (422, message));
            }
        });
    }
}

#[test]
fn forms_say_what_is_wrong() {
    for engine in Engine::BOTH {
        let server = Server::set_up(Server::own(engine).stop(), NOW, |config| config.webhooks.max_per_account = 2);
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            ada.get(LIST).await;
            let good = [
                ("name", "Bot"),
                ("url", "https://hooks.example/in"),
                ("format", "standard"),
                ("type vote.created", "yes"),
                ("scope", "chosen"),
                ("servers", "no-such-server"),
            ];
            let with = |name: &'static str, value: &'static str| {
                let mut fields = good.to_vec();
                fields.retain(|(other, _)| *other != name);
                fields.push((name, value));
                fields
            };
            for (fields, message) in [
                (good.to_vec(), "There is no public server with the slug “no-such-server”."),
                (with("name", ""), "The name must have 1 to 100 characters on one line."),
                (
                    with("url", "http://hooks.example/"),
                    "Enter a URL that begins with https://, such as https://example.org/webhook.",
                ),
                (with("url", "https://169.254.169.254/"), "The URL must lead to a public address."),
                (with("url", "https://hooks.example:22/"), "The port of the URL must be 443, or 1024 or higher."),
                (with("type vote.created", ""), "Choose at least one event."),
                (with("servers", ""), "Enter the slugs of 1 to 50 servers, one per line."),
            ] {
                let refused = ada.send(LIST, &fields).await;
                assert_eq!((refused.status, refused.notice().as_str()), (422, message));
                assert!(refused.html().contains("value=\"https://hooks.example/in\"") || message.contains("URL"));
            }
            // The same form twice, and one too many.
            let id = ada.get(LIST).await.field("id");
            let mut fields = with("scope", "own");
            fields.push(("id", &id));
            assert_eq!(ada.send(LIST, &fields).await.status, 200);
            let again = ada.send(LIST, &fields).await;
            assert_eq!(again.redirect_target(), format!("{LIST}?done=webhook-made-before"));
            assert_eq!(ada.send(LIST, &with("scope", "own")).await.status, 200);
            let many = ada.send(LIST, &with("scope", "own")).await;
            assert_eq!(
                (many.status, many.notice().as_str()),
                (422, "An account can have 2 webhooks. Delete one you no longer need.")
            );
            // Changes, and what others see.
            let page = format!("{LIST}/{id}");
            ada.get(&format!("{page}/settings")).await;
            let saved = ada.send(&format!("{page}/settings"), &with("scope", "all")).await;
            assert_eq!(saved.redirect_target(), format!("{page}/settings?done=webhook-saved"));
            let mut eve = Browser::signed_up(&server, "eve").await;
            for path in
                [&page, &format!("{page}/settings"), &format!("{page}/deliveries/1"), &format!("{page}/deliveries/x")]
            {
                assert_eq!(eve.get(path).await.status, 404, "{path}");
            }
            for act in ["test", "replay", "rotate", "enable", "disable", "delete", "settings", "deliveries/1/resend"] {
                assert_eq!(eve.send(&format!("{page}/{act}"), &[("sure", "yes")]).await.status, 404, "{act}");
            }
        });
    }
}

#[test]
fn urls_and_secrets_are_encrypted_with_the_key_of_the_operator() {
    const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    for engine in Engine::BOTH {
        let plain = server(engine);
        let receiver = plain.run(WebhookReceiver::start());
        let secret = plain.run(async {
            let mut ada = Browser::signed_up(&plain, "ada").await;
            create(&mut ada, &receiver.url(), "standard", &["vote.created"]).await.1
        });
        let stored = |server: &Server| -> (String, String) {
            let sql = "select url, secret from webhooks";
            server.store.change(|conn| conn.query_one(sql, &[], |row| (row.get(0), row.get(1))))
        };
        assert_eq!(stored(&plain), (receiver.url(), secret.clone()));
        let sealed = Server::set_up(plain.store.clone(), NOW, |config| {
            config.accounts.second_factor_key = KEY.into();
            config.tracker.allow_private_addresses = true;
        });
        let (url, at_rest) = stored(&sealed);
        assert!(url.starts_with("v1:") && at_rest.starts_with("v1:"), "{engine:?}: {url}");
        sealed.run(async {
            let mut ada = Browser::signed_in(&sealed, "ada").await;
            let list = ada.get(LIST).await.html();
            let id = list.split("/dashboard/webhooks/").nth(1).and_then(|rest| rest.split('"').next());
            let page = format!("{LIST}/{}", id.expect("a webhook"));
            assert_eq!(ada.get(&format!("{page}/settings")).await.field("url"), receiver.url());
            ada.send(&format!("{page}/test"), &[]).await;
            assert!(receiver.until(1).await[0].is_signed_with(&secret), "{engine:?}");
        });
    }
}

#[test]
fn discord_gets_a_message_that_mentions_nobody() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            let mut ada = Browser::signed_up(&server, "ada").await;
            create(&mut ada, &receiver.url(), "discord", &["server.offline"]).await;
            let n = public_servers(&server, 1)[0];
            let name = "update servers set name = '@everyone *x*' where n = $1";
            server.store.change(|conn| conn.execute(name, rollcall_store::values![n]));
            write(&server, NOW, &[(EventKind::ServerOffline, n)]);
            let message = receiver.until(1).await.remove(0).json();
            assert_eq!(message["content"], "**\\@everyone \\*x\\*** is offline.", "{engine:?}");
            assert_eq!(message["allowed_mentions"], json!({"parse": []}));
            assert_eq!(message["embeds"][0]["timestamp"], iso(NOW));
        });
    }
}

#[test]
fn a_failing_receiver_is_shown_and_a_test_ends_the_pause() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            receiver.answer(|_| Answer::status(503).with_header("retry-after", "3600"));
            let mut ada = Browser::signed_up(&server, "ada").await;
            let (id, _) = create(&mut ada, &receiver.url(), "standard", &["server.offline"]).await;
            let page = format!("{LIST}/{id}");
            write(&server, NOW, &[(EventKind::ServerOffline, public_servers(&server, 1)[0])]);
            let log = until(&mut ada, &page, "the receiver answered 503").await.html();
            assert!(log.contains("Next try:") && log.contains(&iso(NOW + HOUR)), "{log}");
            assert!(ada.get(LIST).await.html().contains("Failing"));
            receiver.answer(|_| Answer::status(200));
            server.clock.set(NOW + SECOND);
            ada.get(&page).await;
            ada.send(&format!("{page}/test"), &[]).await;
            until(&mut ada, &page, "Delivered: 2").await;
        });
    }
}
