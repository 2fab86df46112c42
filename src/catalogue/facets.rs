//! Which rows carry which word: a country, a version, a tag.

use std::collections::{BTreeMap, HashMap};

use super::row_set::Places;
use rollcall_search::Bits;
use rollcall_search::fold;

/// Words as they are written, and found without regard to case. A word that no row carries any more is forgotten: rows are
/// told about by strangers.
#[derive(Debug, Default)]
pub struct Words {
    by_spelling: HashMap<String, u32>,
    /// The spellings that fold alike, by what they fold to.
    by_folded: BTreeMap<String, Vec<u32>>,
    words: Vec<Word>,
    /// Numbers of forgotten words.
    free: Vec<u32>,
}

#[derive(Debug, Default)]
struct Word {
    spelling: String,
    places: Places,
}

impl Words {
    /// Says of a row that it carries another word now, or none; gives the word's number.
    pub fn set(&mut self, place: u32, before: Option<u32>, word: Option<&str>) -> Option<u32> {
        if let (Some(before), Some(word)) = (before, word)
            && self.spelling(before) == word
        {
            return Some(before);
        }
        let number = word.map(|word| self.add(place, word));
        if let Some(before) = before {
            self.remove(place, before);
        }
        number
    }

    /// The same for a row that carries several.
    pub fn set_all(&mut self, place: u32, before: Box<[u32]>, words: &[String]) -> Box<[u32]> {
        if before.len() == words.len() && before.iter().zip(words).all(|(&number, word)| self.spelling(number) == word)
        {
            return before;
        }
        let mut numbers: Vec<u32> = words.iter().map(|word| self.add(place, word)).collect();
        // A word that stands there twice is carried once.
        numbers.sort_unstable();
        numbers.dedup();
        before.iter().filter(|number| !numbers.contains(number)).for_each(|&number| self.remove(place, number));
        numbers.into()
    }

    /// Says of a row that it carries this word, and gives the word's number.
    fn add(&mut self, place: u32, word: &str) -> u32 {
        let number = self.by_spelling.get(word).copied().unwrap_or_else(|| self.learn(word));
        self.words[number as usize].places.set(place, true);
        number
    }

    fn learn(&mut self, word: &str) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.words.push(Word::default());
            self.words.len() as u32 - 1
        });
        self.words[number as usize].spelling = word.to_owned();
        self.by_spelling.insert(word.to_owned(), number);
        self.by_folded.entry(fold(word)).or_default().push(number);
        number
    }

    /// Says of a row that it no longer carries the word of this number.
    fn remove(&mut self, place: u32, number: u32) {
        let word = &mut self.words[number as usize];
        word.places.set(place, false);
        if word.places.count() == 0 {
            let word = std::mem::take(word);
            self.by_spelling.remove(&word.spelling);
            let folded = fold(&word.spelling);
            if let Some(numbers) = self.by_folded.get_mut(&folded) {
                numbers.retain(|&other| other != number);
                if numbers.is_empty() {
                    self.by_folded.remove(&folded);
                }
            }
            self.free.push(number);
        }
    }

    pub fn spelling(&self, number: u32) -> &str {
        &self.words[number as usize].spelling
    }

    /// Every word that some row carries: its number, its spelling, and how many carry it.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &str, usize)> {
        let all = (0u32..).zip(&self.words).map(|(i, word)| (i, word.spelling.as_str(), word.places.count()));
        all.filter(|(_, _, count)| *count > 0)
    }

    /// The rows that carry a word, however it is written.
    pub fn carrying(&self, word: &str) -> Found<'_> {
        let numbers = self.by_folded.get(&fold(word));
        self.found(numbers.into_iter().flatten())
    }

    /// The rows whose word is this one, or goes on after it with a dot.
    pub fn carrying_up_to_a_dot(&self, word: &str) -> Found<'_> {
        let folded = fold(word);
        if folded.is_empty() {
            return Found(Vec::new());
        }
        // A slash is what comes after a dot.
        let longer = self.by_folded.range(format!("{folded}.")..format!("{folded}/")).flat_map(|(_, numbers)| numbers);
        self.found(self.by_folded.get(&folded).into_iter().flatten().chain(longer))
    }

    fn found<'a>(&'a self, numbers: impl Iterator<Item = &'a u32>) -> Found<'a> {
        Found(numbers.map(|&number| &self.words[number as usize].places).collect())
    }
}

/// The rows of some words, one set each.
pub struct Found<'a>(Vec<&'a Places>);

impl Found<'_> {
    pub fn narrow(&self, set: &mut Bits) {
        match self.0[..] {
            [one] => one.narrow(set),
            _ => set.intersect(&self.to_bits()),
        }
    }

    pub fn to_bits(&self) -> Bits {
        let Some((first, rest)) = self.0.split_first() else { return Bits::default() };
        let mut bits = first.to_bits();
        rest.iter().for_each(|places| places.add_to(&mut bits));
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn is_version(version: &str, wanted: &str) -> bool {
        let (version, wanted) = (fold(version), fold(wanted));
        !wanted.is_empty() && version.strip_prefix(&wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    #[test]
    fn versions_are_found_whole_or_up_to_a_dot() {
        for (version, wanted, is_found) in [
            ("1.21", "1.21", true),
            ("1.21.4", "1.21", true),
            ("1.8.x - 1.21", "1.8", true),
            ("Paper 1.21.4", "paper 1.21", true),
            ("1.210", "1.21", false),
            ("1.2", "1.21", false),
            ("paper 1.21.4", "1.21", false),
            ("1.21.4", "1.21.", false),
            ("1.21", "", false),
            (".1", "", false),
        ] {
            let mut words = Words::default();
            words.add(7, version);
            assert_eq!(words.carrying_up_to_a_dot(wanted).to_bits().get(7), is_found, "{version} {wanted}");
            assert_eq!(is_version(version, wanted), is_found, "{version} {wanted}");
        }
    }

    proptest! {
        #[test]
        fn finds_who_carries_a_word(
            changes in proptest::collection::vec((0usize..20, "[aA]?[bB]?(\\.[12]){0,2}"), 0..80),
            wanted in "[aA]?[bB]?(\\.[12]){0,2}",
        ) {
            let (mut words, mut plain) = (Words::default(), vec![None::<(u32, String)>; 20]);
            for (place, word) in changes {
                let before = plain[place].as_ref().map(|(number, _)| *number);
                let word = (word.len() != 1).then_some(word);
                let number = words.set(place as u32, before, word.as_deref());
                plain[place] = number.zip(word);
            }
            let all = |passes: &dyn Fn(&str) -> bool| -> BTreeSet<u32> {
                let carries = |place: &u32| plain[*place as usize].as_ref().is_some_and(|(_, word)| passes(word));
                (0..20).filter(carries).collect()
            };
            let set = |found: Found| found.to_bits().iter().collect::<BTreeSet<u32>>();
            prop_assert_eq!(set(words.carrying(&wanted)), all(&|word| fold(word) == fold(&wanted)));
            let up_to_a_dot = all(&|word| is_version(word, &wanted));
            prop_assert_eq!(set(words.carrying_up_to_a_dot(&wanted)), up_to_a_dot.clone());
            let mut some: Bits = (0..20).filter(|place| place % 3 > 0).collect();
            words.carrying_up_to_a_dot(&wanted).narrow(&mut some);
            let expected: BTreeSet<u32> = up_to_a_dot.into_iter().filter(|place| place % 3 > 0).collect();
            prop_assert_eq!(some.iter().collect::<BTreeSet<u32>>(), expected);
            let mut counts = BTreeMap::new();
            for (_, word) in plain.iter().flatten() {
                *counts.entry(word.as_str()).or_insert(0) += 1;
            }
            let told: BTreeMap<&str, usize> = words.iter().map(|(_, word, count)| (word, count)).collect();
            prop_assert_eq!(told, counts);
        }

        #[test]
        fn a_row_may_carry_several(
            changes in proptest::collection::vec((0usize..9, proptest::collection::vec("[ab]", 0..4)), 0..40),
        ) {
            let (mut words, mut plain) = (Words::default(), vec![(Box::default(), Vec::<String>::new()); 9]);
            for (place, carried) in changes {
                let before = std::mem::take(&mut plain[place].0);
                plain[place] = (words.set_all(place as u32, before, &carried), carried);
            }
            for word in ["a", "b"] {
                let carries = |place: &u32| plain[*place as usize].1.iter().any(|other| other == word);
                let found = words.carrying(word).to_bits().iter().collect::<Vec<_>>();
                prop_assert_eq!(found, (0..9).filter(carries).collect::<Vec<_>>());
            }
        }
    }
}
