//! Alerts about keys and servers, to the account alone.

use rollcall_model::quota::Limits;
use rollcall_model::time::{DAY, HOUR, MINUTE, iso};
use rollcall_store::values;
use serde_json::{Value, json};

use super::{create, public_servers, server, settings};
use crate::harness::{Engine, NOW, WebhookReceiver};

const ALERTS: [&str; 5] = ["key.quota_80", "key.quota_100", "key.expiring", "key.expired", "report.missing"];

/// The messages that came, without ids, by type.
async fn alerts(receiver: &WebhookReceiver, count: usize) -> Vec<Value> {
    let mut found: Vec<Value> =
        receiver.until(count).await.iter().map(|message| message.json()["data"].clone()).collect();
    for alert in &mut found {
        assert!(alert.as_object_mut().expect("an object").remove("id").is_some());
    }
    found.sort_by_key(|alert| alert["type"].to_string());
    found
}

#[test]
fn key_holders_are_told_of_quotas_and_expiry() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let (receiver, other) = (WebhookReceiver::start().await, WebhookReceiver::start().await);
            create(&server, "one", &settings(&receiver.url(), &ALERTS));
            create(&server, "other", &settings(&other.url(), &ALERTS));
            let limits = Limits { per_minute: 100, per_day: 5, per_month: 100 };
            let key = crate::harness::create_key(&server.store, limits);
            let id: String = server.store.change(|conn| {
                let sql =
                    "update keys set account_n = (select n from accounts where id = 'owner-of-one'), expires_at = $1
                           where per_day = 5 returning id";
                let id = conn.query_one(sql, values![NOW + 7 * DAY], |row| row.get(0))?;
                rollcall_store::revision::bump_key_epoch(conn)?;
                Ok(id)
            });
            server.until_as(&key, "/live", |response| response.status == 200).await;
            while server.get_as(&key, "/live").await.status == 200 {}
            let about = json!({"id": id, "name": "test"});
            let quota = |kind: &str, percent: i64| {
                let data =
                    json!({"key": about, "window": "day", "windowStart": iso(NOW - NOW % DAY), "percent": percent});
                json!({"type": kind, "at": iso(NOW), "server": null, "player": null, "data": data})
            };
            let expiry = |kind: &str, at: i64| {
                let data = json!({"key": about, "expiresAt": iso(NOW + 7 * DAY)});
                json!({"type": kind, "at": iso(at), "server": null, "player": null, "data": data})
            };
            let wanted = [expiry("key.expiring", NOW), quota("key.quota_100", 100), quota("key.quota_80", 80)];
            assert_eq!(alerts(&receiver, 3).await, wanted, "{engine:?}");
            server.clock.set(NOW + 7 * DAY);
            let received = alerts(&receiver, 4).await;
            assert_eq!((received.len(), &received[0]), (4, &expiry("key.expired", NOW + 7 * DAY)), "{engine:?}");
            assert_eq!(other.received().len(), 0, "nobody else is told");
            assert_eq!(server.get("/events?limit=100").await.data()["events"], json!([]), "nor the public");
        });
    }
}

#[test]
fn owners_are_told_of_missing_reports_once() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let receiver = WebhookReceiver::start().await;
            create(&server, "one", &settings(&receiver.url(), &ALERTS));
            let n = public_servers(&server, 1)[0];
            let at = NOW - 11 * MINUTE;
            let (id, slug, name): (String, String, String) = server.store.change(|conn| {
                let sql = "update servers set owner_n = (select n from accounts where id = 'owner-of-one'), is_online = true
                           where n = $1";
                conn.execute(sql, values![n])?;
                conn.execute("delete from outages where server_n = $1", values![n])?;
                let sql = "insert into server_tokens (hash, server_n, hint, created_at) values ('hash', $1, 'hint', $2)";
                conn.execute(sql, values![n, at])?;
                let sql = "insert into server_reports (server_n, received_at, listed_at, tps_at, format, software, listed, present,
                                                       notes, recent_ids, refusal)
                           values ($1, $2, 0, 0, 'report', '', 0, '', '', '', '')";
                conn.execute(sql, values![n, at])?;
                let sql = "select id, slug, name from servers where n = $1";
                conn.query_one(sql, values![n], |row| (row.get(0), row.get(1), row.get(2)))
            });
            let wanted = json!({
                "type": "report.missing", "at": iso(NOW), "server": {"id": id, "slug": slug, "name": name}, "player": null,
                "data": {"lastReportAt": iso(at)},
            });
            assert_eq!(alerts(&receiver, 1).await, [wanted], "{engine:?}");
            // A later round tells of something else, and not of this again.
            server.clock.set(NOW + HOUR);
            crate::harness::create_key(&server.store, Limits { per_minute: 1, per_day: 7, per_month: 100 });
            let sql = "update keys set account_n = (select n from accounts where id = 'owner-of-one'), expires_at = $1
                       where per_day = 7";
            server.store.change(|conn| conn.execute(sql, values![NOW + DAY]));
            let types: Vec<Value> = alerts(&receiver, 2).await.iter().map(|alert| alert["type"].clone()).collect();
            assert_eq!(types, ["key.expiring", "report.missing"], "{engine:?}");
        });
    }
}
