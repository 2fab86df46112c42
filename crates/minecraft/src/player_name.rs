//! What names of players consist of.

use super::target::Edition;

/// Whether a text is made like a name: of letters A to Z, digits and underscores, in Bedrock Edition also with single spaces
/// inside. Gateways such as Floodgate put a `.` or `*` before names of Bedrock players. The length is not checked.
pub fn is_player_name(text: &str, edition: Edition) -> bool {
    let name = without_prefix(text);
    match edition {
        Edition::Java => is_word(name),
        Edition::Bedrock => name.split(' ').all(is_word),
    }
}

/// The name without the prefix of a gateway.
pub(crate) fn without_prefix(name: &str) -> &str {
    name.strip_prefix(['.', '*']).unwrap_or(name)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_bedrock_edition_have_spaces() {
        for name in ["Ada", "_", "a1", ".Steve", "*Steve"] {
            assert!(is_player_name(name, Edition::Java) && is_player_name(name, Edition::Bedrock), "{name}");
        }
        for name in ["Bob Smith", ".Bob Smith 12"] {
            assert!(!is_player_name(name, Edition::Java) && is_player_name(name, Edition::Bedrock), "{name}");
        }
        for name in ["", ".", "*", "..a", " a", "a ", "a  b", "a\tb", "a\u{a0}b", "@a", "-x", "a.b", "é", "a\u{200b}"]
        {
            assert!(!is_player_name(name, Edition::Java) && !is_player_name(name, Edition::Bedrock), "{name:?}");
        }
    }
}
