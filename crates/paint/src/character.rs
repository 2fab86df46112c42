//! Random appearance of a player, for skins.

use rand::RngExt;

use super::PaintRng;
use super::color::{Rgb, hex, mix};
use super::skin_layout::ArmModel;

const SKIN_COLORS: [u32; 8] = [0xF6D3B5, 0xEBBE96, 0xDDA676, 0xC68A5B, 0xA86F45, 0x875534, 0x653D25, 0x4A2C1C];
const HAIR_COLORS: [u32; 12] = [
    0x2B1D14, 0x4A2F1B, 0x6B4423, 0x8D5A2B, 0xC08A3E, 0xE6C063, 0x9C3B1B, 0x1A1A22, 0x8E8E96, 0x5B3FA0, 0x2E8BA8,
    0xD65A8E,
];
const EYE_COLORS: [u32; 6] = [0x3E6FB5, 0x4B7F3A, 0x6B4423, 0x2FA39A, 0x8A4FC0, 0x333B4A];
/// Muted colours, each with a fitting accent.
const CLOTH_COLORS: [(u32, u32); 18] = [
    (0xB23A48, 0xE8E4D8),
    (0xD9693B, 0x35506B),
    (0xE0A63A, 0x5B4636),
    (0x6A8D45, 0xF0E4B8),
    (0x3F7D58, 0xE9C46A),
    (0x2A7F7F, 0xF4A261),
    (0x3C79B0, 0xF2F0EA),
    (0x2F4B7C, 0xE76F51),
    (0x5A4FA0, 0xF6C667),
    (0x8A4F9E, 0xB8E0D2),
    (0xB5527F, 0xDDE7F0),
    (0x7A5240, 0xA3C9A8),
    (0x4B5563, 0x5EEAD4),
    (0x8C97A3, 0xD1495B),
    (0xD8D2C4, 0x457B9D),
    (0x33343D, 0xE63946),
    (0x94B0DA, 0xFFFFFF),
    (0xC2798A, 0x5C374C),
];
const HEADWEAR: [Headwear; 10] = [
    Headwear::Nothing,
    Headwear::Nothing,
    Headwear::Nothing,
    Headwear::Nothing,
    Headwear::Cap,
    Headwear::Beanie,
    Headwear::Headphones,
    Headwear::Glasses,
    Headwear::Crown,
    Headwear::Bandana,
];
const OUTFITS: [Outfit; 9] = [
    Outfit::Hoodie,
    Outfit::Hoodie,
    Outfit::HeartShirt,
    Outfit::StripedShirt,
    Outfit::Suit,
    Outfit::Armour,
    Outfit::Overalls,
    Outfit::Robe,
    Outfit::Ninja,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Species {
    Human,
    Robot,
    Fox,
    Panda,
    Frog,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hair {
    Short,
    Swept,
    Curly,
    Long,
    Bun,
    Mohawk,
    Bald,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headwear {
    Nothing,
    Cap,
    Beanie,
    Headphones,
    Glasses,
    Crown,
    Bandana,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outfit {
    Hoodie,
    HeartShirt,
    StripedShirt,
    Suit,
    Armour,
    Overalls,
    Robe,
    Ninja,
}

pub struct CharacterLook {
    pub species: Species,
    /// Skin, fur or metal.
    pub body: Rgb,
    pub hair: Hair,
    pub hair_color: Rgb,
    pub eyes: Rgb,
    pub beard: bool,
    pub headwear: Headwear,
    pub outfit: Outfit,
    pub cloth: Rgb,
    /// A second colour that fits the cloth.
    pub accent: Rgb,
    pub trousers: Rgb,
    pub shoes: Rgb,
}

fn one_of<T: Copy>(rng: &mut PaintRng, choices: &[T]) -> T {
    choices[rng.random_range(0..choices.len())]
}

pub fn random_look(model: ArmModel, rng: &mut PaintRng) -> CharacterLook {
    let species = match rng.random_range(0..14) {
        0 => Species::Robot,
        1 => Species::Fox,
        2 => Species::Panda,
        3 => Species::Frog,
        _ => Species::Human,
    };
    let (cloth, accent) = one_of(rng, &CLOTH_COLORS);
    let (cloth, accent) = (hex(cloth), hex(accent));
    let hair = one_of(
        rng,
        match model {
            ArmModel::Classic => &[Hair::Short, Hair::Swept, Hair::Curly, Hair::Mohawk, Hair::Bald, Hair::Short],
            ArmModel::Slim => &[Hair::Long, Hair::Bun, Hair::Curly, Hair::Swept, Hair::Long, Hair::Long],
        },
    );
    let body = body_color(species, cloth, rng);
    let trousers = one_of(
        rng,
        &[hex(0x34425E), hex(0x4A3B2E), hex(0x2E2E36), hex(0x5B6470), hex(0x6E5A3C), mix(cloth, hex(0x1E2028), 0.65)],
    );
    CharacterLook {
        species,
        body,
        hair,
        hair_color: hex(one_of(rng, &HAIR_COLORS)),
        eyes: hex(one_of(rng, &EYE_COLORS)),
        beard: model == ArmModel::Classic && rng.random_bool(0.25),
        headwear: one_of(rng, &HEADWEAR),
        outfit: one_of(rng, &OUTFITS),
        cloth,
        accent,
        trousers,
        shoes: one_of(rng, &[hex(0x3A2A20), hex(0x22222A), hex(0xE6E2DA), hex(0x7A3B2A), accent]),
    }
}

fn body_color(species: Species, cloth: Rgb, rng: &mut PaintRng) -> Rgb {
    match species {
        Species::Human => hex(one_of(rng, &SKIN_COLORS)),
        Species::Robot => one_of(rng, &[hex(0x9AA5B1), hex(0xB8B2A7), hex(0x6E7B8B), mix(cloth, hex(0x9AA5B1), 0.6)]),
        Species::Fox => one_of(rng, &[hex(0xD9772B), hex(0xC25F22), hex(0xB9C3CC)]),
        Species::Panda => hex(0xEDEBE6),
        Species::Frog => one_of(rng, &[hex(0x5FA845), hex(0x3F8F6B), hex(0x8CB33E)]),
    }
}
