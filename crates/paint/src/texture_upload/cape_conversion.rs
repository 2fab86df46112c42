//! Capes: the game's layout has 64x32 pixels. Its left top corner holds the cape itself (22x17 pixels: a box of 10x16x1 unfolded),
//! and right of it the elytra (24x22 pixels: a box of 10x20x2), so that both end at 46x22. Programs save just one of these corners;
//! such a picture is put into the left top corner of the whole layout, and the rest stays transparent. All of it may have two,
//! three, … times as many pixels.

use super::nothing_visible;
use crate::raster::Raster;
use rollcall_model::message::Message;

/// The whole layout first.
const LAYOUTS: [(u32, u32); 3] = [(64, 32), (46, 22), (22, 17)];
/// Of the whole layout: 2048x1024 pixels.
const MAX_SCALE: u32 = 32;
/// What the game shows of the layout: the cape and the elytra.
const SHOWN: (u32, u32) = (46, 22);

/// How many times larger than the game's a picture is; `None` if it is no cape.
fn scale_of((width, height): (u32, u32)) -> Option<u32> {
    LAYOUTS.into_iter().find_map(|(columns, rows)| {
        let scale = width / columns;
        let fits = (1..=MAX_SCALE).contains(&scale) && (width, height) == (columns * scale, rows * scale);
        fits.then_some(scale)
    })
}

pub fn check_size(size: (u32, u32)) -> Result<(), Message> {
    match scale_of(size) {
        Some(_) => Ok(()),
        None => Err(Message::new(
            "The picture has {} × {} pixels; a cape has 64 × 32, 46 × 22 or 22 × 17, or up to {} times as many each way.",
            &[&size.0, &size.1, &MAX_SCALE],
        )),
    }
}

/// The cape in the whole layout.
pub fn normalize(decoded: &Raster) -> Result<Raster, Message> {
    let (width, height) = decoded.size();
    let scale = scale_of((width, height)).unwrap_or(1);
    let mut cape = Raster::new(LAYOUTS[0].0 * scale, LAYOUTS[0].1 * scale);
    for y in 0..height as i32 {
        for x in 0..width as i32 {
            cape.put(x, y, decoded.get(x, y));
        }
    }
    let (columns, rows) = (SHOWN.0 * scale, SHOWN.1 * scale);
    let is_shown = |at: usize| at as u32 % cape.size().0 < columns && at as u32 / cape.size().0 < rows;
    let mut pixels = cape.as_rgba().as_chunks::<4>().0.iter().enumerate();
    if !pixels.any(|(at, pixel)| pixel[3] > 0 && is_shown(at)) {
        return Err(nothing_visible());
    }
    Ok(cape)
}
