//! Comparison keys, slugs and match ranks. Both sides of a comparison must go through the same key.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Longest slug made from a name; leaves room below `SLUG_LIMIT` for a suffix that makes it unique.
const SLUG_FROM_NAME: usize = 48;
/// Longest slug accepted in an address.
const SLUG_LIMIT: usize = 64;

/// Words that are routes of their own beside `/{slug}`.
pub const RESERVED_SLUGS: [&str; 3] = ["top", "countries", "versions"];

/// How well a name answers a search; the smaller, the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchRank {
    Exact,
    Prefix,
    WordStart,
    Inside,
}

/// Key for whole-value filters: case-insensitive in every script, accents still count.
/// Decomposed before and composed after, so that both spellings of an accent compare equal.
pub fn fold(text: &str) -> String {
    let text = text.trim();
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let folded: String = text.nfd().flat_map(fold_case).nfc().collect();
    trimmed(folded)
}

/// Key for substring search: neither case nor accents count.
pub fn fold_search(text: &str) -> String {
    let text = text.trim();
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // Case first: the iota subscript is a mark whose capital is a letter, and case must not count.
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

/// A slug of `[a-z0-9-]` from a name. Empty when no letter is usable; may be a reserved word.
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    let mut gap = false;
    for c in fold_search(name).chars() {
        match c {
            'a'..='z' | '0'..='9' => {
                let needed = if gap && !slug.is_empty() { 2 } else { 1 };
                if slug.len() + needed > SLUG_FROM_NAME {
                    break;
                }
                if needed == 2 {
                    slug.push('-');
                }
                slug.push(c);
                gap = false;
            }
            // "Bob's" reads better as "bobs" than as "bob-s".
            '\'' | '’' => {}
            _ => gap = true,
        }
    }
    slug
}

/// Whether a slug may be given to a server: well formed and not a route of its own.
pub fn is_valid_slug(slug: &str) -> bool {
    (1..=SLUG_LIMIT).contains(&slug.len())
        && slug.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        && !slug.starts_with('-')
        && !slug.ends_with('-')
        && !RESERVED_SLUGS.contains(&slug)
}

/// The best place at which the needle stands in the haystack. An empty needle finds nothing.
pub fn match_rank(haystack_folded: &str, needle_folded: &str) -> Option<MatchRank> {
    if needle_folded.is_empty() {
        return None;
    }
    if let Some(rest) = haystack_folded.strip_prefix(needle_folded) {
        return Some(if rest.is_empty() { MatchRank::Exact } else { MatchRank::Prefix });
    }
    let step = needle_folded.chars().next().map_or(1, char::len_utf8);
    let mut from = 0;
    let mut found = None;
    while let Some(offset) = haystack_folded[from..].find(needle_folded) {
        let at = from + offset;
        if begins_word(haystack_folded, at) {
            return Some(MatchRank::WordStart);
        }
        found = Some(MatchRank::Inside);
        from = at + step;
    }
    found
}

/// Whether a word may begin here: at the beginning, and behind whatever is neither a letter nor a digit.
pub fn begins_word(text: &str, at: usize) -> bool {
    !text[..at].chars().next_back().is_some_and(char::is_alphanumeric)
}

/// Down, up and down again: `ẞ` only reaches `ss` by way of `ß`, and `ς` only reaches `σ` by `Σ`.
fn fold_case(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

/// Letters that are typed without their stroke or ligature but that Unicode does not decompose.
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

/// Decomposition can leave a space at an end (`¨` is a space and a mark), so the key is trimmed too.
fn trimmed(folded: String) -> String {
    let kept = folded.trim();
    if kept.len() == folded.len() { folded } else { kept.to_owned() }
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

    fn changes(c: char) -> bool {
        !c.to_lowercase().eq([c])
            || !c.to_uppercase().eq([c])
            || !std::iter::once(c).nfkd().eq([c])
            || is_combining_mark(c)
    }

    #[test]
    fn folding_every_character_is_idempotent_and_ignores_its_case() {
        // The rest of Unicode has neither case nor a decomposition; Hangul is regular and large.
        let hangul = '가'..='힣';
        let all = ('\0'..='\u{2ffff}').filter(|c| !hangul.contains(c));
        for c in all.filter(|c| changes(*c)) {
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

    #[test]
    fn slugs() {
        for (name, expected) in [
            ("Hypixel Network", "hypixel-network"),
            ("  --Çılgın  Türkler!! ", "cilgin-turkler"),
            ("Bob's & Ann’s", "bobs-anns"),
            ("мир", ""),
            ("★", ""),
            ("Мир 2b2t", "2b2t"),
        ] {
            assert_eq!(slug(name), expected, "{name}");
        }
        assert_eq!(slug(&"ab ".repeat(40)).len(), 47);
        assert_eq!(slug(&"x".repeat(100)).len(), SLUG_FROM_NAME);
    }

    #[test]
    fn valid_slugs() {
        assert!(is_valid_slug("a"));
        assert!(is_valid_slug("top-10"));
        assert!(is_valid_slug(&"a".repeat(SLUG_LIMIT)));
        for bad in ["", "-a", "a-", "A", "a_b", "é", "top", "countries", "versions"] {
            assert!(!is_valid_slug(bad), "{bad}");
        }
        assert!(!is_valid_slug(&"a".repeat(SLUG_LIMIT + 1)));
    }

    #[test]
    fn ranks_the_best_place() {
        for (haystack, needle, rank) in [
            ("mine", "mine", Some(MatchRank::Exact)),
            ("mineplex", "mine", Some(MatchRank::Prefix)),
            ("examine mine", "mine", Some(MatchRank::WordStart)),
            ("play.mine.net", "mine", Some(MatchRank::WordStart)),
            ("examine", "mine", Some(MatchRank::Inside)),
            ("ba-a-a", "a-a", Some(MatchRank::WordStart)),
            ("éé x", "é x", Some(MatchRank::Inside)),
            ("hypixel", "mine", None),
            ("hypixel", "", None),
            ("", "x", None),
        ] {
            assert_eq!(match_rank(haystack, needle), rank, "{haystack} {needle}");
        }
        assert!(MatchRank::Exact < MatchRank::Prefix);
        assert!(MatchRank::Prefix < MatchRank::WordStart);
        assert!(MatchRank::WordStart < MatchRank::Inside);
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in any::<String>()) {
            prop_assert_eq!(fold(&fold(&text)), fold(&text));
            prop_assert_eq!(fold_search(&fold_search(&text)), fold_search(&text));
        }

        #[test]
        fn both_spellings_of_an_accent_fold_alike(text in any::<String>()) {
            let composed: String = text.nfc().collect();
            let decomposed: String = text.nfd().collect();
            prop_assert_eq!(fold(&composed), fold(&decomposed));
            prop_assert_eq!(fold_search(&composed), fold_search(&decomposed));
        }

        #[test]
        fn ascii_takes_the_same_path_as_the_rest(text in "[ -~]{0,24}") {
            let padded = format!("{text}é");
            prop_assert_eq!(fold(&padded), format!("{}é", text.trim_start().to_ascii_lowercase()));
            prop_assert_eq!(fold_search(&padded), format!("{}e", text.trim_start().to_ascii_lowercase()));
        }

        #[test]
        fn slugs_are_valid_or_empty_or_reserved(name in any::<String>(), latin in "[ a-zA-Z'é.-]{0,80}") {
            for slug in [slug(&name), slug(&latin)] {
                prop_assert!(slug.len() <= SLUG_FROM_NAME);
                let reserved = RESERVED_SLUGS.contains(&slug.as_str());
                prop_assert!(slug.is_empty() || reserved || is_valid_slug(&slug), "{}", slug);
                prop_assert!(!slug.contains("--"));
                prop_assert_eq!(super::slug(&slug), slug);
            }
        }

        #[test]
        fn a_rank_is_given_exactly_when_contained(haystack in "[ab é-]{0,12}", needle in "[ab é-]{1,3}") {
            prop_assert_eq!(match_rank(&haystack, &needle).is_some(), haystack.contains(&needle));
        }
    }
}
