//! Capes: a 64x32 texture of the cape and the elytra.

use rand::RngExt;

use super::PaintRng;
use super::color::{Rgb, brightness, darker, hex, lighter, mix, shifted};
use super::raster::Raster;

const WIDTH: u32 = 64;
const HEIGHT: u32 = 32;

/// The cape is ten pixels wide, sixteen long and one thick.
const CAPE_WIDTH: i32 = 10;
const CAPE_LENGTH: i32 = 16;

/// Corners of the outer face and of the lining.
const OUTSIDE: (i32, i32) = (1, 1);
const INSIDE: (i32, i32) = (12, 1);

const NOISE: i32 = 4;

/// Patterns from this number on are plain with an emblem.
const FIRST_EMBLEM_PATTERN: usize = 6;

const RNG_STREAM: u64 = 7;

/// Emblems for the outer face: `#` in the accent colour, `+` lighter.
const EMBLEMS: [[&str; 8]; 8] = [
    ["   ##   ", "   ##   ", "########", " ##++## ", "  ####  ", " ###### ", " ##  ## ", "##    ##"],
    [" ##  ## ", "#++#####", "#+######", "########", " ###### ", "  ####  ", "   ##   ", "        "],
    ["   ##   ", "  #++#  ", " #+#### ", "#+######", " ###### ", "  ####  ", "   ##   ", "        "],
    ["   ##   ", "   ##   ", "   ##   ", "###++###", "###++###", "   ##   ", "   ##   ", "   ##   "],
    ["#  ##  #", "#  ##  #", "## ## ##", "########", "#+####+#", "########", "########", "        "],
    ["    ### ", "   ###  ", "  ###   ", " ###### ", "   +##  ", "  +##   ", " +##    ", " ##     "],
    ["  ####  ", " ##  ## ", "##      ", "##      ", "##     #", "##    ##", " ##  ## ", "  ####  "],
    [" ###### ", "##++####", "#  ##  #", "#  ##  #", "########", " ##  ## ", " ###### ", " # ## # "],
];

struct CapeDesign {
    base: Rgb,
    accent: Rgb,
    trim: Rgb,
    pattern: usize,
    emblem: usize,
}

pub fn cape(seed: u64) -> Vec<u8> {
    let mut rng = super::seeded_rng(seed, RNG_STREAM);
    let design = random_design(&mut rng);
    let mut raster = Raster::new(WIDTH, HEIGHT);
    for y in 0..CAPE_LENGTH {
        for x in 0..CAPE_WIDTH {
            let fold = if x % 4 == 3 { -7 } else { 0 } + 8 - y;
            let outer = shifted(design.outside(x, y), fold + noise(&mut rng));
            raster.set(OUTSIDE.0 + x, OUTSIDE.1 + y, outer);
            let lining = shifted(darker(design.base, 0.35), fold + noise(&mut rng));
            raster.set(INSIDE.0 + x, INSIDE.1 + y, lining);
        }
        raster.set(0, 1 + y, darker(design.trim, 0.15));
        raster.set(11, 1 + y, darker(design.trim, 0.15));
    }
    raster.fill(1, 0, CAPE_WIDTH, 1, lighter(design.trim, 0.1));
    raster.fill(11, 0, CAPE_WIDTH, 1, darker(design.trim, 0.3));
    elytra(&mut raster, &design, &mut rng);
    raster.into_png()
}

fn noise(rng: &mut PaintRng) -> i32 {
    rng.random_range(-NOISE..=NOISE)
}

fn random_design(rng: &mut PaintRng) -> CapeDesign {
    // Cloth and accent. Trim and lining are derived from them.
    const CLOTH_COLORS: [(u32, u32); 16] = [
        (0x8E1F2F, 0xF2C14B),
        (0xC2452D, 0xFFE3A3),
        (0x1F3A6E, 0xE8EEF7),
        (0x244FA3, 0xF2C14B),
        (0x2B6CB0, 0xBFE9FF),
        (0x0F5C5C, 0x7CF0CF),
        (0x1F6B46, 0xF6E58D),
        (0x3B7A3A, 0xE9F7C8),
        (0x4B2A7B, 0xD9B8FF),
        (0x6B2C91, 0xF2C14B),
        (0x9B2C6F, 0xFFC2DD),
        (0x1C1E26, 0xE5484D),
        (0x1C1E26, 0x5EEAD4),
        (0x2A1B33, 0xF2A65A),
        (0x4A4F5C, 0xF4F5F7),
        (0xB9772B, 0xFFF1CC),
    ];
    let (base, accent) = CLOTH_COLORS[rng.random_range(0..CLOTH_COLORS.len())];
    let (base, accent) = (hex(base), hex(accent));
    let trim = if brightness(base) > 0.4 { darker(base, 0.4) } else { mix(base, accent, 0.65) };
    CapeDesign {
        base,
        accent,
        trim,
        pattern: rng.random_range(0..FIRST_EMBLEM_PATTERN + 4),
        emblem: rng.random_range(0..EMBLEMS.len()),
    }
}

impl CapeDesign {
    fn outside(&self, x: i32, y: i32) -> Rgb {
        let deep = darker(self.base, 0.3);
        if y == CAPE_LENGTH - 1 || x == 0 || x == CAPE_WIDTH - 1 {
            return self.trim;
        }
        match self.pattern {
            0 if x == 4 || x == 5 || y == 6 || y == 7 => self.accent,
            1 if (x + y) % 6 < 2 => mix(self.base, self.accent, 0.7),
            2 => mix(self.base, self.accent, y as f32 / CAPE_LENGTH as f32),
            3 if (x * 7 + y * 5) % 13 == 0 => lighter(self.accent, 0.3),
            3 if (x * 7 + y * 5) % 13 == 6 => mix(self.base, self.accent, 0.4),
            4 if (x / 2 + y / 2) % 2 == 0 => deep,
            5 if (y + (x - 4).abs().min((x - 5).abs())) % 5 < 2 => self.accent,
            _ => self.emblem_or_ground(x, y),
        }
    }

    /// The emblem in the middle of plain cloth. The other patterns have no emblem.
    fn emblem_or_ground(&self, x: i32, y: i32) -> Rgb {
        let ground = mix(self.base, darker(self.base, 0.35), y as f32 / CAPE_LENGTH as f32);
        if self.pattern < FIRST_EMBLEM_PATTERN {
            return ground;
        }
        let row = usize::try_from(y - 4).ok();
        let row = row.and_then(|row| EMBLEMS[self.emblem].get(row));
        match row.and_then(|row| row.as_bytes().get((x - 1) as usize)) {
            Some(b'#') => self.accent,
            Some(b'+') => lighter(self.accent, 0.6),
            _ if y == 1 => self.trim,
            _ => ground,
        }
    }
}

/// The elytra use the same texture and would be invisible without it.
fn elytra(raster: &mut Raster, design: &CapeDesign, rng: &mut PaintRng) {
    const LEFT: i32 = 22;
    const SPAN: i32 = 20;
    for y in 0..SPAN {
        for x in 0..CAPE_WIDTH {
            let rib = x % 3 == 2;
            let flat = mix(design.base, design.accent, y as f32 / (SPAN * 2) as f32);
            let color = if rib { darker(flat, 0.2) } else { flat };
            let tip = if y >= SPAN - 2 { design.trim } else { color };
            for face in [LEFT + 2, LEFT + 14] {
                raster.set(face + x, 2 + y, shifted(tip, noise(rng)));
            }
        }
        raster.fill(LEFT, 2 + y, 2, 1, design.trim);
        raster.fill(LEFT + 12, 2 + y, 2, 1, design.trim);
    }
    raster.fill(LEFT + 2, 0, CAPE_WIDTH, 2, lighter(design.trim, 0.1));
    raster.fill(LEFT + 12, 0, CAPE_WIDTH, 2, darker(design.trim, 0.3));
}

#[cfg(test)]
mod tests {
    use super::super::testing::decode;
    use super::*;

    #[test]
    fn the_cape_is_opaque_where_the_game_reads_it() {
        for seed in 0..80 {
            let (width, height, pixels) = decode(&cape(seed));
            assert_eq!((width, height), (WIDTH, HEIGHT));
            let alpha = |x: i32, y: i32| pixels[((y * WIDTH as i32 + x) * 4 + 3) as usize];
            for y in 1..=CAPE_LENGTH {
                assert!((0..22).all(|x| alpha(x, y) == 255));
            }
            assert!((1..21).all(|x| alpha(x, 0) == 255));
            assert_eq!((alpha(0, 0), alpha(5, 20)), (0, 0));
        }
    }

    #[test]
    fn same_seed_same_cape() {
        assert_eq!(cape(9), cape(9));
        assert_ne!(cape(9), cape(10));
    }
}
