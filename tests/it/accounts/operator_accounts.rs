//! `/operator/accounts/{id}`: one account for operators, and the acts on it.

use rollcall_store::accounts;

use super::second_factor;
use super::{exists, shared_server, until_status};
use crate::harness::{Browser, Engine, NOW, PASSWORD, Server};
use rollcall_model::time::MINUTE;

const SURE: (&str, &str) = ("sure", "yes");

fn page_of(server: &Server, name: &str) -> String {
    let account = server.store.change(|conn| accounts::find(conn, name)).expect(name);
    format!("/operator/accounts/{}", account.id)
}

/// The actions of a log table, oldest first.
fn actions(html: &str) -> Vec<String> {
    let log = html.split("<h2 id=\"log\">").nth(1).unwrap_or(html);
    let actions = log.split("<td class=\"name\"><strong>").skip(1);
    let mut actions: Vec<String> = actions.filter_map(|rest| rest.split('<').next()).map(str::to_owned).collect();
    actions.reverse();
    actions
}

#[tokio::test]
async fn the_page_of_an_account_shows_keys_sessions_second_factor_and_log() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "looked-at").await;
        let (key, _) = ada.make_key("of the account").await;
        let mut root = Browser::operator(server, "looks-at").await;
        let page = page_of(server, "looked-at");
        let html = root.get(&page).await.html();
        assert!(html.contains("<h1>looked-at</h1>") && html.contains("<dt>Two-factor</dt><dd>off</dd>"));
        let link = format!("<a href=\"/operator/keys/{key}?find=looked-at\"><strong>of the account</strong></a>");
        assert!(html.contains(&link), "{html}");
        assert!(html.contains(&format!("<td>Firefox on Linux</td>\n<td>{}</td>", ada.address())), "{html}");
        assert_eq!(actions(&html), ["account created", "key created"]);
        second_factor::enable(&mut ada).await;
        let html = root.get(&page).await.html();
        assert!(html.contains("<dd>on <span class=\"soft\">10 recovery codes left</span></dd>"), "{html}");
        // The page keeps the list that led to it.
        let filtered = root.get(&format!("{page}?find=looked&before=99")).await.html();
        assert!(filtered.contains("<a href=\"/operator/accounts?find=looked&#38;before=99\">All accounts</a>"));
        let hidden = "<input type=\"hidden\" name=\"find\" value=\"looked\"><input type=\"hidden\" name=\"before\" value=\"99\">";
        assert_eq!(filtered.matches(hidden).count(), 6, "every form");
        // An account of an operator has no acts for themselves.
        let own = root.get(&page_of(server, "looks-at")).await.html();
        assert!(own.contains("This is your own account.") && !own.contains("/delete\""));
    }
}

#[tokio::test]
async fn an_account_is_signed_out_everywhere() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "thrown-out").await;
        let (_, secret) = ada.make_key("keeps working").await;
        let mut root = Browser::operator(server, "throws-out").await;
        let page = page_of(server, "thrown-out");
        let fields = [SURE, ("from", "page"), ("find", "thrown")];
        let done = root.send(&format!("{page}/sign-out"), &fields).await;
        assert_eq!(done.redirect_target(), format!("{page}?done=account-signed-out&find=thrown"));
        let shown = root.get(done.redirect_target()).await;
        assert_eq!(shown.notice(), "The account was signed out everywhere.");
        assert_eq!(actions(&shown.html()).last().map(String::as_str), Some("signed out everywhere by an operator"));
        assert!(shown.html().contains("Not signed in anywhere."));
        assert_eq!(ada.get("/dashboard").await.redirect_target(), "/sign-in?next=/dashboard");
        until_status(server, &secret, 200).await;
        Browser::signed_in(server, "thrown-out").await;
    }
}

#[tokio::test]
async fn a_password_is_reset_and_shown_once() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "forgot").await;
        second_factor::enable(&mut ada).await;
        let mut root = Browser::operator(server, "remembers").await;
        let page = page_of(server, "forgot");
        let kept = root.send(&format!("{page}/password"), &[SURE]).await;
        assert_eq!(kept.status, 200);
        let password = kept.secret();
        assert!(!root.get(&page).await.html().contains(&password), "it is shown once");
        assert_eq!(ada.get("/dashboard").await.status, 303, "signed out");
        assert_eq!(Browser::new(server).sign_in("forgot", PASSWORD).await.status, 422);
        let mut again = Browser::new(server);
        assert_eq!(again.sign_in("forgot", &password).await.redirect_target(), "/sign-in/code?next=/dashboard");
        // Without the second factor the user reaches the page that replaces the password.
        let fields = [SURE, ("without_second_factor", "yes")];
        let password = root.send(&format!("{page}/password"), &fields).await.secret();
        let mut again = Browser::new(server);
        assert_eq!(again.sign_in("forgot", &password).await.heading(), "Changes to your account");
        assert_eq!(again.get("/dashboard").await.redirect_target(), "/dashboard/account/password");
        let log = actions(&root.get(&page).await.html());
        assert_eq!(log[2..], ["password changed", "password changed", "second factor disabled"]);
    }
}

#[tokio::test]
async fn an_account_is_deleted_with_its_keys() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "deleted-one").await;
        let (_, secret) = ada.make_key("gone soon").await;
        until_status(server, &secret, 200).await;
        let mut root = Browser::operator(server, "deletes").await;
        let page = page_of(server, "deleted-one");
        let done = root.send(&format!("{page}/delete"), &[SURE, ("from", "page"), ("find", "del")]).await;
        assert_eq!(done.redirect_target(), "/operator/accounts?done=account-deleted&find=del");
        assert_eq!(root.get(done.redirect_target()).await.notice(), "Account deleted with its API keys.");
        assert!(!exists(server, "deleted-one"));
        until_status(server, &secret, 401).await;
        assert_eq!(root.get(&page).await.status, 404);
        assert!(root.get("/operator/log").await.html().contains("account deleted"));
    }
}

#[tokio::test]
async fn destructive_acts_need_a_confirmation_and_dangerous_ones_a_fresh_proof() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "safe").await;
        let (key, _) = ada.make_key("hers").await;
        let mut root = Browser::operator(&server, "hasty").await;
        let page = page_of(&server, "safe");
        let acts = ["disable", "sign-out", "role", "password", "delete"].map(|act| format!("{page}/{act}"));
        let before = super::stored_rows(&server.store);
        for act in acts.iter().chain([&format!("/operator/keys/{key}/disable")]) {
            for sure in ["", "no", "YES"] {
                let refused = root.send(act, &[("sure", sure)]).await;
                assert_eq!((refused.status, refused.heading().as_str()), (422, "Not confirmed"), "{act}");
            }
        }
        server.clock.set(NOW + 5 * MINUTE);
        for act in &acts[2..] {
            let asked = root.send(act, &[SURE]).await;
            assert_eq!(asked.redirect_target(), format!("/dashboard/confirm?next={page}"), "{act}");
        }
        assert_eq!(super::stored_rows(&server.store), before);
        let html = root.get(&page).await.html();
        assert_eq!(html.matches(&format!("<a href=\"/dashboard/confirm?next={page}\">")).count(), 3);
        root.get("/dashboard/confirm").await;
        let proved = root.send("/dashboard/confirm", &[("password", PASSWORD), ("next", &page)]).await;
        assert_eq!(proved.redirect_target(), page);
        root.get(&page).await;
        assert_eq!(root.send(&acts[4], &[SURE]).await.status, 303);
        assert!(!exists(&server, "safe"));
    }
}

#[tokio::test]
async fn operators_cannot_act_on_themselves() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut root = Browser::operator(server, "not-myself").await;
        let page = page_of(server, "not-myself");
        for act in ["sign-out", "password", "delete"] {
            assert_eq!(root.send(&format!("{page}/{act}"), &[SURE]).await.status, 404, "{act}");
        }
        assert_eq!(root.get("/operator").await.status, 200);
    }
}

#[tokio::test]
async fn the_log_is_searched_by_account() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "log-of-ada").await;
        ada.make_key("one").await;
        Browser::signed_up(server, "log-of-bob").await;
        let mut root = Browser::operator(server, "reads-logs").await;
        let found = root.get("/operator/log?find=LOG-of-ada").await;
        assert_eq!(actions(&found.html()), ["account created", "key created"]);
        assert_eq!(found.field("find"), "LOG-of-ada");
        assert!(root.get("/operator/log?find=nobody-there").await.html().contains("No entries yet."));
    }
}
