//! A line chart over time.

use super::round_up;
use rollcall_model::time;

pub struct LineChart {
    /// The top of the axis, a round number.
    pub top: i64,
    /// SVG path data.
    pub line: String,
    pub area: String,
    pub points: Vec<ChartPoint>,
}

pub struct ChartPoint {
    pub at: String,
    pub value: i64,
}

/// The view box; the page stretches the drawing.
pub const WIDTH: f64 = 700.0;
pub const HEIGHT: f64 = 180.0;

impl LineChart {
    /// Points in order of time, `step` apart. The line has a gap where a point is missing.
    pub fn new(points: &[(i64, i64)], step: i64) -> Self {
        let top = round_up(points.iter().map(|(_, value)| *value).max().unwrap_or(0));
        let (first, last) = (points.first().map_or(0, |p| p.0), points.last().map_or(0, |p| p.0));
        let span = (last - first).max(1) as f64;
        let position = |&(at, value): &(i64, i64)| {
            ((at - first) as f64 / span * WIDTH, HEIGHT - value as f64 / top as f64 * HEIGHT)
        };
        let (mut line, mut area) = (String::new(), String::new());
        for run in points.chunk_by(|a, b| b.0 - a.0 <= step) {
            let corners: Vec<String> = run.iter().map(position).map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
            line += &format!("M{}", corners.join("L"));
            let (from, to) = (position(&run[0]).0, position(&run[run.len() - 1]).0);
            area += &format!("M{from:.1} {HEIGHT}L{}L{to:.1} {HEIGHT}Z", corners.join("L"));
        }
        let points = points.iter().map(|&(at, value)| ChartPoint { at: time::iso(at), value }).collect();
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
    fn missing_points_leave_a_gap() {
        let chart = LineChart::new(&[(0, 0), (10, 7), (30, 10)], 10);
        assert_eq!(chart.line, "M0.0 180.0L233.3 54.0M700.0 0.0");
        assert_eq!(chart.area, "M0.0 180L0.0 180.0L233.3 54.0L233.3 180ZM700.0 180L700.0 0.0L700.0 180Z");
        assert_eq!(chart.top, 10);
    }

    #[test]
    fn no_points_make_an_empty_chart() {
        let chart = LineChart::new(&[], 10);
        assert_eq!((chart.top, chart.line.as_str(), chart.first()), (10, "", ""));
    }
}
