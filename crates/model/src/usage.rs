//! Usage reports of API keys: over time, by endpoint and by outcome.

use std::collections::BTreeMap;

use super::message::translatable;
use super::time::{DAY, HOUR, MINUTE, next_month, start_of_day, start_of_hour, start_of_minute, start_of_month};

/// The period of a report, in UTC like the quota windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UsageSpan {
    /// The current minute and the 59 before it, by minute.
    Hour,
    /// The current hour and the 23 before it, by hour.
    #[default]
    Day,
    /// Today and the 29 days before, by day.
    Month,
    /// The current calendar month and the 11 before it, by month.
    Year,
}

const MINUTES: usize = 60;
const HOURS: usize = 24;
const DAYS: usize = 30;
const MONTHS: usize = 12;

impl UsageSpan {
    pub const ALL: [Self; 4] = [Self::Hour, Self::Day, Self::Month, Self::Year];

    /// The value of the query parameter.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// Parses the query parameter; an unknown value gives the default.
    pub fn parse(name: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|span| Some(span.name()) == name).unwrap_or_default()
    }

    /// The starts of all buckets, oldest first.
    pub fn starts(self, now: i64) -> Vec<i64> {
        let count = match self {
            Self::Hour => MINUTES,
            Self::Day => HOURS,
            Self::Month => DAYS,
            Self::Year => MONTHS,
        };
        let before = |start: &i64| Some(self.start(start - 1));
        let mut starts: Vec<i64> = std::iter::successors(Some(self.start(now)), before).take(count).collect();
        starts.reverse();
        starts
    }

    /// The start of the bucket that contains `at`.
    pub fn start(self, at: i64) -> i64 {
        match self {
            Self::Hour => start_of_minute(at),
            Self::Day => start_of_hour(at),
            Self::Month => start_of_day(at),
            Self::Year => start_of_month(at),
        }
    }

    /// The exclusive end of the bucket that begins at `start`.
    pub fn end(self, start: i64) -> i64 {
        match self {
            Self::Hour => start + MINUTE,
            Self::Day => start + HOUR,
            Self::Month => start + DAY,
            Self::Year => next_month(start),
        }
    }
}

/// The outcome of a request, in the order of chart segments: requests over the limit are on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageOutcome {
    Answered,
    Refused,
    Failed,
    Limited,
}

impl UsageOutcome {
    pub const ALL: [Self; 4] = [Self::Answered, Self::Refused, Self::Failed, Self::Limited];

    /// The outcome of a stored status class: `2xx`, `3xx`, `4xx`, `429` or `5xx`.
    pub fn of(status: &str) -> Self {
        match status {
            "2xx" | "3xx" => Self::Answered,
            "429" => Self::Limited,
            "4xx" => Self::Refused,
            _ => Self::Failed,
        }
    }
}

/// Requests of one key in one bucket with the same endpoint and status class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageLine {
    pub key_n: i64,
    /// Any time in the bucket.
    pub at: i64,
    pub endpoint: String,
    /// `2xx`, `3xx`, `4xx`, `429` or `5xx`.
    pub status: String,
    pub requests: i64,
    pub bytes: i64,
}

/// Requests and response bytes by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsageCounts {
    requests: [i64; 4],
    bytes: [i64; 4],
}

impl UsageCounts {
    pub fn of(&self, outcome: UsageOutcome) -> i64 {
        self.requests[outcome as usize]
    }

    pub fn bytes_of(&self, outcome: UsageOutcome) -> i64 {
        self.bytes[outcome as usize]
    }

    pub fn requests(&self) -> i64 {
        sum(self.requests)
    }

    pub fn bytes(&self) -> i64 {
        sum(self.bytes)
    }

    /// Requests that used quota; those over the limit use none.
    pub fn admitted(&self) -> i64 {
        self.requests() - self.of(UsageOutcome::Limited)
    }

    fn add(&mut self, line: &UsageLine) {
        let outcome = UsageOutcome::of(&line.status) as usize;
        self.requests[outcome] = self.requests[outcome].saturating_add(line.requests);
        self.bytes[outcome] = self.bytes[outcome].saturating_add(line.bytes);
    }
}

fn sum(parts: [i64; 4]) -> i64 {
    parts.into_iter().fold(0, i64::saturating_add)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageBucket {
    pub start: i64,
    pub counts: UsageCounts,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointUsage {
    pub endpoint: String,
    pub counts: UsageCounts,
}

/// The usage of one or more keys in a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageReport {
    pub span: UsageSpan,
    /// Oldest first, empty ones included.
    pub buckets: Vec<UsageBucket>,
    /// Most used first.
    pub endpoints: Vec<EndpointUsage>,
    pub total: UsageCounts,
}

impl UsageReport {
    /// Lines before or after the span are ignored.
    pub fn new(span: UsageSpan, now: i64, lines: &[UsageLine]) -> Self {
        let empty = |start| UsageBucket { start, counts: UsageCounts::default() };
        let mut buckets: Vec<UsageBucket> = span.starts(now).into_iter().map(empty).collect();
        let mut endpoints: BTreeMap<&str, UsageCounts> = BTreeMap::new();
        let mut total = UsageCounts::default();
        for line in lines {
            let after = buckets.partition_point(|bucket| bucket.start <= line.at);
            let Some(bucket) = buckets[..after].last_mut().filter(|bucket| line.at < span.end(bucket.start)) else {
                continue;
            };
            bucket.counts.add(line);
            endpoints.entry(&line.endpoint).or_default().add(line);
            total.add(line);
        }
        let named = |(endpoint, counts): (&str, UsageCounts)| EndpointUsage { endpoint: endpoint.to_owned(), counts };
        let mut endpoints: Vec<EndpointUsage> = endpoints.into_iter().map(named).collect();
        // The stable sort keeps ties in the order of their names.
        endpoints.sort_by_key(|endpoint| std::cmp::Reverse(endpoint.counts.requests()));
        Self { span, buckets, endpoints, total }
    }

    /// The bucket with the most requests, the latest of several; `None` without requests.
    pub fn busiest(&self) -> Option<&UsageBucket> {
        self.buckets.iter().max_by_key(|bucket| bucket.counts.requests()).filter(|bucket| bucket.counts.requests() > 0)
    }
}

impl UsageSpan {
    /// The link text.
    pub fn title(self) -> &'static str {
        match self {
            Self::Hour => translatable("60 minutes"),
            Self::Day => translatable("24 hours"),
            Self::Month => translatable("30 days"),
            Self::Year => translatable("12 months"),
        }
    }
}

impl UsageOutcome {
    /// The name in CSS classes and SVG patterns.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Limited => "limited",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Answered => translatable("Successful"),
            Self::Refused => translatable("Client errors"),
            Self::Failed => translatable("Server errors"),
            Self::Limited => translatable("Rate limited"),
        }
    }

    /// The status codes of this outcome.
    pub fn statuses(self) -> &'static str {
        match self {
            Self::Answered => "2xx, 3xx",
            Self::Refused => "4xx",
            Self::Failed => "5xx",
            Self::Limited => "429",
        }
    }
}

#[cfg(test)]
mod tests;
