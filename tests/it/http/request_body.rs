//! Request bodies that arrive slowly. Most endpoints do not read one and do not wait for it.

use super::{LONG_TIMEOUT, TestServer, until_closed_while_sending};

#[test]
fn a_slow_body_does_not_hold_the_connection() {
    let server = TestServer::start(&[LONG_TIMEOUT]);
    for (line, status) in [
        ("POST /v1/servers", "401"),
        ("GET /v1/servers", "401"),
        ("GET /healthz", "200"),
        ("POST /healthz", "405"),
        ("GET /media/icon/x.png", "404"),
        ("GET /openapi.json", "200"),
        ("PUT /nothing", "404"),
    ] {
        for (header, byte) in [
            ("content-length: 100000", b'x'),
            ("transfer-encoding: chunked", b'0'),
            ("content-length: 100000\r\nexpect: 100-continue", b'x'),
        ] {
            let mut stream = server.send(format!("{line} HTTP/1.1\r\nhost: localhost\r\n{header}\r\n\r\n").as_bytes());
            let response = until_closed_while_sending(&mut stream, Some(byte));
            assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{line}, {header}: {response}");
        }
    }
}

#[test]
fn a_slow_captcha_solution_times_out() {
    let server = TestServer::start(&[LONG_TIMEOUT]);
    let head = "POST /playground/pass HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9000\r\n\r\n";
    let response = until_closed_while_sending(&mut server.send(head.as_bytes()), Some(b' '));
    assert!(response.starts_with("HTTP/1.1 408 "), "{response}");
}

#[test]
fn a_malformed_body_is_not_called_too_large() {
    let server = TestServer::start(&[LONG_TIMEOUT]);
    for (header, body, status, error) in [
        ("transfer-encoding: chunked", "no number\r\n", "400", "The request body is incomplete or malformed"),
        ("content-length: 20000", "", "413", "The solution must not exceed 16 KiB"),
    ] {
        let head = "POST /playground/pass HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json";
        let mut stream = server.send(format!("{head}\r\n{header}\r\n\r\n{body}").as_bytes());
        let response = until_closed_while_sending(&mut stream, None);
        assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{header}: {response}");
        assert!(response.ends_with(&format!("{{\"success\":false,\"error\":\"{error}\"}}")), "{header}: {response}");
    }
}

#[test]
fn slow_forms_do_not_use_up_the_request_limit() {
    // Fewer concurrent requests than slow forms.
    let server = TestServer::start(&[LONG_TIMEOUT, ("ROLLCALL_HTTP_MAX_REQUESTS", "4")]);
    let head = format!(
        "POST /sign-in HTTP/1.1\r\nhost: localhost\r\norigin: {}\r\ncontent-type: application/x-www-form-urlencoded\r\n\
         content-length: 1000\r\n\r\na=1",
        server.program.url
    );
    // One more than the limit per IP: it is rejected at once, and other requests are served as usual.
    let forms: Vec<_> = (0..17).map(|_| server.send(head.as_bytes())).collect();
    let mut other = server.send(b"GET /sign-in HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    assert!(until_closed_while_sending(&mut other, None).starts_with("HTTP/1.1 200 "));
    let responses = forms.into_iter().map(|mut stream| until_closed_while_sending(&mut stream, None));
    let mut responses: Vec<String> = responses.map(|response| response[..12].to_owned()).collect();
    responses.sort();
    let expected = [vec!["HTTP/1.1 408"; 16], vec!["HTTP/1.1 429"]].concat();
    assert_eq!(responses, expected);
}
