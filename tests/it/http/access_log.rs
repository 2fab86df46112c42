//! The access log, and request ids of trusted proxies.

use serde_json::Value;

use super::TestServer;

const ON: (&str, &str) = ("ROLLCALL_LOG_ACCESS", "true");
const PROXY: (&str, &str) = ("ROLLCALL_HTTP_TRUSTED_PROXIES", "127.0.0.1");

/// The fields of the lines of the access log.
fn lines(server: &TestServer) -> Vec<Value> {
    let log = server.program.log();
    let lines = log.lines().filter(|line| line.contains("\"target\":\"rollcall::access\""));
    lines.map(|line| serde_json::from_str::<Value>(line).unwrap()["fields"].clone()).collect()
}

#[tokio::test]
async fn each_request_is_one_line_without_its_path_and_query() {
    let server = TestServer::start(&[ON]);
    let secret = "rc_5ec7e75ec7e7";
    let response = server.program.get(&format!("/v1/servers/5ec7e7/voters?api_key={secret}"), &[]).await;
    let id = response.headers["x-request-id"].to_str().unwrap().to_owned();
    server.program.get("/5ec7e7", &[("x-api-key", secret), ("x-request-id", "5ec7e7")]).await;
    server.program.until_logged("unmatched");
    let found = lines(&server);
    assert_eq!(found.len(), 2, "{found:?}");
    let first = &found[0];
    assert_eq!(
        [&first["method"], &first["route"], &first["client"], &first["id"]],
        ["GET", "/v1/servers/{slug}/voters", "127.0.0.1", &id]
    );
    assert_eq!((&first["status"], &first["bytes"]), (&401.into(), &response.body.len().into()));
    assert!(first["milliseconds"].is_number(), "{first}");
    assert!(!server.program.log().contains("5ec7e7"), "{}", server.program.log());
}

#[tokio::test]
async fn it_is_off_by_default() {
    let server = TestServer::start(&[]);
    server.program.get("/healthz", &[]).await;
    // Lines come in their order, so one of the request would be before this one.
    server.program.signal("TERM");
    server.program.until_logged("stopping");
    assert!(lines(&server).is_empty(), "{}", server.program.log());
}

#[tokio::test]
async fn a_trusted_proxy_names_client_and_request() {
    let server = TestServer::start(&[ON, PROXY]);
    let given = "7f3c-A_b.c:1";
    let headers = [("x-forwarded-for", "192.0.2.7"), ("x-request-id", given)];
    let response = server.program.get("/v1/servers", &headers).await;
    assert_eq!(response.headers["x-request-id"], given);
    server.program.until_logged("rollcall::access");
    let line = &lines(&server)[0];
    assert_eq!([&line["client"], &line["id"]], ["192.0.2.7", given]);
    for unsafe_id in ["a b", "{}", "", &"a".repeat(65)] {
        let response = server.program.get("/v1/servers", &[("x-request-id", unsafe_id)]).await;
        let id = response.headers["x-request-id"].to_str().unwrap();
        assert!(id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    }
}

#[tokio::test]
async fn any_other_client_does_not_choose_its_request_id() {
    let server = TestServer::start(&[]);
    for path in ["/v1/servers", "/healthz"] {
        let response = server.program.get(path, &[("x-request-id", "mine")]).await;
        assert_ne!(response.headers["x-request-id"], "mine");
    }
}
