//! `/dashboard/keys/{id}`: rotation, settings, quota and usage of one key.

use rollcall_model::time::{DAY, HOUR, iso, start_of_hour};

use super::{shared_server, until, until_status};
use crate::harness::{Browser, Engine, NOW, PASSWORD, Server, TestResponse};

fn remaining(answer: &TestResponse, window: &str) -> u32 {
    answer.header(&format!("x-ratelimit-remaining-{window}")).expect(window).parse().expect("a number")
}

/// Rotates a key with the form on its page, after a proof that may be needed.
async fn rotate(browser: &mut Browser<'_>, id: &str, grace: &str) -> String {
    browser.get("/dashboard/confirm").await;
    assert_eq!(browser.send("/dashboard/confirm", &[("password", PASSWORD)]).await.status, 303);
    let newest = browser.get(&format!("/dashboard/keys/{id}/security")).await.field("newest");
    let fields = [("newest", newest.as_str()), ("grace", grace)];
    let answer = browser.send(&format!("/dashboard/keys/{id}/rotate"), &fields).await;
    assert_eq!(answer.status, 200, "{}", answer.notice());
    answer.secret()
}

#[tokio::test]
async fn both_secrets_work_during_the_grace_period_and_share_one_quota() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        for (grace, span) in [("1h", HOUR), ("24h", DAY), ("7d", 7 * DAY)] {
            let (id, old) = ada.make_key(grace).await;
            let start = server.clock.now();
            let new = rotate(&mut ada, &id, grace).await;
            let left = remaining(&until_status(&server, &new, 200).await, "day");
            assert_eq!(remaining(&server.get_as(&old, "/capes").await, "day"), left - 1, "{grace}");
            assert_eq!(remaining(&server.get_as(&new, "/capes").await, "day"), left - 2, "{grace}");
            let page = ada.get(&format!("/dashboard/keys/{id}/security")).await.html();
            assert!(page.contains(&format!("old, valid until <time datetime=\"{}\">", iso(start + span))), "{grace}");
            server.clock.set(start + span - 1);
            assert_eq!(server.get_as(&old, "/capes").await.status, 200, "{grace}");
            server.clock.set(start + span);
            assert_eq!(server.get_as(&old, "/capes").await.status, 401, "{grace}");
            assert_eq!(server.get_as(&new, "/capes").await.status, 200, "{grace}");
        }
        let (id, old) = ada.make_key("none").await;
        let new = rotate(&mut ada, &id, "0").await;
        until_status(&server, &new, 200).await;
        assert_eq!(server.get_as(&old, "/capes").await.status, 401);
        let refused = ada.send(&format!("/dashboard/keys/{id}/rotate"), &[("grace", "2y")]).await;
        assert_eq!(refused.notice(), "Choose how long the old secret stays valid: 0, 1h, 24h or 7d.");
    }
}

#[tokio::test]
async fn a_form_that_is_sent_twice_rotates_once() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "rotates-twice").await;
        let (id, old) = ada.make_key("mine").await;
        let (page, rotate) = (format!("/dashboard/keys/{id}"), format!("/dashboard/keys/{id}/rotate"));
        let newest = ada.get(&format!("{page}/security")).await.field("newest");
        let fields = [("newest", newest.as_str()), ("grace", "24h")];
        let forms = (0..6).map(|_| {
            let (mut browser, rotate) = (ada.clone(), rotate.clone());
            async move { browser.send(&rotate, &fields).await }
        });
        let answers = futures_util::future::join_all(forms).await;
        let (shown, led): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
        assert_eq!(shown.len(), 1, "{} secrets were made", shown.len());
        for answer in led {
            assert_eq!(answer.redirect_target(), format!("{page}/security?done=rotated-before"));
        }
        until_status(server, &shown[0].secret(), 200).await;
        assert_eq!(server.get_as(&old, "/capes").await.status, 200, "the first is still in its grace");
        assert_eq!(
            ada.send(&format!("{page}/end-old"), &[]).await.redirect_target(),
            format!("{page}/security?done=ended")
        );
        until_status(server, &old, 401).await;
        assert_eq!(server.get_as(&shown[0].secret(), "/capes").await.status, 200);
    }
}

#[tokio::test]
async fn a_key_can_be_renamed_limited_disabled_enabled_and_deleted() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "lives-on").await;
        let (id, secret) = ada.make_key("before").await;
        let page = format!("/dashboard/keys/{id}");
        until_status(server, &secret, 200).await;
        let mut act = async |verb: &str, fields: &[(&str, &str)]| {
            let answer = ada.send(&format!("{page}/{verb}"), fields).await;
            if answer.status == 303 { answer.redirect_target().to_owned() } else { answer.notice() }
        };
        assert_eq!(act("rename", &[("name", "after")]).await, format!("{page}/settings?done=renamed"));
        assert_eq!(act("rename", &[("name", "")]).await, "The key name must have 1 to 100 characters on one line.");
        assert_eq!(act("expiry", &[("expires", "2099-12-31")]).await, format!("{page}/settings?done=expiry"));
        assert!(
            act("expiry", &[("expires", "1999-12-31")]).await.starts_with("The expiry date must be today or later")
        );
        assert_eq!(act("disable", &[]).await, format!("{page}/settings?done=disabled"));
        assert_eq!(until_status(server, &secret, 403).await.error(), "API key disabled");
        assert_eq!(act("enable", &[]).await, format!("{page}/settings?done=enabled"));
        until_status(server, &secret, 200).await;
        assert_eq!(act("delete", &[]).await, "Check the box to confirm the deletion.");
        let shown = ada.get(&format!("{page}/settings")).await;
        assert_eq!((shown.heading().as_str(), shown.field("expires").as_str()), ("after", "2099-12-31"));
        assert_eq!(
            ada.send(&format!("{page}/delete"), &[("sure", "yes")]).await.redirect_target(),
            "/dashboard?done=deleted"
        );
        until_status(server, &secret, 401).await;
        assert_eq!(ada.get(&page).await.status, 404);
    }
}

#[tokio::test]
async fn the_page_shows_the_remaining_quota_of_the_api() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "counts-calls").await;
        let (id, secret) = ada.make_key("counted").await;
        until_status(&server, &secret, 200).await;
        for _ in 0..4 {
            server.get_as(&secret, "/capes").await;
        }
        let last = server.get_as(&secret, "/capes").await;
        let figures = ["minute", "day", "month"].map(|window| {
            let limit = last.header(&format!("x-ratelimit-limit-{window}")).unwrap();
            let left = remaining(&last, window);
            format!("<data value=\"{left}\">{left}</data> <span class=\"soft\">of <data value=\"{limit}\">{limit}</data></span>")
        });
        // Reserved quota is returned after an idle second.
        server.clock.set(NOW + 2_000);
        for path in [&format!("/dashboard/keys/{id}"), "/dashboard"] {
            until(&mut ada, path, |page| figures.iter().all(|figure| page.html().contains(figure))).await;
        }
    }
}

#[tokio::test]
async fn usage_appears_on_the_page_and_as_csv() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut ada = Browser::signed_up(server, "used-a-lot").await;
        let (one, secret) = ada.make_key("one").await;
        until_status(server, &secret, 200).await;
        let (other, second) = ada.make_key("=two, \"2\"").await;
        until_status(server, &second, 200).await;
        let known = server.get_as(&secret, "/capes").await.body.len();
        let unknown = server.get_as(&secret, "/capes/none").await.body.len();
        let hour = iso(start_of_hour(NOW));
        let file = |answer: &TestResponse| {
            assert_eq!(answer.header("content-type"), Some("text/csv; charset=utf-8"));
            assert_eq!(answer.header("cache-control"), Some("no-store"));
            assert_eq!(answer.header("content-disposition"), Some("attachment; filename=\"rollcall-usage-day.csv\""));
            answer.html()
        };
        let head = "time,key,endpoint,status,requests,bytes\r\n";
        // The first successful call of `until_status` counts as well.
        let calls = |text: &str| {
            text.lines().skip(1).map(|line| line.rsplit(',').nth(1).unwrap().parse::<u32>().unwrap()).sum::<u32>()
        };
        let whole = until(&mut ada, "/dashboard/usage.csv", |answer| calls(&answer.html()) >= 4).await;
        let ones = format!("{hour},one,/capes,2xx,2,{}\r\n{hour},one,/capes/{{slug}},4xx,1,{unknown}\r\n", 2 * known);
        let twos = format!("{hour},\"'=two, \"\"2\"\"\",/capes,2xx,1,{known}\r\n");
        let mut lines: Vec<&str> = ones.lines().chain(twos.lines()).collect();
        let text = file(&whole);
        let mut found: Vec<&str> = text.strip_prefix(head).expect("a head").lines().collect();
        lines.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, lines);
        assert_eq!(file(&ada.get(&format!("/dashboard/keys/{one}/usage.csv")).await), format!("{head}{ones}"));
        assert_eq!(file(&ada.get(&format!("/dashboard/keys/{other}/usage.csv")).await), format!("{head}{twos}"));
        let page = ada.get(&format!("/dashboard/keys/{one}/usage?range=month")).await.html();
        assert!(page.contains("<dt>Requests</dt><dd><data value=\"3\">3</data></dd>"), "{page}");
        assert!(page.contains("last used <time datetime="));
    }
}
