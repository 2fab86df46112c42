use std::cmp::Ordering;
use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::match_rank;

proptest! {
    #[test]
    fn finds_what_a_plain_search_finds(
        sets in proptest::collection::vec((0u32..40, "[ab\n]{0,6}"), 0..120),
        needle in "[ab\n]{1,3}",
    ) {
        let mut texts = Texts::default();
        let mut plain = BTreeMap::new();
        for (place, text) in sets {
            texts.set(place, &text);
            plain.insert(place, text.replace('\n', " "));
        }
        let spaced = needle.replace('\n', " ");
        let expected: Vec<u32> = plain.iter().filter(|(_, t)| t.contains(&spaced)).map(|(p, _)| *p).collect();
        prop_assert_eq!(texts.containing(&needle).iter().collect::<Vec<_>>(), expected.clone());
        texts.take_index(texts.new_index());
        prop_assert_eq!(texts.containing(&needle).iter().collect::<Vec<_>>(), expected);
        for (place, text) in plain {
            prop_assert_eq!(texts.get(place), text.as_bytes());
        }
    }
}

/// What servers show has two lines as often as not, and most of it is the same each time they are asked.
#[test]
fn a_text_that_comes_again_stays_where_it_is() {
    let mut texts = Texts::default();
    texts.set(0, "two\nlines");
    let before = texts.get(0).as_ptr();
    texts.set(0, "two\nlines");
    assert_eq!(texts.get(0).as_ptr(), before);
}

/// Texts of several fields out of few characters, some of more than one byte, so that much is alike.
const TEXT: &str = "[abé\0 -]{0,14}(\u{1f}[abи -]{0,12}){0,2}";
const NEEDLE: &str = "[abéи\0 -]{1,11}|[ab]{1,4}|(ab){4,6}|\u{1f}|a\u{1f}b|";

fn order(a: u32, b: u32) -> Ordering {
    // Any order but that of the places.
    (a.wrapping_mul(0x9e37_79b1)).cmp(&b.wrapping_mul(0x9e37_79b1))
}

fn check(texts: &Texts, plain: &BTreeMap<u32, String>, needle: &str, among: &Bits) -> Result<(), TestCaseError> {
    let is_hit = |text: &str| !needle.is_empty() && !needle.contains(FIELD_END) && text.contains(needle);
    let expected: Vec<u32> = plain.iter().filter(|(_, text)| is_hit(text)).map(|(place, _)| *place).collect();
    prop_assert_eq!(texts.containing(needle).iter().collect::<Vec<_>>(), expected.clone(), "{:?}", needle);
    let mut popular: Vec<u32> = plain.keys().copied().collect();
    popular.sort_by(|&a, &b| order(a, b));
    for among in [None, Some(among)] {
        let mut ranked: Vec<u32> =
            expected.iter().copied().filter(|&place| among.is_none_or(|among| among.get(place))).collect();
        let rank = |place: &u32| {
            let rank = match_rank(plain[place].split(FIELD_END).next().unwrap_or_default(), needle);
            rank.map_or((1, None), |rank| (0, Some(rank)))
        };
        ranked.sort_by(|a, b| order(*a, *b));
        ranked.sort_by_cached_key(rank);
        for limit in [0, 1, 10, 10_000] {
            for walked in [None, Some(popular.as_slice())] {
                let best = texts.best(needle, limit, among, &Popularity { order: walked, compare: order });
                prop_assert_eq!(&best, &ranked[..limit.min(ranked.len())], "{:?} {}", needle, limit);
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn an_index_follows_every_change(
        first in proptest::collection::vec((0u32..300, TEXT), 0..60),
        changes in proptest::collection::vec((0u32..300, TEXT), 0..60),
        needles in proptest::collection::vec(NEEDLE, 1..8),
    ) {
        let (mut texts, mut plain) = (Texts::default(), BTreeMap::new());
        let mut among = Bits::default();
        for (place, text) in &first {
            texts.set(*place, text);
            plain.insert(*place, text.clone());
            among.set(*place, place % 3 > 0);
        }
        texts.take_index(texts.new_index());
        for needle in &needles {
            check(&texts, &plain, needle, &among)?;
        }
        for (place, text) in changes {
            texts.set(place, &text);
            plain.insert(place, text);
        }
        for needle in &needles {
            check(&texts, &plain, needle, &among)?;
        }
    }
}

const CROWD: u32 = 800;

/// Enough of them that buckets fill up and are split, that answers are many, and that some are kept ready.
fn crowd(seed: u32, text: &str) -> impl Iterator<Item = (u32, String)> {
    (0..CROWD).map(move |place| {
        let mixed = (place ^ seed).wrapping_mul(0x9e37_79b1).rotate_left(13).wrapping_mul(0x85eb_ca6b);
        let words = ["dark", "wolf", "sérver", "мир", "a", text];
        let word = |shift: u32| words[(mixed >> shift) as usize % words.len()];
        let number = mixed >> 20;
        (place, format!("{}_{}{number}\u{1f}play.{}.example\u{1f}a quite common phrase", word(3), word(9), word(15)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn many_texts_are_found_whether_they_came_at_once_or_one_by_one(
        seeds in any::<[u32; 2]>(),
        texts_of in "[abc]{1,10}",
        needle in "[a-e]{1,2}|[0-9]{1,3}",
    ) {
        let needles = ["a", "da", "dark", "wolf_dark", "мир", "quite common phrase", "_", "_wolf1", "zz", &texts_of, &needle];
        let (mut texts, mut plain) = (Texts::default(), BTreeMap::new());
        texts.take_index(texts.new_index());
        let mut among = Bits::all(CROWD as usize);
        (0..CROWD).step_by(3).for_each(|place| among.set(place, false));
        let folded = |(place, text): (u32, String)| (place, crate::fold_search(&text));
        for (round, seed) in seeds.into_iter().enumerate() {
            // The second time, all but some change.
            for (place, text) in crowd(seed, &texts_of).map(folded).skip(round * 100) {
                texts.set(place, &text);
                plain.insert(place, text);
            }
            for needle in needles {
                check(&texts, &plain, needle, &among)?;
            }
        }
        // Most of them go again.
        for place in 50..CROWD {
            texts.set(place, "");
            plain.insert(place, String::new());
        }
        for needle in needles {
            check(&texts, &plain, needle, &among)?;
        }
        for (place, text) in crowd(seeds[0], &texts_of).map(folded) {
            texts.set(place, &text);
            plain.insert(place, text);
        }
        texts.take_index(texts.new_index());
        for needle in needles {
            check(&texts, &plain, needle, &among)?;
        }
    }
}
