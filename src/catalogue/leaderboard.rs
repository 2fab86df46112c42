//! One leaderboard in memory: players by their points, best first. Players without points are not on it.

use super::block_index::BlockIndex;
use super::row_ids::RowIds;
use rollcall_search::BitSet;

/// Players with equal points are adjacent, so their points are stored once: a million players have about ten thousand
/// different values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankedPlayers {
    /// Best first; ties by `n`.
    rows: Vec<u32>,
    /// The same rows as a set.
    members: BitSet,
    blocks: BlockIndex,
    ties: Vec<TieGroup>,
    /// Points for a displayed value of 1; 0 while the leaderboard is empty.
    points_per_unit: u32,
}

/// Adjacent players with equal points.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TieGroup {
    points: u32,
    /// The start of the next group in `rows`.
    end: u32,
}

/// One row of a leaderboard page.
pub struct RankedRow {
    pub row: u32,
    pub rank: u32,
    pub value: f64,
    points: u32,
}

/// A page that begins after a position.
pub struct RankedPage {
    pub rows: Vec<RankedRow>,
    pub total: u64,
    /// The points and the `n` of the last row; `None` on the last page.
    pub next: Option<(u32, i64)>,
}

/// Players whose points were computed again.
pub struct ChangedPlayers<'a> {
    pub row_ids: &'a RowIds,
    /// Sorted by `n`.
    pub rows: &'a [u32],
    /// The same rows as a set.
    pub set: &'a BitSet,
}

impl RankedPlayers {
    /// The leaderboard after the `changed` players have new points, where `points[i]` belongs to `changed.rows[i]`. Merges in
    /// one pass, because the unchanged players are sorted already.
    pub fn updated(&self, changed: &ChangedPlayers, points: &[u32], points_per_unit: u32) -> Self {
        // Most points first, then the lower index, which is the lower `n`.
        let mut keys: Vec<u64> = (0u64..)
            .zip(points)
            .filter(|(_, points)| **points > 0)
            .map(|(i, &points)| u64::from(u32::MAX - points) << 32 | i)
            .collect();
        keys.sort_unstable();
        let mut inserted = keys
            .iter()
            .map(|key| (u32::MAX - (key >> 32) as u32, changed.rows[(key & u64::from(u32::MAX)) as usize]))
            .peekable();
        let mut removed = self.members.clone();
        removed.intersect_with(changed.set);
        // The exact length: shrinking a vector of a million rows would copy it.
        let len = self.rows.len() - removed.count() + keys.len();
        let mut merged = Self { rows: Vec::with_capacity(len), points_per_unit, ..Self::default() };
        let mut start = 0;
        for group in &self.ties {
            while let Some((points, row)) = inserted.next_if(|(points, _)| *points > group.points) {
                merged.push(points, row);
            }
            for &row in self.rows[start..group.end as usize].iter().filter(|&&row| !changed.set.contains(row)) {
                let n_of = |row: u32| changed.row_ids.n_of(row);
                while let Some((points, other)) =
                    inserted.next_if(|&(points, other)| points == group.points && n_of(other) < n_of(row))
                {
                    merged.push(points, other);
                }
                merged.push(group.points, row);
            }
            start = group.end as usize;
        }
        inserted.for_each(|(points, row)| merged.push(points, row));
        merged.members = merged.rows.iter().copied().collect();
        merged.blocks = BlockIndex::new(&merged.rows);
        merged
    }

    fn push(&mut self, points: u32, row: u32) {
        self.rows.push(row);
        let end = self.rows.len() as u32;
        match self.ties.last_mut() {
            Some(group) if group.points == points => group.end = end,
            _ => self.ties.push(TieGroup { points, end }),
        }
    }

    /// Passes every row with its points to `take`.
    pub fn for_each(&self, mut take: impl FnMut(u32, u32)) {
        let mut start = 0;
        for group in &self.ties {
            self.rows[start..group.end as usize].iter().for_each(|&row| take(row, group.points));
            start = group.end as usize;
        }
    }

    /// The selected players who are on the leaderboard (or all), and how many they are.
    fn members(&self, selected: Option<BitSet>) -> (Option<BitSet>, usize) {
        let selected = selected.map(|mut selected| {
            selected.intersect_with(&self.members);
            selected
        });
        let total = selected.as_ref().map_or(self.rows.len(), BitSet::count);
        (selected, total)
    }

    /// A page of the selected players (or of all), and their total. Ranks refer to the whole leaderboard.
    pub fn page(&self, selected: Option<BitSet>, offset: u64, limit: usize) -> (Vec<RankedRow>, u64) {
        let (selected, total) = self.members(selected);
        let offset = usize::try_from(offset).map_or(total, |offset| offset.min(total));
        let page: Vec<RankedRow> = match selected {
            None => (offset..total).take(limit).map(|i| self.ranked_row(i)).collect(),
            Some(selected) => {
                let positions = self.blocks.page(&self.rows, &selected, total, offset, limit);
                positions.into_iter().map(|i| self.ranked_row(i)).collect()
            }
        };
        (page, total as u64)
    }

    /// The selected players (or all) that follow a position, given by its points and its `n`, or the first ones.
    pub fn page_after(
        &self,
        selected: Option<BitSet>,
        after: Option<(u32, i64)>,
        limit: usize,
        n_of: impl Fn(u32) -> i64,
    ) -> RankedPage {
        let (selected, total) = self.members(selected);
        let start = after.map_or(0, |(points, n)| self.position_after(points, n, &n_of));
        let is_selected = |i: &usize| selected.as_ref().is_none_or(|selected| selected.contains(self.rows[*i]));
        let mut found = (start..self.rows.len()).filter(is_selected).map(|i| self.ranked_row(i));
        let rows: Vec<RankedRow> = found.by_ref().take(limit).collect();
        let last = rows.last().map(|last| (last.points, n_of(last.row)));
        let next = last.filter(|_| found.next().is_some());
        RankedPage { rows, total: total as u64, next }
    }

    fn position_after(&self, points: u32, n: i64, n_of: impl Fn(u32) -> i64) -> usize {
        let group = self.ties.partition_point(|group| group.points > points);
        let start = self.group_start(group) as usize;
        match self.ties.get(group).filter(|group| group.points == points) {
            Some(group) => start + self.rows[start..group.end as usize].partition_point(|&row| n_of(row) <= n),
            None => start,
        }
    }

    fn ranked_row(&self, i: usize) -> RankedRow {
        let group = self.ties.partition_point(|group| group.end as usize <= i);
        let points = self.ties[group].points;
        let value = f64::from(points) / f64::from(self.points_per_unit);
        RankedRow { row: self.rows[i], rank: self.group_start(group) + 1, value, points }
    }

    /// The number of players before a tie group.
    fn group_start(&self, group: usize) -> u32 {
        group.checked_sub(1).map_or(0, |before| self.ties[before].end)
    }

    /// The rank of a value: one more than the number of players with a higher value. Ties share a rank.
    pub fn rank_of(&self, value: f64) -> u32 {
        let points = (value * f64::from(self.points_per_unit)).round() as u32;
        self.group_start(self.ties.partition_point(|group| group.points > points)) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row_ids(len: i64) -> RowIds {
        let mut row_ids = RowIds::default();
        // `n` must not have the order of the rows.
        for i in 0..len {
            row_ids.push((i * 7) % len);
        }
        row_ids
    }

    fn update(players: &RankedPlayers, row_ids: &RowIds, points: &[u32], changed: &[u32]) -> RankedPlayers {
        let mut set = BitSet::empty(points.len());
        changed.iter().for_each(|&row| set.set(row, true));
        let rows: Vec<u32> = row_ids.rows_by_n().iter().copied().filter(|&row| set.contains(row)).collect();
        let points: Vec<u32> = rows.iter().map(|&row| points[row as usize]).collect();
        players.updated(&ChangedPlayers { row_ids, rows: &rows, set: &set }, &points, 1)
    }

    proptest! {
        #[test]
        fn an_update_equals_a_rebuild(
            mut points in proptest::collection::vec(0u32..9, 60),
            rounds in proptest::collection::vec(proptest::collection::vec((0u32..60, 0u32..9), 0..20), 1..5),
        ) {
            let row_ids = row_ids(60);
            let all: Vec<u32> = (0..60).collect();
            let mut players = update(&RankedPlayers::default(), &row_ids, &points, &all);
            for round in rounds {
                for &(row, new) in &round {
                    points[row as usize] = new;
                }
                let changed: Vec<u32> = round.iter().map(|(row, _)| *row).collect();
                players = update(&players, &row_ids, &points, &changed);
                prop_assert_eq!(&players, &update(&RankedPlayers::default(), &row_ids, &points, &all));
            }
            let mut expected: Vec<u32> = all.into_iter().filter(|&row| points[row as usize] > 0).collect();
            expected.sort_by_key(|&row| (std::cmp::Reverse(points[row as usize]), row_ids.n_of(row)));
            let (page, total) = players.page(None, 0, 100);
            prop_assert_eq!(&page.iter().map(|ranked| ranked.row).collect::<Vec<_>>(), &expected);
            prop_assert_eq!(total as usize, page.len());
            for ranked in page {
                let above = points.iter().filter(|other| f64::from(**other) > ranked.value).count();
                prop_assert_eq!(ranked.rank as usize, above + 1);
                prop_assert_eq!(ranked.rank, players.rank_of(ranked.value));
                prop_assert_eq!(ranked.value, f64::from(points[ranked.row as usize]));
            }
            let n_of = |row: u32| row_ids.n_of(row);
            let (mut by_cursor, mut after) = (Vec::new(), None);
            loop {
                let page = players.page_after(None, after, 7, n_of);
                by_cursor.extend(page.rows.iter().map(|ranked| ranked.row));
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            prop_assert_eq!(by_cursor, expected);
        }
    }
}
