//! Which rows carry which tag.

use std::collections::HashMap;

use super::bits::Bits;
use super::facet::Facet;

#[derive(Default)]
pub struct Tags {
    words: Facet,
    rows: HashMap<u32, Bits>,
}

impl Tags {
    /// Says of a row that it carries these tags, or no longer does.
    pub fn set(&mut self, place: u32, tags: &[String], on: bool) {
        for tag in tags {
            let number = self.words.number(tag);
            self.rows.entry(number).or_default().set(place, on);
        }
    }

    /// The rows that carry a tag, without regard to case.
    pub fn rows(&self, tag: &str) -> Option<&Bits> {
        self.words.known(tag).and_then(|number| self.rows.get(&number))
    }
}
