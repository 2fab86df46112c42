//! Charts as SVG, rendered on the server so that they work without scripts. Each comes with a table of its data.

mod bars;
mod line;
mod sparkline;

pub use bars::{BarChart, ChartLimit, LimitMark};
pub use line::LineChart;
pub use sparkline::Sparkline;

/// The next round number: 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120 …
fn round_up(value: i64) -> i64 {
    const STEPS: [i64; 10] = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80];
    let mut unit: i64 = 1;
    loop {
        if let Some(step) = STEPS.into_iter().map(|step| unit.saturating_mul(step)).find(|step| *step >= value) {
            return step;
        }
        unit = unit.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_ends_at_a_round_number() {
        assert_eq!([0, 11, 81, 101, 499, 999_999].map(round_up), [10, 12, 100, 120, 500, 1_000_000]);
        assert_eq!(round_up(i64::MAX), i64::MAX);
    }
}
