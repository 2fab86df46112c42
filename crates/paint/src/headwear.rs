//! What skins wear on their heads, all on the outer layer.

use super::character::{Headwear, Kind, Look};
use super::color::{darker, hex, lighter};
use super::face::{EYE_ROW, depth};
use super::skin_layout::{Layer, Limb, Side, Texture};

/// Puts on hat, crown or glasses; beings with ears only take headphones.
pub fn wear(texture: &mut Texture, look: &Look) {
    let (cloth, second) = (look.cloth, look.second);
    let headwear = match look.kind {
        Kind::Human => look.headwear,
        Kind::Robot | Kind::Fox | Kind::Panda | Kind::Frog => match look.headwear {
            Headwear::Headphones => Headwear::Headphones,
            _ => Headwear::Nothing,
        },
    };
    texture.paint(Limb::Head, Layer::Over, |side, x, y| {
        let around = !matches!(side, Side::Top | Side::Bottom);
        match headwear {
            Headwear::Nothing => None,
            Headwear::Cap => match side {
                Side::Top => Some(cloth),
                Side::Front if y == 2 => Some(darker(cloth, 0.3)),
                Side::Front if y < 2 && (3..5).contains(&x) => Some(second),
                _ if around && y < 2 => Some(cloth),
                _ => None,
            },
            Headwear::Beanie => match side {
                Side::Top => Some(if (3..5).contains(&x) && (3..5).contains(&y) { second } else { cloth }),
                _ if around && y == 2 => Some(if x % 2 == 0 { second } else { lighter(second, 0.2) }),
                _ if around && y < 2 => Some(cloth),
                _ => None,
            },
            Headwear::Headphones => match side {
                Side::Top if y == 3 || y == 4 => Some(hex(0x24262C)),
                Side::Right | Side::Left if (2..6).contains(&x) && (3..7).contains(&y) => {
                    Some(if (3..5).contains(&x) && (4..6).contains(&y) { second } else { hex(0x24262C) })
                }
                Side::Right | Side::Left if (x == 3 || x == 4) && y < 3 => Some(hex(0x24262C)),
                _ => None,
            },
            Headwear::Glasses => match side {
                Side::Front if y == EYE_ROW && matches!(x, 0 | 3 | 4 | 7) => Some(hex(0x1D1F25)),
                Side::Front if y == EYE_ROW - 1 && x % 7 != 0 => Some(hex(0x1D1F25)),
                Side::Right | Side::Left if y == EYE_ROW && depth(side, x) < 5 => Some(hex(0x1D1F25)),
                _ => None,
            },
            Headwear::Crown => match y {
                0 if around && x % 2 == 0 => Some(hex(0xFFD94F)),
                1 if around => Some(if x == 3 { hex(0xD6455D) } else { hex(0xF2B632) }),
                _ => None,
            },
            Headwear::Bandana => match side {
                Side::Back if (3..5).contains(&x) && (2..6).contains(&y) => Some(darker(second, 0.15)),
                _ if around && y == 2 => Some(second),
                _ if around && y == 1 => Some(lighter(second, 0.12)),
                _ => None,
            },
        }
    });
}
