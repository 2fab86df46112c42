//! Asking for higher limits, and what comes of it.

use super::{desk, until_status};
use crate::harness::{Answer, Engine, Guest};

async fn ask(guest: &mut Guest<'_>, id: &str, per_minute: &str, reason: &str) -> Answer {
    let fields = [("per_minute", per_minute), ("per_day", "5000"), ("per_month", "90000"), ("reason", reason)];
    guest.send(&format!("/dashboard/keys/{id}/limits"), &fields).await
}

/// Where the operator decides on the wish with this reason.
async fn wish(operator: &mut Guest<'_>, reason: &str) -> String {
    let html = operator.get("/operator").await.html();
    let before = html.split(&format!("<blockquote>{reason}</blockquote>")).next().expect("a part");
    let (_, rest) = before.rsplit_once("action=\"").unwrap_or_else(|| panic!("no wish in {html}"));
    rest.split('"').next().expect("an end").to_owned()
}

#[tokio::test]
async fn what_is_granted_is_in_force_within_a_moment() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "wants-more").await;
        let mut root = Guest::operator(server, "grants").await;
        let (id, secret) = ada.make_key("hungry").await;
        until_status(server, &secret, 200).await;
        let page = format!("/dashboard/keys/{id}");
        assert_eq!(ask(&mut ada, &id, "77", "a map of all servers").await.leads_to(), format!("{page}?done=asked"));
        let waiting = ada.get(&page).await.html();
        assert!(waiting.contains("An operator will answer here.") && !waiting.contains("Ask for more"));
        // A second one is not taken while the first waits.
        ask(&mut ada, &id, "78", "a second wish").await;
        assert!(!root.get("/operator").await.html().contains("a second wish"));
        let decide = wish(&mut root, "a map of all servers").await;
        let limits = [("per_minute", "70"), ("per_day", "5000"), ("per_month", "90000")];
        let granted = [&limits[..], &[("decision", "grant"), ("answer", "Have fun.")]].concat();
        assert_eq!(root.send(&decide, &granted).await.leads_to(), "/operator?done=granted");
        assert_eq!(root.send(&decide, &granted).await.status, 404, "it was decided before");
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while server.get_as(&secret, "/capes").await.header("x-ratelimit-limit-minute") != Some("70") {
            assert!(std::time::Instant::now() < deadline, "the limits stay");
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        let answered = ada.get(&page).await.html();
        assert!(answered.contains("Your last wish was granted. “Have fun.”") && answered.contains("Ask for more"));
    }
}

#[tokio::test]
async fn what_is_refused_says_why() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "wants-all").await;
        let mut root = Guest::operator(server, "refuses").await;
        let (id, secret) = ada.make_key("greedy").await;
        ask(&mut ada, &id, "4294967295", "world domination").await;
        let decide = wish(&mut root, "world domination").await;
        let long = "x".repeat(501);
        for (fields, words) in [
            (vec![("decision", "maybe")], "A wish is granted or refused, not “maybe”."),
            (vec![("decision", "refuse"), ("answer", long.as_str())], "An answer has at most 500 characters."),
            (
                vec![("decision", "grant"), ("per_minute", "0")],
                "Each limit is a whole number from 1 to 4294967295, not “0”.",
            ),
        ] {
            let answer = root.send(&decide, &fields).await;
            assert_eq!((answer.status, answer.notice().as_str()), (422, words));
        }
        let refuse = [("decision", "refuse"), ("answer", "That is a lot.")];
        assert_eq!(root.send(&decide, &refuse).await.leads_to(), "/operator?done=refused");
        let page = ada.get(&format!("/dashboard/keys/{id}")).await.html();
        assert!(page.contains("Your last wish was refused. “That is a lot.”"), "{page}");
        assert_eq!(until_status(server, &secret, 200).await.header("x-ratelimit-limit-minute"), Some("60"));
        // And it may be asked again.
        assert_eq!(ask(&mut ada, &id, "61", "a little more").await.status, 303);
        wish(&mut root, "a little more").await;
    }
}

#[tokio::test]
async fn a_wish_has_three_numbers_and_a_reason() {
    let long = "x".repeat(1001);
    for engine in Engine::BOTH {
        let mut ada = Guest::signed_up(desk(engine), "wishes-wrong").await;
        let (id, _) = ada.make_key("mine").await;
        for (per_minute, reason, words) in [
            ("0", "x", "Each limit is a whole number from 1 to 4294967295, not “0”."),
            ("-1", "x", "Each limit is a whole number from 1 to 4294967295, not “-1”."),
            ("4294967296", "x", "Each limit is a whole number from 1 to 4294967295, not “4294967296”."),
            ("", "x", "Each limit is a whole number from 1 to 4294967295, not “”."),
            ("70", " ", "Say in 1 to 1000 characters what you need the calls for."),
            ("70", &long, "Say in 1 to 1000 characters what you need the calls for."),
        ] {
            let answer = ask(&mut ada, &id, per_minute, reason).await;
            assert_eq!((answer.status, answer.notice().as_str()), (422, words));
        }
        assert!(ada.get(&format!("/dashboard/keys/{id}")).await.html().contains("Ask for more"));
    }
}

#[tokio::test]
async fn of_many_wishes_at_once_one_waits() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "wishes-a-lot").await;
        let (id, _) = ada.make_key("mine").await;
        let wishes = (0..8).map(|i| {
            let (mut guest, id, reason) = (ada.clone(), id.clone(), format!("one of many {i}"));
            async move { ask(&mut guest, &id, "70", &reason).await.status }
        });
        assert_eq!(futures_util::future::join_all(wishes).await, [303; 8]);
        let mut root = Guest::operator(server, "counts").await;
        assert_eq!(root.get("/operator").await.html().matches("<blockquote>one of many ").count(), 1);
    }
}

/// On PostgreSQL each locks what the other wants; neither may fail for it.
#[tokio::test]
async fn what_is_granted_while_its_owner_deletes_it_fails_for_neither() {
    for engine in Engine::BOTH {
        let server = desk(engine);
        let mut ada = Guest::signed_up(server, "changes-mind").await;
        let root = Guest::operator(server, "decides").await;
        for round in 0..3 {
            let mut acts = Vec::new();
            for i in 0..6 {
                let (id, _) = ada.make_key(&format!("key {i}")).await;
                let reason = format!("ended while granted {round} {i}");
                ask(&mut ada, &id, "70", &reason).await;
                let decide = wish(&mut root.clone(), &reason).await;
                let grant = vec![("decision", "grant"), ("per_minute", "7"), ("per_day", "8"), ("per_month", "9")];
                acts.push((root.clone(), decide, grant));
                acts.push((ada.clone(), format!("/dashboard/keys/{id}/delete"), vec![("sure", "yes")]));
            }
            let acts = acts.into_iter().map(async |(mut guest, path, fields)| guest.send(&path, &fields).await.status);
            let outcomes = futures_util::future::join_all(acts).await;
            assert!(outcomes.iter().all(|status| matches!(status, 303 | 404)), "{outcomes:?}");
        }
    }
}
