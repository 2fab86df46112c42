//! Builds the buckets of all suffix indexes at once with a radix sort. Much faster than inserting the suffixes one by one.

use std::ops::Range;

use crate::arena::TextArena;
use crate::field::{IndexedField, KEY_BYTES};
use crate::field_index::{BUCKET_CAPACITY, Buckets, Pair};
use crate::posting_list::PostingList;

/// Suffixes that are sorted at once; bounds the memory for their pairs.
const BATCH_SIZE: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// The number of values of the first two bytes of a key (its bigram).
const BIGRAMS: usize = 1 << 16;
/// New buckets have a quarter of their capacity free for later rows.
const INITIAL_FILL: usize = BUCKET_CAPACITY - BUCKET_CAPACITY / 4;

fn bigram(key: u64) -> usize {
    (key >> 48) as usize
}

/// The suffixes of one field that start with a range of bigrams.
struct SuffixBatch<'a> {
    field: IndexedField,
    bigrams: Range<usize>,
    /// The number of suffixes for every bigram, also those outside of the batch.
    counts: &'a [usize],
}

/// The buckets of every indexed field.
pub fn build(texts: &TextArena) -> [Buckets; IndexedField::ALL.len()] {
    let mut built: [Vec<(Pair, PostingList)>; IndexedField::ALL.len()] = Default::default();
    for field in IndexedField::ALL {
        let mut counts = vec![0; BIGRAMS];
        (0..texts.row_count()).for_each(|row| field.for_each_key(texts.get(row), |key| counts[bigram(key)] += 1));
        for bigrams in split_into_batches(&counts) {
            built[field as usize].extend(SuffixBatch { field, bigrams, counts: &counts }.build_buckets(texts));
        }
    }
    built.map(Buckets::from_iter)
}

/// Ranges of bigrams with about [`BATCH_SIZE`] suffixes each. No range is empty.
fn split_into_batches(counts: &[usize]) -> Vec<Range<usize>> {
    let (mut ranges, mut from, mut size) = (Vec::new(), 0, 0);
    for (bigram, count) in counts.iter().enumerate() {
        if size > 0 && size + count > BATCH_SIZE {
            ranges.push(from..bigram);
            (from, size) = (bigram, 0);
        }
        size += count;
    }
    if size > 0 {
        ranges.push(from..counts.len());
    }
    ranges
}

impl SuffixBatch<'_> {
    fn build_buckets(&self, texts: &TextArena) -> Vec<(Pair, PostingList)> {
        let (counts, first) = (&self.counts[self.bigrams.clone()], self.bigrams.start);
        let mut pairs = self.group_by_bigram(texts);
        let mut builder = BucketBuilder::default();
        let mut scratch: Vec<Pair> = vec![(0, 0); counts.iter().copied().max().unwrap_or_default()];
        let mut rest = pairs.as_mut_slice();
        for (bigram, &count) in (first..).zip(counts).filter(|(_, count)| **count > 0) {
            let (group, others) = rest.split_at_mut(count);
            rest = others;
            builder.add_group(group, &mut scratch[..count], 2);
            builder.close_bucket();
            builder.end_at((bigram as u64 + 1) << 48);
        }
        builder.buckets
    }

    /// All pairs of the batch, grouped by bigram; within a group in row order. The last element is unused.
    fn group_by_bigram(&self, texts: &TextArena) -> Vec<Pair> {
        let (counts, first) = (&self.counts[self.bigrams.clone()], self.bigrams.start);
        let total: usize = counts.iter().sum();
        // The target of the next pair of each bigram. Bigrams outside of the batch write to the unused last element: that is
        // faster than an unpredictable branch.
        let mut next = vec![total; BIGRAMS];
        let mut start = 0;
        for (next, count) in next[self.bigrams.clone()].iter_mut().zip(counts) {
            *next = start;
            start += count;
        }
        let mut pairs: Vec<Pair> = vec![(0, 0); total + 1];
        let (next, targets) = (&mut next[..BIGRAMS], pairs.as_mut_slice());
        for row in 0..texts.row_count() {
            self.field.for_each_key(texts.get(row), |key| {
                let bigram = bigram(key);
                let next = &mut next[bigram];
                targets[*next] = (key, row);
                *next += usize::from(bigram.wrapping_sub(first) < counts.len());
            });
        }
        pairs
    }
}

/// Cuts groups of pairs into buckets. Groups must arrive in key order, and the pairs of a group in row order.
#[derive(Default)]
struct BucketBuilder {
    buckets: Vec<(Pair, PostingList)>,
    /// Start and rows of the open bucket.
    start: Pair,
    rows: Vec<u32>,
}

impl BucketBuilder {
    /// Adds pairs whose keys have the same first `depth` bytes. Radix-sorts them by the next byte if they do not fit into one
    /// bucket.
    fn add_group(&mut self, group: &mut [Pair], scratch: &mut [Pair], depth: usize) {
        let Some(&(key, _)) = group.first() else { return };
        if group.len() <= BUCKET_CAPACITY {
            let start = (key & u64::MAX << (64 - 8 * depth), 0);
            self.add_rows(start, group.iter().map(|pair| pair.1));
            return;
        }
        // A large group gets buckets of its own, so that a needle matches them without text comparisons.
        self.close_bucket();
        if depth == KEY_BYTES {
            self.add_equal_keys(key, group);
        } else {
            let byte = |key: u64| (key >> (56 - 8 * depth)) as u8 as usize;
            let mut counts = [0usize; 256];
            group.iter().for_each(|pair| counts[byte(pair.0)] += 1);
            if counts[byte(key)] == group.len() {
                self.add_group(group, scratch, depth + 1);
                return;
            }
            let mut ends = [0usize; 256];
            for i in 1..ends.len() {
                ends[i] = ends[i - 1] + counts[i - 1];
            }
            for &pair in group.iter() {
                let end = &mut ends[byte(pair.0)];
                scratch[*end] = pair;
                *end += 1;
            }
            // The sorted pairs are in `scratch` now, so the two buffers swap roles.
            let (mut group, mut scratch) = (group, scratch);
            for count in counts {
                let (subgroup, sorted_rest) = scratch.split_at_mut(count);
                let (spare, spare_rest) = group.split_at_mut(count);
                self.add_group(subgroup, spare, depth + 1);
                (scratch, group) = (sorted_rest, spare_rest);
            }
        }
        self.close_bucket();
    }

    /// Splits one key with many rows into several buckets by row.
    fn add_equal_keys(&mut self, key: u64, group: &[Pair]) {
        let mut rows: Vec<u32> = group.iter().map(|pair| pair.1).collect();
        rows.dedup();
        for (i, rows) in rows.chunks(INITIAL_FILL).enumerate() {
            self.add_rows((key, if i == 0 { 0 } else { rows[0] }), rows.iter().copied());
            self.close_bucket();
        }
    }

    fn add_rows(&mut self, start: Pair, rows: impl ExactSizeIterator<Item = u32>) {
        if self.rows.len() + rows.len() > INITIAL_FILL {
            self.close_bucket();
        }
        if self.rows.is_empty() {
            self.start = start;
        }
        self.rows.extend(rows);
    }

    /// Ends a bigram's range with an empty bucket. Two characters are the shortest needle and match the most rows: all of
    /// their buckets must match without text comparisons, also the last one before a gap.
    fn end_at(&mut self, key: u64) {
        self.buckets.push(((key, 0), PostingList::default()));
    }

    fn close_bucket(&mut self) {
        if !self.rows.is_empty() {
            self.buckets.pop_if(|(start, list)| *start == self.start && list.len() == 0);
            self.rows.sort_unstable();
            self.rows.dedup();
            self.buckets.push((self.start, PostingList::from_sorted(&self.rows)));
            self.rows.clear();
        }
    }
}
