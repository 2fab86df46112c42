//! What keys are used for, as a part of any page: drawn from a [`Report`] and put in with `{{ usage|safe }}`, once a page.

mod csv;
mod format;

use askama::Template;

pub use csv::csv;

use super::chart::{Bars, Limit, LimitShown};
use format::{When, percent, size};
use rollcall_model::quota::Limits;
use rollcall_model::usage::{Bucket, Outcome, Report, Span, Tally};

/// Whose use is shown.
pub enum Whose {
    /// One key, and what it may use.
    Key { name: String, limits: Limits },
    /// All keys of someone together; they have no limit in common.
    AllKeys,
}

/// Where the part stands.
pub struct Place {
    /// The page's own address, to which the range is added.
    pub here: String,
    /// Where the same comes as a file.
    pub csv: String,
    /// Where the API is, as clients see it.
    pub api: String,
}

const OUTCOMES: usize = Outcome::ALL.len();

#[derive(Template)]
#[template(path = "usage.html")]
pub struct UsageView {
    report: Report,
    whose: Whose,
    place: Place,
    bars: Bars<OUTCOMES>,
}

/// A part of a bar that lies.
struct Piece {
    outcome: Outcome,
    x: f64,
    width: f64,
}

/// What is little beside the rest is seen, too.
const LEAST: f64 = 2.5;

impl UsageView {
    pub fn new(report: Report, whose: Whose, place: Place) -> Self {
        let bars: Vec<[i64; OUTCOMES]> =
            report.buckets.iter().map(|bucket| Outcome::ALL.map(|outcome| bucket.tally.of(outcome))).collect();
        let used = report.buckets.iter().map(|bucket| bucket.tally.let_in()).max().unwrap_or(0);
        let limit = limit(&whose, report.span).map(|value| Limit { value: i64::from(value), used });
        let bars = Bars::new(&bars, limit);
        Self { report, whose, place, bars }
    }

    fn is_empty(&self) -> bool {
        self.report.total.requests() == 0
    }

    fn key_name(&self) -> Option<&str> {
        match &self.whose {
            Whose::Key { name, .. } => Some(name),
            Whose::AllKeys => None,
        }
    }

    fn outcomes(&self) -> [Outcome; OUTCOMES] {
        Outcome::ALL
    }

    fn spans(&self) -> [Span; 3] {
        Span::ALL
    }

    fn link(&self, span: &Span) -> String {
        with_range(&self.place.here, *span)
    }

    fn file(&self) -> String {
        with_range(&self.place.csv, self.report.span)
    }

    fn outcome(&self, series: &usize) -> Outcome {
        Outcome::ALL[*series]
    }

    fn when(&self, bucket: &Bucket) -> When {
        When::new(self.report.span, bucket.start)
    }

    /// The first and the last bucket, between which the bars stand.
    fn ends(&self) -> impl Iterator<Item = When> {
        [self.report.buckets.first(), self.report.buckets.last()].into_iter().flatten().map(|bucket| self.when(bucket))
    }

    fn share(&self, requests: i64) -> String {
        percent(requests, self.report.total.requests())
    }

    fn size(&self, bytes: i64) -> (String, &'static str) {
        size(bytes)
    }

    /// The value and the height of a limit that is drawn.
    fn line(&self) -> Option<(i64, f64)> {
        match self.bars.limit {
            Some(LimitShown::Line { value, y }) => Some((value, y)),
            _ => None,
        }
    }

    /// The value of a limit that is too far to be drawn, and how much of it is used.
    fn far(&self) -> Option<(i64, String)> {
        match self.bars.limit {
            Some(LimitShown::Far { value, percent }) => Some((value, format!("{:.1}", percent.max(0.1)))),
            _ => None,
        }
    }

    /// An endpoint beside the most used one.
    fn beside_most(&self, tally: &Tally) -> Vec<Piece> {
        pieces(tally, self.report.endpoints.first().map_or(0, |most| most.tally.requests()))
    }

    /// An outcome beside the most frequent one.
    fn width(&self, outcome: &Outcome) -> f64 {
        let most = Outcome::ALL.map(|outcome| self.report.total.of(outcome)).into_iter().max().unwrap_or(0);
        width(self.report.total.of(*outcome), most)
    }

    /// The chart in a sentence or three, for those who do not see it.
    fn summary(&self) -> String {
        let (unit, title, total) = (self.report.span.unit(), self.report.span.title(), &self.report.total);
        let of = self.key_name().map_or(String::new(), |name| format!(" of {name}"));
        let parts = Outcome::ALL.map(|outcome| format!("{} {}", total.of(outcome), outcome.title().to_lowercase()));
        let mut text =
            format!("Requests{of} by {unit}, last {title}: {} in all; {}.", total.requests(), parts.join(", "));
        if let Some(busiest) = self.report.busiest() {
            text += &format!(" Busiest {unit}: {} with {}.", self.when(busiest).text, busiest.tally.requests());
        }
        if let Some((value, _)) = self.line() {
            text += &format!(" A line marks the limit of {value} a {unit}.");
        }
        text + " The figures follow as a table."
    }
}

/// What a key may use in one bucket; hours have no limit of their own.
fn limit(whose: &Whose, span: Span) -> Option<u32> {
    match (whose, span) {
        (Whose::AllKeys, _) | (_, Span::Day) => None,
        (Whose::Key { limits, .. }, Span::Month) => Some(limits.per_day),
        (Whose::Key { limits, .. }, Span::Year) => Some(limits.per_month),
    }
}

fn with_range(address: &str, span: Span) -> String {
    let mark = if address.contains('?') { '&' } else { '?' };
    format!("{address}{mark}range={}", span.name())
}

/// In per cent of the most.
fn width(value: i64, most: i64) -> f64 {
    if value == 0 { 0.0 } else { (value as f64 / most.max(1) as f64 * 100.0).max(LEAST) }
}

fn pieces(tally: &Tally, most: i64) -> Vec<Piece> {
    let widths = Outcome::ALL.map(|outcome| width(tally.of(outcome), most));
    // What was widened to be seen must not push the last of them out.
    let fit = (100.0 / widths.iter().sum::<f64>()).min(1.0);
    let mut x = 0.0;
    let mut pieces = Vec::new();
    for (outcome, width) in Outcome::ALL.into_iter().zip(widths).filter(|(_, width)| *width > 0.0) {
        pieces.push(Piece { outcome, x, width: width * fit });
        x += width * fit;
    }
    pieces
}

#[cfg(test)]
mod tests;
