//! The player directory in memory: columns for sort orders, and names for search. The full rows stay in the store.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicUsize};

use serde::{Deserialize, Serialize};

use super::facets::Facet;
use super::list_position::{ListPosition, PageAfter};
use super::on_all_cores;
use super::row_ids::RowIds;
use super::sort_order::{SortOrder, key};
use rollcall_search::{BitSet, SuffixIndex, TextIndex, TieBreaker, fold_search};
use rollcall_store::players::DirectoryRow;

/// The `sort` values of `/players`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PlayerSort {
    Recent,
    Name,
    Playtime,
    Sessions,
    Tier,
}

impl PlayerSort {
    const ALL: [PlayerSort; 5] = [Self::Recent, Self::Name, Self::Playtime, Self::Sessions, Self::Tier];
}

#[derive(Default)]
pub struct Players {
    /// Shared with leaderboard updates that run meanwhile.
    row_ids: Arc<RowIds>,
    names: TextIndex,
    tiers: Facet,
    created_at: Vec<i64>,
    /// In seconds, capped at `u32::MAX` (more than a century).
    play_time: Vec<u32>,
    sessions: Vec<u32>,
    tier_ids: Vec<u32>,
    tier_points: Vec<u32>,
    tier_rank: Vec<u32>,
    /// The players with each achievement, by its bit.
    achievements: [BitSet; u32::BITS as usize],
    orders: HashMap<PlayerSort, SortOrder>,
    /// Rows that must move in an order.
    pending_moves: HashMap<PlayerSort, Vec<u32>>,
}

/// A sort order that is built but not installed.
#[must_use]
pub struct PendingOrder(PlayerSort, SortOrder);

/// Sorts after every ranked player.
const UNRANKED: u32 = u32::MAX;

impl Players {
    /// Adds or replaces a player. The sort orders change only with [`Self::install_order`].
    pub fn put(&mut self, player: &DirectoryRow) {
        let name = fold_search(&player.nickname);
        let tier_rank = player.tier_rank.map_or(UNRANKED, saturate);
        let (row, is_new) = match self.row_ids.row_of(player.n) {
            Some(row) => (row, false),
            None => (self.add_row(player.n), true),
        };
        let i = row as usize;
        let is_moved = |sort: PlayerSort| match sort {
            PlayerSort::Recent => self.created_at[i] != player.created_at,
            PlayerSort::Name => self.names.get(row) != name.as_bytes(),
            PlayerSort::Playtime => self.play_time[i] != saturate(player.play_time),
            PlayerSort::Sessions => self.sessions[i] != saturate(player.sessions),
            PlayerSort::Tier => self.tier_points[i] != saturate(player.tier_points) || self.tier_rank[i] != tier_rank,
        };
        // Before the first build of the orders, no moves need to be recorded.
        let moved = PlayerSort::ALL.map(|sort| !self.orders.is_empty() && (is_new || is_moved(sort)));
        for (sort, _) in PlayerSort::ALL.into_iter().zip(moved).filter(|(_, moved)| *moved) {
            self.pending_moves.entry(sort).or_default().push(row);
        }
        self.names.set(row, &name);
        self.created_at[i] = player.created_at;
        self.play_time[i] = saturate(player.play_time);
        self.sessions[i] = saturate(player.sessions);
        let tier_before = (!is_new).then_some(self.tier_ids[i]);
        self.tier_ids[i] = self.tiers.set(row, tier_before, Some(&player.tier_overall)).unwrap_or_default();
        self.tier_points[i] = saturate(player.tier_points);
        self.tier_rank[i] = tier_rank;
        for (bit, players) in self.achievements.iter_mut().enumerate() {
            let is_earned = player.achievements >> bit & 1 == 1;
            if is_earned != players.contains(row) {
                players.set(row, is_earned);
            }
        }
    }

    /// See [`TextIndex::build_index`].
    pub fn build_search_index(&self) -> SuffixIndex {
        self.names.build_index()
    }

    pub fn install_search_index(&mut self, index: SuffixIndex) {
        self.names.install_index(index);
    }

    fn add_row(&mut self, n: i64) -> u32 {
        let row = Arc::make_mut(&mut self.row_ids).push(n);
        self.created_at.push(0);
        for column in
            [&mut self.play_time, &mut self.sessions, &mut self.tier_ids, &mut self.tier_points, &mut self.tier_rank]
        {
            column.push(0);
        }
        row
    }

    /// Builds the next sort order with pending moves without installing it, because that takes a while. Call it until it
    /// returns `None`: all orders at once would take a third of the memory of the directory.
    pub fn build_next_order(&self) -> Option<PendingOrder> {
        PlayerSort::ALL.into_iter().find_map(|sort| match (self.orders.get(&sort), self.pending_moves.get(&sort)) {
            (None, _) => Some(PendingOrder(sort, self.build_order(sort))),
            (Some(order), Some(moved)) => {
                Some(PendingOrder(sort, order.updated(moved, |_| true, |a, b| self.compare(sort, a, b))))
            }
            (Some(_), None) => None,
        })
    }

    /// Builds every sort order, on all cores.
    pub fn build_orders(&mut self) {
        let next = AtomicUsize::new(0);
        let build = || {
            let mut orders = Vec::new();
            while let Some(&sort) = PlayerSort::ALL.get(next.fetch_add(1, atomic::Ordering::Relaxed)) {
                orders.push((sort, self.build_order(sort)));
            }
            orders
        };
        let orders: HashMap<PlayerSort, SortOrder> = on_all_cores(build).into_iter().flatten().collect();
        self.orders = orders;
        self.pending_moves.clear();
    }

    fn build_order(&self, sort: PlayerSort) -> SortOrder {
        let key = |row: u32| match sort {
            PlayerSort::Recent => key::descending_int(self.created_at[row as usize]),
            PlayerSort::Name => key::text(self.names.get(row)),
            PlayerSort::Playtime => key::descending_int(self.play_time[row as usize].into()),
            PlayerSort::Sessions => key::descending_int(self.sessions[row as usize].into()),
            PlayerSort::Tier => {
                let (points, rank) = (self.tier_points[row as usize], self.tier_rank[row as usize]);
                u64::from(!points) << 32 | u64::from(rank)
            }
        };
        // The input is sorted by `n`, so ties are, too. Only for names, the key is not the complete value.
        let rows = self.row_ids.rows_by_n();
        let rows = rows.iter().copied();
        match sort {
            PlayerSort::Name => SortOrder::build(rows, key, |a, b| self.names.get(a).cmp(self.names.get(b))),
            _ => SortOrder::build(rows, key, |_, _| Ordering::Equal),
        }
    }

    /// Returns the replaced order. Drop it after the lock is released, because that takes longer than the exchange.
    pub fn install_order(&mut self, PendingOrder(sort, order): PendingOrder) -> Option<SortOrder> {
        self.pending_moves.remove(&sort);
        self.orders.insert(sort, order)
    }

    fn compare(&self, sort: PlayerSort, a: u32, b: u32) -> Ordering {
        let (i, j) = (a as usize, b as usize);
        let first = match sort {
            PlayerSort::Recent => self.created_at[j].cmp(&self.created_at[i]),
            PlayerSort::Name => self.names.get(a).cmp(self.names.get(b)),
            PlayerSort::Playtime => self.play_time[j].cmp(&self.play_time[i]),
            PlayerSort::Sessions => self.sessions[j].cmp(&self.sessions[i]),
            PlayerSort::Tier => {
                self.tier_points[j].cmp(&self.tier_points[i]).then(self.tier_rank[i].cmp(&self.tier_rank[j]))
            }
        };
        first.then_with(|| self.n_of(a).cmp(&self.n_of(b)))
    }

    /// The database key of a row.
    pub fn n_of(&self, row: u32) -> i64 {
        self.row_ids.n_of(row)
    }

    /// A row keeps its player until the next full load.
    pub fn row_ids(&self) -> Arc<RowIds> {
        self.row_ids.clone()
    }

    /// The database keys of a page, and the total of matching players.
    pub fn page(&self, search: Option<&str>, sort: PlayerSort, offset: u64, limit: usize) -> (Vec<i64>, u64) {
        let Some(order) = self.orders.get(&sort) else { return (Vec::new(), 0) };
        let selected = search.map(|text| self.names.rows_containing(&fold_search(text)));
        let (rows, total) = order.page(selected.as_ref(), offset, limit);
        (rows.into_iter().map(|row| self.n_of(row)).collect(), total as u64)
    }

    /// The database keys of the matching players that follow a position, or of the first ones.
    pub fn page_after(
        &self,
        search: Option<&str>,
        sort: PlayerSort,
        after: Option<&ListPosition<PlayerSort>>,
        limit: usize,
    ) -> PageAfter<i64, PlayerSort> {
        let Some(order) = self.orders.get(&sort) else { return PageAfter::empty() };
        let selected = search.map(|text| self.names.rows_containing(&fold_search(text)));
        let start = after.map_or(0, |position| self.position_after(order.rows(), position));
        let (rows, has_more) = order.page_from(selected.as_ref(), start, limit);
        let next = rows.last().filter(|_| has_more).map(|&row| self.list_position_of(sort, row));
        let total = selected.as_ref().map_or(order.len(), BitSet::count) as u64;
        PageAfter { items: rows.into_iter().map(|row| self.n_of(row)).collect(), total, next }
    }

    /// The first index whose row follows the position. Rows with pending moves stand where their old values put them: the search
    /// looks at their neighbours instead.
    fn position_after(&self, rows: &[u32], position: &ListPosition<PlayerSort>) -> usize {
        let moved: BitSet = self.pending_moves.get(&position.sort).into_iter().flatten().copied().collect();
        let (mut from, mut to) = (0, rows.len());
        while from < to {
            let middle = from + (to - from) / 2;
            let settled = (middle..to).find(|&i| !moved.contains(rows[i]));
            match settled.filter(|&i| self.compare_to_position(rows[i], position).is_le()) {
                Some(i) => from = i + 1,
                None => to = middle,
            }
        }
        from
    }

    fn compare_to_position(&self, row: u32, position: &ListPosition<PlayerSort>) -> Ordering {
        let i = row as usize;
        let first = match position.sort {
            PlayerSort::Recent => position.descending_int(self.created_at[i]),
            PlayerSort::Name => self.names.get(row).cmp(position.text.as_bytes()),
            PlayerSort::Playtime => position.descending_int(self.play_time[i].into()),
            PlayerSort::Sessions => position.descending_int(self.sessions[i].into()),
            PlayerSort::Tier => position
                .descending_int(self.tier_points[i].into())
                .then(i64::from(self.tier_rank[i]).cmp(&position.second)),
        };
        first.then_with(|| self.n_of(row).cmp(&position.n))
    }

    fn list_position_of(&self, sort: PlayerSort, row: u32) -> ListPosition<PlayerSort> {
        let i = row as usize;
        let mut position = match sort {
            PlayerSort::Recent => ListPosition::of_int(sort, self.created_at[i]),
            PlayerSort::Name => ListPosition::of_text(sort, String::from_utf8_lossy(self.names.get(row)).into_owned()),
            PlayerSort::Playtime => ListPosition::of_int(sort, self.play_time[i].into()),
            PlayerSort::Sessions => ListPosition::of_int(sort, self.sessions[i].into()),
            PlayerSort::Tier => ListPosition {
                second: self.tier_rank[i].into(),
                ..ListPosition::of_int(sort, self.tier_points[i].into())
            },
        };
        position.n = self.n_of(row);
        position
    }

    /// The database keys of the best matches; ties by play time.
    pub fn search(&self, needle: &str, limit: usize) -> Vec<i64> {
        // With pending moves, the order is outdated.
        let order =
            self.orders.get(&PlayerSort::Playtime).filter(|_| !self.pending_moves.contains_key(&PlayerSort::Playtime));
        let ties =
            TieBreaker { order: order.map(SortOrder::rows), compare: |a, b| self.compare(PlayerSort::Playtime, a, b) };
        let best = self.names.top_matches(&fold_search(needle), limit, None, &ties);
        best.into_iter().map(|row| self.n_of(row)).collect()
    }

    /// The number of players created at or after this time.
    pub fn created_since(&self, since: i64) -> usize {
        self.orders
            .get(&PlayerSort::Recent)
            .map_or(0, |order| order.rows().partition_point(|&row| self.created_at[row as usize] >= since))
    }

    /// The players that pass a leaderboard's filters, or `None` without a filter. `achievement` is the number of its bit.
    pub fn select(&self, tier: Option<&str>, achievement: Option<usize>, search: Option<&str>) -> Option<BitSet> {
        let tier = tier.map(|tier| self.tiers.rows_with(tier).to_bit_set());
        let achievement = achievement.map(|bit| self.achievements.get(bit).cloned().unwrap_or_default());
        let search = search.map(|text| self.names.rows_containing(&fold_search(text)));
        [tier, achievement, search].into_iter().flatten().reduce(|mut selected, set| {
            selected.intersect_with(&set);
            selected
        })
    }
}

/// Halves the memory of a column: values beyond 4 billion are equal here.
fn saturate(value: i64) -> u32 {
    u32::try_from(value.max(0)).unwrap_or(u32::MAX)
}
