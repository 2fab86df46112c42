//! The searchable text of every row, and an index that finds the rows whose text holds a needle.

mod arena;
mod bit_set;
mod bucket;
mod bulk;
mod field;
mod fold;
mod hits;
mod match_rank;
mod prefilter;
mod ranking;
mod suffixes;
pub mod top_k;
pub mod varint;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use memchr::memmem::Finder;

use arena::Run;
use field::Part;
use suffixes::Suffixes;

pub use bit_set::Bits;
pub use field::FIELD_END;
pub use fold::{fold, fold_search};
pub use match_rank::{MatchRank, match_rank};
pub use ranking::Popularity;

#[derive(Debug, Default)]
pub struct Texts {
    run: Run,
    /// `None` as long as texts come in by the million: building it at once is quicker.
    index: Option<Index>,
}

/// What finds texts, by [`Part`].
#[derive(Debug)]
pub struct Index([Suffixes; Part::ALL.len()]);

impl Index {
    fn of(&self, part: Part) -> &Suffixes {
        &self.0[part as usize]
    }
}

impl Texts {
    /// `text` is folded already. Its first field is the name.
    pub fn set(&mut self, place: u32, text: &str) {
        let text = in_one_line(text);
        let old = self.run.get(place);
        if old == text.as_bytes() && place < self.run.places() {
            return;
        }
        let old = self.index.is_some().then(|| old.to_vec());
        self.run.set(place, text.as_bytes());
        if let (Some(index), Some(old)) = (&mut self.index, old) {
            index.0.iter_mut().for_each(|suffixes| suffixes.replace(place, &old, &self.run));
        }
    }

    /// An index of all texts, made aside, since it takes a while.
    pub fn new_index(&self) -> Index {
        let mut buckets = bulk::build(&self.run);
        Index(Part::ALL.map(|part| Suffixes::new(part, std::mem::take(&mut buckets[part as usize]), &self.run)))
    }

    /// Makes searches quick from here on: until then they look at every text. None may have changed since it was made.
    pub fn take_index(&mut self, index: Index) {
        self.index = Some(index);
    }

    /// What the index weighs.
    pub fn index_bytes(&self) -> usize {
        self.index.iter().flat_map(|index| &index.0).map(Suffixes::bytes).sum()
    }

    pub fn get(&self, place: u32) -> &[u8] {
        self.run.get(place)
    }

    /// The places whose text holds `needle`, folded already, anywhere. Nothing holds a needle that folds to nothing,
    /// or one that reaches from field to field.
    pub fn containing(&self, needle: &str) -> Bits {
        let places = self.run.places() as usize;
        let Some(needle) = searched(needle) else { return Bits::none(places) };
        let Some(index) = &self.index else { return self.scan(&needle) };
        let finder = Finder::new(needle.as_bytes());
        let mut found = index.of(Part::Name).find(&finder, &self.run).into_bits(places);
        index.of(Part::Rest).find(&finder, &self.run).add_to(&mut found);
        found
    }

    fn scan(&self, needle: &str) -> Bits {
        let finder = Finder::new(needle);
        let mut found = Bits::none(self.run.places() as usize);
        for place in 0..self.run.places() {
            if finder.find(self.get(place)).is_some() {
                found.set(place, true);
            }
        }
        found
    }
}

/// The needle as texts would hold it, if any can.
fn searched(needle: &str) -> Option<Cow<'_, str>> {
    (!needle.is_empty() && !needle.contains(FIELD_END)).then(|| in_one_line(needle))
}

/// A line break is as good as a space.
fn in_one_line(text: &str) -> Cow<'_, str> {
    if text.contains('\n') { text.replace('\n', " ").into() } else { text.into() }
}
