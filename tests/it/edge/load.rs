//! Requests are bounded in number and in time.

use super::{Edge, PATIENT};
use crate::harness::{Engine, Store, aside};
use rollcall_store::Conn;

/// Nothing can ask for the state of the store while this lives. `/readyz` asks for it.
struct HoldUp(Option<Conn>);

impl HoldUp {
    fn of(store: &Store) -> Self {
        Self(Some(aside(|| {
            let mut conn = store.conn();
            conn.batch("begin; lock table store_state in access exclusive mode").unwrap();
            conn
        })))
    }
}

/// Aside in any case: a connection that is dropped by a test that fails would hide why it failed.
impl Drop for HoldUp {
    fn drop(&mut self) {
        aside(|| drop(self.0.take()));
    }
}

#[tokio::test]
async fn an_answer_that_takes_too_long_is_a_503() {
    let edge = Edge::over(Store::new(Engine::Postgres), &[("ROLLCALL_HTTP_REQUEST_TIMEOUT", "1")]);
    let held = HoldUp::of(&edge.store);
    let answer = edge.program.get("/readyz", &[]).await;
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")));
    assert_eq!(answer.body, b"The answer took too long, try again in a moment.\n");
    drop(held);
    assert_eq!(edge.program.get("/readyz", &[]).await.status, 200);
}

#[tokio::test]
async fn more_requests_at_once_than_allowed_are_a_503() {
    let settings = [PATIENT, ("ROLLCALL_HTTP_MAX_REQUESTS", "1"), ("ROLLCALL_HTTP_REQUEST_TIMEOUT", "60")];
    let edge = Edge::over(Store::new(Engine::Postgres), &settings);
    let held = HoldUp::of(&edge.store);
    let deadline = std::time::Instant::now() + super::PROMISE;
    let mut waiting = Vec::new();
    let refused = loop {
        // One that comes while the other is being answered finds the place taken, and is refused itself: the next may not be.
        waiting.push(edge.send(b"GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n"));
        let answer = edge.program.get("/v1/servers", &[]).await;
        // Until one is in, this one is refused for its key, and after some times for asking so often.
        if !matches!(answer.status, 401 | 429) {
            break answer;
        }
        assert!(std::time::Instant::now() < deadline, "everyone is let in");
    };
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    assert_eq!(refused.error(), "The service is busy, try again in a moment");
    assert_eq!(edge.program.get("/healthz", &[]).await.status, 200);
    drop(held);
    drop(waiting);
    while edge.program.get("/v1/servers", &[]).await.status == 503 {
        assert!(std::time::Instant::now() < deadline, "the place does not become free");
    }
}
