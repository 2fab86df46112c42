//! The status protocols of the game.

use super::legacy::LegacyVersion;

/// A status protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PingProtocol {
    /// Java Edition 1.7 and later.
    Modern,
    Legacy(LegacyVersion),
    Bedrock,
}

impl PingProtocol {
    /// The protocols of Java Edition, in the order in which they are tried.
    pub const JAVA: [Self; 4] = [
        Self::Modern,
        Self::Legacy(LegacyVersion::V1_6),
        Self::Legacy(LegacyVersion::V1_4),
        Self::Legacy(LegacyVersion::Beta),
    ];

    /// A stable name, which is stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::Legacy(LegacyVersion::V1_6) => "1.6",
            Self::Legacy(LegacyVersion::V1_4) => "1.4",
            Self::Legacy(LegacyVersion::Beta) => "beta",
            Self::Bedrock => "bedrock",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::JAVA.into_iter().chain([Self::Bedrock]).find(|protocol| protocol.name() == name)
    }
}
