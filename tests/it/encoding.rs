//! Tags and compressed forms.

use std::io::Read;

use reqwest::Method;

use crate::envelope::good_paths;
use crate::harness::{Answer, Engine, both, shared};

async fn conditional(path: &str, tags: &str) -> Answer {
    let server = shared(Engine::Sqlite);
    server.send(Method::GET, path, &[("x-api-key", &server.key), ("if-none-match", tags)]).await
}

#[tokio::test]
async fn what_the_client_has_is_304() {
    for (path, seconds) in good_paths().await {
        let whole = both(&path).await;
        let tag = whole.header("etag").expect("a tag").to_owned();
        assert!(tag.starts_with("W/\"") && tag.ends_with('"'), "{tag}");
        let strong = tag.trim_start_matches("W/");
        for tags in [tag.as_str(), strong, "*", &format!("\"other\", {tag}"), &format!("W/\"a\",{strong},\"b\"")] {
            let answer = conditional(&path, tags).await;
            assert_eq!((answer.status, answer.body.len()), (304, 0), "{path} {tags}");
            assert_eq!(answer.header("etag"), Some(tag.as_str()));
            assert_eq!(answer.header("cache-control"), Some(format!("private, max-age={seconds}").as_str()));
            assert_eq!(answer.header("vary"), whole.header("vary"));
            assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        }
        for tags in ["\"other\"", "W/\"other\"", "", &tag[..tag.len() - 2], "nonsense"] {
            assert_eq!(conditional(&path, tags).await.body, whole.body, "{path} {tags}");
        }
    }
}

#[tokio::test]
async fn a_tag_does_not_hide_an_error() {
    for path in ["/nothing", "/servers/nothing", "/servers?limit=0"] {
        assert!(conditional(path, "*").await.status >= 400, "{path}");
    }
}

async fn accepting(path: &str, accept: &str) -> Answer {
    let server = shared(Engine::Sqlite);
    let headers = [("x-api-key", server.key.as_str()), ("accept-encoding", accept)];
    server.raw(Method::GET, &format!("/v1{path}"), &headers).await
}

fn decoded(answer: &Answer) -> Vec<u8> {
    let mut plain = Vec::new();
    match answer.header("content-encoding") {
        None => plain.clone_from(&answer.body),
        Some("zstd") => plain = zstd::decode_all(&answer.body[..]).expect("zstd"),
        Some("br") => brotli::BrotliDecompress(&mut &answer.body[..], &mut plain).expect("brotli"),
        Some("gzip") => {
            flate2::read::GzDecoder::new(&answer.body[..]).read_to_end(&mut plain).expect("gzip");
        }
        Some(other) => panic!("{other} was never offered"),
    }
    plain
}

#[tokio::test]
async fn every_compressed_form_is_the_plain_body() {
    for (path, _) in good_paths().await {
        let plain = both(&path).await;
        assert_eq!(plain.header("content-encoding"), None);
        for encoding in ["zstd", "br", "gzip"] {
            let answer = accepting(&path, encoding).await;
            let compressed = plain.body.len() >= 1024;
            assert_eq!(answer.header("content-encoding"), compressed.then_some(encoding), "{path}");
            assert!(!compressed || answer.body.len() < plain.body.len(), "{path} grows in {encoding}");
            assert_eq!(decoded(&answer), plain.body, "{path} in {encoding}");
            assert_eq!(answer.header("etag"), plain.header("etag"));
            assert_eq!(answer.header("vary"), Some("Accept-Encoding, X-API-Key"));
            assert_eq!(answer.header("content-length"), Some(answer.body.len().to_string().as_str()));
        }
    }
}

#[tokio::test]
async fn the_client_weighs_the_forms() {
    for (accept, form) in [
        ("gzip, deflate, br, zstd", Some("zstd")),
        ("gzip, deflate, br", Some("br")),
        ("br;q=0.5, gzip;q=0.8", Some("gzip")),
        ("zstd;q=0, *", Some("br")),
        ("GZIP ; Q=1", Some("gzip")),
        ("gzip;q=0", None),
        ("*;q=0", None),
        ("*", Some("zstd")),
        ("identity", None),
        ("deflate", None),
        ("", None),
        ("br;q=nonsense", None),
    ] {
        let answer = accepting("/servers", accept).await;
        assert_eq!((answer.status, answer.header("content-encoding")), (200, form), "{accept}");
    }
}

#[tokio::test]
async fn small_answers_and_errors_stay_plain() {
    for path in ["/capes?limit=1", "/players?search=nobody-is-called-this", "/nothing", "/servers?limit=0"] {
        let answer = accepting(path, "zstd, br, gzip").await;
        assert_eq!(answer.header("content-encoding"), None, "{path}");
        assert!(answer.body.len() < 1024, "{path}");
    }
}
