//! `GET /events/stream`

use std::time::Duration;

use rollcall_model::event::EventKind;
use rollcall_model::quota::Limits;
use rollcall_model::time::MINUTE;
use rollcall_store::events::{self, NewEvent};
use rollcall_store::{Conn, revision};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::stream_client::StreamClient;
use crate::harness::{Engine, HIGH_LIMITS, NOW, Server, TestResponse, create_key, run_blocking, until};

/// Writes events about the first public server, as a poll would.
fn write(server: &Server, count: usize) {
    server.store.change(|conn| {
        conn.transaction(|conn| {
            revision::bump(conn)?;
            let n = conn.query_one("select min(n) from servers where visibility = 'PUBLIC'", &[], |row| row.get(0))?;
            events::write(conn, &vec![NewEvent::of_server(EventKind::ServerOnline, NOW, n); count])
        })
    });
}

#[tokio::test]
async fn a_stream_continues_where_it_was_left_without_a_gap_or_a_repeat() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        // Another process over the same store.
        let other = Server::over(server.store.clone(), NOW);
        let mut first = StreamClient::open(&server, &server.key, "", &[]).await;
        assert_eq!((first.status(), first.header("content-type")), (200, Some("text/event-stream")));
        write(&server, 30);
        let mut seen = first.take(10).await;
        let last = seen[9].id.clone();
        drop(first);
        let mut second = StreamClient::open(&other, &other.key, "", &[("last-event-id", &last)]).await;
        write(&server, 120);
        seen.extend(second.take(140).await);
        let page = server.get("/events?limit=100").await.data();
        let ids: Vec<&str> =
            page["events"].as_array().unwrap().iter().map(|event| event["id"].as_str().unwrap()).collect();
        assert!(seen.iter().map(|event| &event.id).is_sorted_by(|a, b| a < b), "{engine:?}");
        assert_eq!(seen[50..].iter().map(|event| event.id.as_str()).collect::<Vec<_>>(), ids, "{engine:?}");
        assert!(seen.iter().all(|event| event.kind == "server.online" && event.data["id"] == event.id));
    }
}

#[tokio::test]
async fn a_stream_that_is_lost_before_its_first_event_misses_nothing() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let id = StreamClient::open(&server, &server.key, "", &[]).await.opening_id().await;
        write(&server, 3);
        let mut stream = StreamClient::open(&server, &server.key, "", &[("last-event-id", &id)]).await;
        assert_eq!((stream.status(), stream.opening_id().await), (200, id), "{engine:?}");
        let seen = stream.take(3).await;
        let page = server.get("/events?limit=3").await.data();
        let listed: Vec<_> = page["events"].as_array().unwrap().iter().map(|event| &event["id"]).collect();
        assert_eq!(seen.iter().map(|event| &event.data["id"]).collect::<Vec<_>>(), listed, "{engine:?}");
    }
}

#[tokio::test]
async fn a_stream_can_be_continued_before_there_was_any_event() {
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[HIGH_LIMITS]);
        let id = StreamClient::open(&server, &keys[0], "", &[]).await.opening_id().await;
        let again = StreamClient::open(&server, &keys[0], "", &[("last-event-id", &id)]).await;
        assert_eq!(again.status(), 200, "{engine:?}");
    }
}

/// The requests to the stream that the ledger has.
fn requests(server: &Server) -> i64 {
    let sql =
        "select cast(coalesce(sum(requests), 0) as bigint) from key_usage_minutes where endpoint = '/events/stream'";
    run_blocking(|| {
        let mut ledger = Conn::open(&server.store.database.ledger()).unwrap();
        ledger.query_one(sql, &[], |row| row.get(0)).unwrap()
    })
}

#[tokio::test]
async fn each_connection_and_minute_costs_one_request() {
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[Limits { per_minute: 60, per_day: 4, per_month: 100 }]);
        let mut stream = StreamClient::open(&server, &keys[0], "", &[]).await;
        assert_eq!(stream.header("x-ratelimit-remaining-day"), Some("3"), "{engine:?}");
        server.clock.set(NOW + 2 * MINUTE);
        let remaining = |response: &TestResponse| response.header("x-ratelimit-remaining-day").map(str::to_owned);
        // The stream takes two more by itself; this request takes the last one.
        until(async || match requests(&server) {
            3 => Ok(()),
            used => Err(format!("{used} requests are recorded")),
        })
        .await;
        assert_eq!(remaining(&server.get_as(&keys[0], "/live").await).as_deref(), Some("0"), "{engine:?}");
        server.clock.set(NOW + 3 * MINUTE);
        let end = stream.next().await.expect("an event");
        assert_eq!((end.kind.as_str(), &end.data["status"]), ("end", &json!(429)), "{engine:?}");
        assert!(end.data["retryAfter"].as_i64() > Some(0));
        assert!(stream.next().await.is_none());
    }
}

#[tokio::test]
async fn streams_are_bounded_per_key_and_end_with_the_key() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.events.streams_per_key = 2);
        let key = create_key(&server.store, HIGH_LIMITS);
        server.until_as(&key, "/live", |response| response.status == 200).await;
        let mut first = StreamClient::open(&server, &key, "", &[]).await;
        let second = StreamClient::open(&server, &key, "", &[]).await;
        assert_eq!((first.status(), second.status()), (200, 200));
        assert_eq!(StreamClient::open(&server, &key, "", &[]).await.status(), 429, "{engine:?}");
        drop(second);
        // Before a heartbeat could tell that its client has gone.
        let reopened = until(async || match StreamClient::open(&server, &key, "", &[]).await.status() {
            200 => Ok(()),
            status => Err(format!("the closed stream still counts: {status}")),
        });
        tokio::time::timeout(Duration::from_secs(12), reopened).await.expect("the closed stream counts no more");
        let disabled = server.store.change(|conn| conn.execute("update keys set disabled = true", &[]));
        assert!(disabled > 0);
        server.store.change(revision::bump_key_epoch);
        let end = first.next().await.expect("an event");
        assert_eq!((end.kind.as_str(), &end.data["error"]), ("end", &json!("API key disabled")));
        assert!(first.next().await.is_none());
    }
}

/// Everything that a connection receives for these requests. The key is disabled when the stream has begun.
async fn until_refused(server: &Server, requests: &str) -> String {
    let mut connection = TcpStream::connect(server.address).await.unwrap();
    connection.write_all(requests.as_bytes()).await.unwrap();
    let mut received = Vec::new();
    let deadline = Duration::from_secs(30);
    while !String::from_utf8_lossy(&received).contains("retry: 3000") {
        let read = tokio::time::timeout(deadline, connection.read_buf(&mut received)).await.expect("bytes in time");
        assert_ne!(read.unwrap(), 0, "{}", String::from_utf8_lossy(&received));
    }
    server.store.change(|conn| conn.execute("update keys set disabled = true", &[]));
    server.store.change(revision::bump_key_epoch);
    let rest = connection.read_to_end(&mut received);
    tokio::time::timeout(deadline, rest).await.expect("the end in time").expect("the connection is not reset");
    String::from_utf8(received).unwrap()
}

#[tokio::test]
async fn a_stream_is_chunked_unless_the_client_speaks_http_1_0() {
    let engine = Engine::Sqlite;
    let server = Server::own(engine);
    let request = |path: &str, version: &str| {
        format!("GET /v1{path} HTTP/{version}\r\nhost: localhost\r\nx-api-key: {}\r\n\r\n", server.key)
    };
    // After another request on the same connection.
    let requests = request("/servers?limit=1", "1.1") + &request("/events/stream", "1.1");
    let received = until_refused(&server, &requests).await;
    assert_eq!(received.matches("HTTP/1.1 200 OK\r\n").count(), 2, "{received}");
    let (_, stream) = received.rsplit_once("HTTP/1.1 200 OK\r\n").unwrap();
    let (headers, body) = stream.split_once("\r\n\r\n").unwrap();
    assert!(headers.contains("transfer-encoding: chunked") && headers.contains("connection: close"), "{headers}");
    assert!(body.starts_with("20\r\nretry: 3000\nid: 0"), "{body}");
    assert!(body.contains("event: end\ndata: ") && body.ends_with("\n\n\r\n0\r\n\r\n"), "{body}");

    let server = Server::own(engine);
    let request = format!("GET /v1/events/stream HTTP/1.0\r\nx-api-key: {}\r\n\r\n", server.key);
    let received = until_refused(&server, &request).await;
    let (headers, body) = received.split_once("\r\n\r\n").unwrap();
    assert!(headers.starts_with("HTTP/1.0 200 OK\r\n") && !headers.contains("transfer-encoding"), "{headers}");
    assert!(body.starts_with("retry: 3000\nid: 0"), "{body}");
    assert!(body.contains("event: end\ndata: ") && body.ends_with("\n\n"), "{body}");
}
