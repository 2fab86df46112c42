//! A tiny line without axes, for lists.

/// SVG path data in a box of [`WIDTH`] by [`HEIGHT`].
pub struct Sparkline {
    pub line: String,
    pub area: String,
}

const WIDTH: i64 = 100;
const HEIGHT: i64 = 28;

impl Sparkline {
    /// Slots of equal length, oldest first; `None` leaves a gap. `None` if fewer than two have a value.
    pub fn new(slots: &[Option<i64>]) -> Option<Self> {
        let top = slots.iter().flatten().copied().max()?.max(1);
        if slots.iter().flatten().count() < 2 {
            return None;
        }
        let last = slots.len() as i64 - 1;
        let point =
            |(i, value): (i64, i64)| format!("{} {}", i * WIDTH / last, HEIGHT - 1 - value.max(0) * (HEIGHT - 2) / top);
        let (mut line, mut area) = (String::new(), String::new());
        let known: Vec<(i64, i64)> = (0..).zip(slots).filter_map(|(i, value)| Some((i, (*value)?))).collect();
        for run in known.chunk_by(|a, b| b.0 - a.0 == 1) {
            let corners: Vec<String> = run.iter().copied().map(point).collect();
            let (from, to) = (run[0].0 * WIDTH / last, run[run.len() - 1].0 * WIDTH / last);
            line += &format!("M{}", corners.join("L"));
            area += &format!("M{from} {HEIGHT}L{}L{to} {HEIGHT}Z", corners.join("L"));
        }
        Some(Self { line, area })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_stay_gaps() {
        let drawn = Sparkline::new(&[Some(0), Some(10), None, Some(5), Some(10)]).unwrap();
        assert_eq!(drawn.line, "M0 27L25 1M75 14L100 1");
        assert!(Sparkline::new(&[None, Some(3)]).is_none());
        assert!(Sparkline::new(&[]).is_none());
        assert_eq!(Sparkline::new(&[Some(0), Some(0)]).unwrap().line, "M0 27L100 27");
    }
}
