//! A column of few distinct words (country, version, tag), held as small numbers.

use std::collections::HashMap;

use crate::model::text::fold;

/// The words of a column, each known by a number and compared without regard to case.
#[derive(Debug, Default)]
pub struct Facet {
    numbers: HashMap<String, u32>,
    folded: Vec<String>,
}

impl Facet {
    pub fn number(&mut self, word: &str) -> u32 {
        let key = fold(word);
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let number = self.folded.len() as u32;
        self.folded.push(key.clone());
        self.numbers.insert(key, number);
        number
    }

    /// The number of a word that some row has had.
    pub fn known(&self, word: &str) -> Option<u32> {
        self.numbers.get(&fold(word)).copied()
    }

    /// For each number, whether its folded word passes.
    pub fn matching(&self, keep: impl Fn(&str) -> bool) -> Vec<bool> {
        self.folded.iter().map(|word| keep(word)).collect()
    }
}
