//! Selects the servers that pass a list's filters. Each filter is a stored set, or a prefix of a sort order.

use super::entry::ServerStats;
use super::{ServerSort, Servers};
use rollcall_search::{BitSet, fold_search};

/// A server must pass every filter that is set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerFilter {
    pub search: Option<String>,
    pub country: Option<String>,
    pub version: Option<String>,
    pub tag: Option<String>,
    pub mode: Option<String>,
    pub min_players: Option<i64>,
    pub max_players: Option<i64>,
    pub min_uptime: Option<f64>,
    pub min_votes: Option<i64>,
    pub min_rating: Option<f64>,
    pub online_only: bool,
}

impl Servers {
    /// The servers that pass, or `None` if there is no filter.
    pub(super) fn select(&self, filter: &ServerFilter) -> Option<BitSet> {
        let mut selected: Option<BitSet> = None;
        let facets = [
            filter.country.as_ref().map(|country| self.countries.rows_with(country)),
            filter.version.as_ref().map(|version| self.versions.rows_with_version(version)),
            filter.mode.as_ref().map(|mode| self.modes.rows_with(mode)),
            filter.tag.as_ref().map(|tag| self.tags.rows_with(tag)),
        ];
        for rows in facets.into_iter().flatten() {
            match &mut selected {
                Some(selected) => rows.restrict(selected),
                None => selected = Some(rows.to_bit_set()),
            }
        }
        if filter.online_only {
            restrict(&mut selected, || self.online.clone());
        }
        if let Some(min) = filter.min_players {
            restrict(&mut selected, || self.order_prefix(ServerSort::Players, |stats| stats.current_players >= min));
        }
        if let Some(min) = filter.min_votes {
            restrict(&mut selected, || self.order_prefix(ServerSort::Votes, |stats| stats.total_votes >= min));
        }
        if let Some(min) = filter.min_uptime {
            restrict(&mut selected, || self.order_prefix(ServerSort::Uptime, |stats| stats.uptime >= min));
        }
        if let Some(min) = filter.min_rating {
            restrict(&mut selected, || self.order_prefix(ServerSort::Rating, |stats| stats.rating >= min));
        }
        if let Some(max) = filter.max_players {
            let selected = selected.get_or_insert_with(|| self.public.clone());
            selected.subtract(&self.order_prefix(ServerSort::Players, |stats| stats.current_players > max));
        }
        if let Some(text) = &filter.search {
            // The index may still contain the text of a server that is hidden now.
            let selected = selected.get_or_insert_with(|| self.public.clone());
            selected.intersect_with(&self.texts.rows_containing(&fold_search(text)));
        }
        selected
    }

    /// The servers that pass. They must be the first ones of the sort order.
    fn order_prefix(&self, sort: ServerSort, passes: impl Fn(&ServerStats) -> bool) -> BitSet {
        let Some(sorted) = self.sorted.get(&sort) else { return BitSet::default() };
        let rows = sorted.order.rows();
        let count = rows.partition_point(|&row| passes(&self.entries[row as usize].stats));
        sorted.prefix_sets.first(rows, count)
    }
}

fn restrict(selected: &mut Option<BitSet>, set: impl FnOnce() -> BitSet) {
    match selected {
        Some(selected) => selected.intersect_with(&set()),
        None => *selected = Some(set()),
    }
}
