//! Which events an endpoint gets.

use rollcall_model::event::EventKind;
use rollcall_model::webhook::ServerScope;
use rollcall_store::events::NewEvent;
use rollcall_store::webhooks::WebhookSettings;
use rollcall_store::{account_events, revision, values};

use super::{create, deliveries, public_servers, server, settings, until_deliveries, write};
use crate::harness::{Answer, Engine, NOW, WebhookReceiver, until};

#[test]
fn filters_choose_types_and_servers() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            let servers = public_servers(&server, 3);
            let all = settings(&receiver.url(), &["server.offline"]);
            let chosen = WebhookSettings { scope: ServerScope::Chosen, servers: vec![servers[1]], ..all.clone() };
            let nothing = WebhookSettings { scope: ServerScope::Chosen, ..all.clone() };
            let own = WebhookSettings { scope: ServerScope::Own, ..all.clone() };
            for (id, settings) in [("all", &all), ("chosen", &chosen), ("nothing", &nothing), ("own", &own)] {
                create(&server, id, settings);
            }
            server.store.change(|conn| {
                let owner =
                    "update servers set owner_n = (select n from accounts where id = 'owner-of-own') where n = $1";
                conn.execute(owner, values![servers[2]])?;
                let editor = "insert into server_editors (server_n, account_n, added_at)
                              select $1, n, 0 from accounts where id = 'owner-of-own'";
                conn.execute(editor, values![servers[0]])
            });
            let told: Vec<_> = [EventKind::ServerOffline, EventKind::ServerOnline]
                .into_iter()
                .flat_map(|kind| servers.iter().map(move |n| (kind, *n)))
                .collect();
            let ids = write(&server, NOW, &told);
            let done = ("delivered", 1, 204);
            until_deliveries(&server, "all", &[done; 3]).await;
            until_deliveries(&server, "chosen", &[done]).await;
            until_deliveries(&server, "own", &[done; 2]).await;
            assert_eq!(deliveries(&server, "nothing"), []);
            let mut found: Vec<String> =
                receiver.until(6).await.iter().map(|message| message.id().to_owned()).collect();
            found.sort();
            let mut wanted = [&ids[0], &ids[0], &ids[1], &ids[1], &ids[2], &ids[2]];
            wanted.sort();
            assert_eq!(found.iter().collect::<Vec<_>>(), wanted, "{engine:?}");
        });
    }
}

#[test]
fn events_of_servers_hidden_meanwhile_are_not_sent() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            receiver.answer(|_| Answer::status(500));
            create(&server, "one", &settings(&receiver.url(), &["server.offline", "server.online"]));
            let n = public_servers(&server, 1)[0];
            write(&server, NOW, &[(EventKind::ServerOffline, n), (EventKind::ServerOnline, n)]);
            until_deliveries(&server, "one", &[("waiting", 1, 500), ("queued", 0, 0)]).await;
            let hide = "update servers set visibility = 'HIDDEN' where n = $1";
            server.store.change(|conn| conn.execute(hide, values![n]));
            server.clock.set(NOW + 5_000);
            until_deliveries(&server, "one", &[("cancelled", 2, 0), ("cancelled", 1, 0)]).await;
            assert_eq!(receiver.received().len(), 1, "{engine:?}");
        });
    }
}

#[test]
fn events_of_unlisted_servers_are_sent_only_while_the_account_manages_them() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            receiver.answer(|_| Answer::status(500));
            let types = ["server.offline", "server.online"];
            create(&server, "one", &WebhookSettings { scope: ServerScope::Own, ..settings(&receiver.url(), &types) });
            let servers = public_servers(&server, 3);
            let events: Vec<NewEvent> =
                servers.iter().map(|n| NewEvent::of_server(EventKind::ServerOffline, NOW, *n)).collect();
            server.store.change(|conn| {
                for n in &servers {
                    let sql = "update servers set visibility = 'UNLISTED',
                                      owner_n = (select n from accounts where id = 'owner-of-one')
                               where n = $1";
                    conn.execute(sql, values![*n])?;
                }
                revision::bump(conn)?;
                account_events::write_to_managers(conn, &events)
            });
            until_deliveries(&server, "one", &[("waiting", 1, 500); 3]).await;
            server.store.change(|conn| {
                conn.execute("update servers set visibility = 'HIDDEN' where n = $1", values![servers[0]])?;
                conn.execute("update servers set owner_n = null where n = $1", values![servers[1]])
            });
            receiver.answer(|_| Answer::status(204));
            server.clock.set(NOW + 5_000);
            let (cancelled, delivered) = (("cancelled", 2, 0), ("delivered", 2, 204));
            until_deliveries(&server, "one", &[cancelled, cancelled, delivered]).await;
            assert_eq!(receiver.received().len(), 4, "{engine:?}");
        });
    }
}

#[test]
fn a_receiver_that_is_away_has_a_bounded_backlog_and_misses_nothing() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            receiver.answer(|_| Answer::status(503));
            create(&server, "one", &settings(&receiver.url(), &["server.offline"]));
            let servers = public_servers(&server, 4);
            let told: Vec<_> = (0..1_200).map(|i| (EventKind::ServerOffline, servers[i % 4])).collect();
            let mut ids = write(&server, NOW, &told);
            receiver.until(1).await;
            let count = || deliveries(&server, "one").len();
            until(async || match count() {
                found if found >= 1_000 => Ok(()),
                found => Err(format!("only {found} deliveries wait")),
            })
            .await;
            server.until_run("webhook_events").await;
            assert_eq!(count(), 1_000, "{engine:?}: the cursor waits");
            receiver.answer(|_| Answer::status(200));
            let before = receiver.received().len();
            server.clock.set(NOW + 5_000);
            let received = receiver.until(before + 1_200).await;
            let mut found: Vec<String> = received[before..].iter().map(|message| message.id().to_owned()).collect();
            found.sort();
            ids.sort();
            assert_eq!(found, ids, "{engine:?}");
        });
    }
}
