//! Stacked bars over time. All geometry is in per cent of the drawing, so that a page may stretch it while patterns and
//! words in it keep their shape.

use super::round_up;

/// Bars of `N` series each, the first at the bottom.
pub struct Bars<const N: usize> {
    /// The highest value drawn, a round figure.
    pub top: i64,
    pub rects: Vec<Rect>,
    pub limit: Option<LimitShown>,
}

/// A part of a bar.
#[derive(Debug, PartialEq)]
pub struct Rect {
    /// Which of the bar's parts it is.
    pub series: usize,
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// What the bars are not to rise above.
#[derive(Clone, Copy)]
pub struct Limit {
    pub value: i64,
    /// The most that counted against it in any bar.
    pub used: i64,
}

/// How a limit is told.
#[derive(Debug, PartialEq)]
pub enum LimitShown {
    /// A line at this height.
    Line { value: i64, y: f64 },
    /// Too far away to draw: so many per cent of it are used.
    Far { value: i64, percent: f64 },
}

/// Of a bar's place, what it fills.
const FILLED: f64 = 0.76;
/// Something that happened is seen, however little it is beside the rest.
const LEAST: f64 = 1.5;
/// A limit that would press the bars below a quarter of the height is told in words.
const FARTHEST: i64 = 4;

impl<const N: usize> Bars<N> {
    pub fn new(bars: &[[i64; N]], limit: Option<Limit>) -> Self {
        let highest = bars.iter().map(|parts| total(parts)).max().unwrap_or(0);
        let near = |limit: &Limit| limit.value <= highest.saturating_mul(FARTHEST);
        // An eighth above a limit there is room for its name.
        let room = limit.filter(near).map_or(0, |limit| limit.value.saturating_add(limit.value / 8));
        let top = round_up(highest.max(room));
        let height = |value: i64| value as f64 / top as f64 * 100.0;
        let limit = limit.map(|limit| match near(&limit) {
            true => LimitShown::Line { value: limit.value, y: 100.0 - height(limit.value) },
            false => LimitShown::Far { value: limit.value, percent: limit.used as f64 / limit.value as f64 * 100.0 },
        });
        let place = 100.0 / bars.len().max(1) as f64;
        let mut rects = Vec::new();
        for (i, parts) in bars.iter().enumerate() {
            let mut y = 100.0;
            for (series, &value) in parts.iter().enumerate().filter(|(_, value)| **value > 0) {
                let height = height(value).max(LEAST);
                y -= height;
                let x = (i as f64 + (1.0 - FILLED) / 2.0) * place;
                rects.push(Rect { series, x, y, width: place * FILLED, height });
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
    fn parts_stand_on_each_other() {
        let bars = Bars::new(&[[40, 0, 60], [0, 0, 0], [100, 100, 0], [0, 1, 0]], None);
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
                // One of two hundred is seen.
                "1 78.0 98.5 19.0 1.5",
            ]
        );
    }

    #[test]
    fn a_limit_is_a_line_when_it_is_near_and_a_sentence_when_it_is_not() {
        let shown = |value| {
            let bars = Bars::new(&[[20, 5]], Some(Limit { value, used: 20 }));
            (bars.top, bars.limit.unwrap())
        };
        assert_eq!(shown(20), (25, LimitShown::Line { value: 20, y: 20.0 }));
        assert_eq!(shown(100), (120, LimitShown::Line { value: 100, y: 100.0 - 100.0 / 120.0 * 100.0 }));
        assert_eq!(shown(101), (25, LimitShown::Far { value: 101, percent: 20.0 / 101.0 * 100.0 }));
    }

    #[test]
    fn nothing_is_a_chart_too() {
        let bars = Bars::<4>::new(&[], Some(Limit { value: 1, used: 0 }));
        assert_eq!((bars.top, bars.rects.len()), (10, 0));
        assert_eq!(bars.limit, Some(LimitShown::Far { value: 1, percent: 0.0 }));
        let limit = Bars::new(&[[i64::MAX, i64::MAX]], None);
        assert!(limit.rects.iter().all(|rect| rect.height.is_finite()));
    }
}
