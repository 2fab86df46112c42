//! Comparison keys for text. Both sides of a comparison must use the same function.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Key for whole values: ignores case in every script, but not accents. Decomposes first and composes at the end, so that
/// composed and decomposed accents are equal.
pub fn fold(text: &str) -> String {
    let text = text.trim();
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let folded: String = text.nfd().flat_map(fold_case).nfc().collect();
    trimmed(folded)
}

/// Key for substring search: ignores case and accents.
pub fn fold_search(text: &str) -> String {
    let text = text.trim();
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // Case before marks: the Greek iota subscript is a combining mark, but its upper case is a letter.
    let letters = text.nfkd().flat_map(fold_case);
    let mut folded = String::with_capacity(text.len());
    for c in letters.filter(|c| !is_combining_mark(*c)) {
        match base_letters(c) {
            Some(letters) => folded.push_str(letters),
            None => folded.push(c),
        }
    }
    trimmed(folded)
}

/// Lower, upper and lower again: `ẞ` becomes `ss` only via `ß`, and `ς` becomes `σ` only via `Σ`.
fn fold_case(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

/// Letters that users type without their stroke or ligature, but that Unicode does not decompose.
fn base_letters(c: char) -> Option<&'static str> {
    Some(match c {
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ŧ' => "t",
        'ı' => "i",
        'æ' => "ae",
        'œ' => "oe",
        'ß' => "ss",
        'þ' => "th",
        _ => return None,
    })
}

/// Trims again: decomposition can leave a space at an end (`¨` is a space and a mark).
fn trimmed(folded: String) -> String {
    let inner = folded.trim();
    if inner.len() == folded.len() { folded } else { inner.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fold_ignores_case_but_not_accents() {
        for (a, b) in [
            ("  Hypixel ", "HYPIXEL"),
            ("Straße", "STRASSE"),
            ("STRAẞE", "strasse"),
            ("ΟΔΟΣ", "οδος"),
            ("Привет", "ПРИВЕТ"),
            ("TÜRKİYE", "tu\u{308}rki\u{307}ye"),
            ("e\u{301}", "É"),
            ("ᾳ\u{308}", "Α\u{308}Ι"),
        ] {
            assert_eq!(fold(a), fold(b), "{a} {b}");
        }
        assert_ne!(fold("resume"), fold("résumé"));
        assert_ne!(fold("²"), fold("2"));
        assert_eq!(fold("a  b"), "a  b");
    }

    #[test]
    fn fold_search_ignores_accents_and_strokes() {
        for (text, key) in [
            ("Résumé", "resume"),
            ("IĞDIR ığdır İzmir", "igdir igdir izmir"),
            ("Ørsted", "orsted"),
            ("Łódź", "lodz"),
            ("Đà Nẵng", "da nang"),
            ("Æther ŒUVRE", "aether oeuvre"),
            ("Straße STRAẞE", "strasse strasse"),
            ("Ёлка", "елка"),
            ("Ｈｙｐｉｘｅｌ ﬁ", "hypixel fi"),
            ("\u{a0}x ¨", "x"),
        ] {
            assert_eq!(fold_search(text), key, "{text}");
        }
    }

    fn may_fold(c: char) -> bool {
        !c.to_lowercase().eq([c])
            || !c.to_uppercase().eq([c])
            || !std::iter::once(c).nfkd().eq([c])
            || is_combining_mark(c)
    }

    #[test]
    fn folding_any_character_is_idempotent_and_ignores_case() {
        // Later planes have neither case nor decompositions. Hangul is regular, and skipped because it is large.
        let hangul = '가'..='힣';
        let all = ('\0'..='\u{2ffff}').filter(|c| !hangul.contains(c));
        for c in all.filter(|c| may_fold(*c)) {
            let text = format!("x{c}x");
            for key in [fold, fold_search] {
                let once = key(&text);
                assert_eq!(key(&once), once, "{c:?}");
                let lower: String = text.chars().flat_map(char::to_lowercase).collect();
                assert_eq!(key(&lower), once, "{c:?}");
                let upper: String = text.chars().flat_map(char::to_uppercase).collect();
                assert_eq!(key(&upper), once, "{c:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn folding_is_idempotent(text in any::<String>()) {
            prop_assert_eq!(fold(&fold(&text)), fold(&text));
            prop_assert_eq!(fold_search(&fold_search(&text)), fold_search(&text));
        }

        #[test]
        fn composed_and_decomposed_accents_fold_to_the_same_key(text in any::<String>()) {
            let composed: String = text.nfc().collect();
            let decomposed: String = text.nfd().collect();
            prop_assert_eq!(fold(&composed), fold(&decomposed));
            prop_assert_eq!(fold_search(&composed), fold_search(&decomposed));
        }

        #[test]
        fn the_ascii_fast_path_agrees_with_the_general_path(text in "[ -~]{0,24}") {
            let padded = format!("{text}é");
            prop_assert_eq!(fold(&padded), format!("{}é", text.trim_start().to_ascii_lowercase()));
            prop_assert_eq!(fold_search(&padded), format!("{}e", text.trim_start().to_ascii_lowercase()));
        }
    }
}
