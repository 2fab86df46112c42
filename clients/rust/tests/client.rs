//! Calls, lists and errors.

mod service;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use futures_util::StreamExt;
use rollcall_client::types::*;
use rollcall_client::{Client, Error};
use service::{Fake, answer, base_url, client, known_key};

#[tokio::test]
async fn every_endpoint_gives_its_type() {
    let rollcall = client().await;
    let query = ListServersQuery { limit: Some(2), sort: Some(ListServersSort::Players), ..Default::default() };
    let list = rollcall.list_servers(&query).await.unwrap();
    assert_eq!(list.servers.len(), 2);
    assert!(list.pagination.total > 200, "{}", list.pagination.total);
    let slug = list.servers[0].slug.as_str();
    assert_eq!(rollcall.server_detail(slug, &Default::default()).await.unwrap().server.id, list.servers[0].id);
    rollcall.server_voters(slug, &Default::default()).await.unwrap();
    rollcall.server_reviews(slug, &Default::default()).await.unwrap();
    rollcall.server_updates(slug, &Default::default()).await.unwrap();
    rollcall.server_outages(slug, &Default::default()).await.unwrap();
    assert!(!rollcall.server_history(slug, &Default::default()).await.unwrap().points.is_empty());
    assert_eq!(rollcall.explain_server(slug).await.unwrap().slug, slug);
    assert!(!rollcall.top_servers(&Default::default()).await.unwrap().servers.is_empty());
    assert!(!rollcall.server_countries().await.unwrap().countries.is_empty());
    assert!(!rollcall.server_versions().await.unwrap().versions.is_empty());
    assert!(!rollcall.search(&list.servers[0].name, &Default::default()).await.unwrap().results.servers.is_empty());
    assert!(rollcall.live().await.unwrap().stats.total_servers > 200);
    rollcall.live_history().await.unwrap();
    assert_eq!(rollcall.live_history_range(&Default::default()).await.unwrap().resolution, "5m");
    rollcall.leaderboards(&Default::default()).await.unwrap();
    let batch = rollcall.batch_servers(&[slug, "nothing-has-this-slug"]).await.unwrap();
    assert_eq!((batch.servers.len(), batch.missing), (1, vec!["nothing-has-this-slug".to_owned()]));
    assert_eq!(rollcall.compare_history(&[slug], &Default::default()).await.unwrap().servers[0].slug, slug);
    let player = &rollcall.list_players(&Default::default()).await.unwrap().players[0];
    assert_eq!(rollcall.player_detail(&player.id).await.unwrap().player.id, player.id);
    assert_eq!(rollcall.batch_players(&[&player.id]).await.unwrap().players.len(), 1);
    let skin = &rollcall.list_skins(&Default::default()).await.unwrap().skins[0];
    assert_eq!(rollcall.skin_detail(&skin.slug).await.unwrap().skin.id, skin.id);
    let cape = &rollcall.list_capes(&Default::default()).await.unwrap().capes[0];
    assert_eq!(rollcall.cape_detail(&cape.slug).await.unwrap().cape.id, cape.id);
    rollcall.events_list(&Default::default()).await.unwrap();
    rollcall.key_status().await.unwrap();
    let quota = rollcall.quota().expect("a quota");
    assert!(quota.minute < 10_000 && quota.month < 1_000_000, "{quota:?}");
}

#[tokio::test]
async fn lists_are_read_whole_each_item_once() {
    let rollcall = client().await;
    let query = IterServersQuery { sort: Some(ListServersSort::Name), ..Default::default() };
    let mut servers = rollcall.iter_servers(&query);
    let mut seen = HashMap::new();
    while let Some(server) = servers.next().await {
        let server = server.unwrap();
        assert_eq!(seen.insert(server.slug, server.created_at), None);
    }
    let total = rollcall.list_servers(&Default::default()).await.unwrap().pagination.total;
    assert_eq!(seen.len() as u64, total);

    // 90 days of hours are more than one page.
    let slug = seen.iter().min_by_key(|(_, created_at)| *created_at).unwrap().0;
    let days = ServerHistoryQuery {
        from: Some("2020-01-01".into()),
        resolution: Some(Resolution::Of1d),
        ..Default::default()
    };
    let from = rollcall.server_history(slug, &days).await.unwrap().points[0].at.clone();
    let query = IterServerHistoryQuery {
        from: Some(from),
        resolution: Some(Resolution::Of1h),
        fields: vec![Fields::Players],
        ..Default::default()
    };
    let points: Vec<_> = rollcall.iter_server_history(slug, &query).into_stream().collect().await;
    let times: Vec<String> = points.into_iter().map(|point| point.unwrap().at).collect();
    assert!(times.len() > 2_000 && times.is_sorted_by(|a, b| a < b), "{} points", times.len());
    assert!(rollcall.iter_live_history(&Default::default()).next().await.unwrap().unwrap().players.is_some());
}

#[tokio::test]
async fn a_leaderboard_is_a_list_too() {
    let query = IterLeaderboardsQuery { metric: Some(Metric::Sessions), ..Default::default() };
    // More than one page.
    let entries: Vec<_> = client().await.iter_leaderboards(&query).into_stream().take(150).collect().await;
    let entries: Vec<LeaderboardEntry> = entries.into_iter().map(Result::unwrap).collect();
    assert!(entries.is_sorted_by_key(|entry| entry.rank));
    assert_eq!(entries.iter().map(|entry| &entry.player.id).collect::<HashSet<_>>().len(), 150);

    let pages = [(&entries[..2], "\"c2\""), (&entries[2..3], "null")].map(|(entries, next)| {
        let entries = serde_json::to_string(entries).unwrap();
        let body = format!(r#"{{"success":true,"data":{{"leaderboard":{{"entries":{entries}}},"next":{next}}}}}"#);
        answer(200, "", &body)
    });
    let fake = Fake::start(pages.to_vec()).await;
    let query = IterLeaderboardsQuery { tier: Some("HT1".into()), ..Default::default() };
    let listed: Vec<_> = fake.client().build().unwrap().iter_leaderboards(&query).into_stream().collect().await;
    assert_eq!(listed.into_iter().map(Result::unwrap).collect::<Vec<_>>(), entries[..3]);
    let asked = ["start", "c2"].map(|after| format!("GET /v1/leaderboards?tier=HT1&limit=100&after={after} HTTP/1.1"));
    assert_eq!(fake.asked().iter().map(|head| head.lines().next().unwrap()).collect::<Vec<_>>(), asked);
}

#[tokio::test]
async fn an_error_has_the_message_the_status_and_the_request_id() {
    let rollcall = client().await;
    let query = ListServersQuery { limit: Some(1000), ..Default::default() };
    let error = rollcall.list_servers(&query).await.unwrap_err();
    assert!(error.to_string().starts_with("400: limit must be a whole number from 1 to 100"), "{error}");
    assert_eq!(error.status(), Some(400));
    assert!(error.request_id().is_some());
    assert_eq!(rollcall.player_detail("a/b?c").await.unwrap_err().status(), Some(404));
    let stranger = Client::new(&base_url(), "rc_wrong").unwrap();
    assert_eq!(stranger.live().await.unwrap_err().status(), Some(401));
    assert!(matches!(Client::new("stats.example.org", "rc_x"), Err(Error::Configuration(_))));
    let nowhere = Client::builder("http://127.0.0.1:1/v1", "rc_x").retries(0).build().unwrap();
    assert!(matches!(nowhere.live().await, Err(Error::Transport(_))));
}

#[tokio::test]
async fn a_used_up_limit_is_waited_for_but_not_for_too_long() {
    let (key, _) = known_key(&["--per-minute", "1000", "--per-day", "1", "--per-month", "1000"]).await;
    let rollcall = Client::builder(&base_url(), &key).max_wait(Duration::ZERO).build().unwrap();
    rollcall.live().await.unwrap();
    // Hours are left of the day.
    let error = rollcall.live().await.unwrap_err();
    assert_eq!(error.status(), Some(429));
    assert!(error.retry_after() > Some(Duration::ZERO));

    let busy = || answer(503, "retry-after: 0\r\n", "<p>busy</p>");
    let good = answer(200, "", r#"{"success":true,"data":{"countries":[]}}"#);
    let fake = Fake::start(vec![busy(), busy(), good]).await;
    assert!(fake.client().build().unwrap().server_countries().await.unwrap().countries.is_empty());
    assert_eq!(fake.asked().len(), 3);
    let fake = Fake::start(vec![busy(), busy()]).await;
    let error = fake.client().retries(1).build().unwrap().server_countries().await.unwrap_err();
    assert_eq!(error.to_string(), "503: unexpected answer");
}

#[tokio::test]
async fn answers_that_are_not_as_documented_are_refused() {
    let redirect = answer(302, "location: http://127.0.0.1:1/\r\n", "");
    let endless = "HTTP/1.1 200 X\r\n\r\n".to_owned() + &"x".repeat((32 << 20) + 1);
    let fake = Fake::start(vec![redirect, endless, answer(200, "", "<p>hello</p>")]).await;
    let rollcall = fake.client().retries(0).build().unwrap();
    assert_eq!(rollcall.live().await.unwrap_err().status(), Some(302));
    for _ in 0..2 {
        assert!(matches!(rollcall.live().await, Err(Error::Unexpected(_))));
    }
    assert!(fake.asked().iter().all(|head| head.contains("x-api-key: rc_x\r\n")));
}

#[test]
fn values_that_this_version_does_not_know_are_kept() {
    let event: Event = serde_json::from_str(
        r#"{"id":"1","type":"server.renamed","at":"2026-01-31T09:30:00.000Z","server":null,"player":null,"data":{"a":1},"more":true}"#,
    )
    .unwrap();
    assert_eq!(event.r#type, EventType::Other("server.renamed".into()));
    assert_eq!(event.details().unwrap(), EventDetails::Other(serde_json::json!({"a": 1})));
    assert_eq!(serde_json::to_value(&event.r#type).unwrap(), "server.renamed");
}
