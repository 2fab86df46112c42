//! The `Host` header: DNS rebinding reaches nothing.

use super::{METRICS, TestServer, until_closed};

const SETTINGS: [(&str, &str); 2] =
    [("ROLLCALL_PUBLIC_URL", "https://stats.example.org"), ("ROLLCALL_HTTP_ALLOWED_HOSTS", "stats.internal, other")];

/// The response to a GET with these headers.
fn get(server: &TestServer, target: &str, headers: &str) -> String {
    let request = format!("GET {target} HTTP/1.1\r\n{headers}\r\nconnection: close\r\n\r\n");
    until_closed(&mut server.send(request.as_bytes()))
}

fn status(response: &str) -> &str {
    response.split(' ').nth(1).unwrap_or(response)
}

#[test]
fn own_hosts_and_addresses_are_served() {
    let server = TestServer::start(&SETTINGS);
    for host in [
        "localhost",
        "localhost:8080",
        "STATS.example.org",
        "stats.example.org:443",
        "stats.internal",
        "other:1",
        server.program.address(),
        "192.0.2.1",
        "[::1]:8080",
    ] {
        let response = get(&server, "/openapi.json", &format!("host: {host}"));
        assert_eq!(status(&response), "200", "{host}");
        assert_eq!(status(&get(&server, "/v1/servers", &format!("host: {host}"))), "401", "{host}");
    }
    // A proxy may send the whole URL.
    assert_eq!(status(&get(&server, "http://localhost/openapi.json", "host: localhost")), "200");
}

#[test]
fn other_hosts_are_a_421() {
    let server = TestServer::start(&SETTINGS);
    for host in ["evil.example", "evil.example:8080", "stats.example.org.evil.example", "2130706433", ""] {
        let response = get(&server, "/v1/servers", &format!("host: {host}\r\nx-api-key: x"));
        let (head, body) = response.split_once("\r\n\r\n").expect("headers and a body");
        assert!(head.starts_with("HTTP/1.1 421 Misdirected Request\r\n"), "{host}: {head}");
        assert!(head.contains("content-type: application/json"), "{head}");
        let message = "This host is not served here: check the URL; operators list hosts in http.allowed_hosts";
        assert_eq!(body, format!("{{\"success\":false,\"error\":\"{message}\"}}"));
        for path in ["/", "/sign-in", "/openapi.json", "/media/icon/x.png", "/nothing", "/report/v1", "/api/azlink"] {
            assert_eq!(status(&get(&server, path, &format!("host: {host}"))), "421", "{host} {path}");
        }
        // Load balancers may send anything.
        for path in ["/healthz", "/readyz"] {
            assert_eq!(status(&get(&server, path, &format!("host: {host}"))), "200", "{host} {path}");
        }
    }
    let page = get(&server, "/sign-in", "host: evil.example\r\naccept: text/html");
    assert!(page.starts_with("HTTP/1.1 421 ") && page.contains("<h1>Wrong host</h1>"), "{page}");
    // The host of the target takes precedence over the header.
    assert_eq!(status(&get(&server, "http://evil.example/openapi.json", "host: localhost")), "421");
    assert_eq!(status(&get(&server, "/openapi.json", "host: localhost\r\nhost: evil.example")), "400");
}

#[test]
fn metrics_answer_allowed_hosts_only() {
    let server = TestServer::start(&[&SETTINGS[..], &[METRICS]].concat());
    let url = server.program.metrics();
    let address = url.trim_start_matches("http://").trim_end_matches("/metrics").to_owned();
    let get = |host: &str| {
        use std::io::Write;
        let mut stream = std::net::TcpStream::connect(&address).expect("it listens");
        stream.set_read_timeout(Some(super::READ_TIMEOUT)).unwrap();
        write!(stream, "GET /metrics HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").unwrap();
        status(&until_closed(&mut stream)).to_owned()
    };
    for host in [address.as_str(), "localhost", "stats.internal:9100"] {
        assert_eq!(get(host), "200", "{host}");
    }
    assert_eq!(get("evil.example"), "421");
}
