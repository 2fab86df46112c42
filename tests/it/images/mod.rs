//! Pictures for other sites: renders, cards, badges and widgets.

mod badges;
mod cards;
mod embeds;
mod hostile_names;
mod renders;

use reqwest::Method;

use crate::harness::{Server, TestResponse};

pub async fn get(server: &Server, path: &str) -> TestResponse {
    server.raw(Method::GET, path, &[]).await
}

/// Width and height in the header of a PNG.
pub fn png_size(body: &[u8]) -> (u32, u32) {
    assert!(body.starts_with(b"\x89PNG\r\n\x1a\n"), "not a PNG");
    let number = |at: usize| u32::from_be_bytes(body[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

/// What every picture for others has in common, with the answer to a client that has it already.
pub async fn assert_public(server: &Server, path: &str, content_type: &str) -> TestResponse {
    let answer = get(server, path).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some(content_type)), "{path}");
    assert_eq!(answer.header("cache-control"), Some("public, max-age=60"), "{path}");
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"), "{path}");
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
    assert_eq!((answer.header("set-cookie"), answer.header("vary")), (None, None), "{path}");
    let tag = answer.header("etag").expect("an ETag");
    let again = server.raw(Method::GET, path, &[("if-none-match", tag)]).await;
    assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(tag)), "{path}");
    let head = server.raw(Method::HEAD, path, &[]).await;
    assert_eq!((head.status, head.body.len(), head.header("etag")), (200, 0, Some(tag)), "{path}");
    answer
}
