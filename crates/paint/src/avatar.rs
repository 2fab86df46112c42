//! Geometric avatars for accounts without a picture.

use rand::RngExt;

use super::PaintRng;
use super::canvas::{Canvas, Fill};
use super::color::{BLACK, Rgb, WHITE, darker, hex, lighter, mix};

const SIDE: u32 = 128;
const MIDDLE: f32 = SIDE as f32 / 2.0;

const RNG_STREAM: u64 = 8;

struct AvatarColors {
    background: Rgb,
    /// The end of the background gradient.
    background_dark: Rgb,
    accents: [Rgb; 3],
}

pub fn avatar(seed: u64) -> Vec<u8> {
    let mut rng = super::seeded_rng(seed, RNG_STREAM);
    let colors = random_colors(&mut rng);
    let mut canvas = Canvas::new(SIDE, SIDE);
    canvas.fill_all(Fill::Linear((0.0, 0.0), colors.background, (SIDE as f32, SIDE as f32), colors.background_dark));
    match rng.random_range(0..5) {
        0 => mosaic(&mut canvas, &colors, &mut rng),
        1 => pixels(&mut canvas, &colors, &mut rng),
        2 => orbits(&mut canvas, &colors, &mut rng),
        3 => creature(&mut canvas, &colors, &mut rng),
        _ => blossom(&mut canvas, &colors, &mut rng),
    }
    canvas.into_small_png()
}

fn random_colors(rng: &mut PaintRng) -> AvatarColors {
    const SETS: [[u32; 5]; 16] = [
        [0x2B2D6E, 0x16173D, 0xFF7A90, 0xFFC371, 0xFDF3E7],
        [0x0F4C5C, 0x08272F, 0xFB8B24, 0xF6D186, 0xE8F6EF],
        [0x5B2A86, 0x2C1250, 0x4DE3C1, 0xF9E45B, 0xF7EDFF],
        [0x1F7A5C, 0x0C3B2E, 0xFFD166, 0x9CF0B8, 0xF4FFF3],
        [0xE4576B, 0xA12A5E, 0xFFD9A0, 0xFFF0D4, 0x4A1942],
        [0xF4A259, 0xD9643A, 0x3D405B, 0xFFF1DC, 0x81B29A],
        [0x3A86C8, 0x1D4E89, 0xFFE066, 0xBFE9FF, 0xFFFFFF],
        [0x23263B, 0x11131F, 0x7CF5FF, 0xC792EA, 0xF5F7FF],
        [0x7FC8A9, 0x3D8B7D, 0xFFF7D6, 0xD5495F, 0x1E4D4B],
        [0xF2C14E, 0xE08E2B, 0x4D2D52, 0xF7F4EA, 0xD1495B],
        [0x6C4AB6, 0x3D2C8D, 0xFFB7C5, 0xB9E0FF, 0xFFF5FA],
        [0x3B3A36, 0x1E1D1B, 0xE8B04B, 0xF3E3C3, 0xD96C4F],
        [0x8E2C48, 0x4E1230, 0xF9A26C, 0xF7D6BF, 0xFFF3EA],
        [0x2A6F97, 0x012A4A, 0x89C2D9, 0xFFE5A5, 0xFFFFFF],
        [0xA7C957, 0x5E8C31, 0xFFFCE8, 0xBC4749, 0x2F4A1C],
        [0xF5B5C8, 0xD77FA1, 0x5D3A6E, 0xFFFFFF, 0x7BC6CC],
    ];
    let [background, background_dark, first, second, third] = SETS[rng.random_range(0..SETS.len())].map(hex);
    AvatarColors { background, background_dark, accents: [first, second, third] }
}

fn random_accent(colors: &AvatarColors, rng: &mut PaintRng) -> Rgb {
    colors.accents[rng.random_range(0..colors.accents.len())]
}

/// Quarter circles, discs and triangles on a grid, mirrored left to right.
fn mosaic(canvas: &mut Canvas, colors: &AvatarColors, rng: &mut PaintRng) {
    const CELLS: usize = 4;
    let cell = SIDE as f32 / CELLS as f32;
    for index in 0..CELLS * CELLS / 2 {
        let (column, row) = (index % 2, index / 2);
        let (shape, turn) = (rng.random_range(0..6), rng.random_range(0..4));
        let (color, back) =
            (random_accent(colors, rng), mix(colors.background, colors.accents[0], rng.random_range(0.0..0.3)));
        for mirror in [false, true] {
            let x = if mirror { CELLS - 1 - column } else { column } as f32 * cell;
            let y = row as f32 * cell;
            canvas.rect(x, y, cell, cell, Fill::Solid(back));
            let right = (turn % 2 == 1) != mirror;
            let (cx, cy) = (if right { x + cell } else { x }, if turn / 2 == 1 { y + cell } else { y });
            let (ox, oy) = (2.0 * x + cell - cx, 2.0 * y + cell - cy);
            match shape {
                0..=2 => quarter_disc(canvas, (cx, cy), (ox, oy), Fill::Solid(color)),
                3 => canvas.circle(x + cell / 2.0, y + cell / 2.0, cell * 0.36, Fill::Solid(color)),
                4 => canvas.polygon(&[(cx, cy), (ox, cy), (cx, oy)], Fill::Solid(color)),
                _ => {}
            }
        }
    }
}

/// A quarter disc around one corner of a cell.
fn quarter_disc(canvas: &mut Canvas, (cx, cy): (f32, f32), (ox, oy): (f32, f32), fill: Fill) {
    // Control point distance for a cubic that approximates a quarter circle.
    const ARC: f32 = 0.552_3;
    canvas.shape(fill, |path| {
        path.move_to(cx, cy);
        path.line_to(ox, cy);
        path.cubic_to(ox, cy + (oy - cy) * ARC, cx + (ox - cx) * ARC, oy, cx, oy);
    });
}

/// Mirrored rounded squares, as in identicons.
fn pixels(canvas: &mut Canvas, colors: &AvatarColors, rng: &mut PaintRng) {
    const CELLS: usize = 7;
    let margin = 15.0;
    let cell = (SIDE as f32 - 2.0 * margin) / CELLS as f32;
    for row in 0..CELLS {
        for column in 0..CELLS.div_ceil(2) {
            if !rng.random_bool(0.55) {
                continue;
            }
            let color = if rng.random_bool(0.75) { colors.accents[0] } else { colors.accents[1] };
            for column in [column, CELLS - 1 - column] {
                let (x, y) = (margin + column as f32 * cell, margin + row as f32 * cell);
                let fill = Fill::Linear((0.0, 0.0), lighter(color, 0.2), (0.0, SIDE as f32), darker(color, 0.1));
                canvas.rounded_rect(x + 0.75, y + 0.75, cell - 1.5, cell - 1.5, 3.5, fill);
            }
        }
    }
}

/// A sun with planets on rings.
fn orbits(canvas: &mut Canvas, colors: &AvatarColors, rng: &mut PaintRng) {
    canvas.glow((MIDDLE, MIDDLE), 70.0, colors.accents[0], 0.5);
    for _ in 0..24 {
        let (x, y) = (rng.random_range(0.0..128.0), rng.random_range(0.0..128.0));
        canvas.circle(x, y, rng.random_range(0.4..1.2), Fill::Translucent(WHITE, 0.6));
    }
    for radius in [25.0, 39.0, 53.0] {
        canvas.ring(MIDDLE, MIDDLE, radius, 2.2, Fill::Translucent(colors.accents[2], 0.35));
        for _ in 0..rng.random_range(1..=2) {
            let angle = rng.random_range(0.0..std::f32::consts::TAU);
            let (x, y) = (MIDDLE + radius * angle.cos(), MIDDLE + radius * angle.sin());
            let size = rng.random_range(4.0..9.5);
            let color = random_accent(colors, rng);
            canvas.circle(x + 1.0, y + 2.0, size, Fill::Translucent(BLACK, 0.25));
            canvas.circle(
                x,
                y,
                size,
                Fill::Linear((x - size, y - size), lighter(color, 0.4), (x + size, y + size), darker(color, 0.25)),
            );
        }
    }
    canvas.circle(MIDDLE, MIDDLE, 13.0, Fill::vertical(50.0, lighter(colors.accents[1], 0.5), 78.0, colors.accents[0]));
}

/// A round creature with a face.
fn creature(canvas: &mut Canvas, colors: &AvatarColors, rng: &mut PaintRng) {
    let color = colors.accents[rng.random_range(0..2)];
    let dark = darker(mix(color, colors.background_dark, 0.5), 0.55);
    let body_fill = Fill::vertical(30.0, lighter(color, 0.15), 128.0, darker(color, 0.22));
    let lift = rng.random_range(0.0..8.0);
    canvas.glow((MIDDLE, 40.0), 80.0, WHITE, 0.22);
    match rng.random_range(0..4) {
        0 => {
            for x in [36.0, 92.0] {
                canvas.circle(x, 42.0, 15.0, body_fill);
                canvas.circle(x, 42.0, 8.0, Fill::Translucent(dark, 0.4));
            }
        }
        1 => {
            for side in [-1.0, 1.0] {
                let ear = [(MIDDLE + 14.0 * side, 46.0), (MIDDLE + 37.0 * side, 14.0), (MIDDLE + 41.0 * side, 62.0)];
                canvas.polygon(&ear, body_fill);
            }
        }
        2 => {
            canvas.line(&[(MIDDLE, 44.0), (MIDDLE + 4.0, 18.0)], 4.0, Fill::Solid(darker(color, 0.15)));
            canvas.circle(MIDDLE + 4.0, 17.0, 7.0, Fill::Solid(colors.accents[2]));
        }
        _ => {
            for side in [-1.0, 1.0] {
                canvas.ellipse(MIDDLE + 17.0 * side, 30.0, 9.0, 24.0, body_fill);
                canvas.ellipse(MIDDLE + 17.0 * side, 30.0, 4.0, 16.0, Fill::Translucent(dark, 0.35));
            }
        }
    }
    canvas.shape(body_fill, |path| {
        path.move_to(18.0, 130.0);
        path.cubic_to(14.0, 62.0, 34.0, 36.0, MIDDLE, 36.0);
        path.cubic_to(94.0, 36.0, 114.0, 62.0, 110.0, 130.0);
    });
    let apart = rng.random_range(15.0..23.0);
    for side in [-1.0, 1.0] {
        let x = MIDDLE + apart * side;
        canvas.circle(x, 72.0 - lift, 11.0, Fill::Solid(WHITE));
        canvas.circle(x + 1.5, 73.0 - lift, 6.2, Fill::Solid(dark));
        canvas.circle(x + 3.8, 70.4 - lift, 2.2, Fill::Solid(WHITE));
        canvas.ellipse(MIDDLE + (apart + 13.0) * side, 88.0 - lift, 6.0, 3.6, Fill::Translucent([255, 110, 120], 0.45));
    }
    if rng.random_bool(0.6) {
        canvas.shape(Fill::Solid(dark), |path| {
            path.move_to(MIDDLE - 11.0, 89.0 - lift);
            path.line_to(MIDDLE + 11.0, 89.0 - lift);
            path.quad_to(MIDDLE + 9.0, 104.0 - lift, MIDDLE, 104.0 - lift);
            path.quad_to(MIDDLE - 9.0, 104.0 - lift, MIDDLE - 11.0, 89.0 - lift);
        });
    } else {
        canvas.line(
            &[(MIDDLE - 7.0, 91.0 - lift), (MIDDLE, 95.0 - lift), (MIDDLE + 7.0, 91.0 - lift)],
            3.4,
            Fill::Solid(dark),
        );
    }
}

/// Rings of translucent petals.
fn blossom(canvas: &mut Canvas, colors: &AvatarColors, rng: &mut PaintRng) {
    let petals = rng.random_range(5..=9);
    let turn = rng.random_range(0.0..90.0);
    canvas.glow((MIDDLE, MIDDLE), 75.0, colors.accents[1], 0.35);
    for (ring, color) in colors.accents.iter().enumerate() {
        let size = 1.0 - 0.28 * ring as f32;
        for petal in 0..petals {
            let angle = turn + 360.0 * (petal as f32 + 0.5 * ring as f32) / petals as f32;
            canvas.transform = tiny_skia::Transform::from_rotate_at(angle, MIDDLE, MIDDLE);
            canvas.ellipse(MIDDLE, MIDDLE - 29.0 * size, 15.0 * size, 27.0 * size, Fill::Translucent(*color, 0.62));
        }
    }
    canvas.transform = tiny_skia::Transform::identity();
    canvas.circle(MIDDLE, MIDDLE, 10.0, Fill::Solid(colors.background_dark));
    canvas.circle(MIDDLE, MIDDLE, 6.0, Fill::Solid(colors.accents[1]));
}

#[cfg(test)]
mod tests {
    use super::super::testing::decode;
    use super::*;

    #[test]
    fn avatars_are_opaque_squares() {
        for seed in 0..60 {
            let (width, height, pixels) = decode(&avatar(seed));
            assert_eq!((width, height), (SIDE, SIDE));
            assert!(pixels.chunks_exact(4).all(|pixel| pixel[3] == 255));
        }
    }

    #[test]
    fn same_seed_same_avatar() {
        assert_eq!(avatar(1), avatar(1));
        assert_ne!(avatar(1), avatar(2));
    }
}
