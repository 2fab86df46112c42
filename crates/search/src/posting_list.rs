//! A small set of rows, delta-encoded as varints: one or two bytes for each row, unless rows are far apart.

use crate::varint::{self, CONTINUATION, PAYLOAD_BITS};

/// Each delta is the distance to the previous row. The first one counts from row -1, so that no delta is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostingList {
    deltas: Vec<u8>,
    len: u32,
}

/// Growth step in bytes. Doubling would waste half of the memory of very many lists.
const GROWTH_STEP: usize = 16;

/// The longest varint of a `u32` delta.
const MAX_DELTA_BYTES: usize = 5;

/// A decoded delta and its width in bytes.
type Delta = (u32, usize);

impl PostingList {
    /// `rows` must be ascending and unique.
    pub fn from_sorted(rows: &[u32]) -> Self {
        let mut deltas = Vec::with_capacity(rows.len() * 2);
        let mut before = 0;
        for &row in rows {
            encode(row + 1 - before, |byte| deltas.push(byte));
            before = row + 1;
        }
        // Copied to an exact allocation, because `shrink_to_fit` may keep the larger one.
        Self { deltas: deltas.as_slice().to_vec(), len: rows.len() as u32 }
    }

    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// The rows in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let (mut rest, mut before) = (self.deltas.iter(), 0);
        std::iter::from_fn(move || {
            let mut byte = *rest.next()?;
            let mut delta = u32::from(byte & !CONTINUATION);
            let mut shift = 0;
            while byte >= CONTINUATION {
                byte = *rest.next()?;
                shift += PAYLOAD_BITS;
                delta |= u32::from(byte & !CONTINUATION) << shift;
            }
            before += delta;
            Some(before - 1)
        })
    }

    pub fn insert(&mut self, row: u32) {
        let (at, before, delta) = self.find(row);
        let here = row + 1;
        let after = match delta {
            Some((delta, _)) if before + delta == here => return,
            Some((delta, width)) => Some((before + delta - here, width)),
            None => None,
        };
        let mut new = Vec::with_capacity(2 * MAX_DELTA_BYTES);
        encode(here - before, |byte| new.push(byte));
        if let Some((delta, _)) = after {
            encode(delta, |byte| new.push(byte));
        }
        if self.deltas.capacity() < self.deltas.len() + new.len() {
            self.deltas.reserve_exact(GROWTH_STEP);
        }
        self.deltas.splice(at..at + after.map_or(0, |(_, width)| width), new);
        self.len += 1;
    }

    pub fn remove(&mut self, row: u32) {
        let (at, before, delta) = self.find(row);
        let Some((delta, width)) = delta.filter(|(delta, _)| before + delta == row + 1) else { return };
        let mut new = Vec::with_capacity(MAX_DELTA_BYTES);
        let mut until = at + width;
        if let Some((next, width)) = self.decode_at(until) {
            encode(delta + next, |byte| new.push(byte));
            until += width;
        }
        self.deltas.splice(at..until, new);
        self.len -= 1;
    }

    /// Finds the first delta that reaches `row` or a later one: its byte offset, the sum of the deltas before it, and the
    /// delta itself. The delta is `None` at the end of the list.
    fn find(&self, row: u32) -> (usize, u32, Option<Delta>) {
        let (mut at, mut before) = (0, 0);
        while let Some((delta, width)) = self.decode_at(at) {
            if before + delta > row {
                return (at, before, Some((delta, width)));
            }
            at += width;
            before += delta;
        }
        (at, before, None)
    }

    fn decode_at(&self, at: usize) -> Option<Delta> {
        let rest = self.deltas.get(at..)?;
        let mut delta = 0;
        for (i, &byte) in rest.iter().enumerate() {
            delta |= u32::from(byte & !CONTINUATION) << (i as u32 * PAYLOAD_BITS);
            if byte < CONTINUATION {
                return Some((delta, i + 1));
            }
        }
        None
    }
}

fn encode(delta: u32, push: impl FnMut(u8)) {
    varint::encode(delta.into(), push);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn matches_a_btree_set(
            first in proptest::collection::btree_set(0u32..400_000, 0..40),
            changes in proptest::collection::vec((0u32..400_000, any::<bool>()), 0..80),
        ) {
            let mut plain: BTreeSet<u32> = first;
            let mut list = PostingList::from_sorted(&plain.iter().copied().collect::<Vec<_>>());
            let known: Vec<u32> = plain.iter().copied().collect();
            for (i, (row, is_insert)) in changes.into_iter().enumerate() {
                // Every second change uses a row of the set, or its neighbour.
                let row = if i % 2 == 0 { row } else { known.get(i).map_or(0, |known| known + row % 2) };
                if is_insert {
                    plain.insert(row);
                    list.insert(row);
                } else {
                    plain.remove(&row);
                    list.remove(row);
                }
                prop_assert_eq!(list.iter().collect::<Vec<_>>(), plain.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(list.len(), plain.len());
            }
        }
    }
}
