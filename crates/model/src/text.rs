//! Text that people see.

/// Control characters, line ends and bidirectional marks: they change how the text around a name looks, and a terminal obeys
/// some of them.
pub fn is_control_or_bidi(c: char) -> bool {
    let is_mark = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}');
    c.is_control() || is_mark || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// These and zero-width characters: with them a name could imitate another. Some scripts and emoji need zero-width joiners, so
/// only names that people type in Latin letters, such as those of keys, refuse them.
pub fn is_misleading(c: char) -> bool {
    is_control_or_bidi(c) || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_any_script_are_fine_and_hidden_characters_are_not() {
        assert!(!"Öz 漢字 עברית می\u{200c}خواهم 👩\u{200d}🚀 §6".chars().any(is_control_or_bidi));
        for c in ['\0', '\n', '\u{1b}', '\u{7f}', '\u{9b}', '\u{61c}', '\u{200f}', '\u{2028}', '\u{202e}', '\u{2066}'] {
            assert!(is_control_or_bidi(c) && is_misleading(c), "{c:?}");
        }
        assert!(['\u{200b}', '\u{200d}', '\u{2060}', '\u{feff}'].into_iter().all(is_misleading));
    }
}
