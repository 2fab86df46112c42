//! Finds a page of the selected rows of a sort order without scanning the whole order.

use rollcall_search::BitSet;

/// The block of a sort order that each row is in. One byte for each row is enough to skip blocks without selected rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockIndex {
    block_of_row: Vec<u8>,
}

/// An order is cut into this many blocks of equal size.
const BLOCKS: usize = 256;

impl BlockIndex {
    pub fn new(order: &[u32]) -> Self {
        let mut block_of_row = Vec::new();
        let len = order.iter().max().map_or(0, |&row| row as usize + 1);
        block_of_row.resize(len, 0);
        for (block, start) in (0..BLOCKS).map(|block| (block, block_start(block, order.len()))) {
            for &row in &order[start..block_start(block + 1, order.len())] {
                block_of_row[row as usize] = block as u8;
            }
        }
        Self { block_of_row }
    }

    /// The positions in `order` of one page of the `total` selected rows. Skips selected rows that are not in the order yet.
    pub fn page(&self, order: &[u32], selected: &BitSet, total: usize, offset: usize, limit: usize) -> Vec<usize> {
        let page_len = limit.min(total.saturating_sub(offset));
        if page_len == 0 {
            return Vec::new();
        }
        // Scan from the nearer end if that is cheaper. The estimate assumes that the selected rows are spread evenly.
        let rows_after = total - offset - page_len;
        let expected_steps = |skipped: usize| (skipped + page_len).saturating_mul(order.len()) / total;
        if expected_steps(offset.min(rows_after)) <= 2 * total + order.len() / 64 {
            let is_selected = |i: &usize| selected.contains(order[*i]);
            if offset <= rows_after {
                return (0..order.len()).filter(is_selected).skip(offset).take(page_len).collect();
            }
            let from_end = (0..order.len()).rev().filter(is_selected);
            let mut page: Vec<usize> = from_end.skip(rows_after).take(page_len).collect();
            page.reverse();
            return page;
        }
        // Otherwise count the selected rows of each block, and read only the blocks of the page.
        let mut counts = [0usize; BLOCKS];
        let blocks = selected.iter().filter_map(|row| self.block_of_row.get(row as usize));
        blocks.for_each(|&block| counts[usize::from(block)] += 1);
        let (mut skipped, mut page) = (0, Vec::with_capacity(page_len));
        for (block, count) in counts.into_iter().enumerate() {
            if skipped + count > offset && count > 0 {
                let span = block_start(block, order.len())..block_start(block + 1, order.len());
                let in_block = span.filter(|&i| selected.contains(order[i]));
                page.extend(in_block.skip(offset.saturating_sub(skipped)).take(page_len - page.len()));
            }
            skipped += count;
            if page.len() == page_len {
                break;
            }
        }
        page
    }
}

/// The first position of a block in an order of this length.
fn block_start(block: usize, order_len: usize) -> usize {
    (block * order_len).div_ceil(BLOCKS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_page_equals_a_full_scan(
            len in 0u32..3000,
            every in 1u32..900,
            offset in 0usize..3000,
            limit in 0usize..40,
        ) {
            // 7 and 2,999 are coprime, so every row occurs once.
            let order: Vec<u32> = (0..2999).map(|i| i * 7 % 2999).filter(|&row| row < len).collect();
            let selected: BitSet = order.iter().copied().filter(|row| row % every == 0).collect();
            let expected: Vec<usize> =
                (0..order.len()).filter(|&i| selected.contains(order[i])).skip(offset).take(limit).collect();
            let page = BlockIndex::new(&order).page(&order, &selected, selected.count(), offset, limit);
            prop_assert_eq!(page, expected);
        }
    }
}
