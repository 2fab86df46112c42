//! Usage of keys by hour, endpoint and status.

use reqwest::Method;
use rollcall_model::quota::Limits;
use rollcall_model::usage::UsageSpan;
use rollcall_store::usage::{KeyUsage, UsageIncrement};
use rollcall_store::{Conn, migrate_ledger, migrate_ledger_like, usage};
use serde_json::{Value, json};

use super::{at, id_of, key_command};
use crate::harness::{DEADLINE, Engine, HIGH_LIMITS, NOW, Server, Store, run_blocking, until};

const PER_MINUTE: u32 = 7;
const MINE: Limits = Limits { per_minute: PER_MINUTE, ..HIGH_LIMITS };

/// The stored usage of the key with this limit: hour, endpoint, status, requests, bytes.
fn stored(store: &Store) -> Vec<(i64, String, String, i64, i64)> {
    let key = store.change(|conn| {
        conn.query_one(
            "select n from keys where per_minute = $1",
            rollcall_store::values![i64::from(PER_MINUTE)],
            |row| row.get(0),
        )
    });
    let lines = run_blocking(|| usage::of_key(&mut Conn::open(&store.database.ledger()).unwrap(), key, 0).unwrap());
    lines.into_iter().map(|line| (line.hour, line.endpoint, line.status, line.requests, line.bytes)).collect()
}

#[tokio::test]
async fn requests_are_counted_by_hour_endpoint_and_status() {
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[MINE]);
        let key = ("x-api-key", keys[0].as_str());
        let (first, second) = (at("2026-06-03T14:59:59.999Z"), at("2026-06-03T15:00:00.000Z"));
        let mut bytes = std::collections::HashMap::new();
        server.clock.set(first);
        let tag = server.send(Method::GET, "/capes", &[key]).await;
        let tag = tag.header("etag").unwrap().to_owned();
        for (path, headers, status) in [
            ("/capes", vec![key], 200),
            ("/capes", vec![key, ("if-none-match", tag.as_str())], 304),
            ("/capes?limit=0", vec![key], 400),
            ("/capes/none", vec![key], 404),
            ("/nothing/at/all", vec![key], 404),
            ("/also-nothing", vec![key], 404),
            ("/capes", vec![key], 429),
        ] {
            let response = server.send(Method::GET, path, &headers).await;
            assert_eq!(response.status, status, "{path}");
            bytes.insert((path, status), response.body.len() as i64);
        }
        server.clock.set(second);
        assert_eq!(server.send(Method::HEAD, "/capes", &[key]).await.status, 200);
        let store = run_blocking(|| server.stop());
        let line = |hour, endpoint: &str, status: &str, requests, bytes| {
            (hour, endpoint.to_owned(), status.to_owned(), requests, bytes)
        };
        let (first, of) = (at("2026-06-03T14:00:00.000Z"), |path, status| bytes[&(path, status)]);
        assert_eq!(
            stored(&store),
            [
                line(first, "/capes", "2xx", 2, 2 * of("/capes", 200)),
                line(first, "/capes", "3xx", 1, 0),
                line(first, "/capes", "429", 1, of("/capes", 429)),
                line(first, "/capes", "4xx", 1, of("/capes?limit=0", 400)),
                line(first, "/capes/{slug}", "4xx", 1, of("/capes/none", 404)),
                line(first, "other", "4xx", 2, of("/nothing/at/all", 404) + of("/also-nothing", 404)),
                line(second, "/capes", "2xx", 1, 0),
            ]
        );
    }
}

#[tokio::test]
async fn usage_is_stored_soon_and_shown_by_key_usage() {
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[MINE]);
        let now = rollcall_model::clock::Clock::System.now();
        server.clock.set(now);
        let size = server.get_as(&keys[0], "/capes").await.body.len();
        let id = id_of(&server.store, PER_MINUTE);
        let deadline = std::time::Instant::now() + DEADLINE;
        let shown = loop {
            let shown: Value = serde_json::from_str(&key_command(&server.store, &["usage", &id, "--json"])).unwrap();
            if shown != json!([]) {
                break shown;
            }
            assert!(std::time::Instant::now() < deadline, "no usage is stored");
        };
        let hour = rollcall_model::time::iso(rollcall_model::time::start_of_hour(now));
        let line = json!({"hour": hour, "endpoint": "/capes", "status": "2xx", "requests": 1, "bytes": size});
        assert_eq!(shown, json!([line]));
        let key: Value = serde_json::from_str(&key_command(&server.store, &["show", &id, "--json"])).unwrap();
        assert_eq!(key["lastUsedAt"], rollcall_model::time::iso(now));
        let table = key_command(&server.store, &["usage", &id]);
        let row: Vec<&str> = table.lines().last().unwrap().split_whitespace().collect();
        assert_eq!(row, [hour.as_str(), "/capes", "2xx", "1", &size.to_string()]);
        let none = id_of(&server.store, HIGH_LIMITS.per_minute);
        assert_eq!(key_command(&server.store, &["usage", &none]), "The key was not used in this period.\n");
    }
}

#[tokio::test]
async fn usage_is_kept_for_thirteen_months() {
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[MINE]);
        server.clock.set(at("2024-12-31T23:00:00.000Z"));
        assert_eq!(server.get_as(&keys[0], "/capes").await.status, 200);
        server.clock.set(at("2025-01-01T00:00:00.000Z"));
        assert_eq!(server.get_as(&keys[0], "/capes").await.status, 200);
        let store = run_blocking(|| server.stop());
        assert_eq!(stored(&store).len(), 2);
        // In February 2026 the oldest month is January 2025.
        let server = Server::over(store, at("2026-02-28T12:00:00.000Z"));
        until(async || match stored(&server.store).len() {
            1 => Ok(()),
            months => Err(format!("usage of {months} months is stored, not of 1")),
        })
        .await;
        assert_eq!(stored(&server.store)[0].0, at("2025-01-01T00:00:00.000Z"));
        let days = run_blocking(|| {
            let mut ledger = Conn::open(&server.store.database.ledger()).unwrap();
            ledger.query("select day from key_usage_days", &[], |row| row.get::<i64>(0)).unwrap()
        });
        assert_eq!(days, [at("2025-01-01T00:00:00.000Z")]);
    }
}

#[tokio::test]
async fn requests_with_a_disabled_key_are_recorded() {
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[MINE]);
        key_command(&server.store, &["disable", &id_of(&server.store, PER_MINUTE)]);
        let (_, requests) = super::until_status(&server, &keys[0], 403).await;
        let store = run_blocking(|| server.stop());
        let refused = stored(&store).into_iter().find(|line| line.2 == "4xx").expect("the 403 is stored");
        assert_eq!((refused.0, refused.1.as_str(), refused.3), (NOW - NOW % 3_600_000, "/servers", 1), "of {requests}");
    }
}

/// Writes usage as a version without daily sums did, then migrates.
fn write_without_days(conn: &mut Conn, all: &[KeyUsage]) {
    migrate_ledger_like(conn, &[1001]).unwrap();
    for (key_n, line) in all.iter().flat_map(|used| used.lines.iter().map(|line| (used.key_n, line))) {
        let sql =
            "insert into key_usage (key_n, hour, endpoint, status, requests, bytes) values ($1, $2, $3, $4, $5, $6)";
        let values = rollcall_store::values![key_n, line.minute, line.endpoint, line.status, line.requests, line.bytes];
        conn.execute(sql, values).unwrap();
    }
    migrate_ledger(conn).unwrap();
}

#[test]
fn usage_of_several_keys_is_summed_by_hour_day_and_month() {
    let used = |key_n, lines: &[(&str, &'static str, &'static str, i64)]| {
        let line = |&(hour, endpoint, status, requests)| UsageIncrement {
            minute: at(hour),
            endpoint,
            status,
            requests,
            bytes: requests * 10,
        };
        KeyUsage { key_n, last_used_at: 0, lines: lines.iter().map(line).collect(), alerts: Vec::new() }
    };
    let all = [
        used(
            1,
            &[
                ("2023-02-28T23:00:00Z", "/capes", "2xx", 1),
                ("2023-03-01T00:00:00Z", "/capes", "2xx", 2),
                ("2024-01-30T23:00:00Z", "/capes", "2xx", 4),
                ("2024-01-31T00:00:00Z", "/capes", "2xx", 8),
                ("2024-01-31T23:00:00Z", "/capes", "2xx", 16),
                ("2024-02-28T23:00:00Z", "/skins", "5xx", 32),
                ("2024-02-29T00:00:00Z", "/capes", "2xx", 64),
                ("2024-02-29T00:00:00Z", "/capes", "429", 128),
                ("2024-02-29T23:00:00Z", "/capes", "2xx", 256),
            ],
        ),
        used(2, &[("2024-02-29T23:00:00Z", "/capes", "2xx", 5)]),
        used(3, &[("2024-02-29T23:00:00Z", "/capes", "2xx", 7)]),
    ];
    let now = at("2024-02-29T23:59:59.999Z");
    for (engine, before_days) in Engine::BOTH.into_iter().flat_map(|engine| [(engine, false), (engine, true)]) {
        let store = Store::new(engine);
        let mut conn = Conn::open(&store.database.ledger()).unwrap();
        if before_days {
            write_without_days(&mut conn, &all);
        } else {
            migrate_ledger(&mut conn).unwrap();
            usage::add(&mut conn, &all).unwrap();
        }
        let mut stored = |keys: &[i64], span| -> Vec<String> {
            let lines = usage::of_keys(&mut conn, keys, span, now).unwrap();
            assert!(lines.iter().all(|line| line.bytes == line.requests * 10));
            let shown = |line: rollcall_model::usage::UsageLine| {
                let start = rollcall_model::time::iso(line.at).replace(":00:00.000Z", "");
                format!("{start} {} {} {} {}", line.key_n, line.endpoint, line.status, line.requests)
            };
            lines.into_iter().map(shown).collect()
        };
        assert_eq!(
            stored(&[1, 2], UsageSpan::Day),
            [
                "2024-02-29T00 1 /capes 2xx 64",
                "2024-02-29T00 1 /capes 429 128",
                "2024-02-29T23 1 /capes 2xx 256",
                "2024-02-29T23 2 /capes 2xx 5",
            ]
        );
        assert_eq!(
            stored(&[1], UsageSpan::Month),
            [
                "2024-01-31T00 1 /capes 2xx 24",
                "2024-02-28T00 1 /skins 5xx 32",
                "2024-02-29T00 1 /capes 2xx 320",
                "2024-02-29T00 1 /capes 429 128",
            ]
        );
        assert_eq!(
            stored(&[1, 2, 3], UsageSpan::Year),
            [
                "2023-03-01T00 1 /capes 2xx 2",
                "2024-01-01T00 1 /capes 2xx 28",
                "2024-02-01T00 1 /capes 2xx 320",
                "2024-02-01T00 1 /capes 429 128",
                "2024-02-01T00 1 /skins 5xx 32",
                "2024-02-01T00 2 /capes 2xx 5",
                "2024-02-01T00 3 /capes 2xx 7",
            ]
        );
        assert_eq!(stored(&[], UsageSpan::Year), [""; 0]);
    }
}
