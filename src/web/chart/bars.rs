//! A stacked bar chart over time. All geometry is in percent, so the page can stretch the chart without distorting
//! patterns and text.

use super::round_up;

/// Bars of `N` series, the first at the bottom.
pub struct BarChart<const N: usize> {
    /// The top of the axis, a round number.
    pub top: i64,
    pub rects: Vec<BarRect>,
    pub limit: Option<LimitMark>,
}

/// One series of one bar.
#[derive(Debug, PartialEq)]
pub struct BarRect {
    pub series: usize,
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// A limit to compare the bars with.
#[derive(Clone, Copy)]
pub struct ChartLimit {
    pub value: i64,
    /// The highest usage of any bar.
    pub used: i64,
}

/// How a limit is shown.
#[derive(Debug, PartialEq)]
pub enum LimitMark {
    /// As a line at this height.
    Line { value: i64, y: f64 },
    /// In words, because it is too high to draw: the share that is used.
    Far { value: i64, percent: f64 },
}

/// The share of its slot that a bar fills.
const BAR_WIDTH: f64 = 0.76;
/// The minimum height in percent, so that small values stay visible.
const MIN_HEIGHT: f64 = 1.5;
/// A limit that would shrink the bars below a quarter of the height is not drawn.
const MAX_LIMIT_RATIO: i64 = 4;

impl<const N: usize> BarChart<N> {
    pub fn new(bars: &[[i64; N]], limit: Option<ChartLimit>) -> Self {
        let highest = bars.iter().map(|parts| total(parts)).max().unwrap_or(0);
        let near = |limit: &ChartLimit| limit.value <= highest.saturating_mul(MAX_LIMIT_RATIO);
        // Leaves room for the label above the line.
        let headroom = limit.filter(near).map_or(0, |limit| limit.value.saturating_add(limit.value / 8));
        let top = round_up(highest.max(headroom));
        let height = |value: i64| value as f64 / top as f64 * 100.0;
        let limit = limit.map(|limit| match near(&limit) {
            true => LimitMark::Line { value: limit.value, y: 100.0 - height(limit.value) },
            false => LimitMark::Far { value: limit.value, percent: limit.used as f64 / limit.value as f64 * 100.0 },
        });
        let slot = 100.0 / bars.len().max(1) as f64;
        let mut rects = Vec::new();
        for (i, parts) in bars.iter().enumerate() {
            let mut y = 100.0;
            for (series, &value) in parts.iter().enumerate().filter(|(_, value)| **value > 0) {
                let height = height(value).max(MIN_HEIGHT);
                y -= height;
                let x = (i as f64 + (1.0 - BAR_WIDTH) / 2.0) * slot;
                rects.push(BarRect { series, x, y, width: slot * BAR_WIDTH, height });
            }
        }
        Self { top, rects, limit }
    }
}

fn total(parts: &[i64]) -> i64 {
    parts.iter().fold(0, |sum, part| sum.saturating_add(*part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_stacked() {
        let bars = BarChart::new(&[[40, 0, 60], [0, 0, 0], [100, 100, 0], [0, 1, 0]], None);
        assert_eq!(bars.top, 200);
        let seen: Vec<String> = bars
            .rects
            .iter()
            .map(|r| format!("{} {:.1} {:.1} {:.1} {:.1}", r.series, r.x, r.y, r.width, r.height))
            .collect();
        assert_eq!(
            seen,
            [
                "0 3.0 80.0 19.0 20.0",
                "2 3.0 50.0 19.0 30.0",
                "0 53.0 50.0 19.0 50.0",
                "1 53.0 0.0 19.0 50.0",
                // A small value has the minimum height.
                "1 78.0 98.5 19.0 1.5",
            ]
        );
    }

    #[test]
    fn a_near_limit_is_a_line_and_a_far_one_a_sentence() {
        let shown = |value| {
            let bars = BarChart::new(&[[20, 5]], Some(ChartLimit { value, used: 20 }));
            (bars.top, bars.limit.unwrap())
        };
        assert_eq!(shown(20), (25, LimitMark::Line { value: 20, y: 20.0 }));
        assert_eq!(shown(100), (120, LimitMark::Line { value: 100, y: 100.0 - 100.0 / 120.0 * 100.0 }));
        assert_eq!(shown(101), (25, LimitMark::Far { value: 101, percent: 20.0 / 101.0 * 100.0 }));
    }

    #[test]
    fn no_bars_make_an_empty_chart() {
        let bars = BarChart::<4>::new(&[], Some(ChartLimit { value: 1, used: 0 }));
        assert_eq!((bars.top, bars.rects.len()), (10, 0));
        assert_eq!(bars.limit, Some(LimitMark::Far { value: 1, percent: 0.0 }));
        let limit = BarChart::new(&[[i64::MAX, i64::MAX]], None);
        assert!(limit.rects.iter().all(|rect| rect.height.is_finite()));
    }
}
