//! Updates of the servers. An update is prepared under the read lock, so that installing it under the write lock is short.

use std::cmp::Ordering::Equal;
use std::collections::HashMap;

use super::entry::{FacetIds, ServerEntry, search_text};
use super::sort::{ServerSort, hot_score};
use super::{IndexedOrder, NEVER, Servers};
use crate::catalogue::sort_order::{SortOrder, key};
use rollcall_model::resources::Pictures;
use rollcall_store::servers::ServerRow;

pub struct ServersUpdate {
    servers: Vec<ChangedServer>,
    sorted: Vec<(ServerSort, IndexedOrder)>,
}

struct ChangedServer {
    row: u32,
    entry: ServerEntry,
    hot_score: f64,
    search_text: String,
    country: String,
    version: String,
    mode: Option<String>,
    tags: Vec<String>,
}

/// Data that an update replaced. Drop it after the lock is released, because that takes longer than the update.
#[must_use]
pub struct ReplacedServers {
    _entries: Vec<ServerEntry>,
    _sorted: Vec<Option<IndexedOrder>>,
}

impl Servers {
    /// Adds new rows without sorting them; [`Self::build_orders`] must follow.
    pub fn load(&mut self, db_rows: Vec<ServerRow>, pictures: &Pictures, now: i64) {
        for db_row in db_rows {
            let server = self.prepare_server(self.entries.len() as u32, db_row, pictures, now);
            self.put(server);
        }
    }

    /// Builds every sort order.
    pub fn build_orders(&mut self) {
        let sort_input = |row: u32| (&self.entries[row as usize], self.hot_scores[row as usize]);
        let id = |row: u32| self.entries[row as usize].id_bytes();
        // Ties are in the order of their ids. Sorting by id first means that ids are compared once, not for every order.
        let by_id = SortOrder::build(self.public.iter(), |a| key::text(id(a)), |a, b| id(a).cmp(id(b)));
        let sorted = ServerSort::ALL.map(|sort| {
            let compare = |a: u32, b: u32| {
                if sort.key_is_complete() { Equal } else { sort.compare(sort_input(a), sort_input(b)) }
            };
            let order = SortOrder::build(by_id.rows().iter().copied(), |a| sort.key(sort_input(a)), compare);
            (sort, IndexedOrder::new(sort, order))
        });
        self.sorted = sorted.into_iter().collect();
    }

    /// Prepares an update with changed rows: removes hidden and deleted servers, and adds or replaces the others. The servers must
    /// not change before it is [installed](Self::install_update).
    pub fn prepare_update(
        &self,
        db_rows: Vec<ServerRow>,
        deleted: &[i64],
        pictures: &Pictures,
        now: i64,
    ) -> ServersUpdate {
        let mut new_rows: HashMap<i64, u32> = HashMap::new();
        let mut servers: Vec<ChangedServer> = Vec::with_capacity(db_rows.len());
        for db_row in db_rows {
            let next = (self.entries.len() + new_rows.len()) as u32;
            let row = self.by_n.get(&db_row.n).copied().unwrap_or_else(|| *new_rows.entry(db_row.n).or_insert(next));
            servers.push(self.prepare_server(row, db_row, pictures, now));
        }
        for n in deleted {
            // Its place stays, like that of a hidden server, until everything is loaded again.
            if let Some(&row) = self.by_n.get(n) {
                servers.push(self.prepare_server(row, ServerRow::deleted(*n), pictures, now));
            }
        }
        let changed: HashMap<u32, &ChangedServer> = servers.iter().map(|server| (server.row, server)).collect();
        let sort_input = |row: u32| match changed.get(&row) {
            Some(server) => (&server.entry, server.hot_score),
            None => (&self.entries[row as usize], self.hot_scores[row as usize]),
        };
        let sorted = ServerSort::ALL.into_iter().filter_map(|sort| {
            let compare = |a: u32, b: u32| sort.compare(sort_input(a), sort_input(b));
            let is_moved = |server: &&ChangedServer| {
                let before = self.entries.get(server.row as usize);
                before.is_none_or(|before| sort.is_affected_by(before, &server.entry))
            };
            let moved: Vec<u32> = servers.iter().filter(is_moved).map(|server| server.row).collect();
            if moved.is_empty() {
                return None;
            }
            let order = self.sorted.get(&sort)?.order.updated(&moved, |row| sort_input(row).0.is_public, compare);
            Some((sort, IndexedOrder::new(sort, order)))
        });
        let sorted = sorted.collect();
        ServersUpdate { servers, sorted }
    }

    fn prepare_server(&self, row: u32, db_row: ServerRow, pictures: &Pictures, now: i64) -> ChangedServer {
        let entry = ServerEntry::new(&db_row, pictures);
        let search_text = if db_row.is_public { search_text(&db_row, entry.name_key()) } else { String::new() };
        let before = self.entries.get(row as usize).map(|before| (before, self.hot_scores[row as usize]));
        let hot_score = match before {
            Some((before, hot_score)) if !ServerSort::Hot.is_affected_by(before, &entry) => hot_score,
            _ => hot_score(&entry, now),
        };
        let ServerRow { country, version, game_mode, tags, .. } = db_row;
        ChangedServer { row, entry, hot_score, search_text, country, version, mode: game_mode, tags }
    }

    pub fn install_update(&mut self, update: ServersUpdate) -> ReplacedServers {
        let entries = update.servers.into_iter().filter_map(|server| self.put(server)).collect();
        let sorted = update.sorted.into_iter().map(|(sort, sorted)| self.sorted.insert(sort, sorted)).collect();
        ReplacedServers { _entries: entries, _sorted: sorted }
    }

    /// Returns the replaced entry.
    fn put(&mut self, server: ChangedServer) -> Option<ServerEntry> {
        let ChangedServer { row, mut entry, hot_score, search_text, country, version, mode, tags } = server;
        let i = row as usize;
        let mut facet_ids = FacetIds::default();
        if i == self.entries.len() {
            self.by_n.insert(entry.n, row);
            self.hot_scores.push(hot_score);
            self.recent_votes.push(0);
            self.pinged_at.push(NEVER);
        } else {
            facet_ids = self.unlink(row);
            self.hot_scores[i] = hot_score;
        }
        let is_public = entry.is_public;
        self.pinged_at[i] = entry.stats.last_ping.filter(|_| is_public).unwrap_or(NEVER);
        self.public.set(row, is_public);
        self.online.set(row, is_public && entry.stats.is_online);
        entry.facet_ids = FacetIds {
            country: self.countries.set(row, facet_ids.country, is_public.then_some(&country)),
            version: self.versions.set(row, facet_ids.version, is_public.then_some(&version)),
            mode: self.modes.set(row, facet_ids.mode, mode.as_deref().filter(|_| is_public)),
            tags: self.tags.set_all(row, facet_ids.tags, if is_public { &tags } else { &[] }),
        };
        if let Some(country) = entry.facet_ids.country {
            *self.players_by_country.entry(country).or_default() += entry.stats.current_players;
            self.texts.set(row, &search_text);
        }
        let before = if i == self.entries.len() {
            self.entries.push(entry);
            None
        } else {
            Some(std::mem::replace(&mut self.entries[i], entry))
        };
        if is_public {
            self.by_slug.insert(row, |row| self.entries[row as usize].slug());
        }
        before
    }

    /// Removes a server from the slug index and the player counts. Returns its facet ids, which the facets still contain.
    fn unlink(&mut self, row: u32) -> FacetIds {
        let entry = &mut self.entries[row as usize];
        let facet_ids = std::mem::take(&mut entry.facet_ids);
        if let Some(country) = facet_ids.country {
            *self.players_by_country.entry(country).or_default() -= entry.stats.current_players;
        }
        self.by_slug.remove(row, |row| self.entries[row as usize].slug());
        facet_ids
    }
}
