//! The status of a server, in one form for all protocols.

/// The reported status. Sizes are bounded and control characters removed, but the values are not checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerStatus {
    pub version: String,
    pub protocol: i64,
    pub players: i64,
    pub max_players: i64,
    /// Some or all of the online players.
    pub sample: Vec<ListedPlayer>,
    /// With `§` formatting codes.
    pub motd_raw: String,
    /// Decoded from base64; not checked to be a PNG.
    pub icon: Option<Vec<u8>>,
}

/// One entry of a player list. Servers also put adverts there; see [`Self::is_player`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedPlayer {
    pub name: String,
    /// Hyphenated and lower-case. Query and legacy lists have no UUIDs.
    pub uuid: Option<String>,
}

/// Characters of a version name.
const MAX_VERSION_CHARS: usize = 100;
const NIL_UUID: &str = "00000000-0000-0000-0000-000000000000";

impl ServerStatus {
    /// Removes control characters and truncates.
    pub(super) fn clean_version(text: &str) -> String {
        text.chars().filter(|c| is_printable(*c)).take(MAX_VERSION_CHARS).collect()
    }

    /// Protocol versions are 32-bit; anything else becomes 0.
    pub(super) fn clean_protocol(number: i64) -> i64 {
        i32::try_from(number).map_or(0, i64::from)
    }

    /// Removes control characters except newlines.
    pub(super) fn clean_motd(text: &str) -> String {
        text.chars().filter(|c| is_printable(*c) || *c == '\n').collect()
    }
}

/// False for control characters, line separators and bidirectional marks, which reorder the text next to them.
pub fn is_printable(c: char) -> bool {
    let is_mark = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}');
    !c.is_control() && !is_mark && !matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl ListedPlayer {
    /// Whether this can be a player: a valid name and no nil UUID. Bedrock gateways prefix names with `.` or `*`.
    pub fn is_player(&self) -> bool {
        let name = self.name.strip_prefix(['.', '*']).unwrap_or(&self.name);
        let valid_name = (2..=16).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        valid_name && self.uuid.as_deref().is_none_or(|uuid| uuid != NIL_UUID)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_bidi_characters_are_removed() {
        let hostile = "1.\u{202e}21\u{0}\u{1b}[31m\u{2066}.4\u{2069}\u{9b}\u{7f}\u{2028}";
        assert_eq!(ServerStatus::clean_version(hostile), "1.21[31m.4");
        assert_eq!(ServerStatus::clean_motd("a\r\nb\u{202d}\tc"), "a\nbc");
        assert_eq!([i64::MAX, i64::MIN, 769, -1].map(ServerStatus::clean_protocol), [0, 0, 769, -1]);
    }

    #[test]
    fn adverts_are_not_players() {
        let listed = |name: &str, uuid: Option<&str>| ListedPlayer { name: name.into(), uuid: uuid.map(str::to_owned) };
        for name in ["Notch", "jeb_", "a1", ".BedrockSteve", "abcdefghijklmnop"] {
            assert!(listed(name, Some("069a79f4-44e9-4726-a5be-fca90e38aaf5")).is_player(), "{name}");
            assert!(listed(name, None).is_player(), "{name}");
        }
        for name in ["", "§aVote now!", "play.example.org", "a", "abcdefghijklmnopq", "two words", "é", "..a"] {
            assert!(!listed(name, None).is_player(), "{name}");
        }
        assert!(!listed("Notch", Some(NIL_UUID)).is_player());
    }
}
