//! Rows that changed, made ready beside the servers that are being read: what is left to do under the lock is short.

use std::cmp::Ordering::Equal;
use std::collections::HashMap;

use super::entry::{Carried, Entry, searchable};
use super::sort::{ServerSort, hot};
use super::{NEVER, Servers, Sorted};
use crate::catalogue::sort_order::{Order, key};
use rollcall_model::resources::Pictures;
use rollcall_store::servers::ServerRow;

pub struct Change {
    news: Vec<News>,
    sorted: Vec<(ServerSort, Sorted)>,
}

/// One server that changed.
struct News {
    place: u32,
    entry: Entry,
    hot: f64,
    /// What a search finds it by.
    text: String,
    country: String,
    version: String,
    mode: Option<String>,
    tags: Vec<String>,
}

/// What a change has replaced: letting go of it takes longer than the exchange.
#[must_use]
pub struct Replaced {
    _entries: Vec<Entry>,
    _sorted: Vec<Option<Sorted>>,
}

impl Servers {
    /// Takes in rows that were not there before, without putting them in order.
    pub fn load(&mut self, rows: Vec<ServerRow>, pictures: &Pictures, now: i64) {
        for row in rows {
            let news = self.news(self.entries.len() as u32, row, pictures, now);
            self.put(news);
        }
    }

    /// Puts all in order.
    pub fn sort(&mut self) {
        let look = |place: u32| (&self.entries[place as usize], self.hot[place as usize]);
        let id = |place: u32| self.entries[place as usize].id_bytes();
        // Equals stand in the order of their ids: those are looked at once, and not for every order.
        let by_id = Order::build(self.present.iter(), |a| key::text(id(a)), |a, b| id(a).cmp(id(b)));
        let sorted = ServerSort::ALL.map(|sort| {
            let compare = |a: u32, b: u32| if sort.key_tells_all() { Equal } else { sort.compare(look(a), look(b)) };
            let order = Order::build(by_id.places().iter().copied(), |a| sort.key(look(a)), compare);
            (sort, Sorted::new(sort, order))
        });
        self.sorted = sorted.into_iter().collect();
    }

    /// Makes the change ready that takes in these rows. Hidden ones go, the others come or are replaced. Nothing else may
    /// change the servers before it is [taken in](Self::take).
    pub fn change(&self, rows: Vec<ServerRow>, pictures: &Pictures, now: i64) -> Change {
        let mut places: HashMap<i64, u32> = HashMap::new();
        let mut news: Vec<News> = Vec::with_capacity(rows.len());
        for row in rows {
            let next = (self.entries.len() + places.len()) as u32;
            let place = self.by_n.get(&row.n).copied().unwrap_or_else(|| *places.entry(row.n).or_insert(next));
            news.push(self.news(place, row, pictures, now));
        }
        let overlay: HashMap<u32, &News> = news.iter().map(|news| (news.place, news)).collect();
        let look = |place: u32| match overlay.get(&place) {
            Some(news) => (&news.entry, news.hot),
            None => (&self.entries[place as usize], self.hot[place as usize]),
        };
        let sorted = ServerSort::ALL.into_iter().filter_map(|sort| {
            let compare = |a: u32, b: u32| sort.compare(look(a), look(b));
            let moves = |news: &&News| {
                let before = self.entries.get(news.place as usize);
                before.is_none_or(|before| sort.moves(before, &news.entry))
            };
            let moved: Vec<u32> = news.iter().filter(moves).map(|news| news.place).collect();
            if moved.is_empty() {
                return None;
            }
            let order = self.sorted.get(&sort)?.order.updated(&moved, |place| look(place).0.is_public, compare);
            Some((sort, Sorted::new(sort, order)))
        });
        let sorted = sorted.collect();
        Change { news, sorted }
    }

    fn news(&self, place: u32, row: ServerRow, pictures: &Pictures, now: i64) -> News {
        let entry = Entry::new(&row, pictures);
        let text = if row.is_public { searchable(&row, entry.name_key()) } else { String::new() };
        let was = self.entries.get(place as usize).map(|before| (before, self.hot[place as usize]));
        let hot = match was {
            Some((before, hot)) if !ServerSort::Hot.moves(before, &entry) => hot,
            _ => hot(&entry, now),
        };
        let ServerRow { country, version, game_mode, tags, .. } = row;
        News { place, entry, hot, text, country, version, mode: game_mode, tags }
    }

    pub fn take(&mut self, change: Change) -> Replaced {
        let entries = change.news.into_iter().filter_map(|news| self.put(news)).collect();
        let sorted = change.sorted.into_iter().map(|(sort, sorted)| self.sorted.insert(sort, sorted)).collect();
        Replaced { _entries: entries, _sorted: sorted }
    }

    /// Gives the entry that was there.
    fn put(&mut self, news: News) -> Option<Entry> {
        let News { place, mut entry, hot, text, country, version, mode, tags } = news;
        let i = place as usize;
        let mut words = Carried::default();
        if i == self.entries.len() {
            self.by_n.insert(entry.n, place);
            self.hot.push(hot);
            self.recent_votes.push(0);
            self.pinged_at.push(NEVER);
        } else {
            words = self.forget(place);
            self.hot[i] = hot;
        }
        let is_public = entry.is_public;
        self.pinged_at[i] = entry.figures.last_ping.filter(|_| is_public).unwrap_or(NEVER);
        self.present.set(place, is_public);
        self.online.set(place, is_public && entry.figures.is_online);
        entry.words = Carried {
            country: self.countries.set(place, words.country, is_public.then_some(&country)),
            version: self.versions.set(place, words.version, is_public.then_some(&version)),
            mode: self.modes.set(place, words.mode, mode.as_deref().filter(|_| is_public)),
            tags: self.tags.set_all(place, words.tags, if is_public { &tags } else { &[] }),
        };
        if let Some(country) = entry.words.country {
            *self.playing.entry(country).or_default() += entry.figures.current_players;
            self.texts.set(place, &text);
        }
        let before = if i == self.entries.len() {
            self.entries.push(entry);
            None
        } else {
            Some(std::mem::replace(&mut self.entries[i], entry))
        };
        if is_public {
            self.by_slug.insert(place, |place| self.entries[place as usize].slug());
        }
        before
    }

    /// Takes a server out of what leads to it; gives the words by which it is still found.
    fn forget(&mut self, place: u32) -> Carried {
        let entry = &mut self.entries[place as usize];
        let words = std::mem::take(&mut entry.words);
        if let Some(country) = words.country {
            *self.playing.entry(country).or_default() -= entry.figures.current_players;
        }
        self.by_slug.remove(place, |place| self.entries[place as usize].slug());
        words
    }
}
