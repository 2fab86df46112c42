//! Client IPs behind proxies, as logged.

use super::TestServer;

const LOG: (&str, &str) = ("ROLLCALL_LOG_FILTER", "rollcall=debug");

#[tokio::test]
async fn x_forwarded_for_is_read_from_a_trusted_proxy() {
    let server = TestServer::start(&[LOG, ("ROLLCALL_HTTP_TRUSTED_PROXIES", "127.0.0.0/8, 10.0.0.7")]);
    server.program.get("/healthz", &[("x-forwarded-for", "192.0.2.1, 203.0.113.9, 10.0.0.7")]).await;
    server.program.until_logged("\"client\":\"203.0.113.9\"");
}

#[tokio::test]
async fn the_header_with_the_client_ip_is_configurable() {
    let server = TestServer::start(&[
        LOG,
        ("ROLLCALL_HTTP_TRUSTED_PROXIES", "127.0.0.1"),
        ("ROLLCALL_HTTP_CLIENT_ADDRESS_HEADER", "X-Real-IP"),
    ]);
    server.program.get("/healthz", &[("x-forwarded-for", "192.0.2.1"), ("x-real-ip", "2001:db8::9")]).await;
    server.program.until_logged("\"client\":\"2001:db8::9\"");
}

#[tokio::test]
async fn x_forwarded_for_is_ignored_from_other_clients() {
    let server = TestServer::start(&[LOG]);
    server.program.get("/healthz", &[("x-forwarded-for", "192.0.2.1")]).await;
    server.program.until_logged("\"client\":\"127.0.0.1\"");
}
