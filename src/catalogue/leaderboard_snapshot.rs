//! The leaderboards' points on their way into the store and back, so that a service that starts again counts only who moved
//! since.
//!
//! A set has columns: the row numbers of all players, rising, and their points on each board in the same order. A part holds
//! a slice of one column.

use zstd::bulk::{compress, decompress};

use super::at_length;
use super::leaderboards::{AsOf, BOARDS, Boards, Points, reckoning};
use super::row_ids::Numbers;
use rollcall_model::time::HOUR;
use rollcall_search::varint::{self, BITS, MORE};
use rollcall_store::leaderboard_snapshot::{self as rows, Head};
use rollcall_store::{Pool, Result};

/// A start that comes later than this after the last set counts a little more; to write one takes a second of work.
const EVERY: i64 = HOUR;
/// Players in a part.
const SLICE: usize = 1 << 16;
/// Bytes of the longest number.
const LONGEST: usize = 10;
const LEVEL: i32 = 1;

/// The row numbers come first.
const COLUMNS: usize = 1 + BOARDS.end;

/// What boards knew at a moment.
pub(super) struct Standings {
    pub as_of: AsOf,
    /// Rising.
    numbers: Vec<i64>,
    points: Points,
}

impl Standings {
    /// The set that is kept, if there is one that can be gone on from.
    pub async fn load(pool: &Pool) -> Result<Option<Self>> {
        let Some(head) = pool.read(rows::head).await? else { return Ok(None) };
        if head.reckoning != reckoning() || !(0..i64::from(u32::MAX)).contains(&head.players) {
            return Ok(None);
        }
        pool.read(move |conn| {
            let (players, mut points) = (head.players as usize, Vec::new());
            let mut column = |column: usize| -> Result<Option<Vec<u64>>> {
                let (first, mut values) = ((column * slices(players)) as i64, Vec::new());
                // One that is not what it should be leaves too few.
                let take = |bytes: Vec<u8>| values.extend(unpack(&bytes).unwrap_or_default());
                rows::parts(conn, head.made, first, first + slices(players) as i64, take)?;
                Ok(Some(values).filter(|values| values.len() == players))
            };
            let Some(numbers) = column(0)?.and_then(rising) else { return Ok(None) };
            for board in BOARDS {
                let narrow = |values: Vec<u64>| values.into_iter().map(|value| u32::try_from(value).ok()).collect();
                let Some(values) = column(1 + board)?.and_then(narrow) else { return Ok(None) };
                points.push(values);
            }
            let as_of = AsOf { at: head.at, rev: head.rev, hidden: head.hidden };
            Ok(Points::of_boards(points).map(|points| Self { as_of, numbers, points }))
        })
        .await
    }

    /// The points of who is in a directory, in the order of their numbers; of who was not there then, none.
    pub fn among(self, numbers: &Numbers) -> Points {
        let rising = numbers.rising();
        let mut kept = (0u32..).zip(&self.numbers).peekable();
        let from = rising.iter().map(|&place| {
            let n = numbers.number(place);
            while kept.next_if(|(_, other)| **other < n).is_some() {}
            kept.next_if(|(_, other)| **other == n).map(|(i, _)| i)
        });
        let from: Vec<Option<u32>> = from.collect();
        self.points.rearranged(&from)
    }
}

/// Keeps what the boards know, unless a set is kept that is not much older.
pub(super) async fn keep(pool: &Pool, boards: &Boards, numbers: &Numbers, epoch: i64) -> Result<()> {
    let AsOf { at, rev, hidden } = boards.as_of.clone();
    let is_recent = |head: Head| head.reckoning == reckoning() && (at - head.at).abs() < EVERY;
    if pool.read(rows::head).await?.is_some_and(is_recent) {
        return Ok(());
    }
    let (made, rising) = (rand::random(), numbers.rising());
    let slices = slices(rising.len());
    let head = Head { made, epoch, rev, at, players: rising.len() as i64, reckoning: reckoning(), hidden };
    for column in 0..COLUMNS {
        let points = column.checked_sub(1).map(|board| at_length(|| boards.points(board, rising.len())));
        let mut last = 0;
        // Slice by slice: all of a column, and wide, would be the most that is ever held.
        for (slice, places) in rising.chunks(SLICE).enumerate() {
            let packed = at_length(|| {
                pack(places.iter().map(|&place| match &points {
                    Some(points) => points[place as usize].into(),
                    None => gap(&mut last, numbers.number(place)),
                }))
            });
            let part = (column * slices + slice) as i64;
            pool.write(move |conn| rows::put(conn, made, part, packed)).await?;
        }
    }
    pool.write(move |conn| rows::finish(conn, &head, (COLUMNS * slices) as i64)).await?;
    Ok(())
}

fn slices(players: usize) -> usize {
    players.div_ceil(SLICE)
}

/// From the one before; rows are numbered from 1.
fn gap(last: &mut i64, n: i64) -> u64 {
    n.abs_diff(std::mem::replace(last, n))
}

/// The numbers of these gaps; `None` when they do not rise.
fn rising(gaps: Vec<u64>) -> Option<Vec<i64>> {
    let mut last = 0i64;
    let next = |gap: u64| {
        last = last.checked_add_unsigned(gap).filter(|_| gap > 0)?;
        Some(last)
    };
    gaps.into_iter().map(next).collect()
}

fn pack(values: impl Iterator<Item = u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    values.for_each(|value| varint::put(value, |byte| bytes.push(byte)));
    compress(&bytes, LEVEL).expect("compressing into memory")
}

fn unpack(bytes: &[u8]) -> Option<Vec<u64>> {
    let bytes = decompress(bytes, SLICE * LONGEST).ok()?;
    let (mut values, mut value, mut shift) = (Vec::with_capacity(SLICE), 0u64, 0);
    for byte in bytes {
        value |= u64::from(byte & !MORE).checked_shl(shift)?;
        shift += BITS;
        if byte < MORE {
            values.push(std::mem::take(&mut value));
            shift = 0;
        }
    }
    (shift == 0).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_packed_comes_back(values in proptest::collection::vec(any::<u64>(), 0..200)) {
            prop_assert_eq!(unpack(&pack(values.iter().copied())), Some(values));
        }

        #[test]
        fn numbers_are_their_gaps(numbers in proptest::collection::btree_set(1i64.., 0..200)) {
            let numbers: Vec<i64> = numbers.into_iter().collect();
            let mut last = 0;
            let gaps = numbers.iter().map(|&n| gap(&mut last, n)).collect();
            prop_assert_eq!(rising(gaps), Some(numbers));
        }

        #[test]
        fn what_nobody_packed_breaks_nothing(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = unpack(&bytes);
            let _ = unpack(&compress(&bytes, LEVEL).unwrap());
        }
    }
}
