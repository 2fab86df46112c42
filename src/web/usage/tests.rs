use super::*;
use rollcall_model::time::{DAY, HOUR};
use rollcall_model::usage::UsageLine;

/// A Wednesday afternoon: 2026-06-03T14:00:00Z.
const NOW: i64 = 1_780_495_200_000;
const LIMITS: Limits = Limits { per_minute: 60, per_day: 1_000, per_month: 30_000 };

fn line(ago: i64, endpoint: &str, status: &str, requests: i64) -> UsageLine {
    let (endpoint, status) = (endpoint.to_owned(), status.to_owned());
    UsageLine { key_n: 1, at: NOW - ago, endpoint, status, requests, bytes: requests * 1_000 }
}

fn key(name: &str) -> UsageScope {
    UsageScope::Key { name: name.to_owned(), limits: LIMITS }
}

fn render(span: UsageSpan, scope: UsageScope, lines: &[UsageLine]) -> String {
    let links = UsageLinks {
        page: "/dashboard/keys/k1".to_owned(),
        live: "/dashboard/keys/k1/live?tab=usage".to_owned(),
        csv: Some("/dashboard/keys/k1/usage.csv?x=1".to_owned()),
        api: "https://rollcall.test/v1".to_owned(),
    };
    UsageView::new(UsageReport::new(span, NOW, lines), scope, links).into_section().unwrap().render().unwrap()
}

#[test]
fn the_chart_comes_with_a_summary_and_a_table() {
    let lines = [
        line(0, "/servers", "2xx", 900),
        line(0, "/servers", "429", 40),
        line(HOUR, "/capes", "3xx", 50),
        line(HOUR, "/capes", "4xx", 10),
    ];
    let html = render(UsageSpan::Day, key("bot"), &lines);
    assert!(html.contains(
        "role=\"img\" aria-label=\"Requests per hour: 1,000 in total; Successful: 950, Client errors: 10, Server errors: 0, \
         Rate limited: 40. busiest hour: 940, 2026-06-03 14:00 UTC. A table with the numbers follows.\""
    ));
    let row: String = ["940", "900", "0", "0", "40"]
        .iter()
        .map(|value| format!("<td class=\"number\"><data value=\"{value}\">{value}</data></td>"))
        .collect();
    let time = "<td><time datetime=\"2026-06-03T14:00:00.000Z\">2026-06-03 14:00 UTC</time></td>";
    assert!(html.contains(&format!("{time}{row}<td class=\"number\"><data value=\"940\">940</data> kB</td></tr>")));
    assert_eq!(html.matches("<tr><td><time").count(), 24);
    assert!(html.contains("<dd><data value=\"95.0\">95.0</data> %</dd>"), "the success rate");
    assert!(html.find("<code>/servers</code>").unwrap() < html.find("<code>/capes</code>").unwrap());
    assert_eq!(html.matches("class=\"part\"").count(), 4 + 4 + 4, "over time, by endpoint, by status");
    assert!(!html.contains(" style="), "the policy allows no inline style");
}

#[test]
fn ranges_are_links_and_the_csv_has_the_current_range() {
    let html = render(UsageSpan::Month, key("bot"), &[line(0, "/servers", "2xx", 1)]);
    assert!(html.contains("<a href=\"/dashboard/keys/k1?range=day#usage\">24 hours</a>"));
    assert!(html.contains("<a href=\"/dashboard/keys/k1?range=month#usage\" aria-current=\"true\">30 days</a>"));
    assert!(html.contains("href=\"/dashboard/keys/k1/usage.csv?x=1&#38;range=month\" download"));
}

#[test]
fn a_near_limit_is_drawn_and_a_far_one_described() {
    let (near, far) = ([line(0, "/a", "2xx", 700), line(DAY, "/a", "429", 9)], [line(0, "/a", "2xx", 3)]);
    let line_of = |html: &str| html.contains("class=\"limit-name\"");
    let html = render(UsageSpan::Month, key("bot"), &near);
    assert!(line_of(&html) && html.contains("limit: <tspan data-value=\"1000\">1000</tspan> per day</text>"));
    assert!(html.contains("A line marks the limit: 1,000 per day."));
    let html = render(UsageSpan::Month, key("bot"), &far);
    assert!(!line_of(&html) && html.contains("The busiest one used 0.3 % of the limit of 1,000 per day."));
    let html = render(UsageSpan::Year, key("bot"), &near);
    assert!(!line_of(&html) && html.contains("% of the limit of 30,000 per month."));
    for html in [render(UsageSpan::Day, key("bot"), &near), render(UsageSpan::Month, UsageScope::AllKeys, &near)] {
        assert!(!line_of(&html) && !html.contains("% of the limit"));
    }
}

#[test]
fn key_names_are_escaped() {
    let name = "\"><script>alert(1)</script>";
    for lines in [vec![], vec![line(0, "/a", "2xx", 1)]] {
        let html = render(UsageSpan::Day, key(name), &lines);
        assert!(!html.contains("<script"), "{html}");
        // The name is shown where there is no usage; above the chart the page itself names the key.
        assert_eq!(html.contains("&#34;&#62;&#60;script&#62;alert(1)"), lines.is_empty(), "{html}");
    }
}

#[test]
fn an_empty_report_shows_how_to_start() {
    let html = render(UsageSpan::Year, key("bot"), &[line(400 * DAY, "/a", "2xx", 1)]);
    assert!(html.contains("No requests in this period") && html.contains("The key bot was not used"));
    assert!(html.contains("curl -H 'X-API-Key: rc_…' 'https://rollcall.test/v1/servers?sort=players&amp;limit=3'"));
    assert!(!html.contains("<svg") && html.contains("?range=day"));
    assert!(render(UsageSpan::Day, UsageScope::AllKeys, &[]).contains("None of your API keys was used"));
}

#[test]
fn a_part_changes_its_tag_with_its_content_only() {
    let tags = |lines: &[UsageLine]| -> Vec<String> {
        let html = render(UsageSpan::Day, key("bot"), lines);
        html.split("data-tag=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
    };
    let before = [line(0, "/a", "2xx", 5), line(HOUR, "/b", "2xx", 5)];
    // The same totals, endpoints and outcomes at another hour: only the chart differs.
    let moved = [line(0, "/a", "2xx", 5), line(2 * HOUR, "/b", "2xx", 5)];
    let (known, again, moved) = (tags(&before), tags(&before), tags(&moved));
    assert_eq!((known.len(), &known), (4, &again));
    let changed: Vec<bool> = known.iter().zip(&moved).map(|(before, after)| before != after).collect();
    assert_eq!(changed, [false, true, false, false]);
    let more = tags(&[line(0, "/a", "2xx", 6), line(HOUR, "/b", "2xx", 5)]);
    assert!(known.iter().zip(&more).all(|(before, after)| before != after));
}

#[test]
fn small_segments_are_visible_and_fit() {
    let lines = [line(0, "/a", "2xx", 1_000_000), line(0, "/a", "5xx", 1), line(0, "/a", "429", 2)];
    let report = UsageReport::new(UsageSpan::Day, NOW, &lines);
    let segments = segments(&report.total, report.total.requests());
    let (last, end) = (segments.last().unwrap(), segments.iter().map(|segment| segment.width).sum::<f64>());
    assert_eq!(last.outcome, UsageOutcome::Limited);
    assert!(last.width > 2.0 && (end - 100.0).abs() < 1e-9 && (last.x + last.width - 100.0).abs() < 1e-9);
}
