//! Capes: a 64x32 texture with the cloth a player wears and the wings cut from it.

use rand::RngExt;

use super::Dice;
use super::color::{Rgb, brightness, darker, hex, lighter, mix, shifted};
use super::raster::Raster;

const WIDTH: u32 = 64;
const HEIGHT: u32 = 32;

/// The cloth is ten pixels wide, sixteen long, and one thick.
const ACROSS: i32 = 10;
const LENGTH: i32 = 16;

/// Corners of the outer face, seen behind the player, and of the lining.
const OUTSIDE: (i32, i32) = (1, 1);
const INSIDE: (i32, i32) = (12, 1);

const GRAIN: i32 = 4;

/// Patterns from this number on are plain cloth with an emblem.
const EMBLAZONED: usize = 6;

const PURPOSE: u64 = 7;

/// Emblems for the outer face, `#` in the second colour and `+` in its light.
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

struct Cloth {
    base: Rgb,
    second: Rgb,
    trim: Rgb,
    pattern: usize,
    emblem: usize,
}

/// Paints the cape of a seed.
pub fn cape(seed: u64) -> Vec<u8> {
    let mut dice = super::dice(seed, PURPOSE);
    let cloth = weave(&mut dice);
    let mut raster = Raster::new(WIDTH, HEIGHT);
    for y in 0..LENGTH {
        for x in 0..ACROSS {
            let fold = if x % 4 == 3 { -7 } else { 0 } + 8 - y;
            let outer = shifted(cloth.outside(x, y), fold + grain(&mut dice));
            raster.set(OUTSIDE.0 + x, OUTSIDE.1 + y, outer);
            let lining = shifted(darker(cloth.base, 0.35), fold + grain(&mut dice));
            raster.set(INSIDE.0 + x, INSIDE.1 + y, lining);
        }
        raster.set(0, 1 + y, darker(cloth.trim, 0.15));
        raster.set(11, 1 + y, darker(cloth.trim, 0.15));
    }
    raster.fill(1, 0, ACROSS, 1, lighter(cloth.trim, 0.1));
    raster.fill(11, 0, ACROSS, 1, darker(cloth.trim, 0.3));
    wings(&mut raster, &cloth, &mut dice);
    raster.into_png()
}

fn grain(dice: &mut Dice) -> i32 {
    dice.random_range(-GRAIN..=GRAIN)
}

fn weave(dice: &mut Dice) -> Cloth {
    // Cloth and emblem; trims and linings follow from them.
    const DYES: [(u32, u32); 16] = [
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
    let (base, second) = DYES[dice.random_range(0..DYES.len())];
    let (base, second) = (hex(base), hex(second));
    let trim = if brightness(base) > 0.4 { darker(base, 0.4) } else { mix(base, second, 0.65) };
    Cloth {
        base,
        second,
        trim,
        pattern: dice.random_range(0..EMBLAZONED + 4),
        emblem: dice.random_range(0..EMBLEMS.len()),
    }
}

impl Cloth {
    fn outside(&self, x: i32, y: i32) -> Rgb {
        let deep = darker(self.base, 0.3);
        if y == LENGTH - 1 || x == 0 || x == ACROSS - 1 {
            return self.trim;
        }
        match self.pattern {
            0 if x == 4 || x == 5 || y == 6 || y == 7 => self.second,
            1 if (x + y) % 6 < 2 => mix(self.base, self.second, 0.7),
            2 => mix(self.base, self.second, y as f32 / LENGTH as f32),
            3 if (x * 7 + y * 5) % 13 == 0 => lighter(self.second, 0.3),
            3 if (x * 7 + y * 5) % 13 == 6 => mix(self.base, self.second, 0.4),
            4 if (x / 2 + y / 2) % 2 == 0 => deep,
            5 if (y + (x - 4).abs().min((x - 5).abs())) % 5 < 2 => self.second,
            _ => self.emblazoned(x, y),
        }
    }

    /// The emblem in the middle of plain cloth; patterns that fill the cape have none.
    fn emblazoned(&self, x: i32, y: i32) -> Rgb {
        let ground = mix(self.base, darker(self.base, 0.35), y as f32 / LENGTH as f32);
        if self.pattern < EMBLAZONED {
            return ground;
        }
        let row = usize::try_from(y - 4).ok();
        let row = row.and_then(|row| EMBLEMS[self.emblem].get(row));
        match row.and_then(|row| row.as_bytes().get((x - 1) as usize)) {
            Some(b'#') => self.second,
            Some(b'+') => lighter(self.second, 0.6),
            _ if y == 1 => self.trim,
            _ => ground,
        }
    }
}

/// The elytra share the file: without them a caped player would glide on invisible wings.
fn wings(raster: &mut Raster, cloth: &Cloth, dice: &mut Dice) {
    const LEFT: i32 = 22;
    const SPAN: i32 = 20;
    for y in 0..SPAN {
        for x in 0..ACROSS {
            let rib = x % 3 == 2;
            let flat = mix(cloth.base, cloth.second, y as f32 / (SPAN * 2) as f32);
            let color = if rib { darker(flat, 0.2) } else { flat };
            let tip = if y >= SPAN - 2 { cloth.trim } else { color };
            for face in [LEFT + 2, LEFT + 14] {
                raster.set(face + x, 2 + y, shifted(tip, grain(dice)));
            }
        }
        raster.fill(LEFT, 2 + y, 2, 1, cloth.trim);
        raster.fill(LEFT + 12, 2 + y, 2, 1, cloth.trim);
    }
    raster.fill(LEFT + 2, 0, ACROSS, 2, lighter(cloth.trim, 0.1));
    raster.fill(LEFT + 12, 0, ACROSS, 2, darker(cloth.trim, 0.3));
}

#[cfg(test)]
mod tests {
    use super::super::testing::decode;
    use super::*;

    #[test]
    fn cloth_is_opaque_where_the_game_looks() {
        for seed in 0..80 {
            let (width, height, pixels) = decode(&cape(seed));
            assert_eq!((width, height), (WIDTH, HEIGHT));
            let alpha = |x: i32, y: i32| pixels[((y * WIDTH as i32 + x) * 4 + 3) as usize];
            for y in 1..=LENGTH {
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
