//! Skins: old ones of 64x32 pixels are converted, and the body is made opaque, both as the game does when it loads a skin.

use super::nothing_visible;
use crate::raster::Raster;
use crate::skin_layout::{ArmModel, BODY_PARTS, SIDE, SIDES, SkinLayer, TextureArea, area};
use rollcall_model::message::Message;

const OLD_HEIGHT: u32 = 32;
/// The areas of the body, without the layer around it. The game ignores their alpha.
const OPAQUE_AREAS: [TextureArea; 3] = [
    TextureArea { x: 0, y: 0, width: 32, height: 16 },
    TextureArea { x: 0, y: 16, width: 64, height: 16 },
    TextureArea { x: 16, y: 48, width: 32, height: 16 },
];
/// The right half of an old skin, which holds the hat. If no pixel of it is transparent, the game shows no hat: programs without
/// transparency would otherwise put a box around the head.
const OLD_HAT_HALF: TextureArea = TextureArea { x: 32, y: 0, width: 32, height: 32 };
/// Below it the game counts a pixel of the hat as transparent.
const HAT_ALPHA: u8 = 128;
/// Columns of the right arm that slim arms do not have.
const NOT_OF_SLIM_ARMS: TextureArea = TextureArea { x: 54, y: 20, width: 2, height: 12 };
type Pair = (i32, i32);
/// Old skins have one arm and one leg. The faces of the other ones are their mirror images: from, to, width and height.
const MIRRORED_FACES: [(Pair, Pair, Pair); 12] = [
    ((4, 16), (20, 48), (4, 4)),
    ((8, 16), (24, 48), (4, 4)),
    ((0, 20), (24, 52), (4, 12)),
    ((4, 20), (20, 52), (4, 12)),
    ((8, 20), (16, 52), (4, 12)),
    ((12, 20), (28, 52), (4, 12)),
    ((44, 16), (36, 48), (4, 4)),
    ((48, 16), (40, 48), (4, 4)),
    ((40, 20), (40, 52), (4, 12)),
    ((44, 20), (36, 52), (4, 12)),
    ((48, 20), (32, 52), (4, 12)),
    ((52, 20), (44, 52), (4, 12)),
];

pub fn check_size((width, height): (u32, u32)) -> Result<(), Message> {
    if width == SIDE && (height == SIDE || height == OLD_HEIGHT) {
        return Ok(());
    }
    Err(Message::new(
        "The picture has {} × {} pixels; a skin has 64 × 64, or 64 × 32 if it is an old one.",
        &[&width, &height],
    ))
}

/// The skin in the layout of 64x64 pixels, and the arms that it looks like.
pub fn normalize(decoded: Raster, model: ArmModel) -> Result<(Raster, ArmModel), Message> {
    let is_old = decoded.size().1 == OLD_HEIGHT;
    let mut skin = if is_old { convert(&decoded) } else { decoded };
    // Before the body becomes opaque: an empty picture would become a black body.
    if !shows_anything(&skin, model) {
        return Err(nothing_visible());
    }
    let is_slim = !is_old && pixels(NOT_OF_SLIM_ARMS).all(|(x, y)| skin.get(x, y)[3] == 0);
    if is_old && pixels(OLD_HAT_HALF).all(|(x, y)| skin.get(x, y)[3] >= HAT_ALPHA) {
        set_alpha(&mut skin, OLD_HAT_HALF, 0);
    }
    for area in OPAQUE_AREAS {
        set_alpha(&mut skin, area, u8::MAX);
    }
    Ok((skin, if is_slim { ArmModel::Slim } else { ArmModel::Classic }))
}

fn convert(old: &Raster) -> Raster {
    let mut skin = Raster::new(SIDE, SIDE);
    for (x, y) in pixels(TextureArea { x: 0, y: 0, width: SIDE as i32, height: OLD_HEIGHT as i32 }) {
        skin.put(x, y, old.get(x, y));
    }
    for ((from_x, from_y), (to_x, to_y), (width, height)) in MIRRORED_FACES {
        for (x, y) in pixels(TextureArea { x: 0, y: 0, width, height }) {
            skin.put(to_x + width - 1 - x, to_y + y, old.get(from_x + x, from_y + y));
        }
    }
    skin
}

fn shows_anything(skin: &Raster, model: ArmModel) -> bool {
    BODY_PARTS.iter().any(|&part| {
        [SkinLayer::Base, SkinLayer::Outer].into_iter().any(|layer| {
            SIDES.into_iter().any(|side| pixels(area(model, part, layer, side)).any(|(x, y)| skin.get(x, y)[3] > 0))
        })
    })
}

fn set_alpha(skin: &mut Raster, area: TextureArea, alpha: u8) {
    for (x, y) in pixels(area) {
        let [red, green, blue, _] = skin.get(x, y);
        skin.put(x, y, [red, green, blue, alpha]);
    }
}

fn pixels(area: TextureArea) -> impl Iterator<Item = (i32, i32)> {
    (area.y..area.y + area.height).flat_map(move |y| (area.x..area.x + area.width).map(move |x| (x, y)))
}
