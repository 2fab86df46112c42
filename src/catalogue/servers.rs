//! The servers in memory: sets and sort orders for lists, and the serialised summary of each server.

mod entry;
mod filter;
mod packed_texts;
mod slug_index;
mod sort;
mod update;

use std::collections::HashMap;

use super::facets::Facet;
use super::list_position::{ListPosition, PageAfter};
use super::prefix_sets::PrefixSets;
use super::sort_order::SortOrder;
use rollcall_search::{BitSet, SuffixIndex, TextIndex, TieBreaker, fold_search};
use slug_index::SlugIndex;
use sort::hot_score;

pub use entry::{ServerEntry, ServerStats};
pub use filter::ServerFilter;
pub use sort::ServerSort;

#[derive(Default)]
pub struct Servers {
    entries: Vec<ServerEntry>,
    by_n: HashMap<i64, u32>,
    by_slug: SlugIndex,
    public: BitSet,
    online: BitSet,
    sorted: HashMap<ServerSort, IndexedOrder>,
    texts: TextIndex,
    countries: Facet,
    versions: Facet,
    modes: Facet,
    tags: Facet,
    /// Players online, by the facet id of their server's country.
    players_by_country: HashMap<u32, i64>,
    /// The last ping of each server; a separate column, because all of it is scanned.
    pinged_at: Vec<i64>,
    recent_votes: Vec<i64>,
    hot_scores: Vec<f64>,
}

const NEVER: i64 = i64::MIN;

/// A sort order, and its prefix sets if a filter uses the same value.
#[derive(Default)]
struct IndexedOrder {
    order: SortOrder,
    prefix_sets: PrefixSets,
}

impl IndexedOrder {
    fn new(sort: ServerSort, order: SortOrder) -> Self {
        let prefix_sets = if sort.is_filter() { PrefixSets::new(order.rows()) } else { PrefixSets::default() };
        Self { order, prefix_sets }
    }
}

/// The stats that change with time alone: recent votes and hot scores.
pub struct TimeBasedStats {
    recent_votes: Vec<i64>,
    hot_scores: Vec<f64>,
    hot_order: IndexedOrder,
}

impl Servers {
    /// See [`TextIndex::build_index`].
    pub fn build_search_index(&self) -> SuffixIndex {
        self.texts.build_index()
    }

    pub fn install_search_index(&mut self, index: SuffixIndex) {
        self.texts.install_index(index);
    }

    /// Computes the time-based stats without installing them, because that takes a while. `recent_votes` are pairs of `n` and
    /// a count.
    pub fn compute_time_based_stats(&self, recent_votes: &[(i64, i64)], now: i64) -> TimeBasedStats {
        let mut votes = vec![0; self.entries.len()];
        for (n, count) in recent_votes {
            if let Some(&row) = self.by_n.get(n) {
                votes[row as usize] = *count;
            }
        }
        let hot_scores: Vec<f64> = self.entries.iter().map(|entry| hot_score(entry, now)).collect();
        let sort_input = |row: u32| (&self.entries[row as usize], hot_scores[row as usize]);
        let sort = ServerSort::Hot;
        let order = SortOrder::build(
            self.public.iter(),
            |a| sort.key(sort_input(a)),
            |a, b| sort.compare(sort_input(a), sort_input(b)),
        );
        TimeBasedStats { recent_votes: votes, hot_scores, hot_order: IndexedOrder::new(sort, order) }
    }

    /// The servers must not have changed since the stats were computed.
    pub fn install_time_based_stats(&mut self, stats: TimeBasedStats) {
        self.recent_votes = stats.recent_votes;
        self.hot_scores = stats.hot_scores;
        self.sorted.insert(ServerSort::Hot, stats.hot_order);
    }

    /// A page of the servers that pass the filter, and their total.
    pub fn page(&self, filter: &ServerFilter, sort: ServerSort, offset: u64, limit: usize) -> (Vec<&ServerEntry>, u64) {
        let Some(IndexedOrder { order, .. }) = self.sorted.get(&sort) else { return (Vec::new(), 0) };
        let (rows, total) = order.page(self.select(filter).as_ref(), offset, limit);
        (rows.into_iter().map(|row| &self.entries[row as usize]).collect(), total as u64)
    }

    /// The servers that pass the filter and follow a position, or the first ones.
    pub fn page_after(
        &self,
        filter: &ServerFilter,
        sort: ServerSort,
        after: Option<&ListPosition<ServerSort>>,
        limit: usize,
    ) -> PageAfter<&ServerEntry, ServerSort> {
        let Some(IndexedOrder { order, .. }) = self.sorted.get(&sort) else { return PageAfter::empty() };
        let input =
            |row: u32| (&self.entries[row as usize], self.hot_scores.get(row as usize).copied().unwrap_or_default());
        let start = after.map_or(0, |position| {
            order.rows().partition_point(|&row| sort.compare_to_position(input(row), position).is_le())
        });
        let selected = self.select(filter);
        let (rows, has_more) = order.page_from(selected.as_ref(), start, limit);
        let next = rows.last().filter(|_| has_more).map(|&row| sort.list_position_of(input(row)));
        let total = selected.as_ref().map_or(order.len(), BitSet::count) as u64;
        PageAfter { items: rows.into_iter().map(|row| &self.entries[row as usize]).collect(), total, next }
    }

    /// Better matches of the name first, then matches in other fields; ties by players online.
    pub fn search(&self, needle: &str, limit: usize) -> Vec<&ServerEntry> {
        let order = self.sorted.get(&ServerSort::Players).map(|sorted| sorted.order.rows());
        let sort_input = |row: u32| (&self.entries[row as usize], self.hot_scores[row as usize]);
        let compare = |a: u32, b: u32| ServerSort::Players.compare(sort_input(a), sort_input(b));
        let ties = TieBreaker { order, compare };
        let best = self.texts.top_matches(&fold_search(needle), limit, Some(&self.public), &ties);
        best.into_iter().map(|row| &self.entries[row as usize]).collect()
    }

    /// A public server by its slug.
    pub fn by_slug(&self, slug: &str) -> Option<&ServerEntry> {
        let row = self.by_slug.get(slug, |row| self.entries[row as usize].slug())?;
        Some(&self.entries[row as usize])
    }

    /// A public server by its database key.
    pub fn by_n(&self, n: i64) -> Option<&ServerEntry> {
        self.by_n.get(&n).filter(|&&row| self.public.contains(row)).map(|&row| &self.entries[row as usize])
    }

    pub fn country(&self, entry: &ServerEntry) -> &str {
        entry.facet_ids.country.map_or("", |country| self.countries.spelling(country))
    }

    /// Each country with its number of servers and of players online.
    pub fn countries(&self) -> impl Iterator<Item = (&str, u64, i64)> {
        let players = |id| self.players_by_country.get(&id).copied().unwrap_or_default();
        self.countries.iter().map(move |(id, country, servers)| (country, servers as u64, players(id)))
    }

    /// Each version with its number of servers.
    pub fn versions(&self) -> impl Iterator<Item = (&str, u64)> {
        self.versions.iter().map(|(_, version, servers)| (version, servers as u64))
    }

    /// Each game mode with its number of servers.
    pub fn modes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.modes.iter().map(|(_, mode, servers)| (mode, servers as u64))
    }

    /// Each tag with its number of servers.
    pub fn tags(&self) -> impl Iterator<Item = (&str, u64)> {
        self.tags.iter().map(|(_, tag, servers)| (tag, servers as u64))
    }

    pub fn public_count(&self) -> usize {
        self.public.count()
    }

    pub fn online_count(&self) -> usize {
        self.online.count()
    }

    /// The time of the latest ping of any public server.
    pub fn latest_ping(&self) -> Option<i64> {
        self.pinged_at.iter().copied().max().filter(|&at| at > NEVER)
    }

    /// Public servers with more votes than this one, and those with as many votes and a smaller id.
    pub fn vote_rank(&self, entry: &ServerEntry) -> (usize, usize) {
        let Some(IndexedOrder { order, .. }) = self.sorted.get(&ServerSort::Votes) else { return (0, 0) };
        let (rows, votes) = (order.rows(), entry.stats.total_votes);
        let of = |row: &u32| &self.entries[*row as usize];
        let ahead = rows.partition_point(|row| of(row).stats.total_votes > votes);
        let precedes = |row: &u32| ServerSort::Votes.compare((of(row), 0.0), (entry, 0.0)).is_lt();
        (ahead, rows.partition_point(precedes) - ahead)
    }

    pub fn recent_votes(&self, n: i64) -> i64 {
        self.by_n.get(&n).map_or(0, |&row| self.recent_votes[row as usize])
    }

    pub fn hot_score(&self, n: i64) -> f64 {
        self.by_n.get(&n).map_or(0.0, |&row| self.hot_scores[row as usize])
    }
}
