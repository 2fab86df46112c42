//! Saves the points of all leaderboards to the store and loads them, so that a restart computes only the players that
//! changed since.
//!
//! A snapshot consists of columns: the database keys of all players, ascending, and their points on each leaderboard in the
//! same order. A part is a compressed slice of one column.

use zstd::bulk::{compress, decompress};

use super::leaderboards::{ALL_INDEXES, LeaderboardPoints, LeaderboardVersion, Leaderboards, scoring_version};
use super::row_ids::RowIds;
use super::run_blocking;
use rollcall_model::time::HOUR;
use rollcall_search::varint::{self, CONTINUATION, PAYLOAD_BITS};
use rollcall_store::leaderboard_snapshot::{self as store, SnapshotHeader};
use rollcall_store::{Pool, Result};

/// A save takes about a second of CPU time; an older snapshot makes a start only a little slower.
const SAVE_INTERVAL: i64 = HOUR;
/// Players in a part.
const SLICE_LEN: usize = 1 << 16;
/// The longest varint of a `u64`.
const MAX_VARINT_BYTES: usize = 10;
const COMPRESSION_LEVEL: i32 = 1;

/// The database keys are the first column.
const COLUMNS: usize = 1 + ALL_INDEXES.end;

pub(super) struct LeaderboardSnapshot {
    pub version: LeaderboardVersion,
    /// The database keys of the players, ascending.
    players: Vec<i64>,
    points: LeaderboardPoints,
}

impl LeaderboardSnapshot {
    /// `None` if there is no snapshot, or if it is damaged or made with other scoring rules.
    pub async fn load(pool: &Pool) -> Result<Option<Self>> {
        let Some(header) = pool.read(store::header).await? else { return Ok(None) };
        if header.scoring_version != scoring_version() || !(0..i64::from(u32::MAX)).contains(&header.players) {
            return Ok(None);
        }
        pool.read(move |conn| {
            let (player_count, mut points) = (header.players as usize, Vec::new());
            let mut load_column = |column: usize| -> Result<Option<Vec<u64>>> {
                let (first, mut values) = ((column * slice_count(player_count)) as i64, Vec::new());
                // A damaged part adds no values, so that the length check below fails.
                let take = |bytes: Vec<u8>| values.extend(unpack(&bytes).unwrap_or_default());
                store::read_parts(conn, header.id, first, first + slice_count(player_count) as i64, take)?;
                Ok(Some(values).filter(|values| values.len() == player_count))
            };
            let Some(players) = load_column(0)?.and_then(from_deltas) else { return Ok(None) };
            for board in ALL_INDEXES {
                let to_u32 = |values: Vec<u64>| values.into_iter().map(|value| u32::try_from(value).ok()).collect();
                let Some(values) = load_column(1 + board)?.and_then(to_u32) else { return Ok(None) };
                points.push(values);
            }
            let version = LeaderboardVersion { at: header.at, rev: header.rev, hidden_servers: header.hidden.clone() };
            Ok(LeaderboardPoints::from_lists(points).map(|points| Self { version, players, points }))
        })
        .await
    }

    /// The points of the players in `row_ids`, sorted by `n`. Players that are not in the snapshot have none.
    pub fn into_points(self, row_ids: &RowIds) -> LeaderboardPoints {
        let rows = row_ids.rows_by_n();
        let mut saved = (0u32..).zip(&self.players).peekable();
        let from = rows.iter().map(|&row| {
            let n = row_ids.n_of(row);
            while saved.next_if(|(_, other)| **other < n).is_some() {}
            saved.next_if(|(_, other)| **other == n).map(|(i, _)| i)
        });
        let from: Vec<Option<u32>> = from.collect();
        self.points.reordered(&from)
    }
}

/// Saves a snapshot, unless a recent one exists.
pub(super) async fn save(pool: &Pool, leaderboards: &Leaderboards, row_ids: &RowIds, epoch: i64) -> Result<()> {
    let LeaderboardVersion { at, rev, hidden_servers } = leaderboards.version.clone();
    let is_recent =
        |header: SnapshotHeader| header.scoring_version == scoring_version() && (at - header.at).abs() < SAVE_INTERVAL;
    if pool.read(store::header).await?.is_some_and(is_recent) {
        return Ok(());
    }
    let (id, rows) = (rand::random(), row_ids.rows_by_n());
    let (slices, players) = (slice_count(rows.len()), rows.len() as i64);
    let header =
        SnapshotHeader { id, epoch, rev, at, players, scoring_version: scoring_version(), hidden: hidden_servers };
    for column in 0..COLUMNS {
        let points = column.checked_sub(1).map(|board| run_blocking(|| leaderboards.points(board, rows.len())));
        let mut last = 0;
        // One slice at a time: a whole column of `u64` would be the peak of memory use.
        for (slice, rows) in rows.chunks(SLICE_LEN).enumerate() {
            let packed = run_blocking(|| {
                pack(rows.iter().map(|&row| match &points {
                    Some(points) => points[row as usize].into(),
                    None => delta(&mut last, row_ids.n_of(row)),
                }))
            });
            let part = (column * slices + slice) as i64;
            pool.write(move |conn| store::insert_part(conn, id, part, packed)).await?;
        }
    }
    pool.write(move |conn| store::publish(conn, &header, (COLUMNS * slices) as i64)).await?;
    Ok(())
}

fn slice_count(players: usize) -> usize {
    players.div_ceil(SLICE_LEN)
}

/// The difference to the previous key. Database keys start at 1, so no delta is 0.
fn delta(last: &mut i64, n: i64) -> u64 {
    n.abs_diff(std::mem::replace(last, n))
}

/// Reverses [`delta`]; `None` if the keys are not ascending.
fn from_deltas(deltas: Vec<u64>) -> Option<Vec<i64>> {
    let mut last = 0i64;
    let next = |delta: u64| {
        last = last.checked_add_unsigned(delta).filter(|_| delta > 0)?;
        Some(last)
    };
    deltas.into_iter().map(next).collect()
}

fn pack(values: impl Iterator<Item = u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    values.for_each(|value| varint::encode(value, |byte| bytes.push(byte)));
    compress(&bytes, COMPRESSION_LEVEL).expect("in-memory compression succeeds")
}

/// `None` if the bytes are damaged.
fn unpack(bytes: &[u8]) -> Option<Vec<u64>> {
    let bytes = decompress(bytes, SLICE_LEN * MAX_VARINT_BYTES).ok()?;
    let (mut values, mut value, mut shift) = (Vec::with_capacity(SLICE_LEN), 0u64, 0);
    for byte in bytes {
        value |= u64::from(byte & !CONTINUATION).checked_shl(shift)?;
        shift += PAYLOAD_BITS;
        if byte < CONTINUATION {
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
        fn unpack_reverses_pack(values in proptest::collection::vec(any::<u64>(), 0..200)) {
            prop_assert_eq!(unpack(&pack(values.iter().copied())), Some(values));
        }

        #[test]
        fn from_deltas_reverses_delta(keys in proptest::collection::btree_set(1i64.., 0..200)) {
            let keys: Vec<i64> = keys.into_iter().collect();
            let mut last = 0;
            let deltas = keys.iter().map(|&n| delta(&mut last, n)).collect();
            prop_assert_eq!(from_deltas(deltas), Some(keys));
        }

        #[test]
        fn damaged_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = unpack(&bytes);
            let _ = unpack(&compress(&bytes, COMPRESSION_LEVEL).unwrap());
        }
    }
}
