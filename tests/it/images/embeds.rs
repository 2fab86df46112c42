//! `/embed/{slug}`: the only page that may be framed.

use reqwest::Method;

use super::get;
use crate::harness::{Engine, both, shared};

const POLICY: &str =
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors *";

#[tokio::test]
async fn a_widget_may_be_framed_and_shared_by_caches() {
    let server = both("/servers?limit=1").await.data()["servers"][0].clone();
    let slug = server["slug"].as_str().unwrap();
    for engine in Engine::BOTH {
        let path = format!("/embed/{slug}?theme=dark&lang=tr");
        // Neither cookies nor headers of the reader change it.
        let headers = [("cookie", "theme=light; lang=ru"), ("accept-language", "ru")];
        let widget = shared(engine).raw(Method::GET, &path, &headers).await;
        assert_eq!((widget.status, widget.header("content-type")), (200, Some("text/html; charset=utf-8")));
        assert_eq!(widget.header("content-security-policy"), Some(POLICY));
        assert_eq!(widget.header("cache-control"), Some("public, max-age=60"));
        assert_eq!((widget.header("set-cookie"), widget.header("vary")), (None, Some("Accept-Encoding")));
        assert_eq!(widget.header("x-frame-options"), None);
        let html = String::from_utf8(widget.body.clone()).expect("UTF-8");
        assert!(html.contains("<html lang=\"tr\" data-theme=\"dark\">"), "{html}");
        assert!(!html.contains("<script") && !html.contains(" style=") && !html.contains("<form"), "{html}");
        assert!(html.contains(&format!("https://rollcall.test/servers/{slug}")), "{html}");
        let tag = widget.header("etag").expect("an ETag");
        let again = shared(engine).raw(Method::GET, &path, &[("if-none-match", tag)]).await;
        assert_eq!((again.status, again.body.len()), (304, 0));
    }
}

#[tokio::test]
async fn wrong_addresses_of_widgets_are_errors() {
    let server = shared(Engine::Sqlite);
    assert_eq!(get(server, "/embed/none").await.status, 404);
    assert_eq!(get(server, "/embed/%00").await.status, 404);
    let slug = both("/servers?limit=1").await.data()["servers"][0]["slug"].as_str().unwrap().to_owned();
    let answer = get(server, &format!("/embed/{slug}?theme=blue")).await;
    assert_eq!((answer.status, answer.body.as_slice()), (400, &b"theme must be light or dark\n"[..]));
}

#[tokio::test]
async fn every_other_page_refuses_frames() {
    let server = shared(Engine::Sqlite);
    let slug = both("/servers?limit=1").await.data()["servers"][0]["slug"].as_str().unwrap().to_owned();
    let own = format!("/servers/{slug}");
    for path in [
        "/",
        "/servers",
        &own,
        "/docs",
        "/playground",
        "/status",
        "/sign-in",
        "/sign-up",
        "/no-such-page",
        "/embed/none",
    ] {
        let answer = server.raw(Method::GET, path, &[("accept", "text/html")]).await;
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
    }
}
