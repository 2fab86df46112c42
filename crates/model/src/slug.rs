//! Slugs: the part of a URL path that identifies a server, skin or cape.

use rollcall_search::fold_search;

/// The longest slug derived from a name; a suffix that makes it unique still fits into `MAX_LENGTH`.
const MAX_DERIVED_LENGTH: usize = 48;
/// The longest valid slug.
const MAX_LENGTH: usize = 64;

/// Paths with their own route next to `/{slug}`.
pub const RESERVED_SLUGS: [&str; 4] = ["top", "countries", "versions", "batch"];

/// Derives a slug of `[a-z0-9-]` from a name. Empty if no character is usable; may be a reserved word.
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    let mut gap = false;
    for c in fold_search(name).chars() {
        match c {
            'a'..='z' | '0'..='9' => {
                let needed = if gap && !slug.is_empty() { 2 } else { 1 };
                if slug.len() + needed > MAX_DERIVED_LENGTH {
                    break;
                }
                if needed == 2 {
                    slug.push('-');
                }
                slug.push(c);
                gap = false;
            }
            // "Bob's" becomes "bobs", not "bob-s".
            '\'' | '’' => {}
            _ => gap = true,
        }
    }
    slug
}

/// Whether a slug is well formed and not reserved.
pub fn is_valid_slug(slug: &str) -> bool {
    (1..=MAX_LENGTH).contains(&slug.len())
        && slug.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        && !slug.starts_with('-')
        && !slug.ends_with('-')
        && !RESERVED_SLUGS.contains(&slug)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        assert_eq!(slug(&"x".repeat(100)).len(), MAX_DERIVED_LENGTH);
    }

    #[test]
    fn valid_slugs() {
        assert!(is_valid_slug("a"));
        assert!(is_valid_slug("top-10"));
        assert!(is_valid_slug(&"a".repeat(MAX_LENGTH)));
        for bad in ["", "-a", "a-", "A", "a_b", "é", "top", "countries", "versions"] {
            assert!(!is_valid_slug(bad), "{bad}");
        }
        assert!(!is_valid_slug(&"a".repeat(MAX_LENGTH + 1)));
    }

    proptest! {
        #[test]
        fn slugs_are_valid_or_empty_or_reserved(name in any::<String>(), latin in "[ a-zA-Z'é.-]{0,80}") {
            for slug in [slug(&name), slug(&latin)] {
                prop_assert!(slug.len() <= MAX_DERIVED_LENGTH);
                let reserved = RESERVED_SLUGS.contains(&slug.as_str());
                prop_assert!(slug.is_empty() || reserved || is_valid_slug(&slug), "{}", slug);
                prop_assert!(!slug.contains("--"));
                prop_assert_eq!(super::slug(&slug), slug);
            }
        }
    }
}
