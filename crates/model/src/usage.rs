//! What keys were used for, summed up for people: over time, by endpoint and by outcome.

use std::collections::BTreeMap;

use super::time::{DAY, HOUR, next_month, start_of_day, start_of_hour, start_of_month};

/// How far a report looks back. All of it is UTC, as the limits are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Span {
    /// This hour and the 23 before it, by hour.
    #[default]
    Day,
    /// Today and the 29 days before, by day.
    Month,
    /// This calendar month and the 11 before it, by month.
    Year,
}

const HOURS: usize = 24;
const DAYS: usize = 30;
const MONTHS: usize = 12;

impl Span {
    pub const ALL: [Self; 3] = [Self::Day, Self::Month, Self::Year];

    /// What an address calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// From an address, which anyone may have written: what is no span is the usual one.
    pub fn read(name: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|span| Some(span.name()) == name).unwrap_or_default()
    }

    /// The starts of all buckets, oldest first.
    pub fn starts(self, now: i64) -> Vec<i64> {
        let count = match self {
            Self::Day => HOURS,
            Self::Month => DAYS,
            Self::Year => MONTHS,
        };
        let before = |start: &i64| Some(self.start(start - 1));
        let mut starts: Vec<i64> = std::iter::successors(Some(self.start(now)), before).take(count).collect();
        starts.reverse();
        starts
    }

    /// Where the bucket begins that holds a moment.
    pub fn start(self, at: i64) -> i64 {
        match self {
            Self::Day => start_of_hour(at),
            Self::Month => start_of_day(at),
            Self::Year => start_of_month(at),
        }
    }

    /// Where the bucket that begins at `start` ends, exclusively.
    pub fn end(self, start: i64) -> i64 {
        match self {
            Self::Day => start + HOUR,
            Self::Month => start + DAY,
            Self::Year => next_month(start),
        }
    }
}

/// What became of a request. The order is that of every chart: what was let in comes first, so that what a limit kept
/// out lies on top of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Answered,
    Refused,
    Failed,
    Limited,
}

impl Outcome {
    pub const ALL: [Self; 4] = [Self::Answered, Self::Refused, Self::Failed, Self::Limited];

    /// Of a kept status: `2xx`, `3xx`, `4xx`, `429` or `5xx`.
    pub fn of(status: &str) -> Self {
        match status {
            "2xx" | "3xx" => Self::Answered,
            "429" => Self::Limited,
            "4xx" => Self::Refused,
            _ => Self::Failed,
        }
    }
}

/// Requests of one key within one bucket that went to the same endpoint and ended alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub key_n: i64,
    /// Any moment of the bucket.
    pub at: i64,
    pub endpoint: String,
    /// `2xx`, `3xx`, `4xx`, `429` or `5xx`.
    pub status: String,
    pub requests: i64,
    pub bytes: i64,
}

/// Requests by what became of them, and the bytes they were answered with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    requests: [i64; 4],
    bytes: [i64; 4],
}

impl Tally {
    pub fn of(&self, outcome: Outcome) -> i64 {
        self.requests[outcome as usize]
    }

    pub fn bytes_of(&self, outcome: Outcome) -> i64 {
        self.bytes[outcome as usize]
    }

    pub fn requests(&self) -> i64 {
        sum(self.requests)
    }

    pub fn bytes(&self) -> i64 {
        sum(self.bytes)
    }

    /// What a limit has let in: a request over the limit uses up nothing.
    pub fn let_in(&self) -> i64 {
        self.requests() - self.of(Outcome::Limited)
    }

    fn add(&mut self, line: &Line) {
        let outcome = Outcome::of(&line.status) as usize;
        self.requests[outcome] = self.requests[outcome].saturating_add(line.requests);
        self.bytes[outcome] = self.bytes[outcome].saturating_add(line.bytes);
    }
}

fn sum(parts: [i64; 4]) -> i64 {
    parts.into_iter().fold(0, i64::saturating_add)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    pub start: i64,
    pub tally: Tally,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointUse {
    pub endpoint: String,
    pub tally: Tally,
}

/// What one key or many were used for in a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub span: Span,
    /// Oldest first; those in which nothing happened, too.
    pub buckets: Vec<Bucket>,
    /// The most used first.
    pub endpoints: Vec<EndpointUse>,
    pub total: Tally,
}

impl Report {
    /// Lines outside the span do not count, whichever way they are outside.
    pub fn new(span: Span, now: i64, lines: &[Line]) -> Self {
        let empty = |start| Bucket { start, tally: Tally::default() };
        let mut buckets: Vec<Bucket> = span.starts(now).into_iter().map(empty).collect();
        let mut endpoints: BTreeMap<&str, Tally> = BTreeMap::new();
        let mut total = Tally::default();
        for line in lines {
            let after = buckets.partition_point(|bucket| bucket.start <= line.at);
            let Some(bucket) = buckets[..after].last_mut().filter(|bucket| line.at < span.end(bucket.start)) else {
                continue;
            };
            bucket.tally.add(line);
            endpoints.entry(&line.endpoint).or_default().add(line);
            total.add(line);
        }
        let named = |(endpoint, tally): (&str, Tally)| EndpointUse { endpoint: endpoint.to_owned(), tally };
        let mut endpoints: Vec<EndpointUse> = endpoints.into_iter().map(named).collect();
        // Stable: equals stay in the order of their names.
        endpoints.sort_by_key(|endpoint| std::cmp::Reverse(endpoint.tally.requests()));
        Self { span, buckets, endpoints, total }
    }

    /// The bucket with the most requests, of equals the latest; `None` when there were none at all.
    pub fn busiest(&self) -> Option<&Bucket> {
        self.buckets.iter().max_by_key(|bucket| bucket.tally.requests()).filter(|bucket| bucket.tally.requests() > 0)
    }
}

impl Span {
    /// On the link to it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Day => "24 hours",
            Self::Month => "30 days",
            Self::Year => "12 months",
        }
    }

    /// What one bar stands for.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Day => "hour",
            Self::Month => "day",
            Self::Year => "month",
        }
    }
}

impl Outcome {
    /// What styles and patterns call it.
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
            Self::Answered => "Answered",
            Self::Refused => "Refused",
            Self::Failed => "Failed",
            Self::Limited => "Over the limit",
        }
    }

    /// The statuses it stands for.
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
