//! The servers in memory: sets and sort orders for lists, and each server's ready-made JSON.

mod change;
mod entry;
mod filter;
mod packed;
mod slugs;
mod sort;

use std::collections::HashMap;

use super::facets::Words;
use super::prefix_sets::Ranges;
use super::sort_order::Order;
use rollcall_search::Bits;
use rollcall_search::fold_search;
use rollcall_search::{Index, Popularity, Texts};
use slugs::Slugs;
use sort::hot;

pub use entry::Entry;
pub use filter::ServerFilter;
pub use sort::ServerSort;

#[derive(Default)]
pub struct Servers {
    entries: Vec<Entry>,
    by_n: HashMap<i64, u32>,
    by_slug: Slugs,
    present: Bits,
    online: Bits,
    sorted: HashMap<ServerSort, Sorted>,
    texts: Texts,
    countries: Words,
    versions: Words,
    modes: Words,
    tags: Words,
    /// Players by the number of their server's country.
    playing: HashMap<u32, i64>,
    /// When each was last asked; a column of its own to be looked through quickly.
    pinged_at: Vec<i64>,
    recent_votes: Vec<i64>,
    hot: Vec<f64>,
}

const NEVER: i64 = i64::MIN;

/// A sort order, and the sets of its first where servers are filtered by the same figure.
#[derive(Default)]
struct Sorted {
    order: Order,
    ranges: Ranges,
}

impl Sorted {
    fn new(sort: ServerSort, order: Order) -> Self {
        let ranges = if sort.is_filter() { Ranges::new(order.places()) } else { Ranges::default() };
        Self { order, ranges }
    }
}

/// What time alone changed of the servers.
pub struct Aged {
    recent_votes: Vec<i64>,
    hot: Vec<f64>,
    sorted: Sorted,
}

impl Servers {
    /// What makes searches quick once the many are in, made aside; those that come later are taken in as they come.
    pub fn new_index(&self) -> Index {
        self.texts.new_index()
    }

    pub fn take_index(&mut self, index: Index) {
        self.texts.take_index(index);
    }

    /// The figures that change as time passes, without any row changing; made aside, since it takes a while.
    pub fn aged(&self, recent_votes: &[(i64, i64)], now: i64) -> Aged {
        let mut votes = vec![0; self.entries.len()];
        for (n, count) in recent_votes {
            if let Some(&place) = self.by_n.get(n) {
                votes[place as usize] = *count;
            }
        }
        let hot: Vec<f64> = self.entries.iter().map(|entry| hot(entry, now)).collect();
        let look = |place: u32| (&self.entries[place as usize], hot[place as usize]);
        let sort = ServerSort::Hot;
        let order = Order::build(self.present.iter(), |a| sort.key(look(a)), |a, b| sort.compare(look(a), look(b)));
        Aged { recent_votes: votes, hot, sorted: Sorted::new(sort, order) }
    }

    /// Puts them in place; nothing may have changed since they were made.
    pub fn take_aged(&mut self, aged: Aged) {
        self.recent_votes = aged.recent_votes;
        self.hot = aged.hot;
        self.sorted.insert(ServerSort::Hot, aged.sorted);
    }

    /// A page of the servers that pass, and how many pass in all.
    pub fn page(&self, filter: &ServerFilter, sort: ServerSort, offset: u64, limit: usize) -> (Vec<&Entry>, u64) {
        let Some(Sorted { order, .. }) = self.sorted.get(&sort) else { return (Vec::new(), 0) };
        let (places, total) = order.page(self.select(filter).as_ref(), offset, limit);
        (places.into_iter().map(|place| &self.entries[place as usize]).collect(), total as u64)
    }

    /// Better matches of the name first, then what matches elsewhere; of equals the more popular.
    pub fn search(&self, needle: &str, limit: usize) -> Vec<&Entry> {
        let order = self.sorted.get(&ServerSort::Players).map(|sorted| sorted.order.places());
        let look = |place: u32| (&self.entries[place as usize], self.hot[place as usize]);
        let compare = |a: u32, b: u32| ServerSort::Players.compare(look(a), look(b));
        let best = self.texts.best(&fold_search(needle), limit, Some(&self.present), &Popularity { order, compare });
        best.into_iter().map(|place| &self.entries[place as usize]).collect()
    }

    /// A public server by its slug.
    pub fn by_slug(&self, slug: &str) -> Option<&Entry> {
        let place = self.by_slug.get(slug, |place| self.entries[place as usize].slug())?;
        Some(&self.entries[place as usize])
    }

    /// A public server by its row number.
    pub fn by_n(&self, n: i64) -> Option<&Entry> {
        self.by_n.get(&n).filter(|&&place| self.present.get(place)).map(|&place| &self.entries[place as usize])
    }

    pub fn country(&self, entry: &Entry) -> &str {
        entry.words.country.map_or("", |country| self.countries.spelling(country))
    }

    /// Each country with its servers and the players on them.
    pub fn countries(&self) -> impl Iterator<Item = (&str, u64, i64)> {
        let playing = |number| self.playing.get(&number).copied().unwrap_or_default();
        self.countries.iter().map(move |(number, country, servers)| (country, servers as u64, playing(number)))
    }

    /// Each version with its servers.
    pub fn versions(&self) -> impl Iterator<Item = (&str, u64)> {
        self.versions.iter().map(|(_, version, servers)| (version, servers as u64))
    }

    pub fn online(&self) -> usize {
        self.online.count()
    }

    /// When a server was last asked.
    pub fn latest_ping(&self) -> Option<i64> {
        self.pinged_at.iter().copied().max().filter(|&at| at > NEVER)
    }

    pub fn recent_votes(&self, n: i64) -> i64 {
        self.by_n.get(&n).map_or(0, |&place| self.recent_votes[place as usize])
    }

    pub fn hot_score(&self, n: i64) -> f64 {
        self.by_n.get(&n).map_or(0.0, |&place| self.hot[place as usize])
    }
}
