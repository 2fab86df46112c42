//! The servers in memory: columns for filters, sort orders, and each server's ready-made JSON.

mod filter;

use std::cmp::Ordering;
use std::collections::HashMap;

use bytes::Bytes;

use super::bits::Bits;
use super::facet::Facet;
use super::order::Order;
use super::tags::Tags;
use super::texts::{FIELD_END, Popularity, Texts};
use crate::model::motd;
use crate::model::resources::{Pictures, ServerSummary, Timestamp};
use crate::model::score;
use crate::model::text::fold_search;
use crate::store::servers::{PUBLIC, ServerRow};

pub use filter::ServerFilter;

/// How `/servers` may be sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ServerSort {
    Recent,
    Players,
    Votes,
    Rating,
    Uptime,
    Trending,
    Name,
    Hot,
}

impl ServerSort {
    const ALL: [ServerSort; 8] =
        [Self::Recent, Self::Players, Self::Votes, Self::Rating, Self::Uptime, Self::Trending, Self::Name, Self::Hot];
}

/// One server as the catalogue holds it.
pub struct Entry {
    pub row: ServerRow,
    pub motd: String,
    /// The list item, serialised once per change.
    pub summary: Bytes,
    name_key: String,
}

#[derive(Default)]
pub struct Servers {
    entries: Vec<Entry>,
    by_n: HashMap<i64, u32>,
    by_slug: HashMap<String, u32>,
    present: Bits,
    orders: HashMap<ServerSort, Order>,
    texts: Texts,
    tags: Tags,
    countries: Facet,
    versions: Facet,
    modes: Facet,
    country: Vec<u32>,
    version: Vec<u32>,
    mode: Vec<u32>,
    players: Vec<i64>,
    votes: Vec<i64>,
    uptime: Vec<f64>,
    rating: Vec<f64>,
    online: Bits,
    recent_votes: Vec<i64>,
    hot: Vec<f64>,
}

/// What time alone changed of the servers.
pub struct Aged {
    recent_votes: Vec<i64>,
    hot: Vec<f64>,
    order: Order,
}

const NO_MODE: u32 = u32::MAX;

impl Servers {
    /// Takes in changed rows: hidden ones go, the others come or are replaced.
    pub fn apply(&mut self, rows: Vec<ServerRow>, pictures: &Pictures, now: i64) {
        let whole = self.entries.is_empty();
        let mut moved = ServerSort::ALL.map(|sort| (sort, Vec::new()));
        for row in rows {
            self.put(row, pictures, now, &mut moved);
        }
        for (sort, moved) in moved {
            let mut order = self.orders.remove(&sort).unwrap_or_default();
            if whole {
                order = Order::build(self.present.iter(), |a, b| self.compare(sort, a, b));
            } else if !moved.is_empty() {
                order.update(&moved, &self.present, |a, b| self.compare(sort, a, b));
            }
            self.orders.insert(sort, order);
        }
    }

    /// Makes searches quick, once the many are in; those that come later are taken in as they come.
    pub fn build_index(&mut self) {
        let index = self.texts.new_index();
        self.texts.take_index(index);
    }

    /// Notes in which orders its place is another one now. A round of a server changes its players and little else, and an
    /// order is walked along from end to end to change it.
    fn put(&mut self, row: ServerRow, pictures: &Pictures, now: i64, moved: &mut [(ServerSort, Vec<u32>)]) {
        let known = self.by_n.get(&row.n).copied();
        let place = known.unwrap_or_else(|| self.grow(row.n));
        let i = place as usize;
        let before = known.map(|_| &self.entries[i].row);
        let stays = before.filter(|before| before.is_public == row.is_public);
        for (sort, moved) in moved {
            if stays.is_none_or(|before| moves(*sort, before, &row)) {
                moved.push(place);
            }
        }
        if stays.is_none_or(|before| moves(ServerSort::Hot, before, &row)) {
            self.hot[i] = hot(&row, now);
        }
        let same_words = stays.is_some_and(|before| same_words(before, &row));
        if let Some(before) = before {
            // Two may trade slugs: the other may hold this one by now.
            if self.by_slug.get(&before.slug) == Some(&place) && (before.slug != row.slug || !row.is_public) {
                self.by_slug.remove(&before.slug);
            }
            if !same_words {
                self.tags.set(place, &before.tags, false);
            }
        }
        self.present.set(place, row.is_public);
        self.country[i] = self.countries.number(&row.country);
        self.version[i] = self.versions.number(&row.version);
        self.mode[i] = row.game_mode.as_ref().map_or(NO_MODE, |mode| self.modes.number(mode));
        self.players[i] = row.current_players;
        self.votes[i] = row.total_votes;
        self.uptime[i] = row.uptime;
        self.rating[i] = score::rating(row.rating_sum, row.rating_count);
        self.online.set(place, row.is_online);
        let entry = entry(row, pictures);
        if entry.row.is_public {
            if self.by_slug.get(&entry.row.slug) != Some(&place) {
                self.by_slug.insert(entry.row.slug.clone(), place);
            }
            if !same_words {
                self.texts.set(place, &searchable(&entry));
                self.tags.set(place, &entry.row.tags, true);
            }
        }
        if i == self.entries.len() {
            self.entries.push(entry);
        } else {
            self.entries[i] = entry;
        }
    }

    fn grow(&mut self, n: i64) -> u32 {
        let place = self.entries.len() as u32;
        self.by_n.insert(n, place);
        self.country.push(0);
        self.version.push(0);
        self.mode.push(NO_MODE);
        self.players.push(0);
        self.votes.push(0);
        self.uptime.push(0.0);
        self.rating.push(0.0);
        self.recent_votes.push(0);
        self.hot.push(0.0);
        place
    }

    /// The figures that change as time passes, without any row changing; made aside, since it takes a while.
    pub fn aged(&self, recent_votes: &[(i64, i64)], now: i64) -> Aged {
        let mut votes = vec![0; self.entries.len()];
        for (n, count) in recent_votes {
            if let Some(&place) = self.by_n.get(n) {
                votes[place as usize] = *count;
            }
        }
        let hot: Vec<f64> = self.entries.iter().map(|entry| hot(&entry.row, now)).collect();
        let id = |place: u32| &self.entries[place as usize].row.id;
        let order = Order::build(self.present.iter(), |a, b| {
            hot[b as usize].total_cmp(&hot[a as usize]).then_with(|| id(a).cmp(id(b)))
        });
        Aged { recent_votes: votes, hot, order }
    }

    /// Puts them in place; nothing may have changed since they were made.
    pub fn take_aged(&mut self, aged: Aged) {
        self.recent_votes = aged.recent_votes;
        self.hot = aged.hot;
        self.orders.insert(ServerSort::Hot, aged.order);
    }

    /// Best first; equals by id, so that pages never overlap.
    fn compare(&self, sort: ServerSort, a: u32, b: u32) -> Ordering {
        let (i, j) = (a as usize, b as usize);
        let (x, y) = (&self.entries[i], &self.entries[j]);
        let first = match sort {
            ServerSort::Recent => y.row.created_at.cmp(&x.row.created_at),
            ServerSort::Players => self.players[j].cmp(&self.players[i]),
            ServerSort::Votes => self.votes[j].cmp(&self.votes[i]),
            ServerSort::Rating => {
                self.rating[j].total_cmp(&self.rating[i]).then(y.row.rating_count.cmp(&x.row.rating_count))
            }
            ServerSort::Uptime => self.uptime[j].total_cmp(&self.uptime[i]),
            ServerSort::Trending => y.row.trend.total_cmp(&x.row.trend),
            ServerSort::Name => x.name_key.cmp(&y.name_key),
            ServerSort::Hot => self.hot[j].total_cmp(&self.hot[i]),
        };
        first.then_with(|| x.row.id.cmp(&y.row.id))
    }

    /// A page of the servers that pass, and how many pass in all.
    pub fn page(&self, filter: &ServerFilter, sort: ServerSort, offset: u64, limit: usize) -> (Vec<&Entry>, u64) {
        let Some(order) = self.orders.get(&sort) else { return (Vec::new(), 0) };
        let selected = self.select(filter);
        let total = selected.as_ref().map_or(order.len(), Bits::count) as u64;
        let places = order.page(selected.as_ref(), offset, limit);
        (places.into_iter().map(|place| &self.entries[place as usize]).collect(), total)
    }

    /// Better matches of the name first, then what matches elsewhere; of equals the more popular.
    pub fn search(&self, needle: &str, limit: usize) -> Vec<&Entry> {
        let order = self.orders.get(&ServerSort::Players).map(Order::places);
        let popularity = Popularity { order, compare: |a, b| self.compare(ServerSort::Players, a, b) };
        let best = self.texts.best(&fold_search(needle), limit, Some(&self.present), &popularity);
        best.into_iter().map(|place| &self.entries[place as usize]).collect()
    }

    /// A public server by its slug.
    pub fn by_slug(&self, slug: &str) -> Option<&Entry> {
        self.by_slug.get(slug).map(|&place| &self.entries[place as usize])
    }

    /// A public server by its row number.
    pub fn by_n(&self, n: i64) -> Option<&Entry> {
        self.by_n.get(&n).filter(|&&place| self.present.get(place)).map(|&place| &self.entries[place as usize])
    }

    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.present.iter().map(|place| &self.entries[place as usize])
    }

    pub fn recent_votes(&self, n: i64) -> i64 {
        self.by_n.get(&n).map_or(0, |&place| self.recent_votes[place as usize])
    }

    pub fn hot_score(&self, n: i64) -> f64 {
        self.by_n.get(&n).map_or(0.0, |&place| self.hot[place as usize])
    }
}

fn hot(row: &ServerRow, now: i64) -> f64 {
    score::hot_score(score::decay(row.vote_heat, row.vote_heat_at, now), row.recent_players, row.uptime)
}

/// Whether a change of its row may bring a server to another place of this order: what [`Servers::compare`] looks at.
fn moves(sort: ServerSort, before: &ServerRow, row: &ServerRow) -> bool {
    match sort {
        ServerSort::Recent => before.created_at != row.created_at,
        ServerSort::Players => before.current_players != row.current_players,
        ServerSort::Votes => before.total_votes != row.total_votes,
        ServerSort::Rating => (before.rating_sum, before.rating_count) != (row.rating_sum, row.rating_count),
        ServerSort::Uptime => before.uptime != row.uptime,
        ServerSort::Trending => before.trend != row.trend,
        ServerSort::Name => before.name != row.name,
        ServerSort::Hot => {
            (before.vote_heat, before.vote_heat_at, before.recent_players, before.uptime)
                != (row.vote_heat, row.vote_heat_at, row.recent_players, row.uptime)
        }
    }
}

/// Whether all that a search or a tag finds is as it was.
fn same_words(before: &ServerRow, row: &ServerRow) -> bool {
    (&before.name, &before.short_description, &before.motd_raw, &before.ip, &before.tags)
        == (&row.name, &row.short_description, &row.motd_raw, &row.ip, &row.tags)
}

fn searchable(entry: &Entry) -> String {
    let row = &entry.row;
    let mut text = entry.name_key.clone();
    for part in [&row.short_description, &entry.motd, &row.ip].into_iter().chain(&row.tags) {
        text.push_str(FIELD_END);
        text.push_str(&fold_search(part));
    }
    text
}

fn entry(row: ServerRow, pictures: &Pictures) -> Entry {
    let motd = motd::plain(&row.motd_raw);
    let summary = ServerSummary {
        id: row.id.clone(),
        slug: row.slug.clone(),
        name: row.name.clone(),
        short_description: row.short_description.clone(),
        ip: row.ip.clone(),
        port: row.port,
        icon_url: pictures.url(&row.icon),
        banner_url: pictures.url(&row.banner),
        motd_image_url: pictures.url(&row.motd_image),
        motd: motd.clone(),
        website: row.website.clone(),
        chat_url: row.chat_url.clone(),
        visibility: PUBLIC.into(),
        is_online: row.is_online,
        current_players: row.current_players,
        max_players: row.max_players,
        version: row.version.clone(),
        latency: row.latency,
        last_ping: row.last_ping.map(Timestamp),
        country: row.country.clone(),
        tags: row.tags.clone(),
        game_mode: row.game_mode.clone(),
        uptime: row.uptime,
        trend: row.trend,
        total_votes: row.total_votes,
        rating: score::rating(row.rating_sum, row.rating_count),
        created_at: Timestamp(row.created_at),
    };
    let summary = serde_json::to_vec(&summary).expect("a summary always serialises").into();
    Entry { name_key: fold_search(&row.name), motd, summary, row }
}
