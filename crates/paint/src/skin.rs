//! Player skins: random characters, and the default skins.

use super::character::{self, CharacterLook, Hair, Headwear, Outfit, Species};
use super::color::hex;
use super::skin_layout::{ArmModel, SkinPainting};
use super::{PaintRng, face, headwear, outfit};

const RNG_STREAM: u64 = 6;

pub fn skin(model: ArmModel, seed: u64) -> Vec<u8> {
    let mut rng = super::seeded_rng(seed, RNG_STREAM);
    let look = character::random_look(model, &mut rng);
    paint(model, &look, rng)
}

/// The skin of players whose skin is unknown.
pub fn default_skin(model: ArmModel) -> Vec<u8> {
    let look = CharacterLook {
        species: Species::Human,
        body: hex(0xC98F66),
        hair: match model {
            ArmModel::Classic => Hair::Swept,
            ArmModel::Slim => Hair::Long,
        },
        hair_color: hex(0x3A2740),
        eyes: hex(0x2F8F7F),
        beard: false,
        headwear: Headwear::Nothing,
        outfit: Outfit::Hoodie,
        cloth: match model {
            ArmModel::Classic => hex(0xE0A63A),
            ArmModel::Slim => hex(0x3F8F86),
        },
        accent: hex(0xFFF3D9),
        trousers: hex(0x3B4A63),
        shoes: hex(0x7A4B2E),
    };
    paint(model, &look, super::seeded_rng(0, RNG_STREAM))
}

fn paint(model: ArmModel, look: &CharacterLook, rng: PaintRng) -> Vec<u8> {
    let mut texture = SkinPainting::new(model, rng);
    outfit::paint_outfit(&mut texture, look);
    face::paint_head(&mut texture, look);
    headwear::paint_headwear(&mut texture, look);
    texture.into_png()
}

#[cfg(test)]
mod tests {
    use super::super::skin_layout::{BODY_PARTS, SIDE, SIDES, SkinLayer, area};
    use super::super::testing::decode;
    use super::*;

    /// The alpha of each pixel of a layer.
    fn alphas(model: ArmModel, pixels: &[u8], layer: SkinLayer) -> Vec<u8> {
        let mut found = Vec::new();
        for (part, side) in BODY_PARTS.iter().flat_map(|&part| SIDES.map(|side| (part, side))) {
            let area = area(model, part, layer, side);
            for y in area.y..area.y + area.height {
                for x in area.x..area.x + area.width {
                    found.push(pixels[((y * SIDE as i32 + x) * 4 + 3) as usize]);
                }
            }
        }
        found
    }

    #[test]
    fn the_base_layer_is_opaque_and_unused_pixels_are_empty() {
        for (model, seed) in (0..60).flat_map(|seed| [(ArmModel::Classic, seed), (ArmModel::Slim, seed)]) {
            let (width, height, pixels) = decode(&skin(model, seed));
            assert_eq!((width, height), (SIDE, SIDE));
            let base = alphas(model, &pixels, SkinLayer::Base);
            assert!(base.iter().all(|&alpha| alpha == 255), "{model:?} {seed}");
            let outer = alphas(model, &pixels, SkinLayer::Outer);
            let drawn = outer.iter().filter(|&&alpha| alpha > 0).count();
            let all = pixels.chunks_exact(4).filter(|pixel| pixel[3] > 0).count();
            assert_eq!(all, base.len() + drawn);
        }
    }

    #[test]
    fn areas_do_not_overlap() {
        for model in [ArmModel::Classic, ArmModel::Slim] {
            let mut used = vec![false; (SIDE * SIDE) as usize];
            for (part, layer) in BODY_PARTS.iter().flat_map(|&part| [(part, SkinLayer::Base), (part, SkinLayer::Outer)])
            {
                for area in SIDES.map(|side| area(model, part, layer, side)) {
                    for y in area.y..area.y + area.height {
                        for x in area.x..area.x + area.width {
                            let pixel = &mut used[(y * SIDE as i32 + x) as usize];
                            assert!(!std::mem::replace(pixel, true), "{part:?} {layer:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn same_seed_same_skin() {
        assert_eq!(skin(ArmModel::Slim, 3), skin(ArmModel::Slim, 3));
        assert_ne!(skin(ArmModel::Slim, 3), skin(ArmModel::Slim, 4));
        assert_ne!(default_skin(ArmModel::Slim), default_skin(ArmModel::Classic));
        assert_eq!(decode(&default_skin(ArmModel::Classic)).0, SIDE);
    }
}
