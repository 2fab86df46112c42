//! User input is escaped, and private pages are not cached.

use super::behind_a_proxy;
use super::forms::FormsFixture;
use crate::harness::{Browser, Engine, PASSWORD, Server, TestResponse};

const PAYLOADS: [&str; 4] = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "{{7*7}}${7*7}<%=7*7%>",
    "</title></textarea></blockquote><svg/onload=alert(1)>",
];

/// Asserts that no input became markup.
fn assert_escaped(what: &str, page: &TestResponse) {
    let html = page.html();
    for bad in ["<script>", "<img src=x", "<svg/onload", "\"'>", "{{49}}", "$49"] {
        assert!(!html.contains(bad), "{what} has {bad}: {html}");
    }
    let scripts = html.matches("<script").count();
    assert_eq!(scripts, html.matches("<script type=\"module\" src=\"/assets/").count(), "{what}");
}

fn assert_private(what: &str, page: &TestResponse) {
    for (name, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "same-origin"),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        assert_eq!(page.header(name), Some(value), "{what}: {name}");
    }
    let policy = page.header("content-security-policy").expect("a policy");
    assert_eq!(
        policy,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        "{what}"
    );
}

#[tokio::test]
async fn user_input_is_escaped() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut root = Browser::operator(&server, "root").await;
        let mut ada = Browser::signed_up(&server, "ada").await;
        for payload in PAYLOADS {
            let agent = payload;
            let mut browser = Browser::new(&server).with("user-agent", agent);
            assert_eq!(browser.sign_in("ada", PASSWORD).await.status, 303);
            let (id, _) = ada.make_key(payload).await;
            let page = format!("/dashboard/keys/{id}");
            let limits = [("per_minute", "700"), ("per_day", "8000"), ("per_month", "90000")];
            let ask = [&limits[..], &[("reason", payload)]].concat();
            assert_eq!(ada.send(&format!("{page}/limits"), &ask).await.status, 303);
            assert_escaped("/operator/limit-requests", &root.get("/operator/limit-requests").await);
            let html = root.get("/operator/limit-requests").await.html();
            let request = html
                .split("/operator/limit-requests/")
                .nth(1)
                .and_then(|rest| rest.split('"').next())
                .expect("a limit request");
            let answer = [("decision", "refuse"), ("answer", payload)];
            assert_eq!(root.send(&format!("/operator/limit-requests/{request}"), &answer).await.status, 303);
            let tabs = ["/usage", "/security", "/settings", "/live"].map(|tab| format!("{page}{tab}"));
            let pages = ["/dashboard", "/dashboard/account", "/dashboard/log", &page];
            for path in pages.into_iter().chain(tabs.iter().map(String::as_str)) {
                assert_escaped(path, &ada.get(path).await);
            }
            let account = server.store.change(|conn| rollcall_store::accounts::find(conn, "ada")).expect("ada").id;
            let rows = [format!("/operator/keys/{id}"), format!("/operator/accounts/{account}")];
            let lists = ["/operator", "/operator/accounts", "/operator/keys", "/operator/log", "/operator/invitations"];
            for path in lists.into_iter().chain(rows.iter().map(String::as_str)) {
                assert_escaped(path, &root.get(path).await);
            }
            // It is shown as text.
            let shown = payload.replace('&', "&#38;").replace('<', "&#60;").replace('>', "&#62;");
            let shown = shown.replace('"', "&#34;").replace('\'', "&#39;");
            assert!(ada.get(&page).await.html().contains(&format!("<h1>{shown}</h1>")), "{shown}");
            assert!(ada.get("/dashboard/account").await.html().contains(&shown[..20]));
            ada.send(&format!("{page}/delete"), &[("sure", "yes")]).await;
            // Rejected forms show the input as text, too.
            for (path, fields) in [
                ("/dashboard/keys", vec![("name", payload), ("expires", payload)]),
                ("/dashboard/account/second-factor", vec![("secret", payload), ("code", payload)]),
            ] {
                let refused = ada.send(path, &fields).await;
                assert_eq!(refused.status, 422, "{path}");
                assert_escaped(path, &refused);
                assert_private(path, &refused);
            }
            let mut stranger = Browser::new(&server);
            for (path, fields) in [
                ("/sign-in", vec![("username", payload), ("password", payload), ("next", payload)]),
                ("/sign-up", vec![("username", payload), ("password", PASSWORD), ("again", PASSWORD)]),
            ] {
                stranger.get(path).await;
                let refused = stranger.send(path, &fields).await;
                assert_eq!(refused.status, 422, "{path}");
                assert_escaped(path, &refused);
                assert_private(path, &refused);
            }
            let typed: String = payload.bytes().map(|b| format!("%{b:02x}")).collect();
            for query in ["next", "done", "range", "before", "invitation"] {
                for path in ["/dashboard", "/dashboard/account", "/dashboard/log"] {
                    let page = ada.get(&format!("{path}?{query}={typed}")).await;
                    assert_eq!((page.status, page.notice().as_str()), (200, ""), "{path}?{query}");
                    assert_escaped(path, &page);
                }
                for path in ["/sign-in", "/sign-up"] {
                    assert_escaped(path, &stranger.get(&format!("{path}?{query}={typed}")).await);
                }
                assert_escaped("/operator/log", &root.get(&format!("/operator/log?{query}={typed}")).await);
            }
        }
    }
}

#[tokio::test]
async fn pages_of_an_account_are_not_cached() {
    let server = Server::empty(Engine::Sqlite);
    let fixture = FormsFixture::new(&server).await;
    for (mut browser, path) in fixture.pages() {
        assert_private(&path, &browser.get(&path).await);
    }
    let mut ada = fixture.ada.clone();
    let made = ada.send("/dashboard/keys", &[("name", "new")]).await;
    assert_private("a secret", &made);
    let led = ada.get("/sign-in").await;
    assert_eq!((led.status, led.header("cache-control")), (303, Some("no-store")));
    let file = ada.get("/dashboard/usage.csv").await;
    for (name, value) in [("cache-control", "no-store"), ("cross-origin-resource-policy", "same-origin")] {
        assert_eq!(file.header(name), Some(value), "usage.csv: {name}");
    }
}

#[tokio::test]
async fn undecodable_queries_are_ignored() {
    for engine in Engine::BOTH {
        let server = super::shared_server(engine);
        let mut ada = Browser::signed_up(server, "odd-queries").await;
        for path in
            ["/sign-in", "/sign-up", "/dashboard", "/dashboard/log", "/dashboard/account", "/dashboard/usage.csv"]
        {
            for query in
                ["next=%ff", "before=%00", "before=-1", "before=99999999999999999999", "range=%ff", "%ff", "done=%00"]
            {
                let mut browser = if path.starts_with("/sign") { Browser::new(server) } else { ada.clone() };
                assert_eq!(browser.get(&format!("{path}?{query}")).await.status, 200, "{path}?{query}");
            }
        }
        ada.send("/sign-out", &[]).await;
    }
}
