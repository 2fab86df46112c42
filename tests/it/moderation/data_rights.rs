//! An account takes its data with it, and leaves no name behind.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use rollcall_model::time::MINUTE;
use rollcall_model::webhook::AlertKind;
use rollcall_store::account_events::{self, NewAccountEvent};
use serde_json::{Value, json};

use super::*;
use crate::harness::PASSWORD;

/// The files of a ZIP archive, as lists of lines.
pub fn unpack(body: &[u8]) -> BTreeMap<String, Vec<Value>> {
    let mut archive = zip::ZipArchive::new(Cursor::new(body)).expect("a ZIP file");
    let mut files = BTreeMap::new();
    for i in 0..archive.len() {
        let mut file = archive.by_index(i).expect("a file");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("text");
        let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        files.insert(file.name().expect("a name").into_owned(), lines);
    }
    files
}

/// An account with a key, a webhook, a vote, a review, a post and a draft.
async fn busy_account<'a>(server: &'a Server, played: &Played) -> Browser<'a> {
    let mut ada = reviewer(server, "ada", played).await;
    ada.get("/dashboard/webhooks").await;
    let fields = [
        ("name", "my bot"),
        ("url", "https://hooks.example/in/token-of-ada"),
        ("format", "discord"),
        ("type key.expired", "yes"),
        ("scope", "all"),
    ];
    assert_eq!(ada.send("/dashboard/webhooks", &fields).await.status, 200);
    ada.make_key("my key").await;
    review(&mut ada, &played.slug, "4", CLEAN).await;
    let vote = format!("/servers/{}/vote", played.slug);
    ada.get(&vote).await;
    assert_eq!(ada.send(&vote, &[("nickname", &played.nickname)]).await.status, 303);
    command(server, &["server", "set", &played.slug, "--owner", "ada"]);
    let posts = format!("/dashboard/servers/{}/posts", played.slug);
    ada.get(&posts).await;
    for action in ["publish", "draft"] {
        ada.send(&posts, &[("title", "News"), ("content", "News of *ada*."), ("action", action)]).await;
    }
    ada
}

/// Alerts ada about this server and another one, which is not hers.
fn alert(server: &Server, slug: &str) {
    server.store.change(|conn| {
        let account_n = accounts::find(conn, "ada")?.expect("ada").n;
        let alert = |server_n: i64| NewAccountEvent {
            account_n,
            at: NOW,
            kind: AlertKind::ReportMissing,
            server_n: Some(server_n),
            subject: format!("a report of {server_n}"),
            facts: "{}".into(),
        };
        let sql = "select n from servers order by slug <> $1, n limit 2";
        let servers: Vec<i64> = conn.query(sql, values![slug], |row| row.get(0))?;
        account_events::write_once(conn, &servers.into_iter().map(alert).collect::<Vec<_>>())
    });
}

#[test]
fn an_account_exports_everything_it_has() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let played = played(&server).remove(0);
            let mut ada = busy_account(&server, &played).await;
            alert(&server, &played.slug);
            ada.get("/dashboard/account").await;
            let export = ada.send("/dashboard/account/export", &[]).await;
            assert_eq!((export.status, export.header("content-type")), (200, Some("application/zip")));
            assert!(export.header("content-disposition").expect("a name").contains("rollcall-ada-"));
            let files = unpack(&export.body);
            let names: Vec<&str> = files.keys().map(String::as_str).collect();
            assert_eq!(
                names,
                [
                    "account.ndjson",
                    "alerts.ndjson",
                    "collections.ndjson",
                    "decisions.ndjson",
                    "keys.ndjson",
                    "likes_and_favorites.ndjson",
                    "limit_requests.ndjson",
                    "links.ndjson",
                    "log.ndjson",
                    "passkeys.ndjson",
                    "post_drafts.ndjson",
                    "posts.ndjson",
                    "reviews.ndjson",
                    "servers.ndjson",
                    "sessions.ndjson",
                    "skins_and_capes.ndjson",
                    "uploads.ndjson",
                    "usage.ndjson",
                    "votes.ndjson",
                    "webhook_deliveries.ndjson",
                    "webhooks.ndjson"
                ]
            );
            assert_eq!(files["account.ndjson"][0]["username"], "ada");
            assert_eq!(files["keys.ndjson"][0]["name"], "my key");
            assert_eq!(files["links.ndjson"][0]["nickname"], played.nickname.as_str());
            let review = &files["reviews.ndjson"][0];
            let expected = json!([CLEAN, 4, "APPROVED", played.slug]);
            assert_eq!(json!([review["content"], review["rating"], review["status"], review["server"]]), expected);
            for (file, rows) in [("votes", 1), ("posts", 1), ("post_drafts", 1), ("servers", 1), ("reviews", 1)] {
                assert_eq!(files[&format!("{file}.ndjson")].len(), rows, "{file}");
            }
            assert!(files["log.ndjson"].iter().any(|entry| entry["action"] == "data exported"));
            let alerts: Vec<_> =
                files["alerts.ndjson"].iter().map(|alert| (&alert["type"], &alert["server"])).collect();
            let kind = json!("report.missing");
            assert_eq!(
                alerts,
                [(&kind, &json!(played.slug)), (&kind, &json!(null))],
                "ada does not manage the other one"
            );
            let webhook = &files["webhooks.ndjson"][0];
            assert_eq!(json!([webhook["name"], webhook["host"]]), json!(["my bot", "hooks.example"]));
            // No secret and no hash.
            let (password, hashes) = server.store.change(|conn| {
                let password = accounts::find(conn, "ada")?.expect("ada").password;
                Ok((password, conn.query("select hash from key_secrets", &[], |row| row.get::<String>(0))?))
            });
            let text = format!("{files:?}");
            assert!(!text.contains("whsec_") && !text.contains("token-of-ada"));
            assert!(!text.contains(&password) && !hashes.iter().any(|hash| text.contains(hash)));
            for _ in 0..9 {
                assert_eq!(ada.send("/dashboard/account/export", &[]).await.status, 200);
            }
            let many = ada.send("/dashboard/account/export", &[]).await;
            assert_eq!((many.status, many.heading().as_str()), (429, "Too many downloads"));
            // A session that is not fresh must prove itself first.
            server.clock.set(NOW + 6 * MINUTE);
            let stale = ada.send("/dashboard/account/export", &[]).await;
            assert_eq!(stale.redirect_target(), "/dashboard/confirm?next=/dashboard/account");
        });
    }
}

#[test]
fn what_a_deleted_account_wrote_stays_without_its_name() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let played = played(&server).remove(0);
            let before = review_total(&server, &played.slug).await;
            let mut ada = busy_account(&server, &played).await;
            until_reviews(&server, &played.slug, before + 1).await;
            ada.get("/dashboard/account").await;
            let wrong = ada.send("/dashboard/account/delete", &[("sure", "yes"), ("password", "wrong")]).await;
            assert_eq!(wrong.status, 422);
            let deleted = ada.send("/dashboard/account/delete", &[("sure", "yes"), ("password", PASSWORD)]).await;
            assert_eq!(deleted.redirect_target(), "/sign-in?done=account-deleted");
            let path = format!("/servers/{}/reviews", played.slug);
            let shown = server.until(&path, |response| response.data()["reviews"][0]["userId"].is_null()).await.data();
            let review = &shown["reviews"][0];
            assert_eq!(
                json!([
                    shown["total"],
                    review["content"],
                    review["gameUsername"],
                    review["user"]["username"],
                    review["playerId"]
                ]),
                json!([before + 1, CLEAN, "Anonymous", "Anonymous", null])
            );
            let voters = format!("/servers/{}/voters", played.slug);
            let voter =
                server.until(&voters, |response| response.data()["voters"][0]["gameUsername"] == "Anonymous").await;
            assert_eq!(voter.data()["voters"][0]["playerId"], json!(null));
            let rows = server.store.change(|conn| {
                let sql = "select (select count(*) from submitted_reviews) + (select count(*) from post_drafts)
                           + (select count(*) from player_links where linked_at = $1) + (select count(*) from webhooks)";
                conn.query_one(sql, values![NOW], |row| row.get::<i64>(0))
            });
            assert_eq!(rows, 0, "private rows are deleted");
            let updates = server.get(&format!("/servers/{}/updates", played.slug)).await.data();
            assert_eq!(updates["updates"][0]["title"], "News");
        });
        assert_recount(&server.store);
    }
}
