//! The chart of a card: a filled line with gaps.

use super::sheet::{ACCENT, LINE};
use crate::canvas::{Canvas, CanvasPoint, Fill};

/// Slots of equal length, oldest first; `None` leaves a gap.
pub fn draw(canvas: &mut Canvas, slots: &[Option<i64>], (x, y): CanvasPoint, width: f32, height: f32) {
    for i in 0..=2 {
        let level = y + height * i as f32 / 2.0;
        canvas.rect(x, level, width, 1.0, Fill::Solid(LINE));
    }
    let highest = slots.iter().flatten().copied().max().unwrap_or_default().max(1) as f32;
    let step = width / (slots.len().max(2) - 1) as f32;
    let point = |(i, value): (usize, i64)| (x + i as f32 * step, y + height * (1.0 - value.max(0) as f32 / highest));
    let known: Vec<(usize, i64)> = slots.iter().enumerate().filter_map(|(i, value)| Some((i, (*value)?))).collect();
    for run in known.chunk_by(|a, b| b.0 - a.0 == 1) {
        let mut corners: Vec<CanvasPoint> = run.iter().copied().map(point).collect();
        let (first, last) = (corners[0].0, corners[corners.len() - 1].0);
        let line = corners.clone();
        corners.extend([(last, y + height), (first, y + height)]);
        canvas.polygon(&corners, Fill::FadeOut((0.0, y), (0.0, y + height * 1.15), ACCENT, 0.5));
        canvas.line(&line, 4.0, Fill::Solid(ACCENT));
    }
    if let Some((cx, cy)) = known.last().filter(|(i, _)| *i + 1 == slots.len()).copied().map(point) {
        canvas.circle(cx, cy, 11.0, Fill::Translucent(ACCENT, 0.3));
        canvas.circle(cx, cy, 6.0, Fill::Solid(ACCENT));
    }
}
