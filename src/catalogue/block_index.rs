//! Finds a page among the selected rows of a long order without walking all of it.

use rollcall_search::Bits;

/// In which 256th of an order each place stands. One byte each: enough to pass over the parts where nobody is selected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Segments {
    of: Vec<u8>,
}

const SEGMENTS: usize = 256;

impl Segments {
    pub fn new(order: &[u32]) -> Self {
        let mut of = Vec::new();
        let longest = order.iter().max().map_or(0, |&place| place as usize + 1);
        of.resize(longest, 0);
        for (segment, start) in (0..SEGMENTS).map(|segment| (segment, start(segment, order.len()))) {
            for &place in &order[start..self::start(segment + 1, order.len())] {
                of[place as usize] = segment as u8;
            }
        }
        Self { of }
    }

    /// Where in `order` the selected ones of a page stand, `total` of them. Who is selected and not in the order yet is not
    /// found.
    pub fn page(&self, order: &[u32], selected: &Bits, total: usize, offset: usize, limit: usize) -> Vec<usize> {
        let wanted = limit.min(total.saturating_sub(offset));
        if wanted == 0 {
            return Vec::new();
        }
        // From the end that is nearer; as far as the selected ones are spread evenly.
        let behind = total - offset - wanted;
        let steps = |passed: usize| (passed + wanted).saturating_mul(order.len()) / total;
        if steps(offset.min(behind)) <= 2 * total + order.len() / 64 {
            let is_selected = |i: &usize| selected.get(order[*i]);
            if offset <= behind {
                return (0..order.len()).filter(is_selected).skip(offset).take(wanted).collect();
            }
            let mut page: Vec<usize> = (0..order.len()).rev().filter(is_selected).skip(behind).take(wanted).collect();
            page.reverse();
            return page;
        }
        let mut counts = [0usize; SEGMENTS];
        let segments = selected.iter().filter_map(|place| self.of.get(place as usize));
        segments.for_each(|&segment| counts[usize::from(segment)] += 1);
        let (mut passed, mut page) = (0, Vec::with_capacity(wanted));
        for (segment, count) in counts.into_iter().enumerate() {
            if passed + count > offset && count > 0 {
                let span = start(segment, order.len())..start(segment + 1, order.len());
                let here = span.filter(|&i| selected.get(order[i]));
                page.extend(here.skip(offset.saturating_sub(passed)).take(wanted - page.len()));
            }
            passed += count;
            if page.len() == wanted {
                break;
            }
        }
        page
    }
}

/// Where a segment begins in an order of so many.
fn start(segment: usize, len: usize) -> usize {
    (segment * len).div_ceil(SEGMENTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_page_is_what_a_walk_finds(
            len in 0u32..3000,
            every in 1u32..900,
            offset in 0usize..3000,
            limit in 0usize..40,
        ) {
            // 2,999 and 7 have no divisor in common, so every place comes once.
            let order: Vec<u32> = (0..2999).map(|i| i * 7 % 2999).filter(|&place| place < len).collect();
            let selected: Bits = order.iter().copied().filter(|place| place % every == 0).collect();
            let expected: Vec<usize> =
                (0..order.len()).filter(|&i| selected.get(order[i])).skip(offset).take(limit).collect();
            let page = Segments::new(&order).page(&order, &selected, selected.count(), offset, limit);
            prop_assert_eq!(page, expected);
        }
    }
}
