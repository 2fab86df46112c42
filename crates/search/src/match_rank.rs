//! How well a name matches a search term.

/// The smallest value is the best match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchRank {
    Exact,
    Prefix,
    WordStart,
    /// In the middle of a word.
    Inside,
}

/// The best match of the needle in the haystack, or `None` without a match. An empty needle matches nothing.
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
        if is_word_start(haystack_folded, at) {
            return Some(MatchRank::WordStart);
        }
        found = Some(MatchRank::Inside);
        from = at + step;
    }
    found
}

/// Whether a word starts at this offset: at the start of the text, or after a character that is not alphanumeric.
pub fn is_word_start(text: &str, at: usize) -> bool {
    !text[..at].chars().next_back().is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranks_the_best_match() {
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
        fn ranks_exactly_the_haystacks_that_contain_the_needle(haystack in "[ab é-]{0,12}", needle in "[ab é-]{1,3}") {
            prop_assert_eq!(match_rank(&haystack, &needle).is_some(), haystack.contains(&needle));
        }
    }
}
