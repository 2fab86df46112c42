use std::cmp::Ordering;
use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::match_rank::match_rank;
use crate::ranking::TieBreaker;

proptest! {
    #[test]
    fn finds_what_a_plain_search_finds(
        sets in proptest::collection::vec((0u32..40, "[ab\n]{0,6}"), 0..120),
        needle in "[ab\n]{1,3}",
    ) {
        let mut texts = TextIndex::default();
        let mut plain = BTreeMap::new();
        for (row, text) in sets {
            texts.set(row, &text);
            plain.insert(row, text.replace('\n', " "));
        }
        let single_line_needle = needle.replace('\n', " ");
        let expected: Vec<u32> =
            plain.iter().filter(|(_, text)| text.contains(&single_line_needle)).map(|(row, _)| *row).collect();
        prop_assert_eq!(texts.rows_containing(&needle).iter().collect::<Vec<_>>(), expected.clone());
        texts.install_index(texts.build_index());
        prop_assert_eq!(texts.rows_containing(&needle).iter().collect::<Vec<_>>(), expected);
        for (row, text) in plain {
            prop_assert_eq!(texts.get(row), text.as_bytes());
        }
    }
}

/// MOTDs often have two lines, and most of them are the same after each ping.
#[test]
fn setting_an_unchanged_text_does_not_move_it() {
    let mut texts = TextIndex::default();
    texts.set(0, "two\nlines");
    let before = texts.get(0).as_ptr();
    texts.set(0, "two\nlines");
    assert_eq!(texts.get(0).as_ptr(), before);
}

/// Texts of several fields from few characters, some of them multi-byte, so that many suffixes are equal.
const TEXT: &str = "[abé\0 -]{0,14}(\u{1f}[abи -]{0,12}){0,2}";
const NEEDLE: &str = "[abéи\0 -]{1,11}|[ab]{1,4}|(ab){4,6}|\u{1f}|a\u{1f}b|";

/// A pseudo-random permutation of the 32-bit numbers.
fn scramble(value: u32) -> u32 {
    value.wrapping_mul(0x9e37_79b1).rotate_left(13).wrapping_mul(0x85eb_ca6b)
}

/// Any total order other than the order of the rows.
fn tie_order(a: u32, b: u32) -> Ordering {
    scramble(a).cmp(&scramble(b))
}

/// Compares every search with one over plain strings.
fn check(texts: &TextIndex, plain: &BTreeMap<u32, String>, needle: &str, among: &BitSet) -> Result<(), TestCaseError> {
    let is_hit = |text: &str| !needle.is_empty() && !needle.contains(FIELD_END) && text.contains(needle);
    let expected: Vec<u32> = plain.iter().filter(|(_, text)| is_hit(text)).map(|(row, _)| *row).collect();
    prop_assert_eq!(texts.rows_containing(needle).iter().collect::<Vec<_>>(), expected.clone(), "{:?}", needle);
    let mut all_sorted: Vec<u32> = plain.keys().copied().collect();
    all_sorted.sort_by(|&a, &b| tie_order(a, b));
    for among in [None, Some(among)] {
        let mut ranked: Vec<u32> =
            expected.iter().copied().filter(|&row| among.is_none_or(|among| among.contains(row))).collect();
        let rank = |row: &u32| {
            let rank = match_rank(plain[row].split(FIELD_END).next().unwrap_or_default(), needle);
            rank.map_or((1, None), |rank| (0, Some(rank)))
        };
        ranked.sort_by(|a, b| tie_order(*a, *b));
        ranked.sort_by_cached_key(rank);
        for limit in [0, 1, 10, 10_000] {
            for order in [None, Some(all_sorted.as_slice())] {
                let best = texts.top_matches(needle, limit, among, &TieBreaker { order, compare: tie_order });
                prop_assert_eq!(&best, &ranked[..limit.min(ranked.len())], "{:?} {}", needle, limit);
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_index_follows_every_change(
        first in proptest::collection::vec((0u32..300, TEXT), 0..60),
        changes in proptest::collection::vec((0u32..300, TEXT), 0..60),
        needles in proptest::collection::vec(NEEDLE, 1..8),
    ) {
        let (mut texts, mut plain) = (TextIndex::default(), BTreeMap::new());
        let mut among = BitSet::default();
        for (row, text) in &first {
            texts.set(*row, text);
            plain.insert(*row, text.clone());
            among.set(*row, row % 3 > 0);
        }
        texts.install_index(texts.build_index());
        for needle in &needles {
            check(&texts, &plain, needle, &among)?;
        }
        for (row, text) in changes {
            texts.set(row, &text);
            plain.insert(row, text);
        }
        for needle in &needles {
            check(&texts, &plain, needle, &among)?;
        }
    }
}

/// Enough rows to split buckets, to return bit sets, and to store frequent prefixes.
const MANY_ROWS: u32 = 800;

fn many_texts(seed: u32, extra_word: &str) -> impl Iterator<Item = (u32, String)> {
    (0..MANY_ROWS).map(move |row| {
        let random = scramble(row ^ seed);
        let words = ["dark", "wolf", "sérver", "мир", "a", extra_word];
        let word = |shift: u32| words[(random >> shift) as usize % words.len()];
        let number = random >> 20;
        (row, format!("{}_{}{number}\u{1f}play.{}.example\u{1f}a quite common phrase", word(3), word(9), word(15)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn bulk_builds_and_single_inserts_find_the_same(
        seeds in any::<[u32; 2]>(),
        extra_word in "[abc]{1,10}",
        needle in "[a-e]{1,2}|[0-9]{1,3}",
    ) {
        let needles =
            ["a", "da", "dark", "wolf_dark", "мир", "quite common phrase", "_", "_wolf1", "zz", &extra_word, &needle];
        let (mut texts, mut plain) = (TextIndex::default(), BTreeMap::new());
        texts.install_index(texts.build_index());
        let mut among = BitSet::full(MANY_ROWS as usize);
        (0..MANY_ROWS).step_by(3).for_each(|row| among.set(row, false));
        let folded = |(row, text): (u32, String)| (row, crate::fold_search(&text));
        for (round, seed) in seeds.into_iter().enumerate() {
            // The second round leaves the first 100 rows as they are.
            for (row, text) in many_texts(seed, &extra_word).map(folded).skip(round * 100) {
                texts.set(row, &text);
                plain.insert(row, text);
            }
            for needle in needles {
                check(&texts, &plain, needle, &among)?;
            }
        }
        // Most texts become empty.
        for row in 50..MANY_ROWS {
            texts.set(row, "");
            plain.insert(row, String::new());
        }
        for needle in needles {
            check(&texts, &plain, needle, &among)?;
        }
        for (row, text) in many_texts(seeds[0], &extra_word).map(folded) {
            texts.set(row, &text);
            plain.insert(row, text);
        }
        texts.install_index(texts.build_index());
        for needle in needles {
            check(&texts, &plain, needle, &among)?;
        }
    }
}
