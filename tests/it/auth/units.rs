//! Calls that use several requests of the quota, and the free report of a key.

use rollcall_model::quota::Limits;
use rollcall_model::time::{MINUTE, iso};

use super::{at, quota_headers};
use crate::harness::{Engine, Server, create_key};

fn slugs(count: usize) -> String {
    format!("/servers/batch?slugs={}", vec!["x"; count].join(","))
}

#[tokio::test]
async fn a_batch_uses_one_request_for_every_ten_names() {
    let limits = Limits { per_minute: 14, per_day: 100, per_month: 1_000 };
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[limits]);
        server.clock.set(at("2026-06-03T14:00:30.000Z"));
        for (path, status, left) in [
            (slugs(1), 200, 13),
            (slugs(10), 200, 12),
            (slugs(11), 200, 10),
            // The same again: a cached response costs as much.
            (slugs(11), 200, 8),
            (slugs(11), 200, 6),
            // Invalid, so it counts once.
            (slugs(101), 400, 5),
            // It does not fit, and uses nothing.
            (slugs(51), 429, 5),
            (slugs(60), 429, 5),
            (slugs(50), 200, 0),
            (slugs(1), 429, 0),
        ] {
            let response = server.get_as(&keys[0], &path).await;
            let (headers, retry_after) = quota_headers(&response);
            let expected = [14, left, 100, 86 + left, 1_000, 986 + left];
            assert_eq!((response.status, headers), (status, expected), "{}", path.len());
            assert_eq!(retry_after, (status == 429).then_some(30));
        }
    }
}

#[tokio::test]
async fn concurrent_batches_get_exactly_the_limit() {
    let limits = Limits { per_minute: 40, per_day: 1_000, per_month: 1_000 };
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[limits]);
        let path = slugs(30);
        let calls = (0..24).map(|_| server.get_as(&keys[0], &path));
        let statuses = futures_util::future::join_all(calls).await;
        let admitted = statuses.iter().filter(|response| response.status == 200).count();
        assert_eq!(admitted, 13, "three requests each of forty");
        let (headers, _) = quota_headers(&server.get_as(&keys[0], "/capes").await);
        assert_eq!(headers[1], 0);
    }
}

#[tokio::test]
async fn a_batch_beyond_the_limits_of_the_key_is_named() {
    let (server, keys) = Server::with_keys(Engine::Sqlite, &[Limits { per_minute: 3, per_day: 100, per_month: 1_000 }]);
    let response = server.get_as(&keys[0], &slugs(40)).await;
    assert_eq!(
        (response.status, response.error().as_str()),
        (400, "This call uses 4 requests of the quota, and the smallest limit of the key is 3: ask for fewer items")
    );
}

#[tokio::test]
async fn a_key_reports_itself_for_nothing() {
    let limits = Limits { per_minute: 3, per_day: 100, per_month: 1_000 };
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[limits]);
        let now = at("2026-06-03T14:00:30.000Z");
        server.clock.set(now);
        for used in 0..4_u32 {
            for _ in 0..2 {
                let response = server.get_as(&keys[0], "/key").await;
                assert_eq!((response.status, response.header("cache-control")), (200, Some("no-store")));
                let (headers, retry_after) = quota_headers(&response);
                assert_eq!((headers, retry_after), ([3, 3 - used, 100, 100 - used, 1_000, 1_000 - used], None));
                let data = response.data();
                let window = |limit: u32, resets_at: &str| {
                    let resets_at = iso(at(resets_at));
                    serde_json::json!({"limit": limit, "used": used, "remaining": limit - used, "resetsAt": resets_at})
                };
                assert_eq!(data["minute"], window(3, "2026-06-03T14:01:00Z"));
                assert_eq!(data["day"], window(100, "2026-06-04T00:00:00Z"));
                assert_eq!(data["month"], window(1_000, "2026-07-01T00:00:00Z"));
                assert_eq!((&data["name"], &data["expiresAt"]), (&"test".into(), &serde_json::Value::Null));
            }
            server.get_as(&keys[0], "/capes").await;
        }
        // Another key sees itself.
        let other = create_key(&server.store, Limits { per_minute: 7, ..limits });
        let seen = server.until_as(&other, "/key", |response| response.status == 200).await.data();
        assert_eq!((&seen["minute"]["limit"], &seen["minute"]["used"]), (&7.into(), &0.into()));
        // It has a limit of its own.
        let mut refused = None;
        for _ in 0..40 {
            let response = server.get_as(&keys[0], "/key").await;
            if response.status == 429 {
                refused = response.header("retry-after").map(str::to_owned);
                break;
            }
        }
        assert_eq!(refused.as_deref(), Some("30"));
        server.clock.set(now + MINUTE);
        assert_eq!(server.get_as(&keys[0], "/key").await.status, 200);
    }
}
