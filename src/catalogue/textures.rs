//! The skins or the capes in memory.

use std::cmp::Ordering;
use std::collections::HashMap;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::facets::Facet;
use super::list_position::{ListPosition, PageAfter};
use super::sort_order::SortOrder;
use rollcall_model::resources::{CapeSummary, Owner, Pictures, SkinSummary, Timestamp};
use rollcall_search::{BitSet, FIELD_END, SuffixIndex, TextIndex, fold_search};
use rollcall_store::textures::TextureRow;

/// The orders of skins and capes: the `sort` values of the API (`usage` only for skins), and more on the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TextureSort {
    Recent,
    Popular,
    Likes,
    Favorites,
    Views,
    Downloads,
    Name,
    Usage,
    /// On the pages only.
    Trending,
}

impl TextureSort {
    const ALL: [TextureSort; 9] = [
        Self::Recent,
        Self::Popular,
        Self::Likes,
        Self::Favorites,
        Self::Views,
        Self::Downloads,
        Self::Name,
        Self::Usage,
        Self::Trending,
    ];
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextureFilter {
    pub search: Option<String>,
    pub tag: Option<String>,
    pub owner: Option<String>,
    pub model: Option<String>,
}

pub struct TextureEntry {
    pub row: TextureRow,
    /// The list item as JSON, serialised once per change.
    pub summary: Bytes,
    name_key: String,
    popularity: f64,
    owner_id: Option<u32>,
    model_id: Option<u32>,
    tag_ids: Box<[u32]>,
}

#[derive(Default)]
pub struct Textures {
    entries: Vec<TextureEntry>,
    by_n: HashMap<i64, u32>,
    by_slug: HashMap<String, u32>,
    /// Rows of removed textures.
    removed: Vec<u32>,
    orders: HashMap<TextureSort, SortOrder>,
    texts: TextIndex,
    owners: Facet,
    models: Facet,
    tags: Facet,
}

impl Textures {
    /// Removes textures by number, adds or replaces others, and updates the sort orders.
    pub fn apply(&mut self, db_rows: Vec<TextureRow>, removed: &[i64], pictures: &Pictures) {
        let is_first_load = self.entries.is_empty();
        let mut changed = Vec::with_capacity(db_rows.len() + removed.len());
        changed.extend(removed.iter().filter_map(|n| self.remove(*n)));
        for db_row in db_rows {
            changed.push(self.put(db_row, pictures));
        }
        for sort in TextureSort::ALL {
            let compare = |a: u32, b: u32| self.compare(sort, a, b);
            let order = match self.orders.get(&sort) {
                Some(order) if !is_first_load => order.updated(&changed, |row| self.is_shown(row), compare),
                // There are too few textures for a sort key to pay off.
                _ => SortOrder::build(0..self.entries.len() as u32, |_| 0, compare),
            };
            self.orders.insert(sort, order);
        }
    }

    /// See [`TextIndex::build_index`].
    pub fn build_search_index(&self) -> SuffixIndex {
        self.texts.build_index()
    }

    pub fn install_search_index(&mut self, index: SuffixIndex) {
        self.texts.install_index(index);
    }

    /// Takes a texture from everything that finds it. Its row stays, because others are known by their position. Returns the row.
    fn remove(&mut self, n: i64) -> Option<u32> {
        let row = self.by_n.remove(&n)?;
        let entry = &mut self.entries[row as usize];
        if self.by_slug.get(&entry.row.slug) == Some(&row) {
            self.by_slug.remove(&entry.row.slug);
        }
        self.owners.set(row, entry.owner_id.take(), None);
        self.models.set(row, entry.model_id.take(), None);
        self.tags.set_all(row, std::mem::take(&mut entry.tag_ids), &[]);
        self.texts.set(row, "");
        self.removed.push(row);
        Some(row)
    }

    fn is_shown(&self, row: u32) -> bool {
        self.by_n.get(&self.entries[row as usize].row.n) == Some(&row)
    }

    /// Returns the row of the texture.
    fn put(&mut self, db_row: TextureRow, pictures: &Pictures) -> u32 {
        let next = self.entries.len() as u32;
        let row = *self.by_n.entry(db_row.n).or_insert(next);
        let (mut owner_id, mut model_id, mut tag_ids) = (None, None, Box::default());
        if let Some(old) = self.entries.get_mut(row as usize) {
            // Two textures can swap their slugs: the old slug may belong to the other one by now.
            if self.by_slug.get(&old.row.slug) == Some(&row) {
                self.by_slug.remove(&old.row.slug);
            }
            (owner_id, model_id, tag_ids) = (old.owner_id, old.model_id, std::mem::take(&mut old.tag_ids));
        }
        self.by_slug.insert(db_row.slug.clone(), row);
        let name_key = fold_search(&db_row.name);
        let fields: Vec<String> =
            std::iter::once(name_key.clone()).chain(db_row.tags.iter().map(|tag| fold_search(tag))).collect();
        self.texts.set(row, &fields.join(FIELD_END));
        let entry = TextureEntry {
            summary: summary(&db_row, pictures),
            popularity: popularity(&db_row),
            name_key,
            owner_id: self.owners.set(row, owner_id, Some(&db_row.owner.username)),
            model_id: self.models.set(row, model_id, db_row.model.as_deref()),
            tag_ids: self.tags.set_all(row, tag_ids, &db_row.tags),
            row: db_row,
        };
        match self.entries.get_mut(row as usize) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
        row
    }

    fn compare(&self, sort: TextureSort, a: u32, b: u32) -> Ordering {
        let (x, y) = (&self.entries[a as usize], &self.entries[b as usize]);
        let first = match sort {
            TextureSort::Recent => y.row.created_at.cmp(&x.row.created_at),
            TextureSort::Popular => y.popularity.total_cmp(&x.popularity),
            TextureSort::Likes => y.row.like_count.cmp(&x.row.like_count),
            TextureSort::Favorites => y.row.favorite_count.cmp(&x.row.favorite_count),
            TextureSort::Views => y.row.view_count.cmp(&x.row.view_count),
            TextureSort::Downloads => y.row.download_count.cmp(&x.row.download_count),
            TextureSort::Name => x.name_key.cmp(&y.name_key),
            TextureSort::Usage => y.row.usage_count.cmp(&x.row.usage_count),
            TextureSort::Trending => {
                y.row.trend.total_cmp(&x.row.trend).then_with(|| y.row.created_at.cmp(&x.row.created_at))
            }
        };
        first.then_with(|| x.row.id.cmp(&y.row.id))
    }

    /// A page of the textures that pass the filter, and their total.
    pub fn page(
        &self,
        filter: &TextureFilter,
        sort: TextureSort,
        offset: u64,
        limit: usize,
    ) -> (Vec<&TextureEntry>, u64) {
        let Some(order) = self.orders.get(&sort) else { return (Vec::new(), 0) };
        let (rows, total) = order.page(self.select(filter).as_ref(), offset, limit);
        (rows.into_iter().map(|row| &self.entries[row as usize]).collect(), total as u64)
    }

    /// The textures that pass the filter and follow a position, or the first ones.
    pub fn page_after(
        &self,
        filter: &TextureFilter,
        sort: TextureSort,
        after: Option<&ListPosition<TextureSort>>,
        limit: usize,
    ) -> PageAfter<&TextureEntry, TextureSort> {
        let Some(order) = self.orders.get(&sort) else { return PageAfter::empty() };
        let entry = |row: u32| &self.entries[row as usize];
        let start = after.map_or(0, |position| {
            order.rows().partition_point(|&row| compare_to_position(sort, entry(row), position).is_le())
        });
        let selected = self.select(filter);
        let (rows, has_more) = order.page_from(selected.as_ref(), start, limit);
        let next = rows.last().filter(|_| has_more).map(|&row| list_position_of(sort, entry(row)));
        let total = selected.as_ref().map_or(order.len(), BitSet::count) as u64;
        PageAfter { items: rows.into_iter().map(entry).collect(), total, next }
    }

    /// The textures that pass, or `None` if there is no filter.
    fn select(&self, filter: &TextureFilter) -> Option<BitSet> {
        if *filter == TextureFilter::default() {
            return None;
        }
        let mut selected = BitSet::full(self.entries.len());
        self.removed.iter().for_each(|row| selected.set(*row, false));
        for (wanted, facet) in [(&filter.owner, &self.owners), (&filter.model, &self.models), (&filter.tag, &self.tags)]
        {
            if let Some(wanted) = wanted {
                facet.rows_with(wanted).restrict(&mut selected);
            }
        }
        if let Some(text) = &filter.search {
            selected.intersect_with(&self.texts.rows_containing(&fold_search(text)));
        }
        Some(selected)
    }

    /// Each tag with its number of textures.
    pub fn tags(&self) -> impl Iterator<Item = (&str, u64)> {
        self.tags.iter().map(|(_, tag, textures)| (tag, textures as u64))
    }

    /// The names of all owners, in no order.
    pub fn owners(&self) -> impl Iterator<Item = &str> {
        self.owners.iter().map(|(_, owner, _)| owner)
    }

    pub fn by_slug(&self, slug: &str) -> Option<&TextureEntry> {
        self.by_slug.get(slug).map(|&row| &self.entries[row as usize])
    }
}

/// Compares like the order, with the texture that was at the position.
fn compare_to_position(sort: TextureSort, entry: &TextureEntry, position: &ListPosition<TextureSort>) -> Ordering {
    let first = match sort {
        TextureSort::Name => entry.name_key.cmp(&position.text),
        TextureSort::Popular => position.descending_float(entry.popularity),
        TextureSort::Trending => {
            position.descending_float(entry.row.trend).then_with(|| position.second.cmp(&entry.row.created_at))
        }
        _ => position.descending_int(count(sort, &entry.row)),
    };
    first.then_with(|| entry.row.id.cmp(&position.id))
}

fn list_position_of(sort: TextureSort, entry: &TextureEntry) -> ListPosition<TextureSort> {
    let mut position = match sort {
        TextureSort::Name => ListPosition::of_text(sort, entry.name_key.clone()),
        TextureSort::Popular => ListPosition::of_float(sort, entry.popularity),
        TextureSort::Trending => {
            ListPosition { second: entry.row.created_at, ..ListPosition::of_float(sort, entry.row.trend) }
        }
        _ => ListPosition::of_int(sort, count(sort, &entry.row)),
    };
    position.id.clone_from(&entry.row.id);
    position
}

/// The value of the orders by a whole number.
fn count(sort: TextureSort, row: &TextureRow) -> i64 {
    match sort {
        TextureSort::Recent => row.created_at,
        TextureSort::Likes => row.like_count,
        TextureSort::Favorites => row.favorite_count,
        TextureSort::Views => row.view_count,
        TextureSort::Downloads => row.download_count,
        TextureSort::Usage => row.usage_count,
        TextureSort::Popular | TextureSort::Name | TextureSort::Trending => 0,
    }
}

/// A weighted sum: a use counts more than a like, a like more than a download, a download more than a view.
fn popularity(row: &TextureRow) -> f64 {
    row.usage_count as f64 * 5.0
        + (row.like_count + row.favorite_count) as f64 * 3.0
        + row.download_count as f64
        + row.view_count as f64 * 0.1
}

fn summary(row: &TextureRow, pictures: &Pictures) -> Bytes {
    let owner = texture_owner(row, pictures);
    let json = if row.is_skin {
        serde_json::to_vec(&SkinSummary {
            id: row.id.clone(),
            slug: row.slug.clone(),
            name: row.name.clone(),
            model: row.model.clone().unwrap_or_default(),
            tags: row.tags.clone(),
            png_path: pictures.url(&row.png),
            view_count: row.view_count,
            like_count: row.like_count,
            favorite_count: row.favorite_count,
            download_count: row.download_count,
            usage_count: row.usage_count,
            is_featured: row.is_featured,
            created_at: Timestamp(row.created_at),
            owner_id: row.owner.id.clone(),
            owner,
        })
    } else {
        serde_json::to_vec(&CapeSummary {
            id: row.id.clone(),
            slug: row.slug.clone(),
            name: row.name.clone(),
            tags: row.tags.clone(),
            png_path: pictures.url(&row.png),
            view_count: row.view_count,
            like_count: row.like_count,
            favorite_count: row.favorite_count,
            download_count: row.download_count,
            is_featured: row.is_featured,
            created_at: Timestamp(row.created_at),
            owner_id: row.owner.id.clone(),
            owner,
        })
    };
    json.expect("a texture summary serialises to JSON").into()
}

pub fn texture_owner(row: &TextureRow, pictures: &Pictures) -> Owner {
    Owner { id: row.owner.id.clone(), username: row.owner.username.clone(), avatar: pictures.url(&row.owner.avatar) }
}
