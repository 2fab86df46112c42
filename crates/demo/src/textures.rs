//! Community skins and capes, who made them and who likes them.

use std::collections::HashSet;

use super::rng::{Dice, Of, Seed};
use super::scale::Scale;
use super::words::textures::{CAPE_NOTES, CAPE_SUBJECTS, MOODS, SKIN_NOTES, SKIN_SUBJECTS};
use rollcall_model::id;
use rollcall_model::slug;
use rollcall_model::time::{DAY, HOUR};
use rollcall_store::builtin_skins::{Builtin, BuiltinPictures};
use rollcall_store::values;
use rollcall_store::{Conn, Result};

pub struct Texture {
    pub id: String,
    pub slug: String,
    pub name: String,
    pub description: &'static str,
    /// `None` is a cape.
    pub model: Option<&'static str>,
    pub tags: Vec<&'static str>,
    pub owner: usize,
    pub is_featured: bool,
    pub created_at: i64,
    pub view_count: i64,
    pub download_count: i64,
}

/// Skins first, then capes.
pub fn imagine(seed: Seed, now: i64, scale: &Scale) -> Vec<Texture> {
    let mut slugs = HashSet::new();
    (0..scale.skins + scale.capes).map(|index| imagine_one(seed, now, scale, index, &mut slugs)).collect()
}

fn imagine_one(seed: Seed, now: i64, scale: &Scale, index: usize, slugs: &mut HashSet<(bool, String)>) -> Texture {
    let mut dice = seed.dice(Of::Texture, index);
    let is_skin = index < scale.skins;
    let (subjects, notes) = if is_skin { (SKIN_SUBJECTS, SKIN_NOTES) } else { (CAPE_SUBJECTS, CAPE_NOTES) };
    let (subject, kind_tags) = subjects[dice.below(subjects.len())];
    let (name, slug) = named(dice.pick(MOODS), subject, is_skin, slugs);
    let model = if dice.chance(0.58) { "classic" } else { "slim" };
    let view_count = dice.log_normal(420.0, 1.3) as i64;
    Texture {
        id: id::encode(seed.id(Of::Texture, index, 0)),
        slug,
        name,
        description: dice.pick(notes),
        model: is_skin.then_some(model),
        tags: tags(&mut dice, kind_tags),
        // Makers are few and make many.
        owner: dice.leaning(scale.accounts, 2.0),
        is_featured: dice.chance(0.08),
        created_at: now - dice.ago(HOUR, 500 * DAY),
        view_count,
        download_count: (view_count as f64 * (0.05 + 0.3 * dice.unit())) as i64,
    }
}

fn named(mood: &str, subject: &str, is_skin: bool, slugs: &mut HashSet<(bool, String)>) -> (String, String) {
    let plain = format!("{mood}{subject}");
    let mut name = plain.clone();
    let mut number = 2;
    loop {
        let slug = slug::slug(&name);
        if slugs.insert((is_skin, slug.clone())) {
            return (name, slug);
        }
        name = format!("{plain} {number}");
        number += 1;
    }
}

fn tags(dice: &mut Dice, of_subject: &[&'static str]) -> Vec<&'static str> {
    let mut tags = of_subject.to_vec();
    let extra: &'static str = dice.pick(&["original", "hd-shading", "remake", "contest", "free-to-edit", "matching"]);
    if dice.chance(0.6) {
        tags.push(extra);
    }
    tags
}

/// What players can wear.
pub struct Wardrobe {
    /// The row number of the first texture; the others follow.
    base: i64,
    defaults: [Worn; 2],
    skins: Vec<Worn>,
    capes: Vec<i64>,
}

pub struct Worn {
    pub n: i64,
    pub png: String,
    pub model: &'static str,
}

impl Wardrobe {
    /// Two of three wear a community skin, a few of them very often; the others the default of their model.
    pub fn skin(&self, taste: u64) -> &Worn {
        if self.skins.is_empty() || taste.is_multiple_of(3) {
            return &self.defaults[(taste / 3 % 2) as usize];
        }
        &self.skins[leaning(taste / 6, self.skins.len())]
    }

    pub fn cape(&self, taste: u64) -> Option<i64> {
        let has = !self.capes.is_empty() && (taste >> 40).is_multiple_of(3);
        has.then(|| self.capes[leaning(taste >> 20, self.capes.len())])
    }
}

fn leaning(taste: u64, count: usize) -> usize {
    const STEPS: u64 = 1 << 16;
    let share = (taste % STEPS) as f64 / STEPS as f64;
    (share * share * count as f64) as usize
}

const COLUMNS: &[&str] = &[
    "n",
    "kind",
    "id",
    "slug",
    "name",
    "description",
    "model",
    "png",
    "owner_n",
    "is_featured",
    "created_at",
    "view_count",
    "download_count",
    "like_count",
    "favorite_count",
    "usage_count",
    "rev",
];

pub struct Textures<'a> {
    pub textures: &'a [Texture],
    pub accounts: &'a [i64],
    pub builtin: &'a Builtin,
    pub builtin_pictures: &'a BuiltinPictures,
    pub rev: i64,
}

impl Textures<'_> {
    pub fn write<'p>(&self, conn: &mut Conn, png: impl Fn(usize) -> &'p str) -> Result<Wardrobe> {
        let base: i64 = conn.one("select coalesce(max(n), 0) + 1 from textures", &[], |row| row.get(0))?;
        let number = |index: usize| base + index as i64;
        conn.bulk_insert("textures", COLUMNS, |insert| {
            for (index, texture) in self.textures.iter().enumerate() {
                insert(values![
                    number(index),
                    if texture.model.is_some() { "skin" } else { "cape" },
                    &texture.id,
                    &texture.slug,
                    &texture.name,
                    texture.description,
                    texture.model,
                    png(index),
                    self.accounts[texture.owner],
                    texture.is_featured,
                    texture.created_at,
                    texture.view_count,
                    texture.download_count,
                    0_i64,
                    0_i64,
                    0_i64,
                    self.rev,
                ])?;
            }
            Ok(())
        })?;
        conn.bulk_insert("texture_tags", &["texture_n", "position", "tag"], |insert| {
            for (index, texture) in self.textures.iter().enumerate() {
                for (position, tag) in texture.tags.iter().enumerate() {
                    insert(values![number(index), position as i64, *tag])?;
                }
            }
            Ok(())
        })?;
        let worn = |index: usize, model| Worn { n: number(index), png: png(index).to_owned(), model };
        let builtin = |n, png: &String, model| Worn { n, png: png.clone(), model };
        Ok(Wardrobe {
            base,
            defaults: [
                builtin(self.builtin.classic_n, &self.builtin_pictures.classic, "classic"),
                builtin(self.builtin.slim_n, &self.builtin_pictures.slim, "slim"),
            ],
            skins: self.textures.iter().enumerate().filter_map(|(i, t)| t.model.map(|model| worn(i, model))).collect(),
            capes: (0..self.textures.len()).filter(|&i| self.textures[i].model.is_none()).map(number).collect(),
        })
    }

    /// Likes and favorites: who saw it may have liked it.
    pub fn write_applause(&self, conn: &mut Conn, seed: Seed, wardrobe: &Wardrobe) -> Result<()> {
        for (table, share, row) in [("texture_likes", 0.09, 0), ("texture_favorites", 0.04, 1)] {
            conn.bulk_insert(table, &["texture_n", "account_n"], |insert| {
                for (index, texture) in self.textures.iter().enumerate() {
                    let mut dice = seed.dice(Of::Applause, index * 2 + row);
                    let most = self.accounts.len() * 2 / 3;
                    let wanted = ((texture.view_count as f64 * share * (0.5 + dice.unit())) as usize).min(most);
                    let mut fans: Vec<i64> =
                        (0..wanted).map(|_| self.accounts[dice.below(self.accounts.len())]).collect();
                    fans.sort_unstable();
                    fans.dedup();
                    for account in fans {
                        insert(values![wardrobe.base + index as i64, account])?;
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
