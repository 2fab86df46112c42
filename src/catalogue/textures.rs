//! The skins, or the capes, in memory.

use std::cmp::Ordering;
use std::collections::HashMap;

use bytes::Bytes;

use super::facets::Words;
use super::sort_order::Order;
use rollcall_model::resources::{CapeSummary, Owner, Pictures, SkinSummary, Timestamp};
use rollcall_search::Bits;
use rollcall_search::fold_search;
use rollcall_search::{FIELD_END, Index, Texts};
use rollcall_store::textures::TextureRow;

/// How `/skins` and `/capes` may be sorted (`usage` only for skins).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureSort {
    Recent,
    Popular,
    Likes,
    Favorites,
    Views,
    Downloads,
    Name,
    Usage,
}

impl TextureSort {
    const ALL: [TextureSort; 8] = [
        Self::Recent,
        Self::Popular,
        Self::Likes,
        Self::Favorites,
        Self::Views,
        Self::Downloads,
        Self::Name,
        Self::Usage,
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
    pub summary: Bytes,
    name_key: String,
    popularity: f64,
    owner: Option<u32>,
    model: Option<u32>,
    tags: Box<[u32]>,
}

#[derive(Default)]
pub struct Textures {
    entries: Vec<TextureEntry>,
    by_n: HashMap<i64, u32>,
    by_slug: HashMap<String, u32>,
    orders: HashMap<TextureSort, Order>,
    texts: Texts,
    owners: Words,
    models: Words,
    tags: Words,
}

impl Textures {
    pub fn apply(&mut self, rows: Vec<TextureRow>, pictures: &Pictures) {
        let whole = self.entries.is_empty();
        let mut changed = Vec::with_capacity(rows.len());
        for row in rows {
            changed.push(self.put(row, pictures));
        }
        for sort in TextureSort::ALL {
            let compare = |a: u32, b: u32| self.compare(sort, a, b);
            let order = match self.orders.get(&sort) {
                Some(order) if !whole => order.updated(&changed, |_| true, compare),
                // There are not so many that a key would pay.
                _ => Order::build(0..self.entries.len() as u32, |_| 0, compare),
            };
            self.orders.insert(sort, order);
        }
    }

    /// What makes searches quick once the many are in, made aside; those that come later are taken in as they come.
    pub fn new_index(&self) -> Index {
        self.texts.new_index()
    }

    pub fn take_index(&mut self, index: Index) {
        self.texts.take_index(index);
    }

    fn put(&mut self, row: TextureRow, pictures: &Pictures) -> u32 {
        let next = self.entries.len() as u32;
        let place = *self.by_n.entry(row.n).or_insert(next);
        let (mut owner, mut model, mut tags) = (None, None, Box::default());
        if let Some(old) = self.entries.get_mut(place as usize) {
            // Two may trade slugs: the other may hold this one by now.
            if self.by_slug.get(&old.row.slug) == Some(&place) {
                self.by_slug.remove(&old.row.slug);
            }
            (owner, model, tags) = (old.owner, old.model, std::mem::take(&mut old.tags));
        }
        self.by_slug.insert(row.slug.clone(), place);
        let name_key = fold_search(&row.name);
        let words: Vec<String> =
            std::iter::once(name_key.clone()).chain(row.tags.iter().map(|t| fold_search(t))).collect();
        self.texts.set(place, &words.join(FIELD_END));
        let entry = TextureEntry {
            summary: summary(&row, pictures),
            popularity: popularity(&row),
            name_key,
            owner: self.owners.set(place, owner, Some(&row.owner.username)),
            model: self.models.set(place, model, row.model.as_deref()),
            tags: self.tags.set_all(place, tags, &row.tags),
            row,
        };
        match self.entries.get_mut(place as usize) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
        place
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
        };
        first.then_with(|| x.row.id.cmp(&y.row.id))
    }

    pub fn page(
        &self,
        filter: &TextureFilter,
        sort: TextureSort,
        offset: u64,
        limit: usize,
    ) -> (Vec<&TextureEntry>, u64) {
        let Some(order) = self.orders.get(&sort) else { return (Vec::new(), 0) };
        let (places, total) = order.page(self.select(filter).as_ref(), offset, limit);
        (places.into_iter().map(|place| &self.entries[place as usize]).collect(), total as u64)
    }

    fn select(&self, filter: &TextureFilter) -> Option<Bits> {
        if *filter == TextureFilter::default() {
            return None;
        }
        let mut bits = Bits::all(self.entries.len());
        for (wanted, words) in [(&filter.owner, &self.owners), (&filter.model, &self.models), (&filter.tag, &self.tags)]
        {
            if let Some(wanted) = wanted {
                words.carrying(wanted).narrow(&mut bits);
            }
        }
        if let Some(text) = &filter.search {
            bits.intersect(&self.texts.containing(&fold_search(text)));
        }
        Some(bits)
    }

    pub fn by_slug(&self, slug: &str) -> Option<&TextureEntry> {
        self.by_slug.get(slug).map(|&place| &self.entries[place as usize])
    }
}

/// Wearing a thing says more than liking it, liking more than fetching it, and fetching more than a look.
fn popularity(row: &TextureRow) -> f64 {
    row.usage_count as f64 * 5.0
        + (row.like_count + row.favorite_count) as f64 * 3.0
        + row.download_count as f64
        + row.view_count as f64 * 0.1
}

fn summary(row: &TextureRow, pictures: &Pictures) -> Bytes {
    let owner = owner(row, pictures);
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
    json.expect("a summary always serialises").into()
}

pub fn owner(row: &TextureRow, pictures: &Pictures) -> Owner {
    Owner { id: row.owner.id.clone(), username: row.owner.username.clone(), avatar: pictures.url(&row.owner.avatar) }
}
