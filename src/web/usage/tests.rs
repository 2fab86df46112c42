use super::*;
use rollcall_model::time::{DAY, HOUR};
use rollcall_model::usage::Line;

/// A Wednesday afternoon: 2026-06-03T14:00:00Z.
const NOW: i64 = 1_780_495_200_000;
const LIMITS: Limits = Limits { per_minute: 60, per_day: 1_000, per_month: 30_000 };

fn line(ago: i64, endpoint: &str, status: &str, requests: i64) -> Line {
    let (endpoint, status) = (endpoint.to_owned(), status.to_owned());
    Line { key_n: 1, at: NOW - ago, endpoint, status, requests, bytes: requests * 1_000 }
}

fn key(name: &str) -> Whose {
    Whose::Key { name: name.to_owned(), limits: LIMITS }
}

fn shown(span: Span, whose: Whose, lines: &[Line]) -> String {
    let place = Place {
        here: "/dashboard/keys/k1".to_owned(),
        csv: "/dashboard/keys/k1/usage.csv?x=1".to_owned(),
        api: "https://rollcall.test/v1".to_owned(),
    };
    UsageView::new(Report::new(span, NOW, lines), whose, place).render().unwrap()
}

#[test]
fn the_figures_are_there_in_words_and_in_a_table() {
    let lines = [
        line(0, "/servers", "2xx", 900),
        line(0, "/servers", "429", 40),
        line(HOUR, "/capes", "3xx", 50),
        line(HOUR, "/capes", "4xx", 10),
    ];
    let html = shown(Span::Day, key("bot"), &lines);
    assert!(html.contains(
        "role=\"img\" aria-label=\"Requests of bot by hour, last 24 hours: 1000 in all; 950 answered, 10 refused, \
         0 failed, 40 over the limit. Busiest hour: 2026-06-03 14:00 UTC with 940. The figures follow as a table.\""
    ));
    let row: String = ["940", "900", "0", "0", "40"]
        .iter()
        .map(|value| format!("<td class=\"number\"><data value=\"{value}\">{value}</data></td>"))
        .collect();
    let time = "<td><time datetime=\"2026-06-03T14:00:00.000Z\">2026-06-03 14:00 UTC</time></td>";
    assert!(html.contains(&format!("{time}{row}<td class=\"number\"><data value=\"940\">940</data> kB</td></tr>")));
    assert_eq!(html.matches("<tr><td><time").count(), 24);
    assert!(html.contains("<dd><data value=\"95.0\">95.0</data> %</dd>"), "the share that was answered");
    assert!(html.find("<code>/servers</code>").unwrap() < html.find("<code>/capes</code>").unwrap());
    assert_eq!(html.matches("class=\"part\"").count(), 4 + 4 + 4, "over time, by endpoint, by status");
    assert!(!html.contains(" style="), "the policy allows no inline style");
}

#[test]
fn ranges_are_links_and_the_file_is_of_the_range_shown() {
    let html = shown(Span::Month, key("bot"), &[line(0, "/servers", "2xx", 1)]);
    assert!(html.contains("<a href=\"/dashboard/keys/k1?range=day\">24 hours</a>"));
    assert!(html.contains("<a href=\"/dashboard/keys/k1?range=month\" aria-current=\"true\">30 days</a>"));
    assert!(html.contains("href=\"/dashboard/keys/k1/usage.csv?x=1&#38;range=month\" download"));
}

#[test]
fn a_limit_is_drawn_where_there_is_one_and_told_when_it_is_far() {
    let (near, far) = ([line(0, "/a", "2xx", 700), line(DAY, "/a", "429", 9)], [line(0, "/a", "2xx", 3)]);
    let line_of = |html: &str| html.contains("class=\"limit-name\"");
    let html = shown(Span::Month, key("bot"), &near);
    assert!(line_of(&html) && html.contains("limit: <tspan data-value=\"1000\">1000</tspan> a day</text>"));
    assert!(html.contains("A line marks the limit of 1000 a day."));
    let html = shown(Span::Month, key("bot"), &far);
    assert!(!line_of(&html) && html.contains("the busiest day used <data value=\"0.3\">0.3</data> % of it"));
    let html = shown(Span::Year, key("bot"), &near);
    assert!(!line_of(&html) && html.contains("<data value=\"30000\">30000</data> a month is far off"));
    for html in [shown(Span::Day, key("bot"), &near), shown(Span::Month, Whose::AllKeys, &near)] {
        assert!(!line_of(&html) && !html.contains("is far off"));
    }
}

#[test]
fn a_hostile_name_stays_a_name() {
    let name = "\"><script>alert(1)</script>";
    for lines in [vec![], vec![line(0, "/a", "2xx", 1)]] {
        let html = shown(Span::Day, key(name), &lines);
        assert!(!html.contains("<script") && html.contains("&#34;&#62;&#60;script&#62;alert(1)"), "{html}");
    }
}

#[test]
fn nothing_yet_is_said_with_a_way_to_begin() {
    let html = shown(Span::Year, key("bot"), &[line(400 * DAY, "/a", "2xx", 1)]);
    assert!(html.contains("Nothing in the last 12 months") && html.contains("<strong>bot</strong>"));
    assert!(html.contains("curl -H 'X-API-Key: rc_…' 'https://rollcall.test/v1/servers?sort=players&amp;limit=3'"));
    assert!(!html.contains("<svg") && html.contains("?range=day"));
    assert!(shown(Span::Day, Whose::AllKeys, &[]).contains("None of these keys was used"));
}

#[test]
fn a_page_takes_it_as_it_is() {
    #[derive(Template)]
    #[template(source = "<main>{{ usage|safe }}</main>", ext = "html")]
    struct Page {
        usage: UsageView,
    }
    let place = || Place { here: "/a".to_owned(), csv: "/a.csv".to_owned(), api: "/v1".to_owned() };
    let view = || UsageView::new(Report::new(Span::Day, NOW, &[]), Whose::AllKeys, place());
    let part = view().render().unwrap();
    assert!(part.starts_with("<rc-live id=\"usage\" from=\"/a?range=day\">"), "{part}");
    assert_eq!(Page { usage: view() }.render().unwrap(), format!("<main>{part}</main>"));
}

#[test]
fn what_is_little_is_seen_and_all_of_it_fits() {
    let lines = [line(0, "/a", "2xx", 1_000_000), line(0, "/a", "5xx", 1), line(0, "/a", "429", 2)];
    let report = Report::new(Span::Day, NOW, &lines);
    let pieces = pieces(&report.total, report.total.requests());
    let (last, end) = (pieces.last().unwrap(), pieces.iter().map(|piece| piece.width).sum::<f64>());
    assert_eq!(last.outcome, Outcome::Limited);
    assert!(last.width > 2.0 && (end - 100.0).abs() < 1e-9 && (last.x + last.width - 100.0).abs() < 1e-9);
}
