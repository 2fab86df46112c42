//! Whose request it is, as the log tells it.

use super::Edge;

const LOG: (&str, &str) = ("ROLLCALL_LOG_FILTER", "rollcall=debug");

#[tokio::test]
async fn a_trusted_proxy_is_believed_about_its_client() {
    let edge = Edge::start(&[LOG, ("ROLLCALL_HTTP_TRUSTED_PROXIES", "127.0.0.0/8, 10.0.0.7")]);
    edge.program.get("/healthz", &[("x-forwarded-for", "192.0.2.1, 203.0.113.9, 10.0.0.7")]).await;
    edge.program.until_logged("\"client\":\"203.0.113.9\"");
}

#[tokio::test]
async fn a_proxy_may_use_a_header_of_its_own() {
    let edge = Edge::start(&[
        LOG,
        ("ROLLCALL_HTTP_TRUSTED_PROXIES", "127.0.0.1"),
        ("ROLLCALL_HTTP_CLIENT_ADDRESS_HEADER", "X-Real-IP"),
    ]);
    edge.program.get("/healthz", &[("x-forwarded-for", "192.0.2.1"), ("x-real-ip", "2001:db8::9")]).await;
    edge.program.until_logged("\"client\":\"2001:db8::9\"");
}

#[tokio::test]
async fn a_stranger_is_not_believed() {
    let edge = Edge::start(&[LOG]);
    edge.program.get("/healthz", &[("x-forwarded-for", "192.0.2.1")]).await;
    edge.program.until_logged("\"client\":\"127.0.0.1\"");
}
