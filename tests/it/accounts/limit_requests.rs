//! Limit requests: creating, granting and declining.

use super::{shared_server, until_status};
use crate::harness::{Browser, Engine, TestResponse};

async fn request(browser: &mut Browser<'_>, id: &str, per_minute: &str, reason: &str) -> TestResponse {
    let fields = [("per_minute", per_minute), ("per_day", "5000"), ("per_month", "90000"), ("reason", reason)];
    browser.send(&format!("/dashboard/keys/{id}/limits"), &fields).await
}

/// The form action for the limit request with this reason.
async fn decision_path(operator: &mut Browser<'_>, reason: &str) -> String {
    let html = operator.get("/operator/limit-requests").await.html();
    let before = html.split(&format!("<blockquote>{reason}</blockquote>")).next().expect("a part");
    let (_, rest) = before.rsplit_once("action=\"").unwrap_or_else(|| panic!("no limit request in {html}"));
    rest.split('"').next().expect("an end").to_owned()
}

#[tokio::test]
async fn granted_limits_take_effect() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "wants-more").await;
        let mut root = Browser::operator(server, "grants").await;
        let (id, secret) = ada.make_key("hungry").await;
        until_status(server, &secret, 200).await;
        let page = format!("/dashboard/keys/{id}/settings");
        assert_eq!(
            request(&mut ada, &id, "77", "a map of all servers").await.redirect_target(),
            format!("{page}?done=asked")
        );
        let waiting = ada.get(&page).await.html();
        assert!(waiting.contains("An operator will reply here.") && !waiting.contains("Request higher limits"));
        // A second request is ignored while the first is open.
        request(&mut ada, &id, "78", "a second request").await;
        assert!(!root.get("/operator/limit-requests").await.html().contains("a second request"));
        let decide = decision_path(&mut root, "a map of all servers").await;
        let limits = [("per_minute", "70"), ("per_day", "5000"), ("per_month", "90000")];
        let granted = [&limits[..], &[("decision", "grant"), ("answer", "Have fun.")]].concat();
        assert_eq!(root.send(&decide, &granted).await.redirect_target(), "/operator/limit-requests?done=granted");
        assert_eq!(root.send(&decide, &granted).await.status, 404, "already decided");
        let has_new_limit = |answer: &TestResponse| answer.header("x-ratelimit-limit-minute") == Some("70");
        server.until_as(&secret, "/capes", has_new_limit).await;
        let answered = ada.get(&page).await.html();
        assert!(
            answered.contains("Your last limit request was granted. “Have fun.”")
                && answered.contains("Request higher limits")
        );
    }
}

#[tokio::test]
async fn a_declined_request_shows_the_reply() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "wants-all").await;
        let mut root = Browser::operator(server, "refuses").await;
        let (id, secret) = ada.make_key("greedy").await;
        request(&mut ada, &id, "4294967295", "world domination").await;
        let decide = decision_path(&mut root, "world domination").await;
        let long = "x".repeat(501);
        for (fields, words) in [
            (vec![("decision", "maybe")], "Grant or decline the limit request, not “maybe”."),
            (vec![("decision", "refuse"), ("answer", long.as_str())], "The reply must have at most 500 characters."),
            (
                vec![("decision", "grant"), ("per_minute", "0")],
                "Each limit must be a whole number from 1 to 4294967295, not “0”.",
            ),
        ] {
            let answer = root.send(&decide, &fields).await;
            assert_eq!((answer.status, answer.notice().as_str()), (422, words));
        }
        let refuse = [("decision", "refuse"), ("answer", "That is a lot.")];
        assert_eq!(root.send(&decide, &refuse).await.redirect_target(), "/operator/limit-requests?done=refused");
        let page = ada.get(&format!("/dashboard/keys/{id}/settings")).await.html();
        assert!(page.contains("Your last limit request was declined. “That is a lot.”"), "{page}");
        assert_eq!(until_status(server, &secret, 200).await.header("x-ratelimit-limit-minute"), Some("60"));
        // A new request is possible.
        assert_eq!(request(&mut ada, &id, "61", "a little more").await.status, 303);
        decision_path(&mut root, "a little more").await;
    }
}

#[tokio::test]
async fn a_limit_request_has_three_numbers_and_a_reason() {
    let long = "x".repeat(1001);
    for engine in Engine::BOTH {
        let mut ada = Browser::signed_up(shared_server(engine), "wishes-wrong").await;
        let (id, _) = ada.make_key("mine").await;
        for (per_minute, reason, words) in [
            ("0", "x", "Each limit must be a whole number from 1 to 4294967295, not “0”."),
            ("-1", "x", "Each limit must be a whole number from 1 to 4294967295, not “-1”."),
            ("4294967296", "x", "Each limit must be a whole number from 1 to 4294967295, not “4294967296”."),
            ("", "x", "Each limit must be a whole number from 1 to 4294967295, not “”."),
            ("70", " ", "The reason must have 1 to 1000 characters."),
            ("70", &long, "The reason must have 1 to 1000 characters."),
        ] {
            let answer = request(&mut ada, &id, per_minute, reason).await;
            assert_eq!((answer.status, answer.notice().as_str()), (422, words));
        }
        assert!(ada.get(&format!("/dashboard/keys/{id}/settings")).await.html().contains("Request higher limits"));
    }
}

#[tokio::test]
async fn only_one_of_several_concurrent_requests_is_stored() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "wishes-a-lot").await;
        let (id, _) = ada.make_key("mine").await;
        let requests = (0..8).map(|i| {
            let (mut browser, id, reason) = (ada.clone(), id.clone(), format!("one of many {i}"));
            async move { request(&mut browser, &id, "70", &reason).await.status }
        });
        assert_eq!(futures_util::future::join_all(requests).await, [303; 8]);
        let mut root = Browser::operator(server, "counts").await;
        assert_eq!(root.get("/operator/limit-requests").await.html().matches("<blockquote>one of many ").count(), 1);
    }
}

/// On PostgreSQL granting and deleting lock the same rows in different order; neither may deadlock.
#[tokio::test]
async fn granting_and_deleting_a_key_concurrently_does_not_deadlock() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "changes-mind").await;
        let root = Browser::operator(server, "decides").await;
        for round in 0..3 {
            let mut acts = Vec::new();
            for i in 0..6 {
                let (id, _) = ada.make_key(&format!("key {i}")).await;
                let reason = format!("ended while granted {round} {i}");
                request(&mut ada, &id, "70", &reason).await;
                let decide = decision_path(&mut root.clone(), &reason).await;
                let grant = vec![("decision", "grant"), ("per_minute", "7"), ("per_day", "8"), ("per_month", "9")];
                acts.push((root.clone(), decide, grant));
                acts.push((ada.clone(), format!("/dashboard/keys/{id}/delete"), vec![("sure", "yes")]));
            }
            let acts =
                acts.into_iter().map(async |(mut browser, path, fields)| browser.send(&path, &fields).await.status);
            let outcomes = futures_util::future::join_all(acts).await;
            assert!(outcomes.iter().all(|status| matches!(status, 303 | 404)), "{outcomes:?}");
        }
    }
}
