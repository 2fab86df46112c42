//! Rotation, expiry, limits and ownership of keys that are in use.

use rollcall_model::clock::Clock;
use rollcall_model::quota::Limits;
use rollcall_model::time::{DAY, HOUR};
use rollcall_store::values;
use rollcall_store::{Result, revision};

use super::{id_of, key_command, quota_headers, until_status};
use crate::harness::{Engine, HIGH_LIMITS, Server};

const PER_MINUTE: u32 = 5_000;
const MINE: Limits = Limits { per_minute: PER_MINUTE, ..HIGH_LIMITS };
const INVALID: &str = "Invalid API key";

#[tokio::test]
async fn both_secrets_work_until_the_grace_period_ends_and_share_the_quota() {
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[MINE]);
        let id = id_of(&server.store, PER_MINUTE);
        for (grace, span) in [("1h", HOUR), ("24h", DAY), ("7d", 7 * DAY)] {
            let now = Clock::System.now();
            server.clock.set(now);
            let old = if grace == "1h" {
                keys[0].clone()
            } else {
                let secret = key_command(&server.store, &["rotate", &id, "--grace", "0"]).trim_end().to_owned();
                until_status(&server, &secret, 200).await;
                secret
            };
            let new = key_command(&server.store, &["rotate", &id, "--grace", grace]).trim_end().to_owned();
            let (response, _) = until_status(&server, &new, 200).await;
            let left = quota_headers(&response).0[1];
            // Both share one quota.
            assert_eq!(quota_headers(&server.get_as(&old, "/capes").await).0[1], left - 1, "{grace}");
            assert_eq!(quota_headers(&server.get_as(&new, "/capes").await).0[1], left - 2, "{grace}");
            // The commands ran after `now`, within a minute.
            server.clock.set(now + span - 1);
            assert_eq!(server.get_as(&old, "/capes").await.status, 200, "{grace}");
            server.clock.set(now + span + 60_000);
            let refused = server.get_as(&old, "/capes").await;
            assert_eq!((refused.status, refused.error().as_str()), (401, INVALID), "{grace}");
            assert_eq!(server.get_as(&new, "/capes").await.status, 200, "{grace}");
        }
    }
}

#[tokio::test]
async fn without_grace_or_after_revoke_old_only_the_newest_secret_works() {
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[MINE]);
        server.clock.set(Clock::System.now());
        let id = id_of(&server.store, PER_MINUTE);
        let second = key_command(&server.store, &["rotate", &id, "--grace", "0"]).trim_end().to_owned();
        until_status(&server, &second, 200).await;
        assert_eq!(server.get_as(&keys[0], "/capes").await.status, 401);
        let third = key_command(&server.store, &["rotate", &id, "--grace", "7d"]).trim_end().to_owned();
        until_status(&server, &third, 200).await;
        assert_eq!(server.get_as(&second, "/capes").await.status, 200);
        key_command(&server.store, &["revoke-old", &id]);
        until_status(&server, &second, 401).await;
        assert_eq!(server.get_as(&third, "/capes").await.status, 200);
    }
}

#[tokio::test]
async fn an_expired_key_is_401() {
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[MINE]);
        let id = id_of(&server.store, PER_MINUTE);
        key_command(&server.store, &["expire", &id, "2099-01-31T12:00:00Z"]);
        server.clock.set(super::at("2099-01-31T12:00:00.000Z"));
        let (refused, _) = until_status(&server, &keys[0], 401).await;
        assert_eq!(refused.error(), "API key expired");
        assert_eq!(refused.header("x-ratelimit-limit-minute"), None);
        server.clock.set(super::at("2099-01-31T11:59:59.999Z"));
        assert_eq!(server.get_as(&keys[0], "/capes").await.status, 200);
        key_command(&server.store, &["expire", &id, "never"]);
        server.clock.set(super::at("2101-01-31T12:00:00.000Z"));
        until_status(&server, &keys[0], 200).await;
    }
}

#[tokio::test]
async fn a_change_by_an_older_version_takes_effect() {
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[MINE, HIGH_LIMITS]);
        assert_eq!(server.get_as(&keys[0], "/capes").await.status, 200);
        // Older versions wrote no `keys.rev`, and one may run beside this one during an upgrade.
        server.store.change(|conn| -> Result<()> {
            conn.execute("update key_state set rev = rev + 1", &[])?;
            let sql = "update keys set disabled = true where per_minute = $1";
            conn.execute(sql, values![i64::from(PER_MINUTE)]).map(drop)
        });
        until_status(&server, &keys[0], 403).await;
        assert_eq!(server.get_as(&keys[1], "/capes").await.status, 200);
    }
}

#[tokio::test]
async fn new_limits_include_earlier_usage() {
    const FEWER: u32 = 2;
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[MINE]);
        let id = id_of(&server.store, PER_MINUTE);
        for _ in 0..3 {
            assert_eq!(server.get_as(&keys[0], "/capes").await.status, 200);
        }
        key_command(&server.store, &["limits", &id, "--per-minute", &FEWER.to_string()]);
        let (refused, requests) = until_status(&server, &keys[0], 429).await;
        assert_eq!(quota_headers(&refused).0[..2], [FEWER, 0]);
        let used = 3 + requests - 1;
        key_command(&server.store, &["limits", &id, "--per-minute", &(used + 1).to_string()]);
        let (response, _) = until_status(&server, &keys[0], 200).await;
        assert_eq!(quota_headers(&response).0[..2], [used + 1, 0]);
        assert_eq!(server.get_as(&keys[0], "/capes").await.status, 429);
    }
}

#[tokio::test]
async fn a_change_of_one_key_affects_no_other() {
    for engine in Engine::BOTH {
        let (server, mut keys) = Server::with_keys(engine, &[MINE, HIGH_LIMITS]);
        server.clock.set(Clock::System.now());
        let store = &server.store;
        let run = |args: &[&str]| assert!(store.rollcall(args).status.success(), "{args:?}");
        let create = |args: &[&str]| key_command(store, args).trim_end().to_owned();
        // One by one, so that each is a change of its own. Two belong to one account.
        for owner in ["ada", "bob"] {
            run(&["account", "create", owner]);
        }
        for owner in ["ada", "ada", "bob"] {
            keys.push(create(&["create", "--owner", owner]));
            until_status(&server, keys.last().unwrap(), 200).await;
        }
        let old = keys[0].clone();
        let id = id_of(store, PER_MINUTE);
        keys[0] = create(&["rotate", &id, "--grace", "0"]);
        let statuses = async |expected: [u16; 5]| {
            for (key, status) in keys.iter().zip(expected) {
                until_status(&server, key, status).await;
            }
            for (key, status) in keys.iter().zip(expected) {
                assert_eq!(server.get_as(key, "/capes").await.status, status);
            }
            assert_eq!(server.get_as(&old, "/capes").await.status, 401);
        };
        statuses([200; 5]).await;
        run(&["key", "disable", &id]);
        statuses([403, 200, 200, 200, 200]).await;
        run(&["account", "disable", "ada"]);
        statuses([403, 200, 403, 403, 200]).await;
        run(&["key", "enable", &id]);
        statuses([200, 200, 403, 403, 200]).await;
        run(&["account", "enable", "ada"]);
        statuses([200; 5]).await;
        let epoch = || store.change(revision::current_keys).epoch;
        let before = epoch();
        run(&["account", "delete", "ada", "--yes"]);
        statuses([200, 200, 401, 401, 200]).await;
        run(&["key", "disable", &id]);
        statuses([403, 200, 401, 401, 200]).await;
        run(&["key", "delete", &id, "--yes"]);
        statuses([401, 200, 401, 401, 200]).await;
        assert_eq!(epoch(), before, "a deletion must not make every process load all keys");
    }
}
