//! A small set of places, kept as the gaps between them: one or two bytes each, unless they lie far apart.

use crate::varint::{self, BITS, MORE};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    gaps: Vec<u8>,
    len: u32,
}

/// Room for some more when a bucket grows: doubling would waste half of so many buckets.
const ROOM: usize = 16;

impl Bucket {
    /// `places` ascend, each once.
    pub fn of(places: &[u32]) -> Self {
        let mut gaps = Vec::with_capacity(places.len() * 2);
        let mut before = 0;
        for &place in places {
            put(place + 1 - before, |part| gaps.push(part));
            before = place + 1;
        }
        // A copy takes no more room than it needs; what is only made shorter may keep all of its own.
        Self { gaps: gaps.as_slice().to_vec(), len: places.len() as u32 }
    }

    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// What it takes besides itself.
    pub fn bytes(&self) -> usize {
        self.gaps.capacity()
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let (mut rest, mut before) = (self.gaps.iter(), 0);
        std::iter::from_fn(move || {
            let mut byte = *rest.next()?;
            let mut gap = u32::from(byte & !MORE);
            let mut shift = 0;
            while byte >= MORE {
                byte = *rest.next()?;
                shift += BITS;
                gap |= u32::from(byte & !MORE) << shift;
            }
            before += gap;
            Some(before - 1)
        })
    }

    pub fn insert(&mut self, place: u32) {
        let (at, before, gap) = self.find(place);
        let here = place + 1;
        let after = match gap {
            Some((gap, _)) if before + gap == here => return,
            Some((gap, width)) => Some((before + gap - here, width)),
            None => None,
        };
        let mut new = Vec::with_capacity(10);
        put(here - before, |part| new.push(part));
        if let Some((gap, _)) = after {
            put(gap, |part| new.push(part));
        }
        if self.gaps.capacity() < self.gaps.len() + new.len() {
            self.gaps.reserve_exact(ROOM);
        }
        self.gaps.splice(at..at + after.map_or(0, |(_, width)| width), new);
        self.len += 1;
    }

    pub fn remove(&mut self, place: u32) {
        let (at, before, gap) = self.find(place);
        let Some((gap, width)) = gap.filter(|(gap, _)| before + gap == place + 1) else { return };
        let mut new = Vec::with_capacity(5);
        let mut until = at + width;
        if let Some((next, width)) = self.gap(until) {
            put(gap + next, |part| new.push(part));
            until += width;
        }
        self.gaps.splice(at..until, new);
        self.len -= 1;
    }

    /// Where the gap is written that leads to this place or beyond it, from where it leads, and what it is; `None` at the
    /// end.
    fn find(&self, place: u32) -> (usize, u32, Option<(u32, usize)>) {
        let (mut at, mut before) = (0, 0);
        while let Some((gap, width)) = self.gap(at) {
            if before + gap > place {
                return (at, before, Some((gap, width)));
            }
            at += width;
            before += gap;
        }
        (at, before, None)
    }

    /// The gap written here, and how much room it takes.
    fn gap(&self, at: usize) -> Option<(u32, usize)> {
        let rest = self.gaps.get(at..)?;
        let mut gap = 0;
        for (i, &byte) in rest.iter().enumerate() {
            gap |= u32::from(byte & !MORE) << (i as u32 * BITS);
            if byte < MORE {
                return Some((gap, i + 1));
            }
        }
        None
    }
}

fn put(gap: u32, push: impl FnMut(u8)) {
    varint::put(gap.into(), push);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn agrees_with_a_plain_set(
            first in proptest::collection::btree_set(0u32..400_000, 0..40),
            changes in proptest::collection::vec((0u32..400_000, any::<bool>()), 0..80),
        ) {
            let mut plain: BTreeSet<u32> = first;
            let mut bucket = Bucket::of(&plain.iter().copied().collect::<Vec<_>>());
            let known: Vec<u32> = plain.iter().copied().collect();
            for (i, (place, comes)) in changes.into_iter().enumerate() {
                // Also those that are there, and their neighbours.
                let place = if i % 2 == 0 { place } else { known.get(i).map_or(0, |known| known + place % 2) };
                if comes {
                    plain.insert(place);
                    bucket.insert(place);
                } else {
                    plain.remove(&place);
                    bucket.remove(place);
                }
                prop_assert_eq!(bucket.iter().collect::<Vec<_>>(), plain.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(bucket.len(), plain.len());
            }
        }
    }
}
