//! Version labels as servers report them, with their protocol numbers.

pub struct GameVersion {
    pub label: &'static str,
    pub protocol: i64,
    pub weight: f64,
    pub bedrock: bool,
}

const fn java(label: &'static str, protocol: i64, weight: f64) -> GameVersion {
    GameVersion { label, protocol, weight, bedrock: false }
}

const fn bedrock(label: &'static str, protocol: i64, weight: f64) -> GameVersion {
    GameVersion { label, protocol, weight, bedrock: true }
}

pub const GAME_VERSIONS: &[GameVersion] = &[
    java("1.21.4", 769, 15.0),
    java("1.21.8", 772, 14.0),
    java("Paper 1.21.4", 769, 8.0),
    java("Paper 1.21.8", 772, 7.0),
    java("1.21.1", 767, 7.0),
    java("1.21.5", 770, 5.0),
    java("1.21.10", 773, 5.0),
    java("1.21", 767, 4.0),
    java("Purpur 1.21.4", 769, 3.0),
    java("1.20.4", 765, 7.0),
    java("1.20.1", 763, 4.0),
    java("Paper 1.20.6", 766, 2.0),
    java("1.19.4", 762, 4.0),
    java("1.18.2", 758, 2.0),
    java("1.16.5", 754, 4.0),
    java("1.12.2", 340, 3.0),
    java("1.8.9", 47, 6.0),
    java("1.8.x-1.21", 767, 4.0),
    java("Velocity 1.7.2-1.21.8", 772, 3.0),
    java("1.9-1.21.x", 769, 2.0),
    java("Folia 1.20.6", 766, 0.7),
    java("Fabric 1.21.1", 767, 1.2),
    java("Forge 1.12.2", 340, 0.8),
    java("NeoForge 1.21.1", 767, 0.8),
    bedrock("Bedrock 1.21.50", 766, 2.0),
    bedrock("Bedrock 1.21.90", 818, 2.0),
];
