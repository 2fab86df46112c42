//! The head of a skin: face and hair.

use super::character::{CharacterLook, Hair, Headwear, Species};
use super::color::{Rgb, darker, hex, lighter, mix};
use super::skin_layout::{BodyPart, Side, SkinLayer, SkinPainting};

const EYE_WHITE: Rgb = hex(0xF4F1EC);
/// The row of the eyes and glasses.
pub const EYE_ROW: i32 = 4;

pub fn paint_head(texture: &mut SkinPainting, look: &CharacterLook) {
    match look.species {
        Species::Human => human(texture, look),
        Species::Robot => robot(texture, look),
        Species::Fox => fox(texture, look),
        Species::Panda => panda(texture, look),
        Species::Frog => frog(texture, look),
    }
}

/// Sets a pixel of the face and its mirror image.
fn mirrored_dots(texture: &mut SkinPainting, (x, y): (i32, i32), color: Rgb) {
    for x in [x, 7 - x] {
        texture.dot(BodyPart::Head, SkinLayer::Base, Side::Front, (x, y), color);
    }
}

fn eyes(texture: &mut SkinPainting, look: &CharacterLook, white: Rgb) {
    mirrored_dots(texture, (1, EYE_ROW), white);
    mirrored_dots(texture, (2, EYE_ROW), look.eyes);
}

/// On the sides of the head, the distance from the front edge; elsewhere 0.
pub fn depth(side: Side, x: i32) -> i32 {
    match side {
        Side::Right => 7 - x,
        Side::Left => x,
        _ => 0,
    }
}

fn human(texture: &mut SkinPainting, look: &CharacterLook) {
    let CharacterLook { body, hair, .. } = *look;
    texture.paint(BodyPart::Head, SkinLayer::Base, |side, x, y| {
        Some(if hair_covers(hair, side, x, y) { look.hair_color } else { body })
    });
    eyes(texture, look, EYE_WHITE);
    if hair != Hair::Bald {
        mirrored_dots(texture, (1, EYE_ROW - 1), mix(look.hair_color, body, 0.3));
        mirrored_dots(texture, (2, EYE_ROW - 1), mix(look.hair_color, body, 0.3));
    }
    mirrored_dots(texture, (3, 5), darker(body, 0.12));
    mirrored_dots(texture, (1, 5), mix(body, hex(0xE0705A), 0.22));
    mirrored_dots(texture, (3, 6), mix(darker(body, 0.35), hex(0x9A3B36), 0.45));
    if look.beard {
        beard(texture, look);
    }
    outer_hair(texture, look);
}

fn hair_covers(hair: Hair, side: Side, x: i32, y: i32) -> bool {
    let deep = depth(side, x);
    match (hair, side) {
        (Hair::Bald, _) | (_, Side::Bottom) => false,
        (Hair::Mohawk, Side::Top) => (2..6).contains(&x),
        (Hair::Mohawk, Side::Front) => y == 0 && (2..6).contains(&x),
        (Hair::Mohawk, Side::Back) => y < 6 && (2..6).contains(&x),
        (Hair::Mohawk, _) => false,
        (_, Side::Top) => true,
        (Hair::Swept, Side::Front) => y == 0 || (y == 1 && x < 6) || (y == 2 && x < 3),
        (Hair::Long, Side::Front) => y == 0 || (y == 1 && x != 4) || (x % 7 == 0 && y < 7),
        (Hair::Curly, Side::Front) => y == 0 || (y == 1 && x % 3 != 1) || (x % 7 == 0 && y < 4),
        (Hair::Bun, Side::Front) => y == 0 || (y == 1 && !(2..6).contains(&x)),
        (_, Side::Front) => y == 0 || (y == 1 && x % 7 == 0),
        (Hair::Long, Side::Back) => true,
        (_, Side::Back) => y < 7,
        (Hair::Long, _) => y < 3 || deep > 1 || deep == 0 && y < 7,
        (Hair::Curly, _) => y < 4 || deep > 3 && y < 7,
        _ => y < 2 || deep > 1 && y < 4 || deep > 3 && y < 6,
    }
}

/// Hair on the outer layer.
fn outer_hair(texture: &mut SkinPainting, look: &CharacterLook) {
    if matches!(look.headwear, Headwear::Cap | Headwear::Beanie) {
        return;
    }
    let tint = lighter(look.hair_color, 0.06);
    let hair = look.hair;
    texture.paint(BodyPart::Head, SkinLayer::Outer, |side, x, y| {
        let deep = depth(side, x);
        let covered = match (hair, side) {
            (Hair::Mohawk, Side::Top) => x == 3 || x == 4,
            (Hair::Mohawk, Side::Back) => y < 4 && (x == 3 || x == 4),
            (Hair::Curly, Side::Top) => (x + y * 3) % 5 != 0,
            (Hair::Curly, Side::Bottom) => false,
            (Hair::Curly, _) => y < 3 && (x + y) % 3 != 0,
            (Hair::Swept, Side::Top) => x < 7,
            (Hair::Swept, Side::Front) => y == 0 && x < 6 || y == 1 && x < 4,
            (Hair::Swept, Side::Right) => y < 2,
            (Hair::Long, Side::Top) => true,
            (Hair::Long, Side::Front) => y == 0 || y < 3 && x % 7 == 0,
            (Hair::Long, Side::Back) => y < 7 || x % 2 == 0,
            (Hair::Long, Side::Right | Side::Left) => y < 2 || deep > 2,
            (Hair::Bun, Side::Top) => (2..6).contains(&x) && y < 4,
            (Hair::Bun, Side::Back) => (2..6).contains(&x) && y < 4,
            _ => false,
        };
        covered.then_some(tint)
    });
}

fn beard(texture: &mut SkinPainting, look: &CharacterLook) {
    let tint = darker(look.hair_color, 0.08);
    texture.paint(BodyPart::Head, SkinLayer::Base, |side, x, y| {
        let grown = match side {
            Side::Front => y == 7 || y == 6 && x != 3 && x != 4 || y == 5 && x % 7 == 0,
            Side::Right | Side::Left => y > 4 && depth(side, x) < 2,
            Side::Bottom => y < 2,
            _ => false,
        };
        grown.then_some(tint)
    });
}

fn robot(texture: &mut SkinPainting, look: &CharacterLook) {
    let (metal, dark) = (look.body, darker(look.body, 0.45));
    texture.paint(BodyPart::Head, SkinLayer::Base, |side, x, y| {
        let seam = match side {
            Side::Front => y == 7 || y == 0,
            Side::Top => x == 0 || x == 7,
            Side::Right | Side::Left => (2..6).contains(&x) && (3..6).contains(&y),
            Side::Back => (2..6).contains(&x) && y % 2 == 1,
            Side::Bottom => true,
        };
        Some(if seam { mix(metal, dark, 0.45) } else { metal })
    });
    let glow = look.accent;
    for x in 1..7 {
        for y in 2..5 {
            texture.dot(BodyPart::Head, SkinLayer::Base, Side::Front, (x, y), hex(0x14181F));
        }
        let tooth = if x % 2 == 0 { dark } else { lighter(metal, 0.2) };
        texture.dot(BodyPart::Head, SkinLayer::Base, Side::Front, (x, 6), tooth);
    }
    for y in [3, 4] {
        mirrored_dots(texture, (2, y), glow);
    }
    mirrored_dots(texture, (2, 3), lighter(glow, 0.5));
    texture.dot(BodyPart::Head, SkinLayer::Outer, Side::Top, (3, 4), hex(0xE5484D));
    texture.dot(BodyPart::Head, SkinLayer::Outer, Side::Top, (4, 4), hex(0xE5484D));
}

fn fox(texture: &mut SkinPainting, look: &CharacterLook) {
    let cream = hex(0xF7EBDD);
    let tip = hex(0x2B211E);
    texture.paint(BodyPart::Head, SkinLayer::Base, |side, x, y| {
        let pale = match side {
            Side::Front => y > 4 && (!(2..6).contains(&x) || y > 5) || y == 7,
            Side::Right | Side::Left => y > 5 && depth(side, x) < 4,
            Side::Bottom => true,
            _ => false,
        };
        Some(if pale { cream } else { look.body })
    });
    eyes(texture, look, hex(0x2B211E));
    mirrored_dots(texture, (2, EYE_ROW), lighter(look.eyes, 0.25));
    mirrored_dots(texture, (3, 5), cream);
    mirrored_dots(texture, (3, 6), tip);
    texture.paint(BodyPart::Head, SkinLayer::Outer, |side, x, y| {
        let outer = !(2..6).contains(&x);
        match side {
            Side::Top if outer && (2..5).contains(&y) => Some(look.body),
            Side::Front if outer && y == 0 => Some(tip),
            Side::Front if outer && y == 1 => Some(look.body),
            Side::Right | Side::Left if y < 2 && (2..6).contains(&x) => Some(tip),
            _ => None,
        }
    });
}

fn panda(texture: &mut SkinPainting, look: &CharacterLook) {
    let black = hex(0x26262B);
    texture.paint(BodyPart::Head, SkinLayer::Base, |side, x, y| {
        let patch = match side {
            Side::Front => (3..5).contains(&y) && matches!(x, 1 | 2 | 5 | 6) || y == 5 && matches!(x, 1 | 6),
            Side::Top => !(2..6).contains(&x) && (3..6).contains(&y),
            Side::Right | Side::Left => y < 2 && (2..5).contains(&x),
            _ => false,
        };
        Some(if patch { black } else { look.body })
    });
    mirrored_dots(texture, (2, EYE_ROW), EYE_WHITE);
    mirrored_dots(texture, (3, 6), black);
    mirrored_dots(texture, (3, 7), hex(0xC79A94));
    texture.paint(BodyPart::Head, SkinLayer::Outer, |side, x, y| {
        let ear = (side == Side::Front && y == 0 || side == Side::Top && (2..6).contains(&y)) && !(2..6).contains(&x);
        ear.then_some(black)
    });
}

fn frog(texture: &mut SkinPainting, look: &CharacterLook) {
    let belly = mix(look.body, hex(0xF2F0B8), 0.65);
    texture.paint(BodyPart::Head, SkinLayer::Base, |side, x, y| {
        let pale = y > 5 && !matches!(side, Side::Top | Side::Back) || side == Side::Bottom;
        let spot = side != Side::Front && (x * 3 + y * 5) % 11 == 0;
        Some(match (pale, spot) {
            (true, _) => belly,
            (false, true) => darker(look.body, 0.2),
            (false, false) => look.body,
        })
    });
    for y in [1, 2] {
        mirrored_dots(texture, (1, y), hex(0xF6E27A));
        mirrored_dots(texture, (2, y), hex(0x1D2419));
    }
    for x in 1..7 {
        texture.dot(BodyPart::Head, SkinLayer::Base, Side::Front, (x, 5), darker(look.body, 0.5));
    }
    mirrored_dots(texture, (1, 6), mix(belly, hex(0xE8836B), 0.5));
    texture.paint(BodyPart::Head, SkinLayer::Outer, |side, x, y| {
        let lid = side == Side::Front && y == 0 && x % 7 != 0 && x != 3 && x != 4
            || side == Side::Top && y > 4 && x % 7 != 0 && x != 3 && x != 4;
        lid.then_some(lighter(look.body, 0.12))
    });
}
