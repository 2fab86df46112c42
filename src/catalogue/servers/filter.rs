//! Which servers a list is narrowed to: each filter is a walk along one column.

use super::Servers;
use crate::catalogue::bits::Bits;
use crate::model::text::{fold, fold_search, version_matches};

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

impl ServerFilter {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Servers {
    /// The servers that pass, or `None` for all of them.
    pub(super) fn select(&self, filter: &ServerFilter) -> Option<Bits> {
        if filter.is_empty() {
            return None;
        }
        let mut bits = self.present.clone();
        if filter.online_only {
            bits.intersect(&self.online);
        }
        let facets = [(&filter.country, &self.countries, &self.country), (&filter.mode, &self.modes, &self.mode)];
        for (wanted, facet, column) in facets {
            if let Some(wanted) = wanted {
                match facet.known(wanted) {
                    Some(number) => bits.retain(column, |v| v == number),
                    None => bits = Bits::none(self.entries.len()),
                }
            }
        }
        if let Some(wanted) = &filter.version {
            let wanted = fold(wanted);
            let passes = self.versions.matching(|version| version_matches(version, &wanted));
            bits.retain(&self.version, |v| passes[v as usize]);
        }
        if let Some(tag) = &filter.tag {
            match self.tags.rows(tag) {
                Some(tagged) => bits.intersect(tagged),
                None => bits = Bits::none(self.entries.len()),
            }
        }
        if let Some(least) = filter.min_players {
            bits.retain(&self.players, |v| v >= least);
        }
        if let Some(most) = filter.max_players {
            bits.retain(&self.players, |v| v <= most);
        }
        if let Some(least) = filter.min_votes {
            bits.retain(&self.votes, |v| v >= least);
        }
        if let Some(least) = filter.min_uptime {
            bits.retain(&self.uptime, |v| v >= least);
        }
        if let Some(least) = filter.min_rating {
            bits.retain(&self.rating, |v| v >= least);
        }
        if let Some(text) = &filter.search {
            bits.intersect(&self.texts.containing(&fold_search(text)));
        }
        Some(bits)
    }
}
