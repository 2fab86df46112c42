//! Community skins and capes, their owners, and their likes.

use std::collections::HashSet;

use super::picture_paths::PicturePaths;
use super::rng::{DemoRng, Stream, WorldSeed};
use super::words::texture_names::{ADJECTIVES, CAPE_DESCRIPTIONS, CAPE_SUBJECTS, SKIN_DESCRIPTIONS, SKIN_SUBJECTS};
use super::world_size::WorldSize;
use rollcall_model::id;
use rollcall_model::slug;
use rollcall_model::time::{DAY, HOUR};
use rollcall_store::builtin_skins::Builtin;
use rollcall_store::bulk_load::{self, BulkTexture, BulkTextureTag, TextureReaction};
use rollcall_store::{Conn, Result};

pub struct DemoTexture {
    pub id: String,
    slug: String,
    name: String,
    description: &'static str,
    /// `None` for a cape.
    pub model: Option<&'static str>,
    tags: Vec<&'static str>,
    /// An index into the accounts.
    owner: usize,
    is_featured: bool,
    created_at: i64,
    view_count: i64,
    download_count: i64,
}

/// Skins first, then capes.
pub fn generate(seed: WorldSeed, now: i64, size: &WorldSize) -> Vec<DemoTexture> {
    let mut slugs = HashSet::new();
    (0..size.skins + size.capes).map(|index| generate_one(seed, now, size, index, &mut slugs)).collect()
}

fn generate_one(
    seed: WorldSeed,
    now: i64,
    size: &WorldSize,
    index: usize,
    slugs: &mut HashSet<(bool, String)>,
) -> DemoTexture {
    let mut rng = seed.rng(Stream::Texture, index);
    let is_skin = index < size.skins;
    let (subjects, descriptions) =
        if is_skin { (SKIN_SUBJECTS, SKIN_DESCRIPTIONS) } else { (CAPE_SUBJECTS, CAPE_DESCRIPTIONS) };
    let (subject, subject_tags) = subjects[rng.below(subjects.len())];
    let (name, slug) = unique_name(rng.pick(ADJECTIVES), subject, is_skin, slugs);
    let model = if rng.chance(0.58) { "classic" } else { "slim" };
    let view_count = rng.log_normal(420.0, 1.3) as i64;
    DemoTexture {
        id: id::encode(seed.id_bits(Stream::Texture, index, 0)),
        slug,
        name,
        description: rng.pick(descriptions),
        model: is_skin.then_some(model),
        tags: tags(&mut rng, subject_tags),
        // Few accounts own most textures.
        owner: rng.skewed_index(size.accounts, 2.0),
        is_featured: rng.chance(0.08),
        created_at: now - rng.age(HOUR, 500 * DAY),
        view_count,
        download_count: (view_count as f64 * (0.05 + 0.3 * rng.unit())) as i64,
    }
}

/// Returns a name and its slug. Slugs are unique among skins and among capes.
fn unique_name(adjective: &str, subject: &str, is_skin: bool, slugs: &mut HashSet<(bool, String)>) -> (String, String) {
    let base = format!("{adjective}{subject}");
    let mut name = base.clone();
    let mut number = 2;
    loop {
        let slug = slug::slug(&name);
        if slugs.insert((is_skin, slug.clone())) {
            return (name, slug);
        }
        name = format!("{base} {number}");
        number += 1;
    }
}

fn tags(rng: &mut DemoRng, subject_tags: &[&'static str]) -> Vec<&'static str> {
    let mut tags = subject_tags.to_vec();
    let extra: &'static str = rng.pick(&["original", "hd-shading", "remake", "contest", "free-to-edit", "matching"]);
    if rng.chance(0.6) {
        tags.push(extra);
    }
    tags
}

/// The skins and capes that players can wear.
pub struct InsertedTextures {
    /// The row number of the first texture. The others follow.
    pub first_n: i64,
    defaults: [WearableSkin; 2],
    skins: Vec<WearableSkin>,
    capes: Vec<i64>,
}

pub struct WearableSkin {
    pub n: i64,
    pub png: String,
    pub model: &'static str,
}

impl InsertedTextures {
    /// Two of three players wear a community skin, some skins much more often than others. The rest wear a default.
    pub fn skin_for(&self, texture_key: u64) -> &WearableSkin {
        if self.skins.is_empty() || texture_key.is_multiple_of(3) {
            return &self.defaults[(texture_key / 3 % 2) as usize];
        }
        &self.skins[skewed_index(texture_key / 6, self.skins.len())]
    }

    pub fn cape_for(&self, texture_key: u64) -> Option<i64> {
        let wears_cape = !self.capes.is_empty() && (texture_key >> 40).is_multiple_of(3);
        wears_cape.then(|| self.capes[skewed_index(texture_key >> 20, self.capes.len())])
    }
}

/// An index that favours the first ones.
fn skewed_index(bits: u64, count: usize) -> usize {
    const STEPS: u64 = 1 << 16;
    let share = (bits % STEPS) as f64 / STEPS as f64;
    (share * share * count as f64) as usize
}

pub fn insert(
    conn: &mut Conn,
    textures: &[DemoTexture],
    account_ns: &[i64],
    builtin: &Builtin,
    pictures: &PicturePaths,
    rev: i64,
) -> Result<InsertedTextures> {
    let first_n = bulk_load::next_texture_n(conn)?;
    let row_n = |index: usize| first_n + index as i64;
    bulk_load::insert_rows::<BulkTexture>(conn, |insert| {
        for (index, texture) in textures.iter().enumerate() {
            insert(BulkTexture {
                n: row_n(index),
                kind: if texture.model.is_some() { "skin" } else { "cape" },
                id: &texture.id,
                slug: &texture.slug,
                name: &texture.name,
                description: texture.description,
                model: texture.model,
                png: pictures.texture(index),
                owner_n: account_ns[texture.owner],
                is_featured: texture.is_featured,
                created_at: texture.created_at,
                view_count: texture.view_count,
                download_count: texture.download_count,
                rev,
            })?;
        }
        Ok(())
    })?;
    bulk_load::insert_rows::<BulkTextureTag>(conn, |insert| {
        for (index, texture) in textures.iter().enumerate() {
            for (position, tag) in texture.tags.iter().enumerate() {
                insert(BulkTextureTag { texture_n: row_n(index), position: position as i64, tag })?;
            }
        }
        Ok(())
    })?;
    let skin = |index: usize, model| WearableSkin { n: row_n(index), png: pictures.texture(index).to_owned(), model };
    let default_skin = |n, png: &String, model| WearableSkin { n, png: png.clone(), model };
    Ok(InsertedTextures {
        first_n,
        defaults: [
            default_skin(builtin.classic_n, &pictures.builtin.classic, "classic"),
            default_skin(builtin.slim_n, &pictures.builtin.slim, "slim"),
        ],
        skins: textures.iter().enumerate().filter_map(|(i, t)| t.model.map(|model| skin(i, model))).collect(),
        capes: (0..textures.len()).filter(|&i| textures[i].model.is_none()).map(row_n).collect(),
    })
}

/// Inserts likes and favorites in proportion to the views.
pub fn insert_reactions(
    conn: &mut Conn,
    seed: WorldSeed,
    textures: &[DemoTexture],
    account_ns: &[i64],
    first_n: i64,
) -> Result<()> {
    for (reaction, share, row) in [(TextureReaction::Like, 0.09, 0), (TextureReaction::Favorite, 0.04, 1)] {
        bulk_load::insert_texture_reactions(conn, reaction, |insert| {
            for (index, texture) in textures.iter().enumerate() {
                let mut rng = seed.rng(Stream::TextureReactions, index * 2 + row);
                let max = account_ns.len() * 2 / 3;
                let wanted = ((texture.view_count as f64 * share * (0.5 + rng.unit())) as usize).min(max);
                let mut accounts: Vec<i64> = (0..wanted).map(|_| account_ns[rng.below(account_ns.len())]).collect();
                accounts.sort_unstable();
                accounts.dedup();
                for account_n in accounts {
                    insert(first_n + index as i64, account_n)?;
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}
