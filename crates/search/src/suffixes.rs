//! An index of suffixes: which places have one that begins with a needle.
//!
//! Pairs of a suffix's key and its place, in order, are cut into buckets of some hundreds, and a bucket only holds the
//! places of its pairs. A needle takes in all of the buckets between its first and its last possible key as they are;
//! only the two at the ends, which hold others too, have to be compared with the texts. So a needle costs little more
//! than copying what it finds, however many texts there are.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound::{Excluded, Unbounded};

use memchr::memmem::Finder;

use super::arena::Run;
use super::bucket::Bucket;
use super::field::{KEY_BYTES, Part, begins_character, key, keys_from};
use super::hits::Hits;
use super::prefilter::Sieve;
use crate::Bits;

/// A suffix's key and its place.
pub type Pair = (u64, u32);
/// Each begins with the pair it is kept under and ends before the next one's.
pub type Buckets = BTreeMap<Pair, Bucket>;

/// The first key that begins so, and how many bytes that is.
type Beginning = (u64, u8);

#[derive(Debug)]
pub struct Suffixes {
    part: Part,
    buckets: Buckets,
    /// Ready answers for the beginnings that a good part of all texts has.
    frequent: HashMap<Beginning, Bits>,
}

/// Places in a bucket: as many may have to be compared at either end of an answer. Few in tests, where some hundred texts
/// are to do what a million does.
pub const BUCKET: usize = if cfg!(test) { 12 } else { 256 };
/// Up to this many buckets make a list rather than bits.
const FEW: usize = 6;
/// Up to this many are looked through place by place.
const ONE_BY_ONE: usize = 3;
/// One in so many places makes an answer worth keeping ready: less, and its buckets would be the smaller ones.
const FREQUENT: usize = 16;
/// So many places take longer to read than to copy a ready answer; fewer would be ready for no use.
const FREQUENT_AT_LEAST: usize = if cfg!(test) { 200 } else { 40_000 };
/// When this many buckets may hold a needle, the next frequent one is no better.
const RARE: usize = 2;
const NOT_RARE: usize = 64;

impl Suffixes {
    pub fn new(part: Part, buckets: Buckets, run: &Run) -> Self {
        let mut suffixes = Self { part, buckets, frequent: HashMap::new() };
        let starts: Vec<u64> = suffixes.buckets.keys().map(|pair| pair.0).collect();
        // What is frequent enough begins a bucket.
        starts.into_iter().for_each(|start| suffixes.keep_if_frequent(start, run));
        suffixes
    }

    /// The text of a place is another one now: `run` holds the new one already.
    pub fn replace(&mut self, place: u32, old: &[u8], run: &Run) {
        let (old, new) = (self.keys(old), self.keys(run.get(place)));
        for &key in old.iter().filter(|key| new.binary_search(key).is_err()) {
            self.remove((key, place), &new);
        }
        for &key in new.iter().filter(|key| old.binary_search(key).is_err()) {
            self.insert((key, place), run);
        }
    }

    fn keys(&self, text: &[u8]) -> Vec<u64> {
        let mut keys = Vec::new();
        self.part.keys(text, |key| keys.push(key));
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    fn remove(&mut self, pair: Pair, stays: &[u64]) {
        // What stays may need the same bucket, or the same bit.
        let among = |first: Pair, end: Option<Pair>| {
            let at = stays.partition_point(|&key| (key, pair.1) < first);
            stays.get(at).is_some_and(|&key| end.is_none_or(|end| (key, pair.1) < end))
        };
        if let Some((start, end)) = self.bucket_of(pair)
            && !among(start, end)
            && let Some(bucket) = self.buckets.get_mut(&start)
        {
            bucket.remove(pair.1);
            if bucket.len() == 0 {
                self.buckets.remove(&start);
            }
        }
        for bytes in beginnings(&pair.0.to_be_bytes()) {
            if let Some(bits) = self.frequent.get_mut(&beginning(bytes)) {
                let (first, last) = keys_from(bytes);
                if !among((first, 0), last.checked_add(1).map(|end| (end, 0))) {
                    bits.set(pair.1, false);
                }
            }
        }
    }

    fn insert(&mut self, pair: Pair, run: &Run) {
        for bytes in beginnings(&pair.0.to_be_bytes()) {
            if let Some(bits) = self.frequent.get_mut(&beginning(bytes)) {
                bits.set(pair.1, true);
            }
        }
        let start = self.bucket_of(pair).map_or((0, 0), |(start, _)| start);
        let bucket = self.buckets.entry(start).or_default();
        bucket.insert(pair.1);
        if bucket.len() > BUCKET {
            self.split(start, run);
        }
    }

    /// Where the bucket begins that this pair belongs to, and where the next one does.
    fn bucket_of(&self, pair: Pair) -> Option<(Pair, Option<Pair>)> {
        let (&start, _) = self.buckets.range(..=pair).next_back()?;
        let next = self.buckets.range((Excluded(start), Unbounded)).next().map(|(&next, _)| next);
        Some((start, next))
    }

    fn split(&mut self, start: Pair, run: &Run) {
        let Some((_, end)) = self.bucket_of(start) else { return };
        let Some(bucket) = self.buckets.remove(&start) else { return };
        let mut pairs = Vec::with_capacity(bucket.len() * 2);
        if end.is_some_and(|end| end.0 == start.0) {
            pairs.extend(bucket.iter().map(|place| (start.0, place)));
        } else {
            for place in bucket.iter() {
                self.part.keys(run.get(place), |key| {
                    if start <= (key, place) && end.is_none_or(|end| (key, place) < end) {
                        pairs.push((key, place));
                    }
                });
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        self.take_in(start, &pairs);
        self.keep_if_frequent(pairs[pairs.len() / 2].0, run);
    }

    fn take_in(&mut self, start: Pair, pairs: &[Pair]) {
        let mut places: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
        places.sort_unstable();
        places.dedup();
        if places.len() <= BUCKET {
            self.buckets.insert(start, Bucket::of(&places));
            return;
        }
        let (before, after) = pairs.split_at(pairs.len() / 2);
        let middle = boundary(before[before.len() - 1], after[0]);
        self.take_in(start, before);
        self.take_in(middle, after);
    }

    /// Makes ready answers of what a key begins with, as far as that has become frequent.
    fn keep_if_frequent(&mut self, key: u64, run: &Run) {
        // Buckets are rarely full.
        let least = (run.places() as usize / FREQUENT).max(FREQUENT_AT_LEAST) / BUCKET;
        for bytes in beginnings(&key.to_be_bytes()) {
            if self.frequent.contains_key(&beginning(bytes)) {
                continue;
            }
            let (first, last) = keys_from(bytes);
            if self.buckets.range((first, 0)..=(last, u32::MAX)).take(least).count() < least {
                return;
            }
            // Nobody asks for a part of a character.
            if std::str::from_utf8(bytes).is_ok() {
                let bits = self.find(&Finder::new(bytes), run).into_bits(run.places() as usize);
                self.frequent.insert(beginning(bytes), bits);
            }
        }
    }

    /// Whether so few places may have a suffix which begins with the needle that each can be looked at.
    pub fn is_rare(&self, needle: &Finder) -> bool {
        let (first, last) = keys_from(self.rarest(needle.needle()));
        self.between(first, last).take(ONE_BY_ONE + 1).count() <= ONE_BY_ONE
    }

    /// The places that have a suffix which begins with the needle.
    pub fn find(&self, needle: &Finder, run: &Run) -> Hits {
        let bytes = needle.needle();
        // A zero byte looks like the end of a text to a key.
        let is_plain = !bytes.contains(&0);
        let tells_all = is_plain && bytes.len() <= KEY_BYTES;
        if tells_all && let Some(bits) = self.frequent.get(&beginning(bytes)) {
            return Hits::Many(bits.clone());
        }
        let (first, last) = keys_from(self.rarest(bytes));
        let is_few = self.between(first, last).take(FEW + 1).count() <= FEW;
        let (mut few, mut many) = (Vec::new(), Bits::none(if is_few { 0 } else { run.places() as usize }));
        let mut mixed = Vec::new();
        for (bucket, is_pure) in self.between(first, last) {
            if !(is_pure && tells_all) {
                mixed.push(bucket);
            } else if is_few {
                few.extend(bucket.iter());
            } else {
                bucket.iter().for_each(|place| many.set(place, true));
            }
        }
        let sieve = if mixed.is_empty() { None } else { self.sieve(bytes) };
        for place in mixed.into_iter().flat_map(Bucket::iter) {
            let may_hold = !many.get(place) && sieve.as_ref().is_none_or(|sieve| sieve.may_hold(place));
            if may_hold && self.part.holds(run.get(place), needle) {
                if is_few { few.push(place) } else { many.set(place, true) }
            }
        }
        if is_few { Hits::few(few) } else { Hits::Many(many) }
    }

    /// The places that may have the needle from end to end as a suffix, some of them several times.
    pub fn candidates(&self, needle: &[u8]) -> impl Iterator<Item = u32> {
        self.between(key(needle), key(needle)).flat_map(|(bucket, _)| bucket.iter())
    }

    /// What all of it weighs.
    pub fn bytes(&self) -> usize {
        // Nodes of a tree are filled by half at least; those that were built at once, all but completely.
        let slots = self.buckets.len() * size_of::<(Pair, Bucket)>();
        let buckets: usize = self.buckets.values().map(Bucket::bytes).sum();
        slots + buckets + self.frequent.values().map(Bits::bytes).sum::<usize>()
    }

    /// The buckets that hold pairs between these keys, and whether they hold no others.
    fn between(&self, first: u64, last: u64) -> impl Iterator<Item = (&Bucket, bool)> {
        let from = self.buckets.range(..=(first, 0)).next_back().map_or((first, 0), |(&start, _)| start);
        let mut rest = self.buckets.range(from..).peekable();
        let end = last.checked_add(1).map(|end| (end, 0));
        std::iter::from_fn(move || {
            let (&start, bucket) = rest.next().filter(|(start, _)| **start <= (last, u32::MAX))?;
            let ends_in_time = match (rest.peek(), end) {
                (_, None) => true,
                (Some((next, _)), Some(end)) => **next <= end,
                (None, Some(_)) => false,
            };
            Some((bucket, start >= (first, 0) && ends_in_time))
        })
    }

    /// Wherever a needle stands, so does its end. Of whom that is said by few buckets, the others need not be looked at: texts
    /// lie anywhere in memory, and to look at one takes longer than all else.
    fn sieve(&self, needle: &[u8]) -> Option<Sieve> {
        if !self.has_every_suffix() {
            return None;
        }
        let from = needle.len().saturating_sub(KEY_BYTES).max(1);
        let from = (from..needle.len()).find(|&at| begins_character(needle[at]))?;
        let (first, last) = keys_from(&needle[from..]);
        let buckets = || self.between(first, last).map(|(bucket, _)| bucket);
        (buckets().take(ONE_BY_ONE + 1).count() <= ONE_BY_ONE).then(|| Sieve::of(buckets()))
    }

    /// The suffixes of the other parts begin where a needle does.
    fn has_every_suffix(&self) -> bool {
        matches!(self.part, Part::Name | Part::Rest)
    }

    /// As much of a needle as a key tells. Wherever it stands, so does each part of it: the rarest leaves least to compare.
    fn rarest<'a>(&self, needle: &'a [u8]) -> &'a [u8] {
        let Some(windows) = needle.len().checked_sub(KEY_BYTES) else { return needle };
        let mut rarest = (usize::MAX, &needle[..KEY_BYTES]);
        let elsewhere = if self.has_every_suffix() { windows } else { 0 };
        for at in (0..=elsewhere).filter(|&at| begins_character(needle[at])) {
            let window = &needle[at..at + KEY_BYTES];
            let count = self.between(key(window), key(window)).take(NOT_RARE).count();
            if count < rarest.0 {
                rarest = (count, window);
            }
            if count <= RARE {
                break;
            }
        }
        rarest.1
    }
}

/// The shortest key between two pairs, so that more needles find their own end there.
fn boundary(before: Pair, after: Pair) -> Pair {
    match (before.0 ^ after.0).leading_zeros() / 8 {
        8 => after,
        same => (after.0 & u64::MAX << (56 - 8 * same), 0),
    }
}

fn beginning(bytes: &[u8]) -> Beginning {
    (key(bytes), bytes.len() as u8)
}

/// All that a key begins with, shorter first. What comes behind its end, or a zero byte, is not worth a ready answer.
fn beginnings(key: &[u8; KEY_BYTES]) -> impl Iterator<Item = &[u8]> {
    let known = key.iter().position(|&byte| byte == 0).unwrap_or(KEY_BYTES);
    (1..=known).map(|len| &key[..len])
}
