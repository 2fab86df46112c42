//! The searchable text of every row, with an optional suffix index.

use std::borrow::Cow;

use memchr::memmem::Finder;

use crate::arena::TextArena;
use crate::bit_set::BitSet;
use crate::bulk_build;
use crate::field::{FIELD_END, IndexedField};
use crate::field_index::FieldIndex;

#[derive(Debug, Default)]
pub struct TextIndex {
    pub(crate) texts: TextArena,
    /// `None` during a bulk load: building the index afterwards is faster.
    pub(crate) index: Option<SuffixIndex>,
}

/// One [`FieldIndex`] for each [`IndexedField`].
#[derive(Debug)]
pub struct SuffixIndex([FieldIndex; IndexedField::ALL.len()]);

impl SuffixIndex {
    pub(crate) fn field(&self, field: IndexedField) -> &FieldIndex {
        &self.0[field as usize]
    }
}

impl TextIndex {
    /// `text` must be folded. Its first field is the name.
    pub fn set(&mut self, row: u32, text: &str) {
        let text = single_line(text);
        let old = self.texts.get(row);
        if old == text.as_bytes() && row < self.texts.row_count() {
            return;
        }
        let old = self.index.is_some().then(|| old.to_vec());
        self.texts.set(row, text.as_bytes());
        if let (Some(index), Some(old)) = (&mut self.index, old) {
            index.0.iter_mut().for_each(|field| field.replace(row, &old, &self.texts));
        }
    }

    /// Builds an index of all texts without installing it, because that takes a while.
    pub fn build_index(&self) -> SuffixIndex {
        let mut buckets = bulk_build::build(&self.texts);
        SuffixIndex(
            IndexedField::ALL
                .map(|field| FieldIndex::new(field, std::mem::take(&mut buckets[field as usize]), &self.texts)),
        )
    }

    /// Uses this index from now on; until then, searches scan all texts. No text may have changed since it was built.
    pub fn install_index(&mut self, index: SuffixIndex) {
        self.index = Some(index);
    }

    pub fn get(&self, row: u32) -> &[u8] {
        self.texts.get(row)
    }

    /// The rows whose text contains `needle`, which must be folded. An empty needle, or one that spans two fields, matches
    /// no row.
    pub fn rows_containing(&self, needle: &str) -> BitSet {
        let rows = self.texts.row_count() as usize;
        let Some(needle) = normalize_needle(needle) else { return BitSet::empty(rows) };
        let Some(index) = &self.index else { return self.scan(&needle) };
        let finder = Finder::new(needle.as_bytes());
        let mut found = index.field(IndexedField::Name).find(&finder, &self.texts).into_bit_set(rows);
        index.field(IndexedField::OtherFields).find(&finder, &self.texts).add_to(&mut found);
        found
    }

    /// Searches without an index.
    pub(crate) fn scan(&self, needle: &str) -> BitSet {
        let finder = Finder::new(needle);
        let mut found = BitSet::empty(self.texts.row_count() as usize);
        for row in 0..self.texts.row_count() {
            if finder.find(self.get(row)).is_some() {
                found.set(row, true);
            }
        }
        found
    }
}

/// The needle in the form that texts are stored in, or `None` if no text can contain it.
pub(crate) fn normalize_needle(needle: &str) -> Option<Cow<'_, str>> {
    (!needle.is_empty() && !needle.contains(FIELD_END)).then(|| single_line(needle))
}

/// Line breaks match spaces.
fn single_line(text: &str) -> Cow<'_, str> {
    if text.contains('\n') { text.replace('\n', " ").into() } else { text.into() }
}

#[cfg(test)]
mod tests;
