//! The best answers to a search. The index tells good matches from poorer ones, so that of many only those are looked at
//! that are asked for.

use std::borrow::Cow;
use std::cmp::Ordering;

use memchr::memmem::Finder;

use super::field::{Part, name};
use super::hits::Hits;
use super::{Index, Texts, searched};
use crate::Bits;
use crate::top_k;
use crate::{MatchRank, match_rank};

/// What decides between equally good matches.
pub struct Popularity<'a, F> {
    /// Everybody, the more popular first; `None` while that is not up to date.
    pub order: Option<&'a [u32]>,
    pub compare: F,
}

/// Where a search found its text: the derived order is the order of the answers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    Name(MatchRank),
    Elsewhere,
}

impl Texts {
    /// Better matches of the name first, then what matches elsewhere; of equals the more popular.
    pub fn best<F: Fn(u32, u32) -> Ordering>(
        &self,
        needle: &str,
        limit: usize,
        among: Option<&Bits>,
        popularity: &Popularity<F>,
    ) -> Vec<u32> {
        let Some(needle) = searched(needle) else { return Vec::new() };
        match &self.index {
            Some(index) => self.best_of_classes(index, &needle, limit, among, popularity),
            None => {
                let found = self.scan(&needle);
                let found = found.iter().filter(|&place| among.is_none_or(|among| among.get(place)));
                self.ranked(found, &needle, limit, popularity)
            }
        }
    }

    fn best_of_classes<F: Fn(u32, u32) -> Ordering>(
        &self,
        index: &Index,
        needle: &str,
        limit: usize,
        among: Option<&Bits>,
        popularity: &Popularity<F>,
    ) -> Vec<u32> {
        let finder = Finder::new(needle);
        let admitted = |mut hits: Hits| {
            if let Some(among) = among {
                hits.retain(among);
            }
            hits
        };
        let find = |part: Part| admitted(index.of(part).find(&finder, &self.run));
        let mut best = Vec::new();
        // Whatever is in an earlier class is in the later ones, too.
        let mut take = |hits: &Hits, better: &[&Hits]| {
            let mut hits = Cow::Borrowed(hits);
            for better in better.iter().filter(|better| !better.is_nothing()) {
                hits.to_mut().without(better);
            }
            best.extend(most_popular(&hits, limit - best.len(), popularity));
            best.len() == limit
        };
        let whole = || {
            let whole = index.of(Part::Start).candidates(needle.as_bytes());
            let is_whole = |place: &u32| name(self.get(*place)) == needle.as_bytes();
            admitted(Hits::few(whole.filter(is_whole).collect()))
        };
        // Of what many names hold, enough begin with it: nobody looks for the others.
        let named = if index.of(Part::Name).is_rare(&finder) {
            let named = find(Part::Name);
            best = self.ranked(named.iter(), needle, limit, popularity);
            if best.len() == limit {
                return best;
            }
            named
        } else {
            let (whole, start) = (whole(), find(Part::Start));
            if take(&whole, &[]) || take(&start, &[&whole]) {
                return best;
            }
            let (word, named) = (find(Part::Word), find(Part::Name));
            if take(&word, &[&start]) || take(&named, &[&start, &word]) {
                return best;
            }
            named
        };
        let mut elsewhere = find(Part::Rest);
        elsewhere.without(&named);
        best.extend(most_popular(&elsewhere, limit - best.len(), popularity));
        best
    }

    fn ranked<F: Fn(u32, u32) -> Ordering>(
        &self,
        places: impl Iterator<Item = u32>,
        needle: &str,
        limit: usize,
        popularity: &Popularity<F>,
    ) -> Vec<u32> {
        let rank = |place: u32| {
            let name = std::str::from_utf8(name(self.get(place))).unwrap_or_default();
            match_rank(name, needle).map_or(Match::Elsewhere, Match::Name)
        };
        let ranked = places.map(|place| (rank(place), place)).collect();
        let best = top_k::first(ranked, limit, |a, b| a.0.cmp(&b.0).then_with(|| (popularity.compare)(a.1, b.1)));
        best.into_iter().map(|(_, place)| place).collect()
    }
}

fn most_popular<F: Fn(u32, u32) -> Ordering>(hits: &Hits, limit: usize, popularity: &Popularity<F>) -> Vec<u32> {
    let places = match hits {
        Hits::Few(places) => places.clone(),
        Hits::Many(bits) => {
            if let Some(places) = popularity.order.and_then(|order| top_k::walk(order, bits, limit)) {
                return places;
            }
            bits.iter().collect()
        }
    };
    top_k::first(places, limit, |&a, &b| (popularity.compare)(a, b))
}
