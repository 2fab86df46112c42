//! `/operator/keys/{id}`: one API key for operators; limits set directly.

use super::{shared_server, until, until_status};
use crate::harness::{Browser, Engine};

#[tokio::test]
async fn the_page_of_a_key_shows_its_owner_quota_usage_and_restrictions() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "owns-a-key").await;
        let (id, secret) = ada.make_key("drilled into").await;
        let limits = [("networks", "127.0.0.0/8\n10.0.0.0/8"), ("origins", ""), ("endpoint /capes", "on")];
        ada.send(&format!("/dashboard/keys/{id}/restrict"), &limits).await;
        until_status(server, &secret, 200).await;
        let mut root = Browser::operator(server, "drills").await;
        let page = format!("/operator/keys/{id}");
        // Usage is written with a delay.
        let shown = until(&mut root, &page, |page| page.html().contains("<code>/capes</code><svg")).await.html();
        assert!(shown.contains("<h1>drilled into</h1>") && shown.contains(">owns-a-key</a>"), "{shown}");
        assert!(shown.contains("<p>IP ranges: <code>10.0.0.0/8, 127.0.0.0/8</code></p>"), "{shown}");
        assert!(shown.contains("<p>Endpoints: <code>/capes</code></p>") && !shown.contains("Origins:"));
        assert!(shown.contains(&format!("<rc-live parts class=\"stack\" from=\"{page}/live?range=day\">")));
        // Ranges keep the list that led here.
        let filtered = root.get(&format!("{page}?find=owns&range=month")).await.html();
        assert!(filtered.contains(&format!("<a href=\"{page}?find=owns&#38;range=hour#usage\">60 minutes</a>")));
        assert!(filtered.contains("<a href=\"/operator/keys?find=owns\">All API keys</a>"));
        let live = root.get(&format!("{page}/live?range=day")).await;
        assert_eq!(live.status, 200);
        for part in ["usage-chart", "key-state", "key-quota"] {
            assert!(live.html().contains(&format!("<div id=\"{part}\"")), "{part}");
        }
        let csv = root.get(&format!("{page}/usage.csv?range=day")).await.html();
        assert!(
            csv.starts_with("time,key,endpoint,status,requests,bytes\r\n") && csv.contains(",drilled into,/capes,2xx,")
        );
        // Neither its owner nor anybody else finds these pages.
        for path in [page.clone(), format!("{page}/live"), format!("{page}/usage.csv")] {
            assert_eq!(ada.get(&path).await.status, 404, "{path}");
        }
    }
}

#[tokio::test]
async fn limits_are_set_directly_and_take_effect() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "gets-limits").await;
        let (id, secret) = ada.make_key("limited").await;
        let configured = until_status(server, &secret, 200).await.header("x-ratelimit-limit-minute").map(str::to_owned);
        let mut root = Browser::operator(server, "sets-limits").await;
        let page = format!("/operator/keys/{id}");
        let fields =
            [("per_minute", "77"), ("per_day", ""), ("per_month", "99999"), ("from", "page"), ("find", "gets")];
        let done = root.send(&format!("{page}/limits"), &fields).await;
        assert_eq!(done.redirect_target(), format!("{page}?done=limits-set&find=gets"));
        let shown = root.get(done.redirect_target()).await;
        assert_eq!(shown.notice(), "Limits set. They take effect within a second.");
        let values = ["per_minute", "per_day", "per_month"].map(|name| shown.field(name));
        assert_eq!(values, ["77", "", "99999"]);
        let has_limit = |limit: Option<&str>| {
            let limit = limit.map(str::to_owned);
            let secret = secret.clone();
            async move {
                let wanted = |answer: &crate::harness::TestResponse| {
                    answer.header("x-ratelimit-limit-minute").map(str::to_owned) == limit
                };
                server.until_as(&secret, "/capes", wanted).await
            }
        };
        has_limit(Some("77")).await;
        let log = root.get("/operator/log?find=gets-limits").await.html();
        assert!(log.contains("77 a minute, default a day, 99999 a month"), "{log}");
        for (wrong, message) in [
            ("0", "Each limit must be a whole number from 1 to 4294967295, not “0”."),
            ("many", "Each limit must be a whole number from 1 to 4294967295, not “many”."),
            ("4294967296", "Each limit must be a whole number from 1 to 4294967295, not “4294967296”."),
        ] {
            let refused = root.send(&format!("{page}/limits"), &[("per_minute", "5"), ("per_day", wrong)]).await;
            assert_eq!((refused.status, refused.notice().as_str()), (422, message));
            assert_eq!([refused.field("per_minute"), refused.field("per_day")], ["5", wrong], "what was typed stays");
        }
        // Empty fields mean the configured limits.
        root.send(&format!("{page}/limits"), &[]).await;
        has_limit(configured.as_deref()).await;
    }
}

#[tokio::test]
async fn a_key_is_disabled_and_enabled_on_its_page() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "switched").await;
        let (id, secret) = ada.make_key("switch").await;
        until_status(server, &secret, 200).await;
        let mut root = Browser::operator(server, "switches").await;
        let page = format!("/operator/keys/{id}");
        let fields = [("sure", "yes"), ("from", "page"), ("find", "switched")];
        let done = root.send(&format!("{page}/disable"), &fields).await;
        assert_eq!(done.redirect_target(), format!("{page}?done=disabled&find=switched"));
        let shown = root.get(done.redirect_target()).await;
        assert_eq!(shown.notice(), "API key disabled. Requests with it are rejected.");
        assert!(shown.html().contains(&format!("action=\"{page}/enable\"")));
        until_status(server, &secret, 403).await;
        let done = root.send(&format!("{page}/enable"), &fields[1..]).await;
        assert_eq!(done.redirect_target(), format!("{page}?done=enabled&find=switched"));
        until_status(server, &secret, 200).await;
    }
}
