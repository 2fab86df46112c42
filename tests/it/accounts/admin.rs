//! `/operator`: accounts, keys and lists for operators.

use rollcall_model::api_key::ApiKeySecret;
use rollcall_store::accounts::{self, NewAccount};
use rollcall_store::audit::Author;
use rollcall_store::keys::{self, LimitOverrides, NewKey};

use super::{shared_server, until_status};
use crate::harness::{Browser, Engine, NOW, PASSWORD, Server};

fn id_of(server: &Server, name: &str) -> String {
    server.store.change(|conn| accounts::find(conn, name)).expect(name).id
}

#[tokio::test]
async fn operators_see_all_accounts_keys_and_log_entries() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "in-sight").await;
        let mut root = Browser::operator(server, "sees-all").await;
        let (id, _) = ada.make_key("seen by operators").await;
        let accounts = root.get("/operator/accounts").await.html();
        assert!(accounts.contains("<strong>in-sight</strong>") && accounts.contains("operator</span>"));
        let keys = root.get("/operator/keys").await.html();
        assert!(
            keys.contains(&format!(
                "<strong>seen by operators</strong></a><br><code>{id}</code></td>\n<td>in-sight</td>"
            ))
        );
        assert!(root.get("/operator/log").await.html().contains("Key: </span>seen by operators</td>"));
        assert!(root.get("/dashboard").await.html().contains("href=\"/operator\""));
        assert!(!ada.get("/dashboard").await.html().contains("/operator"));
        // Operators cannot open the key page of another account.
        assert_eq!(root.get(&format!("/dashboard/keys/{id}")).await.status, 404);
    }
}

#[tokio::test]
async fn a_key_blocked_by_an_operator_stays_blocked_until_an_operator_unblocks_it() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "blocked").await;
        let mut root = Browser::operator(server, "blocks").await;
        let (id, secret) = ada.make_key("misused").await;
        let (own, theirs) = (format!("/dashboard/keys/{id}"), format!("/operator/keys/{id}"));
        until_status(server, &secret, 200).await;
        assert_eq!(
            root.send(&format!("{theirs}/disable"), &[("sure", "yes")]).await.redirect_target(),
            "/operator/keys?done=disabled"
        );
        until_status(server, &secret, 403).await;
        let words = "An operator disabled this key. Only an operator can enable it again.";
        let refused = ada.send(&format!("{own}/enable"), &[]).await;
        assert_eq!((refused.status, refused.notice().as_str()), (422, words));
        // Disabling and enabling, or rotating, does not unblock it.
        ada.send(&format!("{own}/disable"), &[]).await;
        assert_eq!(ada.send(&format!("{own}/enable"), &[]).await.status, 422);
        let newest = ada.get(&format!("{own}/security")).await.field("newest");
        let rotated = ada.send(&format!("{own}/rotate"), &[("newest", &newest), ("grace", "0")]).await.secret();
        until_status(server, &rotated, 403).await;
        assert_eq!(root.send(&format!("{theirs}/enable"), &[]).await.redirect_target(), "/operator/keys?done=enabled");
        // The owner's own switch is still off.
        until_status(server, &rotated, 403).await;
        assert_eq!(
            ada.send(&format!("{own}/enable"), &[]).await.redirect_target(),
            format!("{own}/settings?done=enabled")
        );
        until_status(server, &rotated, 200).await;
    }
}

#[tokio::test]
async fn a_disabled_account_and_its_keys_are_locked_out_immediately() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "put-out").await;
        let mut root = Browser::operator(server, "puts-out").await;
        let (_, secret) = ada.make_key("hers").await;
        until_status(server, &secret, 200).await;
        let switch = format!("/operator/accounts/{}", id_of(server, "put-out"));
        let done = root.send(&format!("{switch}/disable"), &[("sure", "yes")]).await;
        assert_eq!(done.redirect_target(), "/operator/accounts?done=account-disabled");
        assert_eq!(ada.get("/dashboard").await.redirect_target(), "/sign-in?next=/dashboard");
        until_status(server, &secret, 403).await;
        assert_eq!(Browser::new(server).sign_in("put-out", PASSWORD).await.status, 403);
        root.send(&format!("{switch}/enable"), &[]).await;
        until_status(server, &secret, 200).await;
        assert_eq!(ada.get("/dashboard").await.status, 303, "old sessions stay ended");
        Browser::signed_in(server, "put-out").await;
    }
}

#[tokio::test]
async fn operators_cannot_disable_themselves() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut root = Browser::operator(server, "stays-on").await;
        let own = format!("/operator/accounts/{}/disable", id_of(server, "stays-on"));
        assert!(!root.get("/operator/accounts").await.html().contains(&own));
        assert_eq!(root.send(&own, &[("sure", "yes")]).await.status, 404);
        assert_eq!(root.get("/operator").await.status, 200);
    }
}

#[tokio::test]
async fn long_lists_are_paged_and_searchable() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut root = Browser::operator(&server, "root").await;
        server.store.change(|conn| {
            let author = Author::command_line(NOW);
            for i in 0..120 {
                let (id, name) = (format!("account-{i}"), format!("Browser-{i:03}"));
                let new = NewAccount {
                    id: &id,
                    username: &name,
                    avatar: "",
                    password: "",
                    operator: false,
                    password_expires_at: None,
                };
                let account = accounts::create(conn, &new, &author)?;
                let (id, overrides) = (format!("key-{i:03}"), LimitOverrides::default());
                let key = NewKey { id: &id, name: "one", account, overrides, expires_at: None };
                keys::create(conn, &key, &ApiKeySecret::generate(), &author)?;
            }
            Ok(())
        });
        for (path, row) in [("/operator/accounts", "<strong>Browser-"), ("/operator/keys", "<code>key-")] {
            let first = root.get(path).await.html();
            assert_eq!(first.matches(row).count(), 100, "{path}");
            let more = first.split("<a href=\"?before=").nth(1).and_then(|rest| rest.split('"').next());
            let second = root.get(&format!("{path}?before={}", more.expect("more"))).await.html();
            assert_eq!(second.matches(row).count(), 20, "{path}");
            assert!(!second.contains("<a href=\"?before="));
        }
        for (path, found) in [
            ("/operator/accounts?find=browser-01", 10),
            ("/operator/accounts?find=BROWSER-119", 1),
            ("/operator/accounts?find=uest", 0),
            ("/operator/accounts?find=%25%00%ff", 0),
            ("/operator/accounts?before=x&find=browser-00", 10),
            ("/operator/keys?find=browser-007", 1),
            ("/operator/keys?find=key-007", 1),
            ("/operator/keys?find=browser", 0),
        ] {
            let page = root.get(path).await;
            assert_eq!(page.status, 200, "{path}");
            let rows = page.html().matches("</tr>").count().saturating_sub(1);
            // An undecodable query is ignored.
            assert_eq!(rows, if path.contains("%ff") { 100 } else { found }, "{path}");
        }
    }
}

#[tokio::test]
async fn a_list_stays_filtered_after_an_act() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "found-one").await;
        let (key, _) = ada.make_key("hers").await;
        let mut root = Browser::operator(server, "filters").await;
        let id = id_of(server, "found-one");
        let lists = [
            ("accounts", format!("accounts/{id}/disable"), "account-disabled"),
            ("accounts", format!("accounts/{id}/enable"), "account-enabled"),
            ("keys", format!("keys/{key}/disable"), "disabled"),
            ("keys", format!("keys/{key}/enable"), "enabled"),
        ];
        for (list, act, done) in lists {
            let page = root.get(&format!("/operator/{list}?find=found-one&before=999999")).await;
            let form = page.html().split(&format!("action=\"/operator/{act}\"")).nth(1).expect("a form").to_owned();
            let form = form.split("</form>").next().expect("an end");
            for field in ["name=\"find\" value=\"found-one\"", "name=\"before\" value=\"999999\""] {
                assert!(form.contains(field), "{act}: {form}");
            }
            let fields = [("find", "found-one"), ("before", "999999"), ("sure", "yes")];
            let back = root.send(&format!("/operator/{act}"), &fields).await;
            let expected = format!("/operator/{list}?done={done}&find=found%2Done&before=999999");
            assert_eq!(back.redirect_target(), expected);
            let page = root.get(&expected).await;
            assert_eq!((page.field("find").as_str(), page.html().matches("</tr>").count()), ("found-one", 2), "{act}");
            assert!(!page.notice().is_empty());
        }
        // Text that would end the query stays inside it.
        let odd = root
            .send(&format!("/operator/keys/{key}/disable"), &[("find", "a&done=x#\r\nY: z"), ("sure", "yes")])
            .await;
        let expected = "/operator/keys?done=disabled&find=a%26done%3Dx%23%0D%0AY%3A%20z";
        assert_eq!(odd.redirect_target(), expected);
    }
}
