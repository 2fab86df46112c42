use super::*;
use crate::time::{iso, parse_iso};
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use proptest::prelude::*;

fn at(text: &str) -> i64 {
    parse_iso(text).unwrap()
}

fn line(at: i64, endpoint: &str, status: &str, requests: i64) -> UsageLine {
    UsageLine { key_n: 1, at, endpoint: endpoint.to_owned(), status: status.to_owned(), requests, bytes: requests * 10 }
}

#[test]
fn an_unknown_span_gives_the_default() {
    assert_eq!(UsageSpan::ALL.map(|span| UsageSpan::parse(Some(span.name()))), UsageSpan::ALL);
    for other in [None, Some(""), Some("Year"), Some("week"), Some("day ")] {
        assert_eq!(UsageSpan::parse(other), UsageSpan::Day, "{other:?}");
    }
}

#[test]
fn buckets_are_whole_hours_days_and_months() {
    let now = at("2024-03-01T00:59:59.999Z");
    let ends = |span: UsageSpan| {
        let starts = span.starts(now);
        (starts.len(), iso(starts[0]), iso(span.end(*starts.last().unwrap())))
    };
    assert_eq!(ends(UsageSpan::Hour), (60, "2024-03-01T00:00:00.000Z".into(), "2024-03-01T01:00:00.000Z".into()));
    assert_eq!(ends(UsageSpan::Day), (24, "2024-02-29T01:00:00.000Z".into(), "2024-03-01T01:00:00.000Z".into()));
    assert_eq!(ends(UsageSpan::Month), (30, "2024-02-01T00:00:00.000Z".into(), "2024-03-02T00:00:00.000Z".into()));
    assert_eq!(ends(UsageSpan::Year), (12, "2023-04-01T00:00:00.000Z".into(), "2024-04-01T00:00:00.000Z".into()));
}

#[test]
fn a_leap_day_is_part_of_february() {
    let lines = [
        line(at("2024-01-31T23:00:00Z"), "/a", "2xx", 1),
        line(at("2024-02-01T00:00:00Z"), "/a", "2xx", 2),
        line(at("2024-02-29T23:00:00Z"), "/a", "2xx", 4),
        line(at("2024-03-01T00:00:00Z"), "/a", "2xx", 8),
    ];
    let requests = |span, now| -> Vec<i64> {
        let report = UsageReport::new(span, at(now), &lines);
        report.buckets.iter().map(|bucket| bucket.counts.requests()).collect()
    };
    assert_eq!(requests(UsageSpan::Year, "2024-03-15T12:00:00Z")[9..], [1, 6, 8]);
    assert_eq!(requests(UsageSpan::Month, "2024-03-01T12:00:00Z")[28..], [4, 8]);
    // Lines before or after the span are ignored.
    assert_eq!(requests(UsageSpan::Year, "2025-01-01T00:00:00Z")[..2], [6, 8]);
    assert_eq!(requests(UsageSpan::Month, "2024-02-29T00:00:00Z").iter().sum::<i64>(), 7);
    assert_eq!(requests(UsageSpan::Day, "2024-02-29T22:59:59Z"), [0; 24]);
}

#[test]
fn endpoints_are_sorted_by_requests_then_name() {
    let now = at("2026-06-03T14:30:00Z");
    let lines = [
        line(now, "/skins", "2xx", 2),
        line(now, "/capes", "3xx", 1),
        line(now, "/servers", "429", 3),
        line(now - HOUR, "/capes", "4xx", 1),
        line(now - HOUR, "/servers", "5xx", 1),
    ];
    let report = UsageReport::new(UsageSpan::Day, now, &lines);
    let seen: Vec<(&str, [i64; 4])> = report
        .endpoints
        .iter()
        .map(|used| (used.endpoint.as_str(), UsageOutcome::ALL.map(|outcome| used.counts.of(outcome))))
        .collect();
    assert_eq!(seen, [("/servers", [0, 0, 1, 3]), ("/capes", [1, 1, 0, 0]), ("/skins", [2, 0, 0, 0])]);
    assert_eq!((report.total.requests(), report.total.admitted(), report.total.bytes()), (8, 5, 80));
    let busiest = report.busiest().unwrap();
    assert_eq!((iso(busiest.start).as_str(), busiest.counts.requests()), ("2026-06-03T14:00:00.000Z", 6));
    assert_eq!(UsageReport::new(UsageSpan::Year, now, &[]).busiest(), None);
}

/// Times with a four-digit year and a whole year before them.
const TIMES: std::ops::Range<i64> = 400 * DAY..253_000_000_000_000;

fn lines() -> impl Strategy<Value = Vec<(i64, usize, usize, i64, i64)>> {
    prop::collection::vec((0..400 * DAY, 0..4_usize, 0..5_usize, 0..1_000_000_i64, 0..1_000_000_000_i64), 0..60)
}

proptest! {
    #[test]
    fn totals_agree_over_time_and_by_endpoint(now in TIMES, lines in lines()) {
        let lines: Vec<UsageLine> = lines
            .into_iter()
            .map(|(ago, endpoint, status, requests, bytes)| UsageLine {
                key_n: 1,
                at: now - ago,
                endpoint: ["/a", "/b", "/c", "other"][endpoint].to_owned(),
                status: ["2xx", "3xx", "4xx", "429", "5xx"][status].to_owned(),
                requests,
                bytes,
            })
            .collect();
        for span in UsageSpan::ALL {
            let report = UsageReport::new(span, now, &lines);
            let since = span.starts(now)[0];
            let within: Vec<&UsageLine> = lines.iter().filter(|line| line.at >= since).collect();
            prop_assert_eq!(report.total.requests(), within.iter().map(|line| line.requests).sum::<i64>());
            prop_assert_eq!(report.total.bytes(), within.iter().map(|line| line.bytes).sum::<i64>());
            for outcome in UsageOutcome::ALL {
                let over_time: i64 = report.buckets.iter().map(|bucket| bucket.counts.of(outcome)).sum();
                let by_endpoint: i64 = report.endpoints.iter().map(|used| used.counts.of(outcome)).sum();
                prop_assert_eq!((over_time, by_endpoint), (report.total.of(outcome), report.total.of(outcome)));
            }
            prop_assert!(report.endpoints.is_sorted_by_key(|used| std::cmp::Reverse(used.counts.requests())));
            let most = report.buckets.iter().map(|bucket| bucket.counts.requests()).max();
            prop_assert_eq!(report.busiest().map_or(Some(0), |bucket| Some(bucket.counts.requests())), most);
        }
    }

    #[test]
    fn buckets_have_no_gaps_and_contain_now(now in TIMES) {
        for span in UsageSpan::ALL {
            let starts = span.starts(now);
            prop_assert!(starts.windows(2).all(|pair| span.end(pair[0]) == pair[1]));
            let last = *starts.last().unwrap();
            prop_assert!(last <= now && now < span.end(last));
        }
        let first = Timestamp::from_millisecond(now).unwrap().to_zoned(TimeZone::UTC).first_of_month().unwrap();
        let first = first.start_of_day().unwrap().checked_sub(11.months()).unwrap();
        prop_assert_eq!(UsageSpan::Year.starts(now)[0], first.timestamp().as_millisecond());
    }
}
