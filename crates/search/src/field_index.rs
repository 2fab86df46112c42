//! The suffix index of one [`IndexedField`]: finds the rows with a suffix that starts with a needle.
//!
//! Pairs of a suffix's key and its row are sorted and cut into buckets of some hundred rows. A bucket stores only rows. A
//! needle matches all buckets between its first and its last key without text comparisons. Only the two buckets at the ends
//! of the range, which also contain other suffixes, are compared with the texts.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound::{Excluded, Unbounded};

use memchr::memmem::Finder;

use crate::arena::TextArena;
use crate::bit_set::BitSet;
use crate::field::{IndexedField, KEY_BYTES, is_char_start, key, key_range};
use crate::hits::Hits;
use crate::posting_list::PostingList;
use crate::prefilter::Prefilter;

/// A suffix's key and its row.
pub type Pair = (u64, u32);
/// The rows of each bucket by its first pair. A bucket ends before the first pair of the next one.
pub type Buckets = BTreeMap<Pair, PostingList>;

/// A prefix of at most [`KEY_BYTES`] bytes: its first key, and its length.
type KeyPrefix = (u64, u8);

#[derive(Debug)]
pub struct FieldIndex {
    field: IndexedField,
    buckets: Buckets,
    /// Precomputed results for prefixes that a large share of all rows has.
    frequent: HashMap<KeyPrefix, BitSet>,
}

/// The most rows of a bucket, and so the most text comparisons at each end of a range. Small in tests, so that some hundred
/// texts cover what needs a million otherwise.
pub const BUCKET_CAPACITY: usize = if cfg!(test) { 12 } else { 256 };
/// Results from more buckets than this are collected in a bit set instead of a list.
const MAX_LIST_BUCKETS: usize = 6;
/// Up to this many buckets are read row by row.
const MAX_SCANNED_BUCKETS: usize = 3;
/// A prefix is frequent if one row in this many has it. For rarer ones, the buckets are smaller than a bit set.
const FREQUENT_SHARE: usize = 16;
/// The fewest rows of a frequent prefix: reading fewer from their buckets is as fast as copying a bit set.
const FREQUENT_MIN_ROWS: usize = if cfg!(test) { 200 } else { 40_000 };
/// The search for the rarest part of a needle stops at a part with at most this many buckets.
const RARE_BUCKETS: usize = 2;
/// Buckets of a needle's part are counted up to this number.
const MAX_COUNTED_BUCKETS: usize = 64;

impl FieldIndex {
    pub fn new(field: IndexedField, buckets: Buckets, texts: &TextArena) -> Self {
        let mut index = Self { field, buckets, frequent: HashMap::new() };
        // Every frequent prefix is a prefix of some bucket's first key.
        let starts: Vec<u64> = index.buckets.keys().map(|pair| pair.0).collect();
        starts.into_iter().for_each(|start| index.store_frequent_prefixes(start, texts));
        index
    }

    /// Updates the index after a row's text changed. `texts` must contain the new text.
    pub fn replace(&mut self, row: u32, old: &[u8], texts: &TextArena) {
        let (old, new) = (self.sorted_keys(old), self.sorted_keys(texts.get(row)));
        for &key in old.iter().filter(|key| new.binary_search(key).is_err()) {
            self.remove((key, row), &new);
        }
        for &key in new.iter().filter(|key| old.binary_search(key).is_err()) {
            self.insert((key, row), texts);
        }
    }

    fn sorted_keys(&self, text: &[u8]) -> Vec<u64> {
        let mut keys = Vec::new();
        self.field.for_each_key(text, |key| keys.push(key));
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// `remaining` are the row's keys after the change. The row stays in a bucket, or a bit set, that one of them needs.
    fn remove(&mut self, pair: Pair, remaining: &[u64]) {
        let is_needed = |first: Pair, end: Option<Pair>| {
            let at = remaining.partition_point(|&key| (key, pair.1) < first);
            remaining.get(at).is_some_and(|&key| end.is_none_or(|end| (key, pair.1) < end))
        };
        if let Some((start, end)) = self.bucket_bounds(pair)
            && !is_needed(start, end)
            && let Some(rows) = self.buckets.get_mut(&start)
        {
            rows.remove(pair.1);
            if rows.len() == 0 {
                self.buckets.remove(&start);
            }
        }
        for prefix in prefixes(&pair.0.to_be_bytes()) {
            if let Some(rows) = self.frequent.get_mut(&key_prefix(prefix)) {
                let (first, last) = key_range(prefix);
                if !is_needed((first, 0), last.checked_add(1).map(|end| (end, 0))) {
                    rows.set(pair.1, false);
                }
            }
        }
    }

    fn insert(&mut self, pair: Pair, texts: &TextArena) {
        for prefix in prefixes(&pair.0.to_be_bytes()) {
            if let Some(rows) = self.frequent.get_mut(&key_prefix(prefix)) {
                rows.set(pair.1, true);
            }
        }
        let start = self.bucket_bounds(pair).map_or((0, 0), |(start, _)| start);
        let rows = self.buckets.entry(start).or_default();
        rows.insert(pair.1);
        if rows.len() > BUCKET_CAPACITY {
            self.split(start, texts);
        }
    }

    /// The start of the bucket that this pair belongs to, and the start of the next bucket.
    fn bucket_bounds(&self, pair: Pair) -> Option<(Pair, Option<Pair>)> {
        let (&start, _) = self.buckets.range(..=pair).next_back()?;
        let next = self.buckets.range((Excluded(start), Unbounded)).next().map(|(&next, _)| next);
        Some((start, next))
    }

    fn split(&mut self, start: Pair, texts: &TextArena) {
        let Some((_, end)) = self.bucket_bounds(start) else { return };
        let Some(rows) = self.buckets.remove(&start) else { return };
        let mut pairs = Vec::with_capacity(rows.len() * 2);
        if end.is_some_and(|end| end.0 == start.0) {
            pairs.extend(rows.iter().map(|row| (start.0, row)));
        } else {
            for row in rows.iter() {
                self.field.for_each_key(texts.get(row), |key| {
                    if start <= (key, row) && end.is_none_or(|end| (key, row) < end) {
                        pairs.push((key, row));
                    }
                });
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        self.insert_buckets(start, &pairs);
        self.store_frequent_prefixes(pairs[pairs.len() / 2].0, texts);
    }

    /// Inserts buckets with these pairs, halving them until each half fits.
    fn insert_buckets(&mut self, start: Pair, pairs: &[Pair]) {
        let mut rows: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
        rows.sort_unstable();
        rows.dedup();
        if rows.len() <= BUCKET_CAPACITY {
            self.buckets.insert(start, PostingList::from_sorted(&rows));
            return;
        }
        let (before, after) = pairs.split_at(pairs.len() / 2);
        let middle = boundary(before[before.len() - 1], after[0]);
        self.insert_buckets(start, before);
        self.insert_buckets(middle, after);
    }

    /// Stores a bit set for each prefix of the key that has become frequent.
    fn store_frequent_prefixes(&mut self, key: u64, texts: &TextArena) {
        // A lower bound, because buckets are rarely full.
        let min_buckets = (texts.row_count() as usize / FREQUENT_SHARE).max(FREQUENT_MIN_ROWS) / BUCKET_CAPACITY;
        for prefix in prefixes(&key.to_be_bytes()) {
            if self.frequent.contains_key(&key_prefix(prefix)) {
                continue;
            }
            let (first, last) = key_range(prefix);
            if self.buckets.range((first, 0)..=(last, u32::MAX)).take(min_buckets).count() < min_buckets {
                return;
            }
            // A needle never ends inside a character.
            if std::str::from_utf8(prefix).is_ok() {
                let rows = self.find(&Finder::new(prefix), texts).into_bit_set(texts.row_count() as usize);
                self.frequent.insert(key_prefix(prefix), rows);
            }
        }
    }

    /// Whether so few rows can match the needle that the text of each may be read.
    pub fn is_rare(&self, needle: &Finder) -> bool {
        let (first, last) = key_range(self.rarest_part(needle.needle()));
        self.buckets_between(first, last).take(MAX_SCANNED_BUCKETS + 1).count() <= MAX_SCANNED_BUCKETS
    }

    /// The rows with a suffix that starts with the needle.
    pub fn find(&self, needle: &Finder, texts: &TextArena) -> Hits {
        let bytes = needle.needle();
        // In a key, a zero byte looks like the end of a text.
        let is_decided_by_key = bytes.len() <= KEY_BYTES && !bytes.contains(&0);
        if is_decided_by_key && let Some(rows) = self.frequent.get(&key_prefix(bytes)) {
            return Hits::Many(rows.clone());
        }
        let (first, last) = key_range(self.rarest_part(bytes));
        let is_few = self.buckets_between(first, last).take(MAX_LIST_BUCKETS + 1).count() <= MAX_LIST_BUCKETS;
        let (mut few, mut many) = (Vec::new(), BitSet::empty(if is_few { 0 } else { texts.row_count() as usize }));
        let mut unverified = Vec::new();
        for (rows, is_inside) in self.buckets_between(first, last) {
            if !(is_inside && is_decided_by_key) {
                unverified.push(rows);
            } else if is_few {
                few.extend(rows.iter());
            } else {
                rows.iter().for_each(|row| many.set(row, true));
            }
        }
        let prefilter = if unverified.is_empty() { None } else { self.prefilter(bytes) };
        for row in unverified.into_iter().flat_map(PostingList::iter) {
            let may_match = !many.contains(row) && prefilter.as_ref().is_none_or(|filter| filter.may_contain(row));
            if may_match && self.field.matches(texts.get(row), needle) {
                if is_few { few.push(row) } else { many.set(row, true) }
            }
        }
        if is_few { Hits::few(few) } else { Hits::Many(many) }
    }

    /// Rows that may have a suffix equal to the needle. May contain duplicates.
    pub fn equal_candidates(&self, needle: &[u8]) -> impl Iterator<Item = u32> {
        self.buckets_between(key(needle), key(needle)).flat_map(|(rows, _)| rows.iter())
    }

    /// The buckets that overlap this range of keys, and whether each of them is completely inside.
    fn buckets_between(&self, first: u64, last: u64) -> impl Iterator<Item = (&PostingList, bool)> {
        let from = self.buckets.range(..=(first, 0)).next_back().map_or((first, 0), |(&start, _)| start);
        let mut rest = self.buckets.range(from..).peekable();
        let end = last.checked_add(1).map(|end| (end, 0));
        std::iter::from_fn(move || {
            let (&start, rows) = rest.next().filter(|(start, _)| **start <= (last, u32::MAX))?;
            let ends_inside = match (rest.peek(), end) {
                (_, None) => true,
                (Some((next, _)), Some(end)) => **next <= end,
                (None, Some(_)) => false,
            };
            Some((rows, start >= (first, 0) && ends_inside))
        })
    }

    /// A row that contains the needle also contains the needle's end. If only few buckets do, a filter of their rows saves
    /// most text comparisons: each reads a random location in memory, which dominates the cost.
    fn prefilter(&self, needle: &[u8]) -> Option<Prefilter> {
        if !self.has_every_suffix() {
            return None;
        }
        let from = needle.len().saturating_sub(KEY_BYTES).max(1);
        let from = (from..needle.len()).find(|&at| is_char_start(needle[at]))?;
        let (first, last) = key_range(&needle[from..]);
        let buckets = || self.buckets_between(first, last).map(|(rows, _)| rows);
        (buckets().take(MAX_SCANNED_BUCKETS + 1).count() <= MAX_SCANNED_BUCKETS).then(|| Prefilter::new(buckets()))
    }

    /// The other fields only have suffixes where a match may start.
    fn has_every_suffix(&self) -> bool {
        matches!(self.field, IndexedField::Name | IndexedField::OtherFields)
    }

    /// The part of the needle, at most [`KEY_BYTES`] long, with the fewest buckets. A row that contains the needle contains
    /// every part of it, so the rarest part needs the fewest text comparisons.
    fn rarest_part<'a>(&self, needle: &'a [u8]) -> &'a [u8] {
        let Some(last_start) = needle.len().checked_sub(KEY_BYTES) else { return needle };
        let mut rarest = (usize::MAX, &needle[..KEY_BYTES]);
        let last_start = if self.has_every_suffix() { last_start } else { 0 };
        for at in (0..=last_start).filter(|&at| is_char_start(needle[at])) {
            let part = &needle[at..at + KEY_BYTES];
            let count = self.buckets_between(key(part), key(part)).take(MAX_COUNTED_BUCKETS).count();
            if count < rarest.0 {
                rarest = (count, part);
            }
            if count <= RARE_BUCKETS {
                break;
            }
        }
        rarest.1
    }
}

/// The shortest key between two pairs: more needles end exactly at a short boundary.
fn boundary(before: Pair, after: Pair) -> Pair {
    match (before.0 ^ after.0).leading_zeros() / 8 {
        8 => after,
        same => (after.0 & u64::MAX << (56 - 8 * same), 0),
    }
}

fn key_prefix(bytes: &[u8]) -> KeyPrefix {
    (key(bytes), bytes.len() as u8)
}

/// The prefixes of a key, shortest first, up to its first zero byte.
fn prefixes(key: &[u8; KEY_BYTES]) -> impl Iterator<Item = &[u8]> {
    let len = key.iter().position(|&byte| byte == 0).unwrap_or(KEY_BYTES);
    (1..=len).map(|len| &key[..len])
}
