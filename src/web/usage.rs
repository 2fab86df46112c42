//! The usage section of a page, rendered from a [`UsageReport`]. Templates include it once with `{{ usage|safe }}`. Its parts
//! follow live.

mod csv;
mod format;

use askama::Template;

pub use csv::csv;
pub use format::size;

use super::chart::{BarChart, ChartLimit, LimitMark};
use super::filters;
use super::live_part::LivePart;
use super::view::language;
use crate::error::ApiError;
use format::{BucketTime, percent};
use rollcall_model::message::translatable;
use rollcall_model::quota::Limits;
use rollcall_model::usage::{UsageBucket, UsageCounts, UsageOutcome, UsageReport, UsageSpan};

/// Which keys the section covers.
pub enum UsageScope {
    /// One key with its limits.
    Key { name: String, limits: Limits },
    /// All keys of an account. They share no limit.
    AllKeys,
    /// All keys of all accounts.
    Service,
}

pub struct UsageLinks {
    /// The page with the section; the range is added to it.
    pub page: String,
    /// The parts of the page that follow live.
    pub live: String,
    /// The CSV download, if there is one.
    pub csv: Option<String>,
    /// The public base URL of the API.
    pub api: String,
}

const OUTCOMES: usize = UsageOutcome::ALL.len();

/// Content of the parts.
pub struct UsageView {
    report: UsageReport,
    scope: UsageScope,
    links: UsageLinks,
    chart: BarChart<OUTCOMES>,
}

/// The whole section.
#[derive(Template)]
#[template(path = "usage.html")]
pub struct UsageSection {
    span: UsageSpan,
    links: UsageLinks,
    pub parts: Vec<LivePart>,
}

#[derive(Template)]
#[template(path = "usage/figures.html")]
struct Figures<'a> {
    usage: &'a UsageView,
}

#[derive(Template)]
#[template(path = "usage/chart.html")]
struct Chart<'a> {
    usage: &'a UsageView,
}

#[derive(Template)]
#[template(path = "usage/endpoints.html")]
struct Endpoints<'a> {
    usage: &'a UsageView,
}

#[derive(Template)]
#[template(path = "usage/statuses.html")]
struct Statuses<'a> {
    usage: &'a UsageView,
}

impl UsageSection {
    fn spans(&self) -> [UsageSpan; 4] {
        UsageSpan::ALL
    }

    /// The anchor keeps the reader at the section.
    fn link(&self, span: &UsageSpan) -> String {
        with_range(&self.links.page, *span) + "#usage"
    }

    fn csv_link(&self) -> Option<String> {
        self.links.csv.as_ref().map(|csv| with_range(csv, self.span))
    }

    /// URL for refreshing the parts of the page.
    pub fn live_link(&self) -> String {
        with_range(&self.links.live, self.span)
    }
}

/// A part of a horizontal bar, in percent.
struct BarSegment {
    outcome: UsageOutcome,
    x: f64,
    width: f64,
}

/// The minimum width in percent, so that small values stay visible.
const MIN_WIDTH: f64 = 2.5;

impl UsageView {
    pub fn new(report: UsageReport, scope: UsageScope, links: UsageLinks) -> Self {
        let bars: Vec<[i64; OUTCOMES]> =
            report.buckets.iter().map(|bucket| UsageOutcome::ALL.map(|outcome| bucket.counts.of(outcome))).collect();
        let used = report.buckets.iter().map(|bucket| bucket.counts.admitted()).max().unwrap_or(0);
        let limit = limit(&scope, report.span).map(|value| ChartLimit { value: i64::from(value), used });
        let chart = BarChart::new(&bars, limit);
        Self { report, scope, links, chart }
    }

    /// The totals and the chart.
    pub fn summary_parts(&self) -> Result<Vec<LivePart>, ApiError> {
        Ok(vec![
            LivePart::new("usage-figures", &Figures { usage: self })?,
            LivePart::new("usage-chart", &Chart { usage: self })?,
        ])
    }

    pub fn into_section(self) -> Result<UsageSection, ApiError> {
        let mut parts = self.summary_parts()?;
        parts.push(LivePart::new("usage-endpoints", &Endpoints { usage: &self })?);
        parts.push(LivePart::new("usage-statuses", &Statuses { usage: &self })?);
        Ok(UsageSection { span: self.report.span, links: self.links, parts })
    }

    fn is_empty(&self) -> bool {
        self.report.total.requests() == 0
    }

    fn key_name(&self) -> Option<&str> {
        match &self.scope {
            UsageScope::Key { name, .. } => Some(name),
            UsageScope::AllKeys | UsageScope::Service => None,
        }
    }

    fn is_service(&self) -> bool {
        matches!(self.scope, UsageScope::Service)
    }

    fn outcomes(&self) -> [UsageOutcome; OUTCOMES] {
        UsageOutcome::ALL
    }

    fn outcome(&self, series: &usize) -> UsageOutcome {
        UsageOutcome::ALL[*series]
    }

    fn time(&self, bucket: &UsageBucket) -> BucketTime {
        BucketTime::new(self.report.span, bucket.start)
    }

    /// The first and the last bucket, for the axis.
    fn axis(&self) -> impl Iterator<Item = BucketTime> {
        [self.report.buckets.first(), self.report.buckets.last()].into_iter().flatten().map(|bucket| self.time(bucket))
    }

    fn share(&self, requests: i64) -> String {
        percent(requests, self.report.total.requests())
    }

    fn size(&self, bytes: i64) -> (String, &'static str) {
        size(bytes)
    }

    /// The value and the height of the limit line, if it is drawn.
    fn limit_line(&self) -> Option<(i64, f64)> {
        match self.chart.limit {
            Some(LimitMark::Line { value, y }) => Some((value, y)),
            _ => None,
        }
    }

    /// The value of a limit too high to draw, and the percentage of it that is used.
    fn far_limit(&self) -> Option<(i64, String)> {
        match self.chart.limit {
            Some(LimitMark::Far { value, percent }) => Some((value, format!("{:.1}", percent.max(0.1)))),
            _ => None,
        }
    }

    /// The bar of an endpoint, relative to the most used one.
    fn endpoint_bar(&self, counts: &UsageCounts) -> Vec<BarSegment> {
        segments(counts, self.report.endpoints.first().map_or(0, |most| most.counts.requests()))
    }

    /// The bar of an outcome, relative to the most frequent one.
    fn outcome_width(&self, outcome: &UsageOutcome) -> f64 {
        let most = UsageOutcome::ALL.map(|outcome| self.report.total.of(outcome)).into_iter().max().unwrap_or(0);
        width(self.report.total.of(*outcome), most)
    }

    /// The chart in words, for screen readers.
    fn summary(&self) -> String {
        let (language, total, words) = (language(), &self.report.total, self.words());
        let parts = UsageOutcome::ALL
            .map(|outcome| format!("{}: {}", language.translate(outcome.title()), language.count(total.of(outcome))));
        let (title, sum) = (language.translate(words.requests_per), language.count(total.requests()));
        let mut text = language.fill("{}: {} in total; {}.", &[&title, &sum, &parts.join(", ")]);
        if let Some(busiest) = self.report.busiest() {
            let (time, requests) = (self.time(busiest).text, language.count(busiest.counts.requests()));
            text += &format!(" {} {requests}, {time}.", language.translate(words.busiest));
        }
        if let Some((value, _)) = self.limit_line() {
            let limit = format!("{} {}", language.count(value), language.translate(words.per));
            text += &format!(" {}", language.fill("A line marks the limit: {}.", &[&limit]));
        }
        format!("{text} {}", language.translate("A table with the numbers follows."))
    }

    fn far_limit_text(&self, value: &i64, percent: &str) -> String {
        let language = language();
        let limit = format!("{} {}", language.count(*value), language.translate(self.words().per));
        let percent = language.decimal(percent.parse().unwrap_or(0.0), 1);
        language.fill("The busiest one used {} % of the limit of {}.", &[&percent, &limit])
    }

    fn words(&self) -> SpanWords {
        match self.report.span {
            UsageSpan::Hour => SpanWords {
                per: translatable("per minute"),
                requests_per: translatable("Requests per minute"),
                busiest: translatable("busiest minute:"),
                column: translatable("Minute"),
            },
            UsageSpan::Day => SpanWords {
                per: translatable("per hour"),
                requests_per: translatable("Requests per hour"),
                busiest: translatable("busiest hour:"),
                column: translatable("Hour"),
            },
            UsageSpan::Month => SpanWords {
                per: translatable("per day"),
                requests_per: translatable("Requests per day"),
                busiest: translatable("busiest day:"),
                column: translatable("Day (UTC)"),
            },
            UsageSpan::Year => SpanWords {
                per: translatable("per month"),
                requests_per: translatable("Requests per month"),
                busiest: translatable("busiest month:"),
                column: translatable("Month (UTC)"),
            },
        }
    }
}

/// The words for one bar of the chart.
struct SpanWords {
    per: &'static str,
    requests_per: &'static str,
    busiest: &'static str,
    column: &'static str,
}

/// The limit of one bucket. There is no limit per hour.
fn limit(scope: &UsageScope, span: UsageSpan) -> Option<u32> {
    match (scope, span) {
        (UsageScope::AllKeys | UsageScope::Service, _) | (_, UsageSpan::Day) => None,
        (UsageScope::Key { limits, .. }, UsageSpan::Hour) => Some(limits.per_minute),
        (UsageScope::Key { limits, .. }, UsageSpan::Month) => Some(limits.per_day),
        (UsageScope::Key { limits, .. }, UsageSpan::Year) => Some(limits.per_month),
    }
}

fn with_range(url: &str, span: UsageSpan) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}range={}", span.name())
}

/// In percent of `most`.
fn width(value: i64, most: i64) -> f64 {
    if value == 0 { 0.0 } else { (value as f64 / most.max(1) as f64 * 100.0).max(MIN_WIDTH) }
}

fn segments(counts: &UsageCounts, most: i64) -> Vec<BarSegment> {
    let widths = UsageOutcome::ALL.map(|outcome| width(counts.of(outcome), most));
    // Scales down when minimum widths would overflow the bar.
    let scale = (100.0 / widths.iter().sum::<f64>()).min(1.0);
    let mut x = 0.0;
    let mut segments = Vec::new();
    for (outcome, width) in UsageOutcome::ALL.into_iter().zip(widths).filter(|(_, width)| *width > 0.0) {
        segments.push(BarSegment { outcome, x, width: width * scale });
        x += width * scale;
    }
    segments
}

#[cfg(test)]
mod tests;
