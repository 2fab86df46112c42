//! `/operator`: what whoever runs the service does.

use rollcall_model::api_key::Secret;
use rollcall_store::accounts::{self, NewAccount};
use rollcall_store::audit::Author;
use rollcall_store::keys::{self, NewKey, Overrides};

use super::{desk, until_status};
use crate::harness::{Engine, Guest, NOW, PASSWORD, Server};

fn id_of(server: &Server, name: &str) -> String {
    server.store.change(|conn| accounts::find(conn, name)).expect(name).id
}

#[tokio::test]
async fn everything_is_in_sight() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "in-sight").await;
        let mut root = Guest::operator(server, "sees-all").await;
        let (id, _) = ada.make_key("seen by operators").await;
        let accounts = root.get("/operator/accounts").await.html();
        assert!(accounts.contains("<strong>in-sight</strong>") && accounts.contains("operator</span>"));
        let keys = root.get("/operator/keys").await.html();
        assert!(
            keys.contains(&format!("<strong>seen by operators</strong><br><code>{id}</code></td>\n<td>in-sight</td>"))
        );
        assert!(root.get("/operator/log").await.html().contains("Key: </span>seen by operators</td>"));
        assert!(root.get("/dashboard").await.html().contains("href=\"/operator\""));
        assert!(!ada.get("/dashboard").await.html().contains("/operator"));
        // Seeing is not owning.
        assert_eq!(root.get(&format!("/dashboard/keys/{id}")).await.status, 404);
    }
}

#[tokio::test]
async fn a_key_that_an_operator_switches_off_stays_off_until_an_operator_switches_it_on() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "blocked").await;
        let mut root = Guest::operator(server, "blocks").await;
        let (id, secret) = ada.make_key("misused").await;
        let (own, theirs) = (format!("/dashboard/keys/{id}"), format!("/operator/keys/{id}"));
        until_status(server, &secret, 200).await;
        assert_eq!(root.send(&format!("{theirs}/disable"), &[]).await.leads_to(), "/operator/keys?done=disabled");
        until_status(server, &secret, 403).await;
        let words = "An operator has disabled this key, so only an operator can enable it.";
        let refused = ada.send(&format!("{own}/enable"), &[]).await;
        assert_eq!((refused.status, refused.notice().as_str()), (422, words));
        // Nor by way of its own switch, or a new secret.
        ada.send(&format!("{own}/disable"), &[]).await;
        assert_eq!(ada.send(&format!("{own}/enable"), &[]).await.status, 422);
        let newest = ada.get(&own).await.field("newest");
        let rotated = ada.send(&format!("{own}/rotate"), &[("newest", &newest), ("grace", "0")]).await.secret();
        until_status(server, &rotated, 403).await;
        assert_eq!(root.send(&format!("{theirs}/enable"), &[]).await.leads_to(), "/operator/keys?done=enabled");
        // Its holder's own switch is still off, and his to move.
        until_status(server, &rotated, 403).await;
        assert_eq!(ada.send(&format!("{own}/enable"), &[]).await.leads_to(), format!("{own}?done=enabled"));
        until_status(server, &rotated, 200).await;
    }
}

#[tokio::test]
async fn a_disabled_account_is_out_at_once_with_all_its_keys() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "put-out").await;
        let mut root = Guest::operator(server, "puts-out").await;
        let (_, secret) = ada.make_key("hers").await;
        until_status(server, &secret, 200).await;
        let switch = format!("/operator/accounts/{}", id_of(server, "put-out"));
        let done = root.send(&format!("{switch}/disable"), &[]).await;
        assert_eq!(done.leads_to(), "/operator/accounts?done=account-disabled");
        assert_eq!(ada.get("/dashboard").await.leads_to(), "/sign-in?next=/dashboard");
        until_status(server, &secret, 403).await;
        assert_eq!(Guest::new(server).sign_in("put-out", PASSWORD).await.status, 403);
        root.send(&format!("{switch}/enable"), &[]).await;
        until_status(server, &secret, 200).await;
        assert_eq!(ada.get("/dashboard").await.status, 303, "who was signed out signs in anew");
        Guest::signed_in(server, "put-out").await;
    }
}

#[tokio::test]
async fn operators_cannot_switch_themselves_off() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut root = Guest::operator(server, "stays-on").await;
        let own = format!("/operator/accounts/{}/disable", id_of(server, "stays-on"));
        assert!(!root.get("/operator/accounts").await.html().contains(&own));
        assert_eq!(root.send(&own, &[]).await.status, 404);
        assert_eq!(root.get("/operator").await.status, 200);
    }
}

#[tokio::test]
async fn long_lists_come_in_parts_and_can_be_searched() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut root = Guest::operator(&server, "root").await;
        server.store.change(|conn| {
            let author = Author::command_line(NOW);
            for i in 0..120 {
                let (id, name) = (format!("account-{i}"), format!("Guest-{i:03}"));
                let new = NewAccount { id: &id, username: &name, avatar: "", password: "", operator: false };
                let account = accounts::create(conn, &new, &author)?;
                let (id, overrides) = (format!("key-{i:03}"), Overrides::default());
                let key = NewKey { id: &id, name: "one", account, overrides, expires_at: None };
                keys::create(conn, &key, &Secret::generate(), &author)?;
            }
            Ok(())
        });
        for (path, row) in [("/operator/accounts", "<strong>Guest-"), ("/operator/keys", "<code>key-")] {
            let first = root.get(path).await.html();
            assert_eq!(first.matches(row).count(), 100, "{path}");
            let more = first.split("<a href=\"?before=").nth(1).and_then(|rest| rest.split('"').next());
            let second = root.get(&format!("{path}?before={}", more.expect("more"))).await.html();
            assert_eq!(second.matches(row).count(), 20, "{path}");
            assert!(!second.contains("?before="));
        }
        for (path, found) in [
            ("/operator/accounts?find=guest-01", 10),
            ("/operator/accounts?find=GUEST-119", 1),
            ("/operator/accounts?find=uest", 0),
            ("/operator/accounts?find=%25%00%ff", 0),
            ("/operator/accounts?before=x&find=guest-00", 10),
            ("/operator/keys?find=guest-007", 1),
            ("/operator/keys?find=key-007", 1),
            ("/operator/keys?find=guest", 0),
        ] {
            let page = root.get(path).await;
            assert_eq!(page.status, 200, "{path}");
            let rows = page.html().matches("</tr>").count().saturating_sub(1);
            // A query that cannot be read looks for nothing in particular.
            assert_eq!(rows, if path.contains("%ff") { 100 } else { found }, "{path}");
        }
    }
}
