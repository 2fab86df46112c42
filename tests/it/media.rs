//! Images.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::Value;

use crate::envelope::good_paths;
use crate::harness::{Engine, PUBLIC_URL, shared};

/// Collects the paths of all images in a response.
fn images(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => into.extend(text.strip_prefix(PUBLIC_URL).map(str::to_owned)),
        Value::Array(items) => items.iter().for_each(|item| images(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| images(field, into)),
        _ => {}
    }
}

#[tokio::test]
async fn every_image_url_in_a_response_is_an_image() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let mut found = BTreeSet::new();
        for (path, _) in good_paths().await {
            images(&server.get(&path).await.json(), &mut found);
        }
        for path in ["/servers?limit=100", "/players?limit=100", "/skins?limit=100", "/capes?limit=100"] {
            images(&server.get(path).await.json(), &mut found);
        }
        for kind in ["icon", "banner", "motd", "skin", "cape", "avatar"] {
            assert!(found.iter().any(|path| path.starts_with(&format!("/media/{kind}/"))), "no {kind}");
        }
        for path in &found {
            let response = server.raw(Method::GET, path, &[]).await;
            assert_eq!(response.status, 200, "{path}");
            assert!(response.body.starts_with(b"\x89PNG\r\n\x1a\n"), "{path}");
            assert_eq!(response.header("content-type"), Some("image/png"));
            assert_eq!(response.header("cache-control"), Some("public, max-age=31536000, immutable"));
            assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
            assert_eq!(response.header("access-control-allow-origin"), Some("*"));
            let tag = response.header("etag").expect("an ETag");
            let head = server.raw(Method::HEAD, path, &[]).await;
            assert_eq!((head.status, head.body.len(), head.header("etag")), (200, 0, Some(tag)));
            for tags in [tag.to_owned(), format!("W/{tag}"), format!("\"other\", {tag}")] {
                let again = server.raw(Method::GET, path, &[("if-none-match", &tags)]).await;
                assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(tag)), "{tags}");
            }
        }
    }
}

/// The status of a path that is sent unchanged; HTTP clients would normalise it.
fn status(path: &str) -> u16 {
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    let response = shared(Engine::Sqlite).wire(request.as_bytes());
    let response = String::from_utf8_lossy(&response);
    response.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{response}"))
}

#[tokio::test]
async fn path_traversal_serves_nothing() {
    let name = "0".repeat(32);
    let long = "a".repeat(6000);
    for path in [
        "/media".to_owned(),
        "/media/".into(),
        "/media/icon".into(),
        "/media/icon/".into(),
        format!("/media/icon/{name}.png"),
        format!("/media/icon/{name}"),
        format!("/media/icon/{name}.PNG"),
        format!("/media/icon/{name}.png/"),
        format!("/media/icon/{name}.png%00"),
        format!("/media//icon/{name}.png"),
        format!("/media/{long}/{name}.png"),
        format!("/media/icon/{long}.png"),
        "/media/../rollcall.db".into(),
        "/media/icon/../../rollcall.db".into(),
        "/media/%2e%2e/rollcall.db".into(),
        "/media/..%2frollcall.db".into(),
        "/media/icon/..%2f..%2frollcall.db".into(),
        "/media/icon%2f..%2f..%2frollcall.db".into(),
        "/media/..%5c..%5crollcall.db/x".into(),
        "/media/%2e%2e%2f%2e%2e%2f/etc%2fpasswd".into(),
        "/media/icon/%252e%252e%252frollcall.db".into(),
        "/media//etc/passwd".into(),
        "/rollcall.db".into(),
        "/..".into(),
    ] {
        assert_eq!(status(&path), 404, "{path}");
    }
}
