//! Outfits: torso, arms and legs of a skin, in both layers.

use super::character::{CharacterLook, Outfit, Species};
use super::color::{Rgb, WHITE, darker, hex, lighter, mix};
use super::skin_layout::{ARMS, BodyPart, LEGS, Side, SkinLayer, SkinPainting};

const GOLD: Rgb = hex(0xF0B93A);

/// The first rows of hands and shoes.
const HAND_ROW: i32 = 10;
const SHOE_ROW: i32 = 9;

/// Paints everything below the head.
pub fn paint_outfit(texture: &mut SkinPainting, look: &CharacterLook) {
    arms(texture, look);
    legs(texture, look);
    match look.outfit {
        Outfit::Hoodie => hoodie(texture, look),
        Outfit::HeartShirt | Outfit::StripedShirt => shirt(texture, look),
        Outfit::Suit => suit(texture, look),
        Outfit::Armour => armour(texture, look),
        Outfit::Overalls => overalls(texture, look),
        Outfit::Robe => robe(texture, look),
        Outfit::Ninja => ninja(texture, look),
    }
}

fn hand(look: &CharacterLook) -> Rgb {
    match look.species {
        Species::Human | Species::Frog => look.body,
        Species::Robot => darker(look.body, 0.2),
        Species::Fox | Species::Panda => hex(0x2B2523),
    }
}

fn sleeve(look: &CharacterLook) -> Rgb {
    match look.outfit {
        Outfit::Suit => mix(look.cloth, hex(0x23252E), 0.75),
        Outfit::Armour => mix(look.cloth, hex(0x3A3D45), 0.6),
        Outfit::Ninja => hex(0x24252D),
        Outfit::Overalls => look.accent,
        Outfit::Hoodie | Outfit::HeartShirt | Outfit::StripedShirt | Outfit::Robe => look.cloth,
    }
}

fn arms(texture: &mut SkinPainting, look: &CharacterLook) {
    // Darker than the torso, so that the arms stand out.
    let (cloth, hand) = (darker(sleeve(look), 0.1), hand(look));
    let bare_from = match look.outfit {
        Outfit::HeartShirt | Outfit::StripedShirt => 4,
        _ => HAND_ROW,
    };
    let fur = if look.species == Species::Human { look.body } else { mix(look.body, hand, 0.15) };
    for part in ARMS {
        texture.paint(part, SkinLayer::Base, |side, _, y| {
            Some(match side {
                Side::Top => cloth,
                Side::Bottom => hand,
                _ if y >= HAND_ROW => hand,
                _ if y >= bare_from => fur,
                _ if y == bare_from - 1 => darker(cloth, 0.14),
                _ => cloth,
            })
        });
    }
}

fn legs(texture: &mut SkinPainting, look: &CharacterLook) {
    let trousers = match look.outfit {
        Outfit::Robe => look.cloth,
        Outfit::Suit => mix(look.cloth, hex(0x1E2028), 0.8),
        Outfit::Ninja => hex(0x1F2027),
        _ => look.trousers,
    };
    for part in LEGS {
        texture.paint(part, SkinLayer::Base, |side, x, y| {
            let inseam = side == Side::Front && (part == BodyPart::RightLeg) == (x == 3) && y > 2 && (x == 0 || x == 3);
            Some(match side {
                Side::Top => trousers,
                Side::Bottom => darker(look.shoes, 0.35),
                _ if y == 11 => darker(look.shoes, 0.3),
                _ if y >= SHOE_ROW => look.shoes,
                _ if y == SHOE_ROW - 1 => darker(trousers, 0.16),
                _ if inseam => darker(trousers, 0.1),
                _ => trousers,
            })
        });
        texture.paint(part, SkinLayer::Outer, |side, _, y| {
            let cuff = y == SHOE_ROW && !matches!(side, Side::Top | Side::Bottom);
            cuff.then_some(lighter(look.shoes, 0.12))
        });
    }
}

fn cuffs(texture: &mut SkinPainting, rows: std::ops::Range<i32>, color: Rgb) {
    for part in ARMS {
        texture.paint(part, SkinLayer::Outer, |side, _, y| {
            let ring = rows.contains(&y) && !matches!(side, Side::Top | Side::Bottom);
            ring.then_some(color)
        });
    }
}

fn hoodie(texture: &mut SkinPainting, look: &CharacterLook) {
    let (cloth, dark) = (look.cloth, darker(look.cloth, 0.22));
    texture.paint(BodyPart::Torso, SkinLayer::Base, |side, x, y| {
        Some(match side {
            Side::Front if y == 0 && (3..5).contains(&x) => look.accent,
            Side::Front if (7..10).contains(&y) && (1..7).contains(&x) => dark,
            Side::Bottom => dark,
            _ if y == 11 => dark,
            _ => cloth,
        })
    });
    texture.paint(BodyPart::Torso, SkinLayer::Outer, |side, x, y| {
        let hood = match side {
            Side::Back => y < 4 && (y < 3 || (2..6).contains(&x)),
            Side::Front => y == 0 && !(2..6).contains(&x) || y == 1 && (x == 2 || x == 5),
            Side::Right | Side::Left => y < 2,
            _ => false,
        };
        hood.then_some(lighter(cloth, 0.1))
    });
    for x in [2, 5] {
        for y in 2..5 {
            texture.dot(BodyPart::Torso, SkinLayer::Outer, Side::Front, (x, y), lighter(look.accent, 0.4));
        }
    }
    cuffs(texture, 9..10, dark);
}

fn shirt(texture: &mut SkinPainting, look: &CharacterLook) {
    let heart = ["  #  #  ", " ###### ", " ###### ", "  ####  ", "   ##   "];
    let striped = look.outfit == Outfit::StripedShirt;
    texture.paint(BodyPart::Torso, SkinLayer::Base, |side, x, y| {
        let print = if striped {
            matches!(y, 4 | 5 | 8) && !matches!(side, Side::Top | Side::Bottom)
        } else {
            let row = usize::try_from(y - 3).ok().and_then(|row| heart.get(row));
            side == Side::Front && row.is_some_and(|row| row.as_bytes()[x as usize] == b'#')
        };
        Some(match side {
            Side::Front if y == 0 && (2..6).contains(&x) => look.body,
            _ if print => look.accent,
            _ if y == 11 => look.trousers,
            _ => look.cloth,
        })
    });
    cuffs(texture, 3..4, look.accent);
}

fn suit(texture: &mut SkinPainting, look: &CharacterLook) {
    let jacket = sleeve(look);
    texture.paint(BodyPart::Torso, SkinLayer::Base, |side, x, y| {
        let opening = y < 6 && (x - 3 >= y / 3 - 1 && x - 4 <= 1 - y / 3);
        Some(match side {
            Side::Front if (x == 3 || x == 4) && (1..7).contains(&y) => {
                if y == 1 {
                    darker(look.accent, 0.2)
                } else {
                    look.accent
                }
            }
            Side::Front if opening => WHITE,
            Side::Front if y == 8 && x == 4 => GOLD,
            _ if y == 11 => darker(jacket, 0.25),
            _ => jacket,
        })
    });
    texture.paint(BodyPart::Torso, SkinLayer::Outer, |side, x, y| {
        let lapel = side == Side::Front && y < 6 && (x == 1 + y / 4 || x == 6 - y / 4);
        lapel.then_some(lighter(jacket, 0.12))
    });
    texture.dot(BodyPart::Torso, SkinLayer::Outer, Side::Front, (6, 3), look.accent);
    cuffs(texture, 9..10, WHITE);
}

fn armour(texture: &mut SkinPainting, look: &CharacterLook) {
    let metal = mix(look.cloth, hex(0xC9D0D8), 0.6);
    let (dark, bright) = (darker(metal, 0.3), lighter(metal, 0.35));
    texture.paint(BodyPart::Torso, SkinLayer::Base, |side, x, y| {
        Some(match side {
            Side::Front if (x == 3 || x == 4) && (2..4).contains(&y) => look.accent,
            Side::Front if y == 1 && (1..7).contains(&x) => bright,
            Side::Front if (x == 3 || x == 4) && y < 8 => bright,
            _ if y == 8 || y == 9 => {
                if x == 3 || x == 4 {
                    GOLD
                } else {
                    hex(0x5A3A24)
                }
            }
            _ if y == 5 => dark,
            _ if y > 9 => dark,
            _ => metal,
        })
    });
    for part in ARMS {
        texture.paint(part, SkinLayer::Outer, |side, _, y| match side {
            Side::Top => Some(bright),
            Side::Bottom => None,
            _ if y < 3 => Some(metal),
            _ if y == 3 => Some(GOLD),
            _ if y == 7 || y == 8 => Some(metal),
            _ => None,
        });
    }
    for part in LEGS {
        texture.paint(part, SkinLayer::Outer, |side, _, y| match side {
            Side::Top | Side::Bottom => None,
            _ if y == 4 || y == 5 => (side == Side::Front).then_some(bright),
            _ if y > 7 => Some(if y == 8 { GOLD } else { metal }),
            _ => None,
        });
    }
}

fn overalls(texture: &mut SkinPainting, look: &CharacterLook) {
    let denim = look.trousers;
    texture.paint(BodyPart::Torso, SkinLayer::Base, |side, x, y| {
        let bib = match side {
            Side::Front => y > 3 && (1..7).contains(&x) || y > 6 || x == 1 || x == 6,
            Side::Back => y > 5 || x == 1 || x == 6,
            Side::Right | Side::Left => y > 6,
            Side::Top => x == 1 || x == 6,
            Side::Bottom => true,
        };
        Some(match (bib, side) {
            (true, Side::Front) if (7..9).contains(&y) && (2..6).contains(&x) => lighter(denim, 0.14),
            (true, _) => denim,
            (false, _) => look.accent,
        })
    });
    for x in [1, 6] {
        texture.dot(BodyPart::Torso, SkinLayer::Base, Side::Front, (x, 4), GOLD);
    }
    cuffs(texture, 8..10, lighter(look.accent, 0.2));
}

fn robe(texture: &mut SkinPainting, look: &CharacterLook) {
    let (cloth, trim) = (look.cloth, mix(look.accent, GOLD, 0.4));
    texture.paint(BodyPart::Torso, SkinLayer::Base, |side, x, y| {
        Some(match side {
            Side::Front if y == 7 && (x == 3 || x == 4) => GOLD,
            _ if y == 7 || y == 8 => darker(look.trousers, 0.1),
            Side::Front if x == 3 || x == 4 => trim,
            Side::Front if y < 2 && (2..6).contains(&x) => trim,
            _ => cloth,
        })
    });
    for part in LEGS {
        texture.paint(part, SkinLayer::Outer, |side, x, y| {
            let inner = if part == BodyPart::RightLeg { 3 } else { 0 };
            match side {
                Side::Top | Side::Bottom => None,
                _ if y == 9 => Some(trim),
                Side::Front if x == inner && y < 9 => Some(trim),
                _ if y < 9 => Some(darker(cloth, 0.06)),
                _ => None,
            }
        });
    }
    cuffs(texture, 8..10, trim);
}

fn ninja(texture: &mut SkinPainting, look: &CharacterLook) {
    let black = hex(0x24252D);
    texture.paint(BodyPart::Torso, SkinLayer::Base, |side, x, y| {
        Some(match side {
            Side::Front if y < 5 && (x == 2 + y / 2 || x == 5 - y / 2) => hex(0x4A4C58),
            Side::Back if x == y - 1 || x == y => hex(0x6B4A2F),
            _ if y == 8 || y == 9 => look.cloth,
            _ => black,
        })
    });
    for y in 10..12 {
        texture.dot(BodyPart::Torso, SkinLayer::Outer, Side::Front, (5, y), look.cloth);
    }
    cuffs(texture, 6..10, hex(0x4A4C58));
    if look.species == Species::Human {
        texture.paint(BodyPart::Head, SkinLayer::Outer, |side, _, y| {
            let mask = y > 4 && !matches!(side, Side::Top | Side::Bottom);
            mask.then_some(black)
        });
    }
}
