//! `/operator`: the state of the service.

use rollcall_model::time::{HOUR, MINUTE, SECOND};
use rollcall_store::usage::{self, KeyUsage, UsageIncrement};
use rollcall_store::{Conn, values};

use super::until;
use crate::harness::{Browser, Engine, NOW, Server, TestResponse, run_blocking};

/// The text of a figure, without markup.
fn figure(page: &TestResponse, title: &str) -> String {
    let html = page.html();
    let value = html.split(&format!("<dt>{title}</dt><dd")).nth(1).unwrap_or_else(|| panic!("no {title} in {html}"));
    let value = value.split_once('>').expect("an end").1.split("</dd>").next().expect("an end");
    let text: String = value.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Usage of the server's key: `(age, status, requests)`.
fn use_key(server: &Server, used: &[(i64, &'static str, i64)]) {
    let line = |&(age, status, requests): &(i64, &'static str, i64)| UsageIncrement {
        minute: NOW - age,
        endpoint: "/servers",
        status,
        requests,
        bytes: 10 * requests,
    };
    run_blocking(|| {
        let key_n: i64 = server
            .store
            .conn()
            .query_one("select n from keys order by n limit 1", &[], |row| row.get(0))
            .expect("the key");
        let lines = used.iter().map(line).collect();
        let usage = KeyUsage { key_n, last_used_at: NOW, lines, alerts: Vec::new() };
        usage::add(&mut Conn::open(&server.store.database.ledger()).expect("the ledger"), &[usage]).expect("written");
    });
}

#[tokio::test]
async fn traffic_and_errors_come_from_the_ledger() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut root = Browser::operator(&server, "root").await;
        let page = root.get("/operator").await;
        assert_eq!(figure(&page, "Requests, 24 hours"), "0 last hour: 0");
        assert!(page.html().contains("No API key was used in this period.") && !page.html().contains("curl -H"));
        use_key(
            &server,
            &[
                (10 * MINUTE, "2xx", 1_000),
                (10 * MINUTE, "5xx", 3),
                (20 * MINUTE, "429", 5),
                (5 * HOUR, "2xx", 400),
                (5 * HOUR, "4xx", 7),
                (30 * HOUR, "5xx", 900),
            ],
        );
        let page = root.get("/operator").await;
        assert_eq!(figure(&page, "Requests, 24 hours"), "1,415 last hour: 1,008");
        assert_eq!(figure(&page, "Server errors, 24 hours"), "3 last hour: 3");
        assert_eq!(figure(&page, "Refused, 24 hours"), "12 last hour: 5");
        let html = page.html();
        assert!(
            html.contains("Requests per hour: 1,415 in total; Successful: 1,400, Client errors: 7, Server errors: 3")
        );
        assert!(html.contains("<data value=\"1415\">1,415</data></td>"), "the busiest key: {html}");
        let month = root.get("/operator?range=month").await.html();
        assert!(month.contains("Requests per day: 2,315 in total"), "{month}");
        assert!(month.contains("<a href=\"/operator?range=month#usage\" aria-current=\"true\">"));
        // The page asks for what changed.
        let live = root.get("/operator/live?range=day").await.html();
        let tags = live.split("data-tag=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let known = tags.collect::<Vec<_>>().join(".");
        assert_eq!(known.split('.').count(), 8);
        // The disk of the test machine may have changed; nothing else has.
        let again = root.get(&format!("/operator/live?range=day&have={known}")).await.html();
        assert!(again.matches("data-tag").count() <= 1 && !again.contains("usage-chart"), "{again}");
        use_key(&server, &[(0, "2xx", 1)]);
        assert!(root.get(&format!("/operator/live?range=day&have={known}")).await.html().contains("1,416"));
    }
}

#[tokio::test]
async fn refused_requests_are_counted_on_this_node() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut root = Browser::operator(&server, "root").await;
        let row = |count: i64| {
            format!(
                "<tr><td>Unknown API keys</td><td class=\"number\"><data value=\"{count}\">{count}</data></td></tr>"
            )
        };
        assert!(root.get("/operator").await.html().contains(&row(0)));
        for _ in 0..3 {
            assert_eq!(server.get_as("rc_wrong", "/capes").await.status, 401);
        }
        let html = root.get("/operator").await.html();
        assert!(html.contains(&row(3)), "{html}");
        let engine = if engine == Engine::Sqlite { "SQLite" } else { "PostgreSQL" };
        let node =
            format!("Rollcall {}, {engine}. Started <time datetime=\"2026-06-03T14:00", env!("CARGO_PKG_VERSION"));
        assert!(html.contains(&node), "{html}");
    }
}

#[tokio::test]
async fn the_tracker_lag_outages_and_storage_are_shown() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut root = Browser::operator(&server, "root").await;
        let page = root.get("/operator").await;
        assert_eq!(figure(&page, "Tracker lag"), "0 s 0 pings overdue");
        assert_eq!(figure(&page, "Servers online"), "0 of 0");
        assert!(page.html().contains("All tracked servers answer."));
        for name in ["alpha", "beta", "gamma"] {
            let output = server.store.command(&["server", "add", &format!("{name}.example.org")]).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        server.store.change(|conn| {
            conn.execute("update servers set is_online = true, last_ping = $1", values![NOW - 10 * SECOND])?;
            rollcall_store::tracking::start_tracking(conn, 0, |_, _| NOW + MINUTE)?;
            let n = "select n from servers where ip = 'beta.example.org'";
            let beta: i64 = conn.query_one(n, &[], |row| row.get(0))?;
            conn.execute("update servers set is_online = false where n = $1", values![beta])?;
            rollcall_store::tracking::set_due_at(conn, &[(beta, NOW - 90 * SECOND), (0, NOW - HOUR)])?;
            rollcall_store::outages::begin(conn, &[(beta, NOW - 2 * HOUR, "connection <refused>")])
        });
        let page = root.get("/operator").await;
        assert_eq!(figure(&page, "Tracker lag"), "1 min 1 ping overdue");
        assert_eq!(figure(&page, "Servers online"), "2 of 3");
        assert_eq!(figure(&page, "Outages now"), "1");
        assert!(figure(&page, "Pings, last minute").starts_with("3 "), "{}", figure(&page, "Pings, last minute"));
        let html = page.html();
        assert!(html.contains("<strong>beta.example.org</strong>") && html.contains("connection &#60;refused&#62;"));
        for title in ["Database", "Free disk space"] {
            assert!(figure(&page, title).starts_with(|c: char| ('1'..='9').contains(&c)), "{}", figure(&page, title));
        }
        // Pictures are counted again after a while.
        assert!(figure(&page, "Pictures").ends_with(" files"), "{}", figure(&page, "Pictures"));
        let before = figure(&page, "Pictures");
        server.store.change(|conn| rollcall_store::servers::list(conn, None).map(drop));
        std::fs::write(server.store.path().join(format!("media/icon/{}.png", "0".repeat(32))), [0; 100]).unwrap();
        assert_eq!(figure(&root.get("/operator").await, "Pictures"), before);
        server.clock.set(NOW + 10 * MINUTE);
        until(&mut root, "/operator", |page| figure(page, "Pictures") != before).await;
    }
}
