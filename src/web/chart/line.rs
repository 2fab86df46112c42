//! A line over time.

use super::round_up;
use rollcall_model::time;

pub struct Chart {
    /// The highest value drawn, a round figure.
    pub top: i64,
    /// Of the SVG's paths.
    pub line: String,
    pub area: String,
    pub points: Vec<Point>,
}

pub struct Point {
    pub at: String,
    pub value: i64,
}

/// The drawing's own units; a page stretches it as it likes.
pub const WIDTH: f64 = 700.0;
pub const HEIGHT: f64 = 180.0;

impl Chart {
    /// Points in order of time, `step` apart; where one is missing the line breaks.
    pub fn new(points: &[(i64, i64)], step: i64) -> Self {
        let top = round_up(points.iter().map(|(_, value)| *value).max().unwrap_or(0));
        let (first, last) = (points.first().map_or(0, |p| p.0), points.last().map_or(0, |p| p.0));
        let span = (last - first).max(1) as f64;
        let place = |&(at, value): &(i64, i64)| {
            ((at - first) as f64 / span * WIDTH, HEIGHT - value as f64 / top as f64 * HEIGHT)
        };
        let (mut line, mut area) = (String::new(), String::new());
        for run in points.chunk_by(|a, b| b.0 - a.0 <= step) {
            let corners: Vec<String> = run.iter().map(place).map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
            line += &format!("M{}", corners.join("L"));
            let (from, to) = (place(&run[0]).0, place(&run[run.len() - 1]).0);
            area += &format!("M{from:.1} {HEIGHT}L{}L{to:.1} {HEIGHT}Z", corners.join("L"));
        }
        let points = points.iter().map(|&(at, value)| Point { at: time::iso(at), value }).collect();
        Self { top, line, area, points }
    }

    pub fn first(&self) -> &str {
        self.points.first().map_or("", |point| &point.at)
    }

    pub fn last(&self) -> &str {
        self.points.last().map_or("", |point| &point.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_breaks_where_a_point_is_missing() {
        let chart = Chart::new(&[(0, 0), (10, 7), (30, 10)], 10);
        assert_eq!(chart.line, "M0.0 180.0L233.3 54.0M700.0 0.0");
        assert_eq!(chart.area, "M0.0 180L0.0 180.0L233.3 54.0L233.3 180ZM700.0 180L700.0 0.0L700.0 180Z");
        assert_eq!(chart.top, 10);
    }

    #[test]
    fn nothing_is_a_chart_too() {
        let chart = Chart::new(&[], 10);
        assert_eq!((chart.top, chart.line.as_str(), chart.first()), (10, "", ""));
    }
}
