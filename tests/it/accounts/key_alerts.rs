//! Alerts at 80 % and 100 % of the quota of a day or a month.

use rollcall_model::quota::{AlertSpan, QuotaAlert};
use rollcall_model::time::{DAY, start_of_day, start_of_month};
use rollcall_store::{Conn, keys, quota_alerts};

use super::{until, until_status};
use crate::harness::{Browser, Engine, NOW, Server, run_blocking};

/// The recorded alerts of the key: span, start of the window, percent.
fn recorded(server: &Server) -> Vec<(AlertSpan, i64, u32)> {
    let n = server.store.change(|conn| Ok(keys::all(conn)?.iter().find(|key| key.name == "busy").expect("the key").n));
    let ledger = server.store.database.ledger();
    let alerts = run_blocking(|| quota_alerts::of_key(&mut Conn::open(&ledger).unwrap(), n, 0).unwrap());
    alerts.into_iter().map(|QuotaAlert { span, window_start, percent, .. }| (span, window_start, percent)).collect()
}

#[tokio::test]
async fn each_share_of_a_window_is_recorded_once_and_shown() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| {
            (config.limits.per_minute, config.limits.per_day, config.limits.per_month) = (100, 10, 1_000);
        });
        let mut ada = Browser::signed_up(&server, "ada").await;
        let (id, secret) = ada.make_key("busy").await;
        let page = format!("/dashboard/keys/{id}");
        until_status(&server, &secret, 200).await;
        for _ in 0..6 {
            assert_eq!(server.get_as(&secret, "/capes").await.status, 200);
        }
        server.clock.set(NOW + 2_000);
        let calm = until(&mut ada, &page, |page| page.html().contains("<data value=\"3\">3</data>")).await;
        assert!(!calm.html().contains("of the quota of today"));
        assert_eq!(recorded(&server), []);
        assert_eq!(server.get_as(&secret, "/capes").await.status, 200);
        server.clock.set(NOW + 4_000);
        let day = start_of_day(NOW);
        // Shown with the time of the record, on the page and in the list.
        let warning = "<p class=\"notice warn\">80 % of the quota of today is used. <span";
        until(&mut ada, &page, |page| page.html().contains(warning)).await;
        assert!(ada.get("/dashboard").await.html().contains("<span class=\"pill warn\">80 % of today</span>"));
        assert_eq!(recorded(&server), [(AlertSpan::Day, day, 80)]);
        for status in [200, 200, 429, 429] {
            assert_eq!(server.get_as(&secret, "/capes").await.status, status);
        }
        server.clock.set(NOW + 6_000);
        let full = "<p class=\"notice bad\">The quota of today is used up. <span";
        until(&mut ada, &page, |page| page.html().contains(full)).await;
        let both = [(AlertSpan::Day, day, 80), (AlertSpan::Day, day, 100)];
        assert_eq!(recorded(&server), both);
        // A restart does not record them again; the next day has alerts of its own.
        server.clock.set(NOW + DAY);
        let next = until_status(&server, &secret, 200).await;
        assert_eq!(next.header("x-ratelimit-remaining-day"), Some("9"));
        assert!(!ada.get(&page).await.html().contains("of today"), "a new window");
        assert_eq!(recorded(&server), both);
        assert_eq!(start_of_month(NOW), start_of_month(NOW + DAY), "the month is far from its limit");
    }
}
