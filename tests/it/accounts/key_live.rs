//! The tabs of a key, and the parts of a page that follow live.

use super::{shared_server, until, until_status};
use crate::harness::{Browser, Engine, TestResponse};

/// The tags of all live parts of a page.
fn tags(page: &TestResponse) -> Vec<String> {
    let html = page.html();
    html.split("data-tag=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

/// The ids of the parts in a refresh.
fn parts(answer: &TestResponse) -> Vec<String> {
    let html = answer.html();
    html.split("<div id=\"")
        .skip(1)
        .filter(|rest| rest.split('>').next().is_some_and(|tag| tag.contains("data-tag")))
        .filter_map(|rest| rest.split('"').next())
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn a_refresh_sends_the_parts_that_changed_without_secrets() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "watches-live").await;
        let (id, secret) = ada.make_key("watched").await;
        let page = format!("/dashboard/keys/{id}");
        let live = format!("{page}/live?tab=");
        for (path, live, count) in [
            (page.clone(), live.clone(), 4),
            (format!("{page}/usage"), format!("{live}usage&range=day"), 5),
            (format!("{page}/security"), format!("{live}security"), 1),
            (format!("{page}/settings"), format!("{live}settings"), 1),
            ("/dashboard".to_owned(), "/dashboard/live?range=day".to_owned(), 5),
        ] {
            let shown = ada.get(&path).await;
            let known = tags(&shown);
            assert_eq!((shown.status, known.len()), (200, count), "{path}");
            let from =
                shown.html().split("<rc-live parts").nth(1).map(|rest| rest.split('>').next().unwrap().to_owned());
            assert!(from.unwrap().contains(&format!("from=\"{}\"", live.replace('&', "&#38;"))), "{path}");
            let unchanged = ada.get(&format!("{live}&have={}", known.join("."))).await;
            assert_eq!((unchanged.status, unchanged.body.len()), (204, 0), "{path}");
            let all = ada.get(&live).await;
            assert_eq!((all.status, parts(&all).len()), (200, count), "{path}");
            assert_eq!(all.header("cache-control"), Some("no-store"), "{path}");
            assert!(!all.html().contains(&ada.token) && !all.html().contains(&secret), "{path}");
            // Nothing of the request is in the answer, so that its size tells nothing of what it holds.
            let reflected = ada.get(&format!("{live}&have=reflected&range=reflected&x=reflected")).await;
            assert!(!reflected.html().contains("reflected"), "{path}");
        }
        let known = tags(&ada.get(&page).await).join(".");
        until_status(server, &secret, 200).await;
        let refresh = format!("{live}&have={known}");
        let changed = until(&mut ada, &refresh, |answer| {
            answer.status == 200 && answer.html().contains("last used") && parts(answer).len() == 4
        });
        assert!(!changed.await.html().contains("never used"));
    }
}

#[tokio::test]
async fn a_refresh_is_compressed() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "saves-bytes").await;
        let (id, secret) = ada.make_key("watched").await;
        until_status(server, &secret, 200).await;
        let live = format!("/dashboard/keys/{id}/live?tab=usage&range=month");
        until(&mut ada, &live, |answer| answer.html().contains("<svg")).await;
        let plain = ada.get(&live).await;
        let mut zipped = ada.clone().with("accept-encoding", "gzip");
        let compressed = zipped.get(&live).await;
        assert_eq!(compressed.header("content-encoding"), Some("gzip"));
        assert_eq!(compressed.header("vary"), Some("Accept-Encoding"));
        assert!(compressed.body.len() * 4 < plain.body.len(), "{} of {}", compressed.body.len(), plain.body.len());
        // Pages with a CSRF token are not.
        let page = zipped.get(&format!("/dashboard/keys/{id}/settings")).await;
        assert_eq!((page.status, page.header("content-encoding")), (200, None));
    }
}

#[tokio::test]
async fn the_last_hour_is_shown_by_minute() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "by-the-minute").await;
        let (id, secret) = ada.make_key("watched").await;
        until_status(server, &secret, 200).await;
        let usage = format!("/dashboard/keys/{id}/usage?range=hour");
        let shown = until(&mut ada, &usage, |page| page.html().contains("<tr><td><time")).await.html();
        assert_eq!(shown.matches("<tr><td><time").count(), 60);
        assert!(shown.contains("Requests per minute") && shown.contains("<th scope=\"col\">Minute</th>"));
        let csv = ada.get(&format!("/dashboard/keys/{id}/usage.csv?range=hour")).await;
        assert_eq!(csv.header("content-disposition"), Some("attachment; filename=\"rollcall-usage-hour.csv\""));
        let minute = rollcall_model::time::iso(rollcall_model::time::start_of_minute(server.clock.now()));
        assert!(csv.html().contains(&format!("{minute},watched,/capes,2xx,1,")), "{}", csv.html());
    }
}
