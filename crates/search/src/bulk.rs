//! Building an index of suffixes from all texts at once: they are dealt out by their bytes, one byte after the other,
//! until what is left of them fits a bucket. Far quicker than putting them in one by one.

use std::ops::Range;

use super::arena::Run;
use super::bucket::Bucket;
use super::field::{KEY_BYTES, Part};
use super::suffixes::{BUCKET, Buckets, Pair};

/// Suffixes dealt with at once, so that their pairs never take much memory.
const BATCH: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// What the first two bytes of a key can be.
const GRAMS: usize = 1 << 16;
/// Leaves room for some that come later.
const FILLED: usize = BUCKET - BUCKET / 4;

fn gram(key: u64) -> usize {
    (key >> 48) as usize
}

/// A share of the suffixes of a part: those that begin with some grams, with how many begin with each.
struct Batch<'a> {
    part: Part,
    grams: Range<usize>,
    counts: &'a [usize],
}

/// The buckets of every part.
pub fn build(run: &Run) -> [Buckets; Part::ALL.len()] {
    let mut made: [Vec<(Pair, Bucket)>; Part::ALL.len()] = Default::default();
    for part in Part::ALL {
        let mut counts = vec![0; GRAMS];
        (0..run.places()).for_each(|place| part.keys(run.get(place), |key| counts[gram(key)] += 1));
        for grams in batches(&counts) {
            made[part as usize].extend(Batch { part, grams, counts: &counts }.buckets(run));
        }
    }
    made.map(Buckets::from_iter)
}

/// Ranges of grams with about as many suffixes each, and none of nothing.
fn batches(counts: &[usize]) -> Vec<Range<usize>> {
    let (mut ranges, mut from, mut held) = (Vec::new(), 0, 0);
    for (gram, count) in counts.iter().enumerate() {
        if held > 0 && held + count > BATCH {
            ranges.push(from..gram);
            (from, held) = (gram, 0);
        }
        held += count;
    }
    if held > 0 {
        ranges.push(from..counts.len());
    }
    ranges
}

impl Batch<'_> {
    fn buckets(&self, run: &Run) -> Vec<(Pair, Bucket)> {
        let (counts, first) = (&self.counts[self.grams.clone()], self.grams.start);
        let total: usize = counts.iter().sum();
        // Where the next pair of each gram goes. All others go to the one beyond the last: that is quicker than to ask of
        // each whether it is wanted, which nobody can foresee.
        let mut next = vec![total; GRAMS];
        let mut start = 0;
        for (next, count) in next[self.grams.clone()].iter_mut().zip(counts) {
            *next = start;
            start += count;
        }
        let mut pairs: Vec<Pair> = vec![(0, 0); total + 1];
        let (next, all) = (&mut next[..GRAMS], pairs.as_mut_slice());
        for place in 0..run.places() {
            self.part.keys(run.get(place), |key| {
                let gram = gram(key);
                let next = &mut next[gram];
                all[*next] = (key, place);
                *next += usize::from(gram.wrapping_sub(first) < counts.len());
            });
        }
        let mut maker = Maker::default();
        let mut spare: Vec<Pair> = vec![(0, 0); counts.iter().copied().max().unwrap_or_default()];
        let mut rest = pairs.as_mut_slice();
        for (gram, &count) in (first..).zip(counts).filter(|(_, count)| **count > 0) {
            let (group, others) = rest.split_at_mut(count);
            rest = others;
            maker.deal(group, &mut spare[..count], 2);
            maker.close();
            maker.end_at((gram as u64 + 1) << 48);
        }
        maker.made
    }
}

/// Makes buckets of groups of pairs that come in the order of their keys; within a group, in that of their places.
#[derive(Default)]
struct Maker {
    made: Vec<(Pair, Bucket)>,
    start: Pair,
    places: Vec<u32>,
}

impl Maker {
    /// The first `depth` bytes of all keys in a group are the same.
    fn deal(&mut self, group: &mut [Pair], spare: &mut [Pair], depth: usize) {
        let Some(&(key, _)) = group.first() else { return };
        if group.len() <= BUCKET {
            let start = (key & u64::MAX << (64 - 8 * depth), 0);
            self.add(start, group.iter().map(|pair| pair.1));
            return;
        }
        // A large group has its buckets for itself, so that a needle takes them as they are.
        self.close();
        if depth == KEY_BYTES {
            self.share(key, group);
        } else {
            let byte = |key: u64| (key >> (56 - 8 * depth)) as u8 as usize;
            let mut counts = [0usize; 256];
            group.iter().for_each(|pair| counts[byte(pair.0)] += 1);
            if counts[byte(key)] == group.len() {
                self.deal(group, spare, depth + 1);
                return;
            }
            let mut ends = [0usize; 256];
            for i in 1..ends.len() {
                ends[i] = ends[i - 1] + counts[i - 1];
            }
            for &pair in group.iter() {
                let end = &mut ends[byte(pair.0)];
                spare[*end] = pair;
                *end += 1;
            }
            let (mut group, mut spare) = (group, spare);
            for count in counts {
                let (mine, rest) = spare.split_at_mut(count);
                let (room, other) = group.split_at_mut(count);
                self.deal(mine, room, depth + 1);
                (spare, group) = (rest, other);
            }
        }
        self.close();
    }

    /// One key with many places: each bucket takes the next of them.
    fn share(&mut self, key: u64, group: &[Pair]) {
        let mut places: Vec<u32> = group.iter().map(|pair| pair.1).collect();
        places.dedup();
        for (i, places) in places.chunks(FILLED).enumerate() {
            self.add((key, if i == 0 { 0 } else { places[0] }), places.iter().copied());
            self.close();
        }
    }

    fn add(&mut self, start: Pair, places: impl ExactSizeIterator<Item = u32>) {
        if self.places.len() + places.len() > FILLED {
            self.close();
        }
        if self.places.is_empty() {
            self.start = start;
        }
        self.places.extend(places);
    }

    /// Two letters are the shortest needle there is, and the widest answer: all of its buckets are to hold nothing else, the
    /// last one, too, when nothing follows it for a while.
    fn end_at(&mut self, key: u64) {
        self.made.push(((key, 0), Bucket::default()));
    }

    fn close(&mut self) {
        if !self.places.is_empty() {
            self.made.pop_if(|(start, bucket)| *start == self.start && bucket.len() == 0);
            self.places.sort_unstable();
            self.places.dedup();
            self.made.push((self.start, Bucket::of(&self.places)));
            self.places.clear();
        }
    }
}
