//! The stream of events.

mod service;

use std::time::{Duration, Instant};

use rollcall_client::types::{EventDetails, EventsStreamQuery};
use rollcall_client::{Client, Error};
use service::{Fake, ROOMY, answer, base_url, breaking, command, known_key};

fn from_the_start() -> EventsStreamQuery {
    EventsStreamQuery { after: Some("start".into()), ..Default::default() }
}

/// Waits until the demo's servers have told of enough players.
async fn oldest_events(rollcall: &Client, count: usize) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let mut events = rollcall.iter_events_list(&Default::default());
        let mut ids = Vec::new();
        while let Some(event) = events.next().await {
            ids.push(event.unwrap().id);
            if ids.len() == count {
                return ids;
            }
        }
        assert!(Instant::now() < deadline, "{} events", ids.len());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test]
async fn a_stream_over_breaking_connections_misses_and_repeats_nothing() {
    let (key, _) = known_key(&ROOMY).await;
    let rollcall = Client::new(&base_url(), &key).unwrap();
    let expected = oldest_events(&rollcall, 100).await;
    let url = breaking(8_000).await;
    // Without a wait before the next connection.
    let rollcall = Client::builder(&url, &key).max_wait(Duration::ZERO).build().unwrap();
    let mut events = rollcall.events(&from_the_start());
    let mut ids = Vec::new();
    while ids.len() < expected.len() {
        let event = events.next().await.unwrap().unwrap();
        assert!(!matches!(event.details().unwrap(), EventDetails::Other(_)));
        ids.push(event.id);
    }
    assert_eq!(ids, expected);
    assert_eq!(events.last_id(), ids.last().map(String::as_str));
}

#[tokio::test]
async fn a_stream_ends_with_its_key() {
    let (key, id) = known_key(&ROOMY).await;
    let rollcall = Client::new(&base_url(), &key).unwrap();
    oldest_events(&rollcall, 1).await;
    let mut events = rollcall.events(&from_the_start());
    events.next().await.unwrap().unwrap();
    command(&["key", "disable", &id]);
    let error = loop {
        if let Err(error) = events.next().await.unwrap() {
            break error;
        }
    };
    assert_eq!(error.to_string(), "403: API key disabled");
    assert!(events.next().await.is_none());
    // Refused from the beginning.
    let error = rollcall.events(&Default::default()).next().await.unwrap().unwrap_err();
    assert_eq!((error.status(), error.request_id().is_some()), (Some(403), true));
}

fn event(id: &str) -> String {
    let at = "2026-01-31T09:30:00.000Z";
    format!(
        "id: {id}\nevent: vote.created\ndata: {{\"id\":\"{id}\",\"type\":\"vote.created\",\"at\":\"{at}\",\"server\":null,\"player\":null,\"data\":{{\"voteId\":\"v\"}}}}\n\n"
    )
}

/// The `Last-Event-ID` of each connection.
fn last_ids(fake: &Fake) -> Vec<Option<String>> {
    let id_of =
        |head: &String| head.split("last-event-id: ").nth(1).map(|rest| rest.lines().next().unwrap().to_owned());
    fake.asked().iter().map(id_of).collect()
}

fn stream(body: &str) -> String {
    answer(200, "content-type: text/event-stream\r\n", body)
}

#[tokio::test]
async fn it_waits_as_long_as_the_service_says_and_continues_after_the_last_id() {
    let end = |status, retry: u64| {
        format!(
            "retry: {retry}\nevent: end\ndata: {{\"status\":{status},\"error\":\"over\",\"retryAfter\":{}}}\n\n",
            retry / 1000
        )
    };
    let fake = Fake::start(vec![
        stream(&format!("retry: 0\n\n{}", event("1"))),
        // A block without data moves on, too.
        stream("id: 2\n\n"),
        answer(503, "retry-after: 0\r\n", ""),
        answer(429, "retry-after: 0\r\n", ""),
        stream(&end(503, 0)),
        stream(&format!("retry: 0\n\n{}{}", event("3"), end(429, 0))),
        stream(&end(429, 3_600_000)),
    ])
    .await;
    // One retry is enough: a stream that was open is not given up.
    let rollcall = fake.client().retries(1).build().unwrap();
    let query = EventsStreamQuery { server: Some("aurora-vale".into()), ..Default::default() };
    let mut events = rollcall.events(&query);
    assert_eq!(events.next().await.unwrap().unwrap().id, "1");
    assert_eq!(events.next().await.unwrap().unwrap().id, "3");
    let error = events.next().await.unwrap().unwrap_err();
    assert_eq!((error.status(), error.retry_after()), (Some(429), Some(Duration::from_secs(3_600))));
    assert!(events.next().await.is_none());

    let expected = [None, Some("1"), Some("2"), Some("2"), Some("2"), Some("2"), Some("3")];
    assert_eq!(last_ids(&fake), expected.map(|id| id.map(str::to_owned)));
    assert!(fake.asked().iter().all(|head| head.starts_with("GET /v1/events/stream?server=aurora-vale HTTP/1.1\r\n")));
}

#[tokio::test]
async fn a_connection_lost_before_the_first_event_continues_after_the_cursor_of_the_opening() {
    let opening = stream("retry: 0\nid: 1\n\n");
    // The last block has no end: it was not received.
    let fake = Fake::start(vec![opening, stream("retry: 0\n\nid: 2\n"), stream(&event("3"))]).await;
    let mut events = fake.client().build().unwrap().events(&Default::default());
    assert_eq!(events.next().await.unwrap().unwrap().id, "3");
    assert_eq!(last_ids(&fake), [None, Some("1".to_owned()), Some("1".to_owned())]);
}

#[tokio::test]
async fn the_first_connection_is_given_up_and_wrong_bytes_are_refused() {
    let busy = || answer(503, "retry-after: 0\r\n", "");
    let fake = Fake::start(vec![busy(), busy(), busy()]).await;
    let mut events = fake.client().retries(1).build().unwrap().events(&Default::default());
    assert_eq!(events.next().await.unwrap().unwrap_err().status(), Some(503));
    assert_eq!(fake.asked().len(), 2);
    for body in ["data: not JSON\n\n".to_owned(), format!("data: {}", "x".repeat(2 << 20))] {
        let fake = Fake::start(vec![stream(&body)]).await;
        let mut events = fake.client().build().unwrap().events(&Default::default());
        assert!(matches!(events.next().await.unwrap(), Err(Error::Unexpected(_))));
        assert!(events.next().await.is_none());
    }
}
