//! How well a name matches a search.

/// How well a name answers a search; the smaller, the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchRank {
    Exact,
    Prefix,
    WordStart,
    Inside,
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        fn a_rank_is_given_exactly_when_contained(haystack in "[ab é-]{0,12}", needle in "[ab é-]{1,3}") {
            prop_assert_eq!(match_rank(&haystack, &needle).is_some(), haystack.contains(&needle));
        }
    }
}
