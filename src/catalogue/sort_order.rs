//! A sort order as an array of rows: any page of it costs the same.

use std::cmp::Ordering;

use super::block_index::BlockIndex;
use rollcall_search::BitSet;

#[derive(Clone, Debug, Default)]
pub struct SortOrder {
    rows: Vec<u32>,
    blocks: BlockIndex,
}

impl SortOrder {
    /// Sorts by `key`, then by `compare`, which must agree with `key`. Keys are compared faster than rows and should differ
    /// for most of them. Rows that are equal by both stay in their input order.
    pub fn build(
        rows: impl Iterator<Item = u32>,
        key: impl Fn(u32) -> u64,
        compare: impl Fn(u32, u32) -> Ordering,
    ) -> Self {
        let mut keyed: Vec<(u64, u32)> = rows.map(|row| (key(row), row)).collect();
        keyed.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| compare(a.1, b.1)));
        Self::from_sorted(keyed.into_iter().map(|(_, row)| row).collect())
    }

    fn from_sorted(rows: Vec<u32>) -> Self {
        Self { blocks: BlockIndex::new(&rows), rows }
    }

    /// The order after the `changed` rows moved: all of them are removed, and those that are `present` are inserted again.
    /// `compare` uses the new values, which is correct because all other rows have their old values. Unchanged rows are
    /// copied, and only the changed ones are compared.
    pub fn updated(
        &self,
        changed: &[u32],
        present: impl Fn(u32) -> bool,
        compare: impl Fn(u32, u32) -> Ordering,
    ) -> Self {
        let is_changed: BitSet = changed.iter().copied().collect();
        let mut inserted: Vec<u32> = changed.iter().copied().filter(|&row| present(row)).collect();
        inserted.sort_unstable_by(|&a, &b| compare(a, b));
        inserted.dedup();
        let unchanged: Vec<u32> = self.rows.iter().copied().filter(|&row| !is_changed.contains(row)).collect();
        let mut rest = unchanged.as_slice();
        let mut merged = Vec::with_capacity(unchanged.len() + inserted.len());
        for next in inserted {
            let (before, after) = rest.split_at(gallop(rest, |row| compare(row, next) == Ordering::Less));
            merged.extend_from_slice(before);
            merged.push(next);
            rest = after;
        }
        merged.extend_from_slice(rest);
        Self::from_sorted(merged)
    }

    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// A page of the selected rows (or of all rows), and their total.
    pub fn page(&self, selected: Option<&BitSet>, offset: u64, limit: usize) -> (Vec<u32>, usize) {
        let total = selected.map_or(self.len(), BitSet::count);
        let offset = usize::try_from(offset).map_or(total, |offset| offset.min(total));
        let page = match selected {
            None => self.rows[offset..].iter().take(limit).copied().collect(),
            Some(selected) => {
                let positions = self.blocks.page(&self.rows, selected, total, offset, limit);
                positions.into_iter().map(|i| self.rows[i]).collect()
            }
        };
        (page, total)
    }

    /// The selected rows (or all rows) from position `start` on, at most `limit`, and whether more follow.
    pub fn page_from(&self, selected: Option<&BitSet>, start: usize, limit: usize) -> (Vec<u32>, bool) {
        let rest = self.rows[start.min(self.len())..].iter().copied();
        let mut rows: Vec<u32> =
            rest.filter(|&row| selected.is_none_or(|selected| selected.contains(row))).take(limit + 1).collect();
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        (rows, has_more)
    }
}

/// Keys for [`SortOrder::build`].
pub mod key {
    /// The first bytes of a text, ascending.
    pub fn text(text: &[u8]) -> u64 {
        let mut first = [0; 8];
        let len = text.len().min(first.len());
        first[..len].copy_from_slice(&text[..len]);
        u64::from_be_bytes(first)
    }

    pub fn descending_int(value: i64) -> u64 {
        !(value as u64 ^ 1 << 63)
    }

    /// The reverse of [`f64::total_cmp`].
    pub fn descending_float(value: f64) -> u64 {
        let bits = value.to_bits();
        !if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
    }
}

/// Like `partition_point`, with a galloping search from the start: as fast as a scan for many insertions, and as fast as a
/// binary search for few.
fn gallop(rows: &[u32], passes: impl Fn(u32) -> bool) -> usize {
    let mut step = 1;
    while step < rows.len() && passes(rows[step - 1]) {
        step *= 2;
    }
    let from = step / 2;
    from + rows[from..step.min(rows.len())].partition_point(|&row| passes(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_update_equals_a_rebuild(
            old in proptest::collection::vec(0u8..20, 1..80),
            changes in proptest::collection::vec((0usize..100, 0u8..20, any::<bool>()), 0..30),
        ) {
            let mut values = old.clone();
            let mut present = BitSet::full(values.len());
            let by = |values: &Vec<u8>, a: u32, b: u32| values[a as usize].cmp(&values[b as usize]).then(a.cmp(&b));
            let half = |values: &Vec<u8>, row: u32| u64::from(values[row as usize] / 2);
            let mut order =
                SortOrder::build(0..values.len() as u32, |row| half(&values, row), |a, b| by(&values, a, b));
            let mut changed = Vec::new();
            for (row, value, is_present) in changes {
                let row = if row < values.len() { row } else { values.push(0); values.len() - 1 };
                values[row] = value;
                present.set(row as u32, is_present);
                changed.push(row as u32);
            }
            order = order.updated(&changed, |row| present.contains(row), |a, b| by(&values, a, b));
            let rebuilt = SortOrder::build(present.iter(), |row| half(&values, row), |a, b| by(&values, a, b));
            prop_assert_eq!(order.rows(), rebuilt.rows());
        }

        #[test]
        fn keys_sort_like_their_values(a: f64, b: f64, i: i64, j: i64, x: Vec<u8>, y: Vec<u8>) {
            prop_assert_eq!(key::descending_float(a).cmp(&key::descending_float(b)), b.total_cmp(&a));
            prop_assert_eq!(key::descending_int(i).cmp(&key::descending_int(j)), j.cmp(&i));
            let texts = key::text(&x).cmp(&key::text(&y));
            prop_assert!(texts == Ordering::Equal || texts == x.cmp(&y));
        }
    }
}
