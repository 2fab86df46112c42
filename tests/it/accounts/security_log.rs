//! Security events in the log, and the log of deleted accounts.

use rollcall_model::time::{DAY, MINUTE};
use rollcall_store::accounts;
use serde_json::{Value, json};

use super::{behind_a_proxy, second_factor, stored_rows, until};
use crate::harness::{Browser, Engine, NOW, PASSWORD, Server, capture_security_lines, security_lines};

/// The events of a client IP, without the IP: every browser has its own.
fn events_of(address: &str) -> Vec<Value> {
    let lines = security_lines().into_iter().filter(|fields| fields["client"] == address);
    let without_client = |mut fields: Value| {
        let object = fields.as_object_mut().expect("an object");
        object.remove("client");
        assert_eq!(object.remove("message"), Some(json!("security event")));
        fields
    };
    lines.map(without_client).collect()
}

#[tokio::test]
async fn events_have_kind_account_and_client_and_no_secrets() {
    capture_security_lines();
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| {
            behind_a_proxy(config);
            config.auth.wrong_keys_per_minute = 1;
        });
        let mut ada = Browser::signed_up(&server, "ada-logs").await;
        let id = server.store.change(|conn| accounts::find(conn, "ada-logs")).expect("ada").id;
        ada.sign_in("ada-logs", "wrong horse battery").await;
        ada.get("/dashboard").await;
        second_factor::enable(&mut ada).await;
        let wrong = ada.send("/dashboard/account/second-factor/off", &[("password", "wrong horse")]).await;
        assert_eq!(wrong.status, 422);
        ada.send("/dashboard/keys", &[("token", "forged"), ("name", "x")]).await;
        let address = ada.address().to_owned();
        for _ in 0..2 {
            let headers = [("x-api-key", "rc_wrong"), ("x-forwarded-for", address.as_str())];
            server.send(reqwest::Method::GET, "/servers", &headers).await;
        }
        ada.get("/dashboard").await;
        ada.send("/sign-out", &[]).await;
        let of = |kind: &str| json!({"kind": kind, "account": id});
        let expected = [
            of("sign_up"),
            of("sign_in_failed"),
            json!({"kind": "credentials_changed", "account": id, "detail": "second factor enabled"}),
            json!({"kind": "proof_failed", "account": id, "detail": "password"}),
            json!({"kind": "csrf_rejected"}),
            json!({"kind": "wrong_api_key"}),
            json!({"kind": "wrong_api_keys_throttled"}),
            of("sign_out"),
        ];
        assert_eq!(events_of(&address), expected);
        let mut root = Browser::operator(&server, "root-logs").await;
        root.send(&format!("/operator/accounts/{id}/disable"), &[("sure", "yes")]).await;
        let root_id = server.store.change(|conn| accounts::find(conn, "root-logs")).expect("root").id;
        let expected = [
            json!({"kind": "sign_in", "account": root_id}),
            json!({"kind": "operator_act", "account": root_id, "detail": format!("account-disabled {id}")}),
        ];
        assert_eq!(events_of(root.address()), expected);
    }
    let text = format!("{:?}", security_lines());
    for secret in ["horse", "ada-logs", "rc_wrong"] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn a_flood_of_events_is_cut_and_counted() {
    capture_security_lines();
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        // A kind that no other test of this server has, and a client of its own.
        let flooder = Browser::new(&server);
        let mut events = 0;
        let mut browser = flooder.clone();
        browser.get("/sign-in").await;
        for _ in 0..75 {
            browser.send("/sign-out", &[("token", "forged")]).await;
            events += 1;
        }
        let lines = || security_lines().into_iter().filter(|fields| fields["client"] == flooder.address()).count();
        assert_eq!((events, lines()), (75, 60));
        let suppressed = || {
            let cut = |fields: &Value| fields["kind"] == "csrf_rejected" && fields["suppressed"] == 15;
            security_lines().into_iter().filter(cut).count()
        };
        let before = suppressed();
        server.clock.set(NOW + MINUTE);
        browser.send("/sign-out", &[("token", "forged")]).await;
        assert_eq!((suppressed(), lines()), (before + 1, 61));
    }
}

#[tokio::test]
async fn the_log_of_a_deleted_account_is_kept_for_a_while_without_its_name() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.accounts.deleted_log_days = 30);
        let mut root = Browser::operator(&server, "root").await;
        let mut ada = Browser::signed_up(&server, "ada-leaves").await;
        let (key, _) = ada.make_key("secret project").await;
        ada.send(&format!("/dashboard/keys/{key}/rename"), &[("name", "secret plan")]).await;
        let id = server.store.change(|conn| accounts::find(conn, "ada-leaves")).expect("ada").id;
        let page = ada.get("/dashboard/account").await.html();
        assert!(page.contains("Its log is kept for 30 days without your username, then deleted."));
        ada.send("/dashboard/account/delete", &[("password", PASSWORD), ("sure", "yes")]).await;
        let log = root.get("/operator/log").await.html();
        for shown in ["account created", "key created", "key renamed", "account deleted"] {
            assert!(log.contains(&format!("<strong>{shown}</strong>")), "{shown}: {log}");
        }
        assert_eq!(log.matches(&format!("By: </span>deleted account {id}<")).count(), 4, "{log}");
        for gone in ["ada-leaves", "secret project", "secret plan"] {
            assert!(!stored_rows(&server.store).iter().any(|row| row.contains(gone)), "{gone}");
        }
        server.clock.set(NOW + 30 * DAY - 1);
        assert!(stored_rows(&server.store).iter().any(|row| row.contains(&id)));
        server.clock.set(NOW + 30 * DAY);
        let mut root = Browser::signed_in(&server, "root").await;
        until(&mut root, "/operator/log", |page| !page.html().contains(&id)).await;
        assert!(root.get("/operator/log").await.html().contains("<strong>account created</strong>"), "others stay");
    }
}

#[tokio::test]
async fn the_log_of_a_deleted_account_can_go_with_it() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.accounts.deleted_log_days = 0);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let id = server.store.change(|conn| accounts::find(conn, "ada")).expect("ada").id;
        assert!(ada.get("/dashboard/account").await.html().contains("Its log is deleted."));
        ada.send("/dashboard/account/delete", &[("password", PASSWORD), ("sure", "yes")]).await;
        let mut root = Browser::operator(&server, "root").await;
        until(&mut root, "/operator/log", |page| !page.html().contains(&id)).await;
    }
}
