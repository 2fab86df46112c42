//! No endpoint reads a body, so none is waited for; but one, and not for long.

use super::{Edge, PATIENT, until_closed_while_sending};

#[test]
fn a_body_that_trickles_in_does_not_hold_the_connection() {
    // Not even with all the patience for heads and readers.
    let edge = Edge::start(&[PATIENT]);
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
            let mut stream = edge.send(format!("{line} HTTP/1.1\r\nhost: x\r\n{header}\r\n\r\n").as_bytes());
            let answer = until_closed_while_sending(&mut stream, Some(byte));
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{line}, {header}: {answer}");
        }
    }
}

#[test]
fn a_solution_that_trickles_in_is_not_waited_for_longer_than_promised() {
    let edge = Edge::start(&[PATIENT]);
    let head =
        "POST /playground/pass HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9000\r\n\r\n";
    let answer = until_closed_while_sending(&mut edge.send(head.as_bytes()), Some(b' '));
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[test]
fn forms_that_trickle_in_take_no_place_from_those_who_ask() {
    // Fewer places than forms on their way.
    let edge = Edge::start(&[PATIENT, ("ROLLCALL_HTTP_MAX_REQUESTS", "4")]);
    let head = "POST /sign-in HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\na=1";
    // One more than an address may have on their way: one of them is sent away at once, and others are answered as ever.
    let crowd: Vec<_> = (0..17).map(|_| edge.send(head.as_bytes())).collect();
    let mut other = edge.send(b"GET /sign-in HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    assert!(until_closed_while_sending(&mut other, None).starts_with("HTTP/1.1 200 "));
    let answers = crowd.into_iter().map(|mut stream| until_closed_while_sending(&mut stream, None));
    let mut answers: Vec<String> = answers.map(|answer| answer[..12].to_owned()).collect();
    answers.sort();
    let expected = [vec!["HTTP/1.1 408"; 16], vec!["HTTP/1.1 429"]].concat();
    assert_eq!(answers, expected);
}
