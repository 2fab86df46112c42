//! Skins and capes.

use std::collections::HashMap;

use super::revision::order_by;
use super::servers::OwnerRow;
use super::{Conn, Result, Row};
use crate::values;
use rollcall_model::resources::Viewer;

pub const SKIN: &str = "skin";
const CAPE: &str = "cape";

#[derive(Clone, Debug)]
pub struct TextureRow {
    pub n: i64,
    pub is_skin: bool,
    pub id: String,
    pub slug: String,
    pub name: String,
    pub description: String,
    /// `None` for a cape.
    pub model: Option<String>,
    pub png: String,
    pub owner_n: i64,
    pub owner: OwnerRow,
    pub is_featured: bool,
    pub created_at: i64,
    pub view_count: i64,
    pub download_count: i64,
    pub like_count: i64,
    pub favorite_count: i64,
    pub usage_count: i64,
    /// Decayed acts as a logarithm; minus infinity if there was none.
    pub trend: f64,
    pub tags: Vec<String>,
}

/// The skins and capes changed after `rev`.
pub fn changed_since(conn: &mut Conn, rev: i64) -> Result<Vec<TextureRow>> {
    let sql = format!(
        "select t.n, t.kind, t.id, t.slug, t.name, t.description, t.model, t.png, t.owner_n, a.id, a.username, a.avatar,
                t.is_featured, t.created_at, t.view_count, t.download_count, t.like_count, t.favorite_count, t.usage_count,
                r.trend
         from textures t join accounts a on a.n = t.owner_n left join texture_trends r on r.texture_n = t.n
         where t.rev > $1 and not t.hidden order by {}",
        order_by(rev, "t.n")
    );
    let mut textures = conn.query(&sql, values![rev], read)?;
    let positions: HashMap<i64, usize> = textures.iter().enumerate().map(|(i, texture)| (texture.n, i)).collect();
    let sql = format!(
        "select g.texture_n, g.tag from texture_tags g join textures t on t.n = g.texture_n
         where t.rev > $1 and not t.hidden order by {}, g.position",
        order_by(rev, "g.texture_n")
    );
    conn.for_each(&sql, values![rev], |row| {
        if let Some(&position) = positions.get(&row.get::<i64>(0)) {
            textures[position].tags.push(row.get(1));
        }
    })?;
    Ok(textures)
}

fn read(row: &Row) -> TextureRow {
    TextureRow {
        n: row.get(0),
        is_skin: row.get::<String>(1) == SKIN,
        id: row.get(2),
        slug: row.get(3),
        name: row.get(4),
        description: row.get(5),
        model: row.get(6),
        png: row.get(7),
        owner_n: row.get(8),
        owner: OwnerRow { id: row.get(9), username: row.get(10), avatar: row.get(11) },
        is_featured: row.get(12),
        created_at: row.get(13),
        view_count: row.get(14),
        download_count: row.get(15),
        like_count: row.get(16),
        favorite_count: row.get(17),
        usage_count: row.get(18),
        trend: row.get::<Option<f64>>(19).unwrap_or(f64::NEG_INFINITY),
        tags: Vec::new(),
    }
}

/// Whether an account likes, favorites or owns a skin or cape.
pub fn viewer(conn: &mut Conn, texture: i64, owner: i64, account: i64) -> Result<Viewer> {
    let sql = "select exists (select 1 from texture_likes where texture_n = $1 and account_n = $2),
                      exists (select 1 from texture_favorites where texture_n = $1 and account_n = $2)";
    let (liked, favorited) = conn.query_one(sql, values![texture, account], |row| (row.get(0), row.get(1)))?;
    Ok(Viewer { liked, favorited, is_owner: owner == account })
}

/// The counts of a texture as they are in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureCounts {
    pub views: i64,
    pub downloads: i64,
    pub likes: i64,
    pub favorites: i64,
    pub uses: i64,
    pub is_featured: bool,
}

/// `None` if the texture no longer exists. The catalogue has the same a moment later.
pub fn counts(conn: &mut Conn, texture: i64) -> Result<Option<TextureCounts>> {
    let sql = "select view_count, download_count, like_count, favorite_count, usage_count, is_featured
               from textures where n = $1 and not hidden";
    conn.query_optional(sql, values![texture], |row| TextureCounts {
        views: row.get(0),
        downloads: row.get(1),
        likes: row.get(2),
        favorites: row.get(3),
        uses: row.get(4),
        is_featured: row.get(5),
    })
}

/// The picture of a skin or cape that everyone may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicPicture {
    pub is_skin: bool,
    pub png: String,
    /// `None` for a cape.
    pub model: Option<String>,
}

pub fn public_by_slug(conn: &mut Conn, is_skin: bool, slug: &str) -> Result<Option<PublicPicture>> {
    let sql = "select kind, png, model from textures where kind = $1 and slug = $2 and not hidden";
    conn.query_optional(sql, values![kind(is_skin), slug], read_picture)
}

/// `png` is the path of the picture.
pub fn public_by_png(conn: &mut Conn, png: &str) -> Result<Option<PublicPicture>> {
    let sql = "select kind, png, model from textures where png = $1 and not hidden order by n limit 1";
    conn.query_optional(sql, values![png], read_picture)
}

pub(crate) fn kind(is_skin: bool) -> &'static str {
    if is_skin { SKIN } else { CAPE }
}

fn read_picture(row: &Row) -> PublicPicture {
    PublicPicture { is_skin: row.get::<String>(0) == SKIN, png: row.get(1), model: row.get(2) }
}
