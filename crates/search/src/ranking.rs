//! The best matches of a search. Name starts and word starts have indexes of their own, so the best matches are found
//! without ranking all matches.

use std::borrow::Cow;
use std::cmp::Ordering;

use memchr::memmem::Finder;

use crate::bit_set::BitSet;
use crate::field::{IndexedField, name};
use crate::hits::Hits;
use crate::match_rank::{MatchRank, match_rank};
use crate::text_index::{SuffixIndex, TextIndex, normalize_needle};
use crate::top_k;

/// Orders equally good matches.
pub struct TieBreaker<'a, F> {
    /// All rows sorted by `compare`, or `None` while that order is outdated.
    pub order: Option<&'a [u32]>,
    pub compare: F,
}

/// Where the needle matched. The derived order is the order of the results.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MatchClass {
    Name(MatchRank),
    OtherField,
}

impl TextIndex {
    /// The best `limit` rows among `among` (or all): better matches of the name first, then matches in other fields. Equal
    /// matches are in the order of `ties`.
    pub fn top_matches<F: Fn(u32, u32) -> Ordering>(
        &self,
        needle: &str,
        limit: usize,
        among: Option<&BitSet>,
        ties: &TieBreaker<F>,
    ) -> Vec<u32> {
        let Some(needle) = normalize_needle(needle) else { return Vec::new() };
        match &self.index {
            Some(index) => self.top_indexed_matches(index, &needle, limit, among, ties),
            None => {
                let found = self.scan(&needle);
                let found = found.iter().filter(|&row| among.is_none_or(|among| among.contains(row)));
                self.rank(found, &needle, limit, ties)
            }
        }
    }

    fn top_indexed_matches<F: Fn(u32, u32) -> Ordering>(
        &self,
        index: &SuffixIndex,
        needle: &str,
        limit: usize,
        among: Option<&BitSet>,
        ties: &TieBreaker<F>,
    ) -> Vec<u32> {
        let finder = Finder::new(needle);
        let filtered = |mut hits: Hits| {
            if let Some(among) = among {
                hits.intersect_with(among);
            }
            hits
        };
        let find = |field: IndexedField| filtered(index.field(field).find(&finder, &self.texts));
        let mut best = Vec::new();
        // Adds the hits of the next class; returns whether `best` is full. A class contains the better ones, too.
        let mut add_class = |hits: &Hits, better_classes: &[&Hits]| {
            let mut hits = Cow::Borrowed(hits);
            for better in better_classes.iter().filter(|better| !better.is_known_empty()) {
                hits.to_mut().subtract(better);
            }
            best.extend(first_by_tie_breaker(&hits, limit - best.len(), ties));
            best.len() == limit
        };
        let find_exact = || {
            let candidates = index.field(IndexedField::NameStart).equal_candidates(needle.as_bytes());
            let is_exact = |row: &u32| name(self.get(*row)) == needle.as_bytes();
            filtered(Hits::few(candidates.filter(is_exact).collect()))
        };
        // Few names: rank them all. Many names: enough of them usually match better than the other classes.
        let in_name = if index.field(IndexedField::Name).is_rare(&finder) {
            let in_name = find(IndexedField::Name);
            best = self.rank(in_name.iter(), needle, limit, ties);
            if best.len() == limit {
                return best;
            }
            in_name
        } else {
            let (exact, prefix) = (find_exact(), find(IndexedField::NameStart));
            if add_class(&exact, &[]) || add_class(&prefix, &[&exact]) {
                return best;
            }
            let (word_start, in_name) = (find(IndexedField::NameWords), find(IndexedField::Name));
            if add_class(&word_start, &[&prefix]) || add_class(&in_name, &[&prefix, &word_start]) {
                return best;
            }
            in_name
        };
        let mut in_other_fields = find(IndexedField::OtherFields);
        in_other_fields.subtract(&in_name);
        best.extend(first_by_tie_breaker(&in_other_fields, limit - best.len(), ties));
        best
    }

    /// Ranks rows by reading their texts.
    fn rank<F: Fn(u32, u32) -> Ordering>(
        &self,
        rows: impl Iterator<Item = u32>,
        needle: &str,
        limit: usize,
        ties: &TieBreaker<F>,
    ) -> Vec<u32> {
        let class = |row: u32| {
            let name = std::str::from_utf8(name(self.get(row))).unwrap_or_default();
            match_rank(name, needle).map_or(MatchClass::OtherField, MatchClass::Name)
        };
        let classified = rows.map(|row| (class(row), row)).collect();
        let best = top_k::partial_sort(classified, limit, |a, b| a.0.cmp(&b.0).then_with(|| (ties.compare)(a.1, b.1)));
        best.into_iter().map(|(_, row)| row).collect()
    }
}

fn first_by_tie_breaker<F: Fn(u32, u32) -> Ordering>(hits: &Hits, limit: usize, ties: &TieBreaker<F>) -> Vec<u32> {
    let rows = match hits {
        Hits::Few(rows) => rows.clone(),
        Hits::Many(set) => {
            if let Some(rows) = ties.order.and_then(|order| top_k::scan_sorted_order(order, set, limit)) {
                return rows;
            }
            set.iter().collect()
        }
    };
    top_k::partial_sort(rows, limit, |&a, &b| (ties.compare)(a, b))
}
