//! Limits on concurrent requests and on the time of one request.

use super::{LONG_TIMEOUT, TestServer};
use crate::harness::{Engine, Store, run_blocking};
use rollcall_store::Conn;

/// Locks a table that `/readyz` reads until it is dropped.
pub struct TableLock(Option<Conn>);

impl TableLock {
    pub fn of(store: &Store) -> Self {
        Self(Some(run_blocking(|| {
            let mut conn = store.conn();
            conn.execute_batch("begin; lock table store_state in access exclusive mode").unwrap();
            conn
        })))
    }
}

/// On another thread: dropping a connection inside an async test panics and would hide why the test failed.
impl Drop for TableLock {
    fn drop(&mut self) {
        run_blocking(|| drop(self.0.take()));
    }
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_a_503() {
    let server = TestServer::over(Store::new(Engine::Postgres), &[("ROLLCALL_HTTP_REQUEST_TIMEOUT", "1")]);
    let held = TableLock::of(&server.store);
    let response = server.program.get("/readyz", &[]).await;
    assert_eq!((response.status, response.header("retry-after")), (503, Some("1")));
    assert_eq!(response.error(), "The request timed out, try again in a moment");
    drop(held);
    assert_eq!(server.program.get("/readyz", &[]).await.status, 200);
}

#[tokio::test]
async fn more_concurrent_requests_than_allowed_are_a_503() {
    let settings = [LONG_TIMEOUT, ("ROLLCALL_HTTP_MAX_REQUESTS", "1"), ("ROLLCALL_HTTP_REQUEST_TIMEOUT", "60")];
    let server = TestServer::over(Store::new(Engine::Postgres), &settings);
    let held = TableLock::of(&server.store);
    let deadline = std::time::Instant::now() + super::MAX_WAIT;
    let mut waiting = Vec::new();
    let refused = loop {
        // A request that arrives while `get` below is served is rejected itself. Another one is sent then.
        waiting.push(server.send(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n"));
        let response = server.program.get("/v1/servers", &[]).await;
        // Without a waiting request this one is rejected for its key, and later for too many wrong keys.
        if !matches!(response.status, 401 | 429) {
            break response;
        }
        assert!(std::time::Instant::now() < deadline, "the limit has no effect");
    };
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    assert_eq!(refused.error(), "The service is overloaded, try again in a moment");
    assert_eq!(server.program.get("/report/v1", &[]).await.status, 503);
    assert_eq!(server.program.get("/healthz", &[]).await.status, 200);
    drop(held);
    drop(waiting);
    while server.program.get("/v1/servers", &[]).await.status == 503 {
        assert!(std::time::Instant::now() < deadline, "the slot is not freed");
    }
}
