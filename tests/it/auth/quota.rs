//! Quota per minute, day and month, and its headers.

use futures_util::future::join_all;
use reqwest::Method;
use rollcall_model::quota::Limits;

use super::{SECOND, at, quota_headers};
use crate::harness::{Engine, HIGH_LIMITS, Server};

#[tokio::test]
async fn concurrent_clients_get_exactly_the_limit() {
    const CLIENTS: usize = 64;
    const LIMIT: usize = 32;
    for engine in Engine::BOTH {
        let limits = Limits { per_minute: LIMIT as u32, per_day: 2 * LIMIT as u32 + 5, per_month: 1_000_000 };
        let (server, keys) = Server::with_keys(engine, &[limits]);
        let mut now = at("2026-06-03T14:00:59.999Z");
        for left in [LIMIT, LIMIT, 5] {
            server.clock.set(now);
            let client = |_| async {
                let mut admitted = 0;
                for _ in 0..LIMIT * 10 / CLIENTS + 1 {
                    let response = server.get_as(&keys[0], "/capes").await;
                    assert!(matches!(response.status, 200 | 429), "{}", response.status);
                    admitted += usize::from(response.status == 200);
                }
                admitted
            };
            let admitted: usize = join_all((0..CLIENTS).map(client)).await.into_iter().sum();
            assert_eq!(admitted, left);
            now += 60 * SECOND;
        }
    }
}

#[tokio::test]
async fn every_authenticated_response_counts_and_has_quota_headers() {
    let limits = Limits { per_minute: 7, per_day: 20, per_month: 300 };
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[limits]);
        server.clock.set(at("2026-06-03T14:00:30.250Z"));
        let key = ("x-api-key", keys[0].as_str());
        let first = server.send(Method::GET, "/capes", &[key]).await;
        let tag = first.header("etag").unwrap().to_owned();
        assert_eq!((first.status, quota_headers(&first)), (200, ([7, 6, 20, 19, 300, 299], None)));
        for (method, path, condition, status, left) in [
            (Method::GET, "/capes", Some(("if-none-match", tag.as_str())), 304, [7, 5, 20, 18, 300, 298]),
            (Method::GET, "/capes?limit=0", None, 400, [7, 4, 20, 17, 300, 297]),
            (Method::GET, "/capes/nothing", None, 404, [7, 3, 20, 16, 300, 296]),
            (Method::GET, "/nothing", None, 404, [7, 2, 20, 15, 300, 295]),
            (Method::POST, "/capes", None, 405, [7, 1, 20, 14, 300, 294]),
            (Method::HEAD, "/capes", None, 200, [7, 0, 20, 13, 300, 293]),
        ] {
            let headers: Vec<_> = std::iter::once(key).chain(condition).collect();
            let response = server.send(method, path, &headers).await;
            assert_eq!((response.status, quota_headers(&response)), (status, (left, None)), "{path}");
        }
        // 429 takes precedence over 400, 404 and 405, and uses no quota.
        for (method, path) in [
            (Method::GET, "/capes"),
            (Method::GET, "/nothing"),
            (Method::POST, "/capes"),
            (Method::GET, "/capes?limit=0"),
        ] {
            let response = server.send(method, path, &[key]).await;
            assert_eq!((response.status, response.error().as_str()), (429, "Too many requests"));
            assert_eq!(quota_headers(&response), ([7, 0, 20, 13, 300, 293], Some(30)), "{path}");
        }
        // A CORS preflight needs no key and uses no quota.
        assert_eq!(server.send(Method::OPTIONS, "/capes", &[key]).await.status, 204);
        server.clock.set(at("2026-06-03T14:01:00.000Z"));
        let response = server.send(Method::GET, "/capes", &[key]).await;
        assert_eq!((response.status, quota_headers(&response)), (200, ([7, 6, 20, 12, 300, 292], None)));
    }
}

#[tokio::test]
async fn windows_end_with_the_minute_day_month_and_year() {
    const ONE: u32 = 1;
    let limits = [
        Limits { per_minute: ONE, ..HIGH_LIMITS },
        Limits { per_day: ONE, ..HIGH_LIMITS },
        Limits { per_month: ONE, ..HIGH_LIMITS },
    ];
    // Times in order, and the seconds to the end of the minute, the day and the month.
    let moments = [
        ("2026-07-15T12:00:00.000Z", [60, 43_200, 16 * 86_400 + 43_200]),
        ("2026-09-30T23:58:59.001Z", [1, 61, 61]),
        ("2026-12-31T23:59:59.999Z", [1, 1, 1]),
        ("2027-02-28T12:00:00.500Z", [60, 43_200, 43_200]),
        ("2028-02-28T23:59:30.000Z", [30, 30, 30 + 86_400]),
        ("2028-05-01T00:00:00.000Z", [60, 86_400, 31 * 86_400]),
        ("2032-02-29T23:59:59.000Z", [1, 1, 1]),
        ("2100-02-28T23:59:59.000Z", [1, 1, 1]),
    ];
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &limits);
        for (moment, waits) in moments {
            for (window, wait) in waits.into_iter().enumerate() {
                let moment = at(moment);
                let status = async |now: i64| {
                    server.clock.set(now);
                    server.get_as(&keys[window], "/capes").await.status
                };
                assert_eq!(status(moment).await, 200, "window {window} at {moment}");
                let refused = server.get_as(&keys[window], "/capes").await;
                assert_eq!(
                    (refused.status, quota_headers(&refused).1),
                    (429, Some(wait)),
                    "window {window} at {moment}"
                );
                // One second less than `Retry-After` is too early; `Retry-After` is enough.
                if wait > 1 {
                    assert_eq!(status(moment + (wait - 1) * SECOND).await, 429, "window {window} at {moment}");
                }
                assert_eq!(status(moment + wait * SECOND).await, 200, "window {window} at {moment}");
            }
        }
    }
}

#[tokio::test]
async fn retry_after_is_that_of_the_longest_full_window() {
    let (server, keys) = Server::with_keys(Engine::Sqlite, &[Limits { per_minute: 1, per_day: 1, per_month: 1 }]);
    server.clock.set(at("2028-02-28T23:59:59.000Z"));
    assert_eq!(server.get_as(&keys[0], "/capes").await.status, 200);
    let refused = server.get_as(&keys[0], "/capes").await;
    assert_eq!(quota_headers(&refused), ([1, 0, 1, 0, 1, 0], Some(86_401)));
    server.clock.set(at("2028-02-29T00:00:00.000Z"));
    let refused = server.get_as(&keys[0], "/capes").await;
    assert_eq!(quota_headers(&refused), ([1, 1, 1, 1, 1, 0], Some(86_400)));
    server.clock.set(at("2028-03-01T00:00:00.000Z"));
    assert_eq!(server.get_as(&keys[0], "/capes").await.status, 200);
}

#[tokio::test]
async fn keys_do_not_share_windows() {
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[Limits { per_minute: 1, ..HIGH_LIMITS }; 3]);
        for key in &keys {
            assert_eq!(server.get_as(key, "/capes").await.status, 200);
            assert_eq!(server.get_as(key, "/capes").await.status, 429);
        }
    }
}

#[tokio::test]
async fn day_and_month_admit_exactly_their_limit() {
    const CLIENTS: usize = 64;
    const LIMIT: u32 = 60;
    let limits = [Limits { per_day: LIMIT, ..HIGH_LIMITS }, Limits { per_month: LIMIT, ..HIGH_LIMITS }];
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &limits);
        for key in &keys {
            let mut admitted = 0;
            // Ten times the limit, spread over the minutes of a day and the days of a month.
            for moment in ["2028-02-28T10:00:00.000Z", "2028-02-28T10:01:00.000Z", "2028-02-28T23:59:59.999Z"] {
                server.clock.set(at(moment));
                let client = |_| async {
                    let mut admitted = 0;
                    for _ in 0..(LIMIT as usize * 10).div_ceil(CLIENTS * 3) {
                        admitted += u32::from(server.get_as(key, "/capes").await.status == 200);
                    }
                    admitted
                };
                admitted += join_all((0..CLIENTS).map(client)).await.into_iter().sum::<u32>();
            }
            assert_eq!(admitted, LIMIT);
        }
        server.clock.set(at("2028-02-29T00:00:00.000Z"));
        assert_eq!(server.get_as(&keys[0], "/capes").await.status, 200);
        assert_eq!(server.get_as(&keys[1], "/capes").await.status, 429);
        server.clock.set(at("2028-03-01T00:00:00.000Z"));
        assert_eq!(server.get_as(&keys[1], "/capes").await.status, 200);
    }
}

#[tokio::test]
async fn a_clock_step_returns_no_quota_and_retry_after_stays_true() {
    const LIMIT: u32 = 5;
    let limits = Limits { per_minute: LIMIT, ..HIGH_LIMITS };
    // Across the end of a minute, a day, a month, a leap day and a year.
    for moment in [
        "2026-06-03T14:00:30.000Z",
        "2026-06-04T00:00:30.000Z",
        "2026-07-01T00:00:10.000Z",
        "2028-02-29T00:01:00.000Z",
        "2028-03-01T00:00:30.000Z",
        "2027-01-01T00:00:05.000Z",
    ] {
        let now = at(moment);
        for engine in Engine::BOTH {
            let (server, keys) = Server::with_keys(engine, &[limits]);
            let (key, mut admitted) = (&keys[0], 0);
            // Stepping back and forth grants one limit for each minute that is entered for the first time.
            for moment in [now, now - 90 * SECOND, now, now + 90 * SECOND, now, now + 90 * SECOND] {
                server.clock.set(moment);
                for _ in 0..LIMIT * 2 {
                    admitted += u32::from(server.get_as(key, "/capes").await.status == 200);
                }
            }
            assert_eq!(admitted, 2 * LIMIT, "{moment}");
            server.clock.set(now);
            let refused = server.get_as(key, "/capes").await;
            let wait = quota_headers(&refused).1.expect("a 429 has Retry-After");
            server.clock.set(now + wait * SECOND);
            assert_eq!(server.get_as(key, "/capes").await.status, 200, "{moment} and {wait} s");
        }
    }
}
