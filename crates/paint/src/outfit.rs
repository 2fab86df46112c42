//! Clothes of skins: torso, arms and legs in both layers.

use super::character::{Clothes, Kind, Look};
use super::color::{Rgb, WHITE, darker, hex, lighter, mix};
use super::skin_layout::{ARMS, LEGS, Layer, Limb, Side, Texture};

const GOLD: Rgb = hex(0xF0B93A);

/// Rows from which hands and shoes begin.
const HAND_ROW: i32 = 10;
const SHOE_ROW: i32 = 9;

/// Dresses everything below the head.
pub fn dress(texture: &mut Texture, look: &Look) {
    arms(texture, look);
    legs(texture, look);
    match look.clothes {
        Clothes::Hoodie => hoodie(texture, look),
        Clothes::HeartShirt | Clothes::StripedShirt => shirt(texture, look),
        Clothes::Suit => suit(texture, look),
        Clothes::Armour => armour(texture, look),
        Clothes::Overalls => overalls(texture, look),
        Clothes::Robe => robe(texture, look),
        Clothes::Ninja => ninja(texture, look),
    }
}

/// Hands, paws or metal grips.
fn hand(look: &Look) -> Rgb {
    match look.kind {
        Kind::Human | Kind::Frog => look.body,
        Kind::Robot => darker(look.body, 0.2),
        Kind::Fox | Kind::Panda => hex(0x2B2523),
    }
}

fn sleeve(look: &Look) -> Rgb {
    match look.clothes {
        Clothes::Suit => mix(look.cloth, hex(0x23252E), 0.75),
        Clothes::Armour => mix(look.cloth, hex(0x3A3D45), 0.6),
        Clothes::Ninja => hex(0x24252D),
        Clothes::Overalls => look.second,
        Clothes::Hoodie | Clothes::HeartShirt | Clothes::StripedShirt | Clothes::Robe => look.cloth,
    }
}

fn arms(texture: &mut Texture, look: &Look) {
    // A shade below the torso, or the arms would melt into it.
    let (cloth, hand) = (darker(sleeve(look), 0.1), hand(look));
    let bare_from = match look.clothes {
        Clothes::HeartShirt | Clothes::StripedShirt => 4,
        _ => HAND_ROW,
    };
    let fur = if look.kind == Kind::Human { look.body } else { mix(look.body, hand, 0.15) };
    for limb in ARMS {
        texture.paint(limb, Layer::Base, |side, _, y| {
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

fn legs(texture: &mut Texture, look: &Look) {
    let trousers = match look.clothes {
        Clothes::Robe => look.cloth,
        Clothes::Suit => mix(look.cloth, hex(0x1E2028), 0.8),
        Clothes::Ninja => hex(0x1F2027),
        _ => look.trousers,
    };
    for limb in LEGS {
        texture.paint(limb, Layer::Base, |side, x, y| {
            let inseam = side == Side::Front && (limb == Limb::RightLeg) == (x == 3) && y > 2 && (x == 0 || x == 3);
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
        texture.paint(limb, Layer::Over, |side, _, y| {
            let cuff = y == SHOE_ROW && !matches!(side, Side::Top | Side::Bottom);
            cuff.then_some(lighter(look.shoes, 0.12))
        });
    }
}

fn cuffs(texture: &mut Texture, rows: std::ops::Range<i32>, color: Rgb) {
    for limb in ARMS {
        texture.paint(limb, Layer::Over, |side, _, y| {
            let ring = rows.contains(&y) && !matches!(side, Side::Top | Side::Bottom);
            ring.then_some(color)
        });
    }
}

fn hoodie(texture: &mut Texture, look: &Look) {
    let (cloth, dark) = (look.cloth, darker(look.cloth, 0.22));
    texture.paint(Limb::Torso, Layer::Base, |side, x, y| {
        Some(match side {
            Side::Front if y == 0 && (3..5).contains(&x) => look.second,
            Side::Front if (7..10).contains(&y) && (1..7).contains(&x) => dark,
            Side::Bottom => dark,
            _ if y == 11 => dark,
            _ => cloth,
        })
    });
    texture.paint(Limb::Torso, Layer::Over, |side, x, y| {
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
            texture.dot(Limb::Torso, Layer::Over, Side::Front, (x, y), lighter(look.second, 0.4));
        }
    }
    cuffs(texture, 9..10, dark);
}

fn shirt(texture: &mut Texture, look: &Look) {
    let heart = ["  #  #  ", " ###### ", " ###### ", "  ####  ", "   ##   "];
    let striped = look.clothes == Clothes::StripedShirt;
    texture.paint(Limb::Torso, Layer::Base, |side, x, y| {
        let print = if striped {
            matches!(y, 4 | 5 | 8) && !matches!(side, Side::Top | Side::Bottom)
        } else {
            let row = usize::try_from(y - 3).ok().and_then(|row| heart.get(row));
            side == Side::Front && row.is_some_and(|row| row.as_bytes()[x as usize] == b'#')
        };
        Some(match side {
            Side::Front if y == 0 && (2..6).contains(&x) => look.body,
            _ if print => look.second,
            _ if y == 11 => look.trousers,
            _ => look.cloth,
        })
    });
    cuffs(texture, 3..4, look.second);
}

fn suit(texture: &mut Texture, look: &Look) {
    let jacket = sleeve(look);
    texture.paint(Limb::Torso, Layer::Base, |side, x, y| {
        let opening = y < 6 && (x - 3 >= y / 3 - 1 && x - 4 <= 1 - y / 3);
        Some(match side {
            Side::Front if (x == 3 || x == 4) && (1..7).contains(&y) => {
                if y == 1 {
                    darker(look.second, 0.2)
                } else {
                    look.second
                }
            }
            Side::Front if opening => WHITE,
            Side::Front if y == 8 && x == 4 => GOLD,
            _ if y == 11 => darker(jacket, 0.25),
            _ => jacket,
        })
    });
    texture.paint(Limb::Torso, Layer::Over, |side, x, y| {
        let lapel = side == Side::Front && y < 6 && (x == 1 + y / 4 || x == 6 - y / 4);
        lapel.then_some(lighter(jacket, 0.12))
    });
    texture.dot(Limb::Torso, Layer::Over, Side::Front, (6, 3), look.second);
    cuffs(texture, 9..10, WHITE);
}

fn armour(texture: &mut Texture, look: &Look) {
    let metal = mix(look.cloth, hex(0xC9D0D8), 0.6);
    let (dark, bright) = (darker(metal, 0.3), lighter(metal, 0.35));
    texture.paint(Limb::Torso, Layer::Base, |side, x, y| {
        Some(match side {
            Side::Front if (x == 3 || x == 4) && (2..4).contains(&y) => look.second,
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
    for limb in ARMS {
        texture.paint(limb, Layer::Over, |side, _, y| match side {
            Side::Top => Some(bright),
            Side::Bottom => None,
            _ if y < 3 => Some(metal),
            _ if y == 3 => Some(GOLD),
            _ if y == 7 || y == 8 => Some(metal),
            _ => None,
        });
    }
    for limb in LEGS {
        texture.paint(limb, Layer::Over, |side, _, y| match side {
            Side::Top | Side::Bottom => None,
            _ if y == 4 || y == 5 => (side == Side::Front).then_some(bright),
            _ if y > 7 => Some(if y == 8 { GOLD } else { metal }),
            _ => None,
        });
    }
}

fn overalls(texture: &mut Texture, look: &Look) {
    let denim = look.trousers;
    texture.paint(Limb::Torso, Layer::Base, |side, x, y| {
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
            (false, _) => look.second,
        })
    });
    for x in [1, 6] {
        texture.dot(Limb::Torso, Layer::Base, Side::Front, (x, 4), GOLD);
    }
    cuffs(texture, 8..10, lighter(look.second, 0.2));
}

fn robe(texture: &mut Texture, look: &Look) {
    let (cloth, trim) = (look.cloth, mix(look.second, GOLD, 0.4));
    texture.paint(Limb::Torso, Layer::Base, |side, x, y| {
        Some(match side {
            Side::Front if y == 7 && (x == 3 || x == 4) => GOLD,
            _ if y == 7 || y == 8 => darker(look.trousers, 0.1),
            Side::Front if x == 3 || x == 4 => trim,
            Side::Front if y < 2 && (2..6).contains(&x) => trim,
            _ => cloth,
        })
    });
    for limb in LEGS {
        texture.paint(limb, Layer::Over, |side, x, y| {
            let inner = if limb == Limb::RightLeg { 3 } else { 0 };
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

fn ninja(texture: &mut Texture, look: &Look) {
    let black = hex(0x24252D);
    texture.paint(Limb::Torso, Layer::Base, |side, x, y| {
        Some(match side {
            Side::Front if y < 5 && (x == 2 + y / 2 || x == 5 - y / 2) => hex(0x4A4C58),
            Side::Back if x == y - 1 || x == y => hex(0x6B4A2F),
            _ if y == 8 || y == 9 => look.cloth,
            _ => black,
        })
    });
    for y in 10..12 {
        texture.dot(Limb::Torso, Layer::Over, Side::Front, (5, y), look.cloth);
    }
    cuffs(texture, 6..10, hex(0x4A4C58));
    if look.kind == Kind::Human {
        texture.paint(Limb::Head, Layer::Over, |side, _, y| {
            let mask = y > 4 && !matches!(side, Side::Top | Side::Bottom);
            mask.then_some(black)
        });
    }
}
