//! What a server says of itself, whatever it speaks.

/// As it was said, within bounds; nothing of it is believed yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    pub version: String,
    pub protocol: i64,
    pub players: i64,
    pub max_players: i64,
    /// Some of those who play, or all.
    pub sample: Vec<Seen>,
    /// With `§` codes.
    pub motd_raw: String,
    /// The bytes of a picture, if they are one.
    pub icon: Option<Vec<u8>>,
}

/// A line of the list of players. Servers put adverts there, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub name: String,
    /// Hyphenated and lower-case; lists without ids have none.
    pub uuid: Option<String>,
}

/// Characters of a version's name that are kept.
const VERSION: usize = 100;

impl Status {
    pub fn cut_version(text: &str) -> String {
        text.chars().filter(|c| is_text(*c)).take(VERSION).collect()
    }

    /// As the protocol counts, in 32 bits; what does not fit is no version of it.
    pub fn cut_protocol(number: i64) -> i64 {
        i32::try_from(number).map_or(0, i64::from)
    }

    /// Lines as they may be shown.
    pub fn cut_motd(text: &str) -> String {
        text.chars().filter(|c| is_text(*c) || *c == '\n').collect()
    }
}

/// Whether a character stands for itself. Controls move cursors and end texts; marks of direction turn around what others
/// wrote beside it; and there are more breaks of lines than the one that counts.
pub fn is_text(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !c.is_control() && !turns && !matches!(c, '\u{2028}' | '\u{2029}')
}

impl Seen {
    /// Whether this can be a player: a name that the game allows (some gateways put a dot or a star in front), and no id
    /// of nobody.
    pub fn is_player(&self) -> bool {
        let name = self.name.strip_prefix(['.', '*']).unwrap_or(&self.name);
        let named = (2..=16).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        named && self.uuid.as_deref().is_none_or(|uuid| uuid != "00000000-0000-0000-0000-000000000000")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_text_is_kept() {
        let tricks = "1.\u{202e}21\u{0}\u{1b}[31m\u{2066}.4\u{2069}\u{9b}\u{7f}\u{2028}";
        assert_eq!(Status::cut_version(tricks), "1.21[31m.4");
        assert_eq!(Status::cut_motd("a\r\nb\u{202d}\tc"), "a\nbc");
        assert_eq!([i64::MAX, i64::MIN, 769, -1].map(Status::cut_protocol), [0, 0, 769, -1]);
    }

    #[test]
    fn adverts_are_no_players() {
        let seen = |name: &str, uuid: Option<&str>| Seen { name: name.into(), uuid: uuid.map(str::to_owned) };
        for name in ["Notch", "jeb_", "a1", ".BedrockSteve", "abcdefghijklmnop"] {
            assert!(seen(name, Some("069a79f4-44e9-4726-a5be-fca90e38aaf5")).is_player(), "{name}");
            assert!(seen(name, None).is_player(), "{name}");
        }
        for name in ["", "§aVote now!", "play.example.org", "a", "abcdefghijklmnopq", "two words", "é", "..a"] {
            assert!(!seen(name, None).is_player(), "{name}");
        }
        assert!(!seen("Notch", Some("00000000-0000-0000-0000-000000000000")).is_player());
    }
}
