//! Headwear, on the outer layer of a skin.

use super::character::{CharacterLook, Headwear, Species};
use super::color::{darker, hex, lighter};
use super::face::{EYE_ROW, depth};
use super::skin_layout::{BodyPart, Side, SkinLayer, SkinPainting};

/// Species with ears on top wear only headphones.
pub fn paint_headwear(texture: &mut SkinPainting, look: &CharacterLook) {
    let (cloth, accent) = (look.cloth, look.accent);
    let headwear = match look.species {
        Species::Human => look.headwear,
        Species::Robot | Species::Fox | Species::Panda | Species::Frog => match look.headwear {
            Headwear::Headphones => Headwear::Headphones,
            _ => Headwear::Nothing,
        },
    };
    texture.paint(BodyPart::Head, SkinLayer::Outer, |side, x, y| {
        let around = !matches!(side, Side::Top | Side::Bottom);
        match headwear {
            Headwear::Nothing => None,
            Headwear::Cap => match side {
                Side::Top => Some(cloth),
                Side::Front if y == 2 => Some(darker(cloth, 0.3)),
                Side::Front if y < 2 && (3..5).contains(&x) => Some(accent),
                _ if around && y < 2 => Some(cloth),
                _ => None,
            },
            Headwear::Beanie => match side {
                Side::Top => Some(if (3..5).contains(&x) && (3..5).contains(&y) { accent } else { cloth }),
                _ if around && y == 2 => Some(if x % 2 == 0 { accent } else { lighter(accent, 0.2) }),
                _ if around && y < 2 => Some(cloth),
                _ => None,
            },
            Headwear::Headphones => match side {
                Side::Top if y == 3 || y == 4 => Some(hex(0x24262C)),
                Side::Right | Side::Left if (2..6).contains(&x) && (3..7).contains(&y) => {
                    Some(if (3..5).contains(&x) && (4..6).contains(&y) { accent } else { hex(0x24262C) })
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
                Side::Back if (3..5).contains(&x) && (2..6).contains(&y) => Some(darker(accent, 0.15)),
                _ if around && y == 2 => Some(accent),
                _ if around && y == 1 => Some(lighter(accent, 0.12)),
                _ => None,
            },
        }
    });
}
