//! Forms are accepted from our own pages only (CSRF).

use reqwest::Method;

use super::forms::FormsFixture;
use super::stored_rows;
use crate::harness::{Browser, Engine, PUBLIC_URL, Server};

#[tokio::test]
#[ignore = "slow, ./test runs it"]
async fn every_form_needs_our_origin_and_the_token_of_its_session() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let fixture = FormsFixture::new(&server).await;
        let (ours, before) = (("origin", PUBLIC_URL), stored_rows(&server.store));
        let mut eve = Browser::new(&server);
        eve.get("/sign-in").await;
        for form in &fixture.forms {
            let own = form.sender.token.as_str();
            for (headers, token) in [
                (vec![], own),
                (vec![("origin", "https://evil.example")], own),
                (vec![("origin", "null")], own),
                (vec![("origin", "")], own),
                (vec![("origin", "http://rollcall.test")], own),
                (vec![("origin", "https://rollcall.test:444")], own),
                (vec![("origin", "https://rollcall.test.evil.example")], own),
                (vec![("origin", "https://rollcall.testing")], own),
                (vec![("origin", "https://evil@rollcall.test")], own),
                (vec![("origin", "https://sub.rollcall.test")], own),
                (vec![("origin", "https://evil.example"), ("host", "rollcall.test")], own),
                (vec![ours, ("sec-fetch-site", "cross-site")], own),
                (vec![ours, ("sec-fetch-site", "same-site")], own),
                (vec![ours, ("sec-fetch-site", "none")], own),
                // The right origin with a token of another session.
                (vec![ours], ""),
                (vec![ours], "0000000000000000000000000000000000000000000000000000000000000000"),
                (vec![ours], &eve.token),
                (vec![ours], if own == fixture.root.token { &fixture.ada.token } else { &fixture.root.token }),
            ] {
                let mut body = format!("token={token}");
                for (name, value) in form.fields() {
                    body += &format!("&{name}={}", value.replace(' ', "+"));
                }
                let answer = form.sender.clone().post(&form.path, &headers, body.into_bytes()).await;
                assert_eq!(answer.status, 403, "{} {headers:?} {token}", form.path);
                assert!(answer.cookies().is_empty(), "{} {headers:?}", form.path);
            }
            let body = form.fields().iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
            let answer = form.sender.clone().post(&form.path, &[ours], body.join("&").into_bytes()).await;
            assert_eq!(answer.status, 403, "{} without any token", form.path);
            // GET requests do not submit forms.
            let link = format!("{}?token={own}&{}", form.path, body.join("&").replace(' ', "+"));
            assert!(form.sender.clone().get(&link).await.cookies().is_empty(), "{}", form.path);
        }
        assert_eq!(stored_rows(&server.store), before, "something was changed");
        // The same forms work with the right origin and token.
        for form in &fixture.forms {
            let answer = form.sender.clone().send(&form.path, &form.fields()).await;
            assert!(matches!(answer.status, 200 | 303), "{} {}: {}", form.path, answer.status, answer.notice());
        }
        assert_ne!(stored_rows(&server.store), before);
    }
}

/// Also those whose forms appear only in some states of a server or a player: the routes are read from the source.
#[tokio::test]
async fn every_route_of_a_form_rejects_other_senders() {
    let server = Server::empty(Engine::Sqlite);
    let mut root = Browser::operator(&server, "root").await;
    root.get("/dashboard").await;
    let before = stored_rows(&server.store);
    let routes = form_routes();
    assert!(routes.len() > 80, "{routes:?}");
    for route in routes {
        let path = route.replace("{slug}", "some-server").replace("{id}", "00000000000000000000").replace("{n}", "1");
        let own = root.token.clone();
        for (origin, token) in [("https://evil.example", own.as_str()), (PUBLIC_URL, "0000")] {
            let mut answer = root.post(&path, &[("origin", origin)], format!("token={token}").into_bytes()).await;
            // A form with a file.
            if answer.status == 415 {
                let headers = [("origin", origin), ("content-type", "multipart/form-data; boundary=x")];
                let part = "--x\r\ncontent-disposition: form-data; name=\"token\"";
                answer = root.post(&path, &headers, format!("{part}\r\n\r\n{token}\r\n--x--\r\n").into_bytes()).await;
            }
            assert_eq!(answer.status, 403, "{route} from {origin}");
        }
        // The page that the route names for a reload has no parameters that the route lacks.
        let reloaded = server.raw(Method::GET, &path, &[]).await;
        assert!(!reloaded.header("location").unwrap_or_default().contains('{'), "{route}");
    }
    assert_eq!(stored_rows(&server.store), before, "something was changed");
}

/// The paths of all routes with `form_route(…)` or `.post(…)`.
fn form_routes() -> Vec<String> {
    let mut routes = Vec::new();
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/web"))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = std::fs::read_to_string(&path).expect("a text");
            for route in source.split(".route(").skip(1) {
                let call = route.split(".route(").next().and_then(|call| call.split(';').next()).unwrap_or(route);
                let path = route.split('"').nth(1).filter(|path| path.starts_with('/'));
                let takes_forms = call.contains("form_route(") || call.contains(".post(");
                routes.extend(path.filter(|_| takes_forms).map(str::to_owned));
            }
        }
    }
    routes
}

#[tokio::test]
async fn csrf_tokens_are_void_after_signing_in_or_out() {
    for engine in Engine::BOTH {
        let server = super::shared_server(engine);
        let mut ada = Browser::new(server);
        ada.get("/sign-up").await;
        let before = ada.token.clone();
        ada.sign_up("old-token").await;
        let refused = ada.send("/dashboard/keys", &[("token", &before), ("name", "forged")]).await;
        assert_eq!((refused.status, refused.heading().as_str()), (403, "Form expired"));
        ada.get("/dashboard").await;
        let inside = ada.token.clone();
        ada.send("/sign-out", &[]).await;
        ada.sign_in("old-token", crate::harness::PASSWORD).await;
        assert_eq!(ada.send("/dashboard/keys", &[("token", &inside), ("name", "forged")]).await.status, 403);
        assert!(!ada.get("/dashboard").await.html().contains("forged"));
    }
}
