//! ETags and compression.

use std::io::Read;

use reqwest::Method;

use crate::envelope::good_paths;
use crate::harness::{Engine, TestResponse, both, shared};

async fn conditional(path: &str, tags: &str) -> TestResponse {
    let server = shared(Engine::Sqlite);
    server.send(Method::GET, path, &[("x-api-key", &server.key), ("if-none-match", tags)]).await
}

#[tokio::test]
async fn a_matching_etag_is_a_304() {
    for (path, seconds) in good_paths().await {
        let whole = both(&path).await;
        let tag = whole.header("etag").expect("a tag").to_owned();
        assert!(tag.starts_with("W/\"") && tag.ends_with('"'), "{tag}");
        let strong = tag.trim_start_matches("W/");
        for tags in [tag.as_str(), strong, "*", &format!("\"other\", {tag}"), &format!("W/\"a\",{strong},\"b\"")] {
            let response = conditional(&path, tags).await;
            assert_eq!((response.status, response.body.len()), (304, 0), "{path} {tags}");
            assert_eq!(response.header("etag"), Some(tag.as_str()));
            assert_eq!(response.header("cache-control"), Some(format!("private, max-age={seconds}").as_str()));
            assert_eq!(response.header("vary"), whole.header("vary"));
            assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        }
        for tags in ["\"other\"", "W/\"other\"", "", &tag[..tag.len() - 2], "nonsense"] {
            assert_eq!(conditional(&path, tags).await.body, whole.body, "{path} {tags}");
        }
    }
}

#[tokio::test]
async fn an_etag_does_not_hide_an_error() {
    for path in ["/nothing", "/servers/nothing", "/servers?limit=0"] {
        assert!(conditional(path, "*").await.status >= 400, "{path}");
    }
}

async fn accepting(path: &str, accept: &str) -> TestResponse {
    let server = shared(Engine::Sqlite);
    let headers = [("x-api-key", server.key.as_str()), ("accept-encoding", accept)];
    server.raw(Method::GET, &format!("/v1{path}"), &headers).await
}

fn decoded(response: &TestResponse) -> Vec<u8> {
    let mut plain = Vec::new();
    match response.header("content-encoding") {
        None => plain.clone_from(&response.body),
        Some("zstd") => plain = zstd::decode_all(&response.body[..]).expect("zstd"),
        Some("br") => brotli::BrotliDecompress(&mut &response.body[..], &mut plain).expect("brotli"),
        Some("gzip") => {
            flate2::read::GzDecoder::new(&response.body[..]).read_to_end(&mut plain).expect("gzip");
        }
        Some(other) => panic!("{other} is not supported"),
    }
    plain
}

#[tokio::test]
async fn every_encoding_decodes_to_the_plain_body() {
    for (path, _) in good_paths().await {
        let plain = both(&path).await;
        assert_eq!(plain.header("content-encoding"), None);
        for encoding in ["zstd", "br", "gzip"] {
            let response = accepting(&path, encoding).await;
            let compressed = plain.body.len() >= 1024;
            assert_eq!(response.header("content-encoding"), compressed.then_some(encoding), "{path}");
            assert!(!compressed || response.body.len() < plain.body.len(), "{path} grows in {encoding}");
            assert_eq!(decoded(&response), plain.body, "{path} in {encoding}");
            assert_eq!(response.header("etag"), plain.header("etag"));
            assert_eq!(response.header("vary"), Some("Accept-Encoding, X-API-Key"));
            assert_eq!(response.header("content-length"), Some(response.body.len().to_string().as_str()));
        }
    }
}

#[tokio::test]
async fn accept_encoding_weights_are_respected() {
    for (accept, encoding) in [
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
        ("identity;q=0, gzip;q=0.1", Some("gzip")),
        ("identity, gzip;q=0.9", None),
        ("identity;q=0.3, gzip;q=0.3", Some("gzip")),
        ("identity;q=0.5, *;q=0.1", None),
        // Nothing that is supported is accepted: the plain body is still more useful than an error.
        ("identity;q=0", None),
    ] {
        let response = accepting("/servers", accept).await;
        assert_eq!((response.status, response.header("content-encoding")), (200, encoding), "{accept}");
    }
    for accept in ["identity;q=0, gzip", "gzip, *;q=0"] {
        let small = accepting("/capes?limit=1", accept).await;
        assert_eq!(small.header("content-encoding"), Some("gzip"), "{accept}: a client that refuses a plain body");
        assert_eq!(decoded(&small), both("/capes?limit=1").await.body);
    }
}

#[tokio::test]
async fn the_openapi_document_has_an_etag_and_is_compressed() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let get = async |headers: &[(&str, &str)]| server.raw(Method::GET, "/openapi.json", headers).await;
        let plain = get(&[]).await;
        let tag = plain.header("etag").expect("a tag").to_owned();
        assert_eq!((plain.header("vary"), plain.header("content-encoding")), (Some("Accept-Encoding"), None));
        for encoding in ["zstd", "br", "gzip"] {
            let response = get(&[("accept-encoding", encoding)]).await;
            assert_eq!(response.header("content-encoding"), Some(encoding));
            assert!(response.body.len() * 4 < plain.body.len(), "{encoding}");
            assert_eq!(decoded(&response), plain.body);
        }
        let response = get(&[("if-none-match", &tag)]).await;
        assert_eq!((response.status, response.body.len(), response.header("etag")), (304, 0, Some(tag.as_str())));
        assert_eq!(response.header("cache-control"), Some("public, max-age=300"));
    }
}

#[tokio::test]
async fn small_responses_and_errors_are_not_compressed() {
    for path in ["/capes?limit=1", "/players?search=nobody-is-called-this", "/nothing", "/servers?limit=0"] {
        let response = accepting(path, "zstd, br, gzip").await;
        assert_eq!(response.header("content-encoding"), None, "{path}");
        assert!(response.body.len() < 1024, "{path}");
    }
}
