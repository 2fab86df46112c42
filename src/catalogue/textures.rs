//! The skins, or the capes, in memory.

use std::cmp::Ordering;
use std::collections::HashMap;

use bytes::Bytes;

use super::bits::Bits;
use super::facet::Facet;
use super::order::Order;
use super::pick;
use super::tags::Tags;
use super::texts::{FIELD_END, Texts};
use crate::model::resources::{CapeSummary, Owner, Pictures, SkinSummary, Timestamp};
use crate::model::text::fold_search;
use crate::store::textures::TextureRow;

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
}

#[derive(Default)]
pub struct Textures {
    entries: Vec<TextureEntry>,
    by_n: HashMap<i64, u32>,
    by_slug: HashMap<String, u32>,
    orders: HashMap<TextureSort, Order>,
    texts: Texts,
    owners: Facet,
    models: Facet,
    owner: Vec<u32>,
    model: Vec<u32>,
    tags: Tags,
}

impl Textures {
    pub fn apply(&mut self, rows: Vec<TextureRow>, pictures: &Pictures) {
        let whole = self.entries.is_empty();
        let mut changed = Vec::with_capacity(rows.len());
        for row in rows {
            changed.push(self.put(row, pictures));
        }
        let present = Bits::all(self.entries.len());
        for sort in TextureSort::ALL {
            let mut order = self.orders.remove(&sort).unwrap_or_default();
            if whole {
                order = Order::build(present.iter(), |a, b| self.compare(sort, a, b));
            } else {
                order.update(&changed, &present, |a, b| self.compare(sort, a, b));
            }
            self.orders.insert(sort, order);
        }
    }

    /// Makes searches quick, once the many are in; those that come later are taken in as they come.
    pub fn build_index(&mut self) {
        let index = self.texts.new_index();
        self.texts.take_index(index);
    }

    fn put(&mut self, row: TextureRow, pictures: &Pictures) -> u32 {
        let place = match self.by_n.get(&row.n) {
            Some(&place) => {
                let old = &self.entries[place as usize].row;
                // Two may trade slugs: the other may hold this one by now.
                if self.by_slug.get(&old.slug) == Some(&place) {
                    self.by_slug.remove(&old.slug);
                }
                self.tags.set(place, &old.tags, false);
                place
            }
            None => {
                let place = self.entries.len() as u32;
                self.by_n.insert(row.n, place);
                self.owner.push(0);
                self.model.push(0);
                place
            }
        };
        let i = place as usize;
        self.owner[i] = self.owners.number(&row.owner.username);
        self.model[i] = self.models.number(row.model.as_deref().unwrap_or_default());
        self.by_slug.insert(row.slug.clone(), place);
        self.tags.set(place, &row.tags, true);
        let name_key = fold_search(&row.name);
        let words: Vec<String> =
            std::iter::once(name_key.clone()).chain(row.tags.iter().map(|t| fold_search(t))).collect();
        self.texts.set(place, &words.join(FIELD_END));
        let entry = TextureEntry { summary: summary(&row, pictures), popularity: popularity(&row), name_key, row };
        if i == self.entries.len() {
            self.entries.push(entry);
        } else {
            self.entries[i] = entry;
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
        let selected = self.select(filter);
        let total = selected.as_ref().map_or(order.len(), Bits::count);
        let places = match selected {
            Some(bits) => pick::page(order, &bits, total, offset, limit, |a, b| self.compare(sort, a, b)),
            None => order.page(None, offset, limit),
        };
        (places.into_iter().map(|place| &self.entries[place as usize]).collect(), total as u64)
    }

    fn select(&self, filter: &TextureFilter) -> Option<Bits> {
        if *filter == TextureFilter::default() {
            return None;
        }
        let mut bits = Bits::all(self.entries.len());
        for (wanted, facet, column) in
            [(&filter.owner, &self.owners, &self.owner), (&filter.model, &self.models, &self.model)]
        {
            if let Some(wanted) = wanted {
                match facet.known(wanted) {
                    Some(number) => bits.retain(column, |v| v == number),
                    None => bits = Bits::none(self.entries.len()),
                }
            }
        }
        if let Some(tag) = &filter.tag {
            match self.tags.rows(tag) {
                Some(tagged) => bits.intersect(tagged),
                None => bits = Bits::none(self.entries.len()),
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
