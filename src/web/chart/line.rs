//! A line chart over time. The line is drawn in a view box that the page stretches; grid and labels are in percent, so that
//! text is never distorted.

use super::round_up;
use crate::web::language::Language;
use rollcall_model::time::{self, DAY, HOUR};

#[derive(Clone)]
pub struct LineChart {
    /// SVG path data.
    pub line: String,
    pub area: String,
    pub points: Vec<ChartPoint>,
    pub y_ticks: Vec<Tick>,
    pub x_ticks: Vec<Tick>,
    /// Times that are marked, such as outages.
    pub bands: Vec<Band>,
    from: i64,
    to: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChartPoint {
    pub at: i64,
    pub value: i64,
}

/// A label at a position of its axis, in percent from the left or the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub label: String,
    pub position: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    pub x: f64,
    pub width: f64,
}

/// The view box; the page stretches the drawing.
const WIDTH: f64 = 700.0;
const HEIGHT: f64 = 180.0;
/// More points than this are averaged: neither a screen nor a reader can tell them apart.
const MAX_POINTS: usize = 240;
/// More labels overlap on a phone.
const MAX_X_TICKS: i64 = 6;
/// The narrowest band that can be seen, in percent.
const MIN_BAND: f64 = 0.4;

impl LineChart {
    /// Points in order of time. The line has a gap where points are more than `step` apart.
    pub fn new(points: &[(i64, i64)], step: i64, language: Language) -> Self {
        let span = points.len().div_ceil(MAX_POINTS).max(1);
        let (points, step) = (average(points, span), step * span as i64);
        let top = round_up(points.iter().map(|point| point.value).max().unwrap_or(0));
        let (from, to) = (points.first().map_or(0, |p| p.at), points.last().map_or(0, |p| p.at));
        let length = (to - from).max(1) as f64;
        let position = |point: &ChartPoint| {
            ((point.at - from) as f64 / length * WIDTH, HEIGHT - point.value as f64 / top as f64 * HEIGHT)
        };
        let (mut line, mut area) = (String::new(), String::new());
        for run in points.chunk_by(|a, b| b.at - a.at <= step) {
            let corners: Vec<String> = run.iter().map(position).map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
            line += &format!("M{}", corners.join("L"));
            let (from, to) = (position(&run[0]).0, position(&run[run.len() - 1]).0);
            area += &format!("M{from:.1} {HEIGHT}L{}L{to:.1} {HEIGHT}Z", corners.join("L"));
        }
        let y_ticks = [1.0, 0.5, 0.0]
            .map(|share| Tick { label: language.decimal(top as f64 * share, 1), position: (1.0 - share) * 100.0 });
        let x_ticks = if points.is_empty() { Vec::new() } else { x_ticks(from, to, language) };
        Self { line, area, points, y_ticks: y_ticks.into(), x_ticks, bands: Vec::new(), from, to }
    }

    /// Marks times on the chart: `(from, to)` each.
    pub fn with_bands(mut self, bands: impl Iterator<Item = (i64, i64)>) -> Self {
        let length = (self.to - self.from).max(1) as f64;
        let share = |at: i64| (at.clamp(self.from, self.to) - self.from) as f64 / length * 100.0;
        let shown = bands.filter(|(from, to)| *to > self.from && *from < self.to);
        self.bands = shown
            .map(|(from, to)| {
                let width = (share(to) - share(from)).max(MIN_BAND);
                Band { x: share(from).min(100.0 - width), width }
            })
            .collect();
        self
    }

    pub fn highest(&self) -> Option<&ChartPoint> {
        self.points.iter().max_by_key(|point| point.value)
    }
}

fn average(points: &[(i64, i64)], span: usize) -> Vec<ChartPoint> {
    let mean = |chunk: &[(i64, i64)]| chunk.iter().map(|(_, value)| value).sum::<i64>() / chunk.len() as i64;
    points.chunks(span).map(|chunk| ChartPoint { at: chunk[0].0, value: mean(chunk) }).collect()
}

/// Full hours or days (UTC), evenly spaced.
fn x_ticks(from: i64, to: i64, language: Language) -> Vec<Tick> {
    const STEPS: [i64; 11] =
        [HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 90 * DAY, 365 * DAY];
    let length = (to - from).max(1);
    let step = STEPS.into_iter().find(|step| length / step <= MAX_X_TICKS).unwrap_or(length / MAX_X_TICKS);
    let first = from.div_euclid(step) * step + step;
    let ticks = (first..to).step_by(step as usize).map(|at| Tick {
        label: if step < DAY { time::iso(at)[11..16].to_owned() } else { short_day(at, language) },
        position: (at - from) as f64 / length as f64 * 100.0,
    });
    // A label at the very edge would be cut off.
    ticks.filter(|tick| (4.0..=96.0).contains(&tick.position)).collect()
}

/// `17 Nov`
fn short_day(at: i64, language: Language) -> String {
    let day = language.day(at);
    day.rsplit_once(' ').map_or(day.clone(), |(day_and_month, _)| day_and_month.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_points_leave_a_gap() {
        let chart = LineChart::new(&[(0, 0), (10, 7), (30, 10)], 10, Language::English);
        assert_eq!(chart.line, "M0.0 180.0L233.3 54.0M700.0 0.0");
        assert_eq!(chart.area, "M0.0 180L0.0 180.0L233.3 54.0L233.3 180ZM700.0 180L700.0 0.0L700.0 180Z");
        let labels: Vec<&str> = chart.y_ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["10", "5", "0"]);
    }

    #[test]
    fn no_points_make_an_empty_chart() {
        let chart = LineChart::new(&[], 10, Language::English);
        assert_eq!((chart.line.as_str(), chart.x_ticks.len()), ("", 0));
    }

    #[test]
    fn the_time_axis_has_full_hours_or_days() {
        let labels = |to: i64| -> Vec<String> {
            let chart = LineChart::new(&[(0, 1), (to, 1)], to, Language::English);
            chart.x_ticks.into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels(DAY), ["06:00", "12:00", "18:00"]);
        assert_eq!(labels(7 * DAY), ["3 Jan", "5 Jan", "7 Jan"]);
        assert!(labels(1000 * DAY).len() <= MAX_X_TICKS as usize);
    }

    #[test]
    fn many_points_are_averaged() {
        let points: Vec<(i64, i64)> = (0..1000).map(|at| (at, at % 2 * 10)).collect();
        let chart = LineChart::new(&points, 1, Language::English);
        assert_eq!(chart.points.len(), 200);
        assert!(chart.points.iter().all(|point| (4..=6).contains(&point.value)));
        assert_eq!(chart.line.matches('M').count(), 1);
    }

    #[test]
    fn bands_are_cut_at_the_edges_and_never_invisible() {
        let chart = LineChart::new(&[(0, 1), (1000, 1)], 1000, Language::English);
        let bands = chart.with_bands([(-500, -1), (-5, 100), (500, 500), (900, 5000)].into_iter()).bands;
        assert_eq!(
            bands,
            [Band { x: 0.0, width: 10.0 }, Band { x: 50.0, width: MIN_BAND }, Band { x: 90.0, width: 10.0 }]
        );
    }
}
