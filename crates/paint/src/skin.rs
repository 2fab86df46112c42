//! Player skins: invented characters for players, and the plain one for those without any.

use super::character::{self, Clothes, Hair, Headwear, Kind, Look};
use super::color::hex;
use super::skin_layout::Texture;
use super::{Dice, face, headwear, outfit};

const PURPOSE: u64 = 6;

/// The shape of the arms: four pixels wide, or three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    Classic,
    Slim,
}

/// Paints the skin of a seed.
pub fn skin(model: Model, seed: u64) -> Vec<u8> {
    let mut dice = super::dice(seed, PURPOSE);
    let look = character::invent(model, &mut dice);
    paint(model, &look, dice)
}

/// Paints the character shown for players whose skin is not known.
pub fn default_skin(model: Model) -> Vec<u8> {
    let look = Look {
        kind: Kind::Human,
        body: hex(0xC98F66),
        hair: match model {
            Model::Classic => Hair::Swept,
            Model::Slim => Hair::Long,
        },
        hair_color: hex(0x3A2740),
        eyes: hex(0x2F8F7F),
        beard: false,
        headwear: Headwear::Nothing,
        clothes: Clothes::Hoodie,
        cloth: match model {
            Model::Classic => hex(0xE0A63A),
            Model::Slim => hex(0x3F8F86),
        },
        second: hex(0xFFF3D9),
        trousers: hex(0x3B4A63),
        shoes: hex(0x7A4B2E),
    };
    paint(model, &look, super::dice(0, PURPOSE))
}

fn paint(model: Model, look: &Look, dice: Dice) -> Vec<u8> {
    let mut texture = Texture::new(model, dice);
    outfit::dress(&mut texture, look);
    face::head(&mut texture, look);
    headwear::wear(&mut texture, look);
    texture.into_png()
}

#[cfg(test)]
mod tests {
    use super::super::skin_layout::{LIMBS, Layer, SIDE, SIDES, area};
    use super::super::testing::decode;
    use super::*;

    /// Alpha of each pixel of a layer, and how many pixels the layer has.
    fn alphas(model: Model, pixels: &[u8], layer: Layer) -> Vec<u8> {
        let mut found = Vec::new();
        for (limb, side) in LIMBS.iter().flat_map(|&limb| SIDES.map(|side| (limb, side))) {
            let area = area(model, limb, layer, side);
            for y in area.y..area.y + area.height {
                for x in area.x..area.x + area.width {
                    found.push(pixels[((y * SIDE as i32 + x) * 4 + 3) as usize]);
                }
            }
        }
        found
    }

    #[test]
    fn base_is_opaque_and_the_rest_of_the_texture_empty() {
        for (model, seed) in (0..60).flat_map(|seed| [(Model::Classic, seed), (Model::Slim, seed)]) {
            let (width, height, pixels) = decode(&skin(model, seed));
            assert_eq!((width, height), (SIDE, SIDE));
            let base = alphas(model, &pixels, Layer::Base);
            assert!(base.iter().all(|&alpha| alpha == 255), "{model:?} {seed}");
            let shell = alphas(model, &pixels, Layer::Over);
            let drawn = shell.iter().filter(|&&alpha| alpha > 0).count();
            let all = pixels.chunks_exact(4).filter(|pixel| pixel[3] > 0).count();
            assert_eq!(all, base.len() + drawn);
        }
    }

    #[test]
    fn areas_do_not_overlap() {
        for model in [Model::Classic, Model::Slim] {
            let mut used = vec![false; (SIDE * SIDE) as usize];
            for (limb, layer) in LIMBS.iter().flat_map(|&limb| [(limb, Layer::Base), (limb, Layer::Over)]) {
                for area in SIDES.map(|side| area(model, limb, layer, side)) {
                    for y in area.y..area.y + area.height {
                        for x in area.x..area.x + area.width {
                            let place = &mut used[(y * SIDE as i32 + x) as usize];
                            assert!(!std::mem::replace(place, true), "{limb:?} {layer:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn same_seed_same_skin() {
        assert_eq!(skin(Model::Slim, 3), skin(Model::Slim, 3));
        assert_ne!(skin(Model::Slim, 3), skin(Model::Slim, 4));
        assert_ne!(default_skin(Model::Slim), default_skin(Model::Classic));
        assert_eq!(decode(&default_skin(Model::Classic)).0, SIDE);
    }
}
