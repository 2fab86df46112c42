//! Used quota outlives a restart. `tests/faults/crash.rs` does the same with kill -9.

use futures_util::future::join_all;
use rollcall_model::quota::Limits;

use super::quota_headers;
use crate::harness::{Engine, HIGH_LIMITS, NOW, Server, Store, until};

const LIMITS: Limits = Limits { per_minute: 60, per_day: 1_000, per_month: 30_000 };

#[tokio::test]
async fn a_clean_stop_loses_no_quota() {
    for engine in Engine::BOTH {
        let (mut server, keys) = Server::with_keys(engine, &[LIMITS]);
        for used in 1..=12 {
            let response = server.get_as(&keys[0], "/capes").await;
            assert_eq!(quota_headers(&response), ([60, 60 - used, 1_000, 1_000 - used, 30_000, 30_000 - used], None));
            server = tokio::task::spawn_blocking(move || Server::over(server.stop(), NOW)).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_crash_returns_no_quota_and_loses_at_most_three_requests() {
    const FEW: u32 = 3;
    for engine in Engine::BOTH {
        let (mut server, keys) = Server::with_keys(engine, &[LIMITS]);
        let mut left = 60;
        for _ in 0..8 {
            let now_left = quota_headers(&server.get_as(&keys[0], "/capes").await).0[1];
            assert!((1..=1 + FEW).contains(&(left - now_left)), "{left} {now_left}");
            left = now_left;
            server = tokio::task::spawn_blocking(move || Server::over(server.crash(), NOW)).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_used_up_day_stays_used_up_after_a_restart() {
    for engine in Engine::BOTH {
        let (mut server, keys) = Server::with_keys(engine, &[Limits { per_day: 2, ..HIGH_LIMITS }]);
        for status in [200, 200, 429] {
            assert_eq!(server.get_as(&keys[0], "/capes").await.status, status);
        }
        for clean in [true, false] {
            server = tokio::task::spawn_blocking(move || {
                Server::over(if clean { server.stop() } else { server.crash() }, NOW)
            })
            .await
            .unwrap();
            assert_eq!(server.get_as(&keys[0], "/capes").await.status, 429);
        }
    }
}

#[tokio::test]
async fn several_processes_over_one_store_admit_exactly_the_limit_together() {
    for engine in Engine::BOTH {
        let (first, keys) = Server::with_keys(engine, &[LIMITS]);
        let servers = [Server::over(first.store.clone(), NOW), Server::over(first.store.clone(), NOW), first];
        let clients = (0..24).map(|client| {
            let (server, key) = (&servers[client % servers.len()], &keys[0]);
            async move {
                let mut admitted = 0;
                for _ in 0..25 {
                    admitted += u32::from(server.get_as(key, "/capes").await.status == 200);
                }
                admitted
            }
        });
        assert_eq!(join_all(clients).await.into_iter().sum::<u32>(), 60);
    }
}

#[tokio::test]
async fn an_idle_process_returns_its_reservation_when_another_one_needs_it() {
    const LIMIT: u32 = 20;
    for engine in Engine::BOTH {
        let limits = Limits { per_minute: LIMIT, ..LIMITS };
        let (idle, keys) = Server::with_keys(engine, &[limits]);
        // The clocks stand still, so that nothing is returned because time has passed.
        let busy = Server::over(idle.store.clone(), NOW);
        let key = &keys[0];
        assert_eq!(idle.get_as(key, "/capes").await.status, 200);
        for admitted in 2..=LIMIT {
            let response = busy.get_as(key, "/capes").await;
            assert_eq!(response.status, 200, "request {admitted} of {LIMIT}");
        }
        // Nothing is left anywhere: a retry before Retry-After is refused by every process.
        let mut waits = Vec::new();
        for server in [&busy, &idle] {
            let wait = quota_headers(&server.get_as(key, "/capes").await).1.expect("a 429");
            server.clock.set(NOW + (wait - 1) * 1_000);
            assert_eq!(server.get_as(key, "/capes").await.status, 429);
            waits.push(wait);
        }
        assert_eq!(waits[0], waits[1]);
        busy.clock.set(NOW + waits[0] * 1_000);
        assert_eq!(busy.get_as(key, "/capes").await.status, 200);
    }
}

/// Holds the write lock of the ledger until `released`, like a slow disk.
fn slow_ledger(store: &Store, released: std::sync::mpsc::Receiver<()>) -> std::thread::JoinHandle<()> {
    let ledger = store.database.ledger();
    let (held, holding) = std::sync::mpsc::channel();
    let slow = std::thread::spawn(move || {
        let mut conn = rollcall_store::Conn::open(&ledger).unwrap();
        conn.transaction(|conn| {
            conn.execute_batch("update key_windows set minute_used = minute_used")?;
            held.send(()).unwrap();
            let _ = released.recv();
            Ok::<_, rollcall_store::Error>(())
        })
        .unwrap();
    });
    holding.recv().unwrap();
    slow
}

#[tokio::test]
async fn a_late_reply_of_the_ledger_still_counts() {
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[Limits { per_day: 2, ..HIGH_LIMITS }]);
        for status in [200, 200, 429] {
            assert_eq!(server.get_as(&keys[0], "/capes").await.status, status);
        }
        server.clock.set(NOW + 5_000);
        let (release, released) = std::sync::mpsc::channel::<()>();
        let slow = slow_ledger(&server.store, released);
        let key = &keys[0];
        let asked = async { server.get_as(key, "/capes").await };
        let late = async {
            // SQLite does not show who waits for its lock, but a writer of the ledger that works can only wait for it.
            until(async || {
                let [_, writers] = server.ledger_pool.usage();
                if writers.stats.busy() > 0 { Ok(()) } else { Err("no writer of the ledger waits") }
            })
            .await;
            server.clock.set(NOW + 10_000);
            drop(release);
        };
        let (response, ()) = futures_util::future::join(asked, late).await;
        assert_eq!(response.status, 429, "{}", response.error());
        slow.join().unwrap();
    }
}
