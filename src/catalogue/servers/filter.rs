//! Which servers a list is narrowed to: each filter is a set that is kept, or the first of a sort order.

use super::entry::Figures;
use super::{ServerSort, Servers};
use rollcall_search::Bits;
use rollcall_search::fold_search;

/// What a list is narrowed by. Every filter given must hold.
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
    /// The servers that pass, or `None` for all of them.
    pub(super) fn select(&self, filter: &ServerFilter) -> Option<Bits> {
        let mut found: Option<Bits> = None;
        let words = [
            filter.country.as_ref().map(|country| self.countries.carrying(country)),
            filter.version.as_ref().map(|version| self.versions.carrying_up_to_a_dot(version)),
            filter.mode.as_ref().map(|mode| self.modes.carrying(mode)),
            filter.tag.as_ref().map(|tag| self.tags.carrying(tag)),
        ];
        for carrying in words.into_iter().flatten() {
            match &mut found {
                Some(found) => carrying.narrow(found),
                None => found = Some(carrying.to_bits()),
            }
        }
        if filter.online_only {
            narrow(&mut found, || self.online.clone());
        }
        if let Some(least) = filter.min_players {
            narrow(&mut found, || self.first(ServerSort::Players, |figures| figures.current_players >= least));
        }
        if let Some(least) = filter.min_votes {
            narrow(&mut found, || self.first(ServerSort::Votes, |figures| figures.total_votes >= least));
        }
        if let Some(least) = filter.min_uptime {
            narrow(&mut found, || self.first(ServerSort::Uptime, |figures| figures.uptime >= least));
        }
        if let Some(least) = filter.min_rating {
            narrow(&mut found, || self.first(ServerSort::Rating, |figures| figures.rating >= least));
        }
        if let Some(most) = filter.max_players {
            let found = found.get_or_insert_with(|| self.present.clone());
            found.subtract(&self.first(ServerSort::Players, |figures| figures.current_players > most));
        }
        if let Some(text) = &filter.search {
            // A hidden server's text may still be there.
            let found = found.get_or_insert_with(|| self.present.clone());
            found.intersect(&self.texts.containing(&fold_search(text)));
        }
        found
    }

    /// Those of an order that pass, which are the first of it.
    fn first(&self, sort: ServerSort, passes: impl Fn(&Figures) -> bool) -> Bits {
        let Some(sorted) = self.sorted.get(&sort) else { return Bits::default() };
        let order = sorted.order.places();
        let count = order.partition_point(|&place| passes(&self.entries[place as usize].figures));
        sorted.ranges.first(order, count)
    }
}

fn narrow(found: &mut Option<Bits>, set: impl FnOnce() -> Bits) {
    match found {
        Some(found) => found.intersect(&set()),
        None => *found = Some(set()),
    }
}
