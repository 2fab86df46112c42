//! Skins and capes.

use std::collections::HashMap;

use super::revision::order_by;
use super::servers::OwnerRow;
use super::{Conn, Result, Row};
use crate::values;
use rollcall_model::resources::Viewer;

pub const SKIN: &str = "skin";

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
    pub tags: Vec<String>,
}

/// The skins and capes changed after `rev`.
pub fn changed_since(conn: &mut Conn, rev: i64) -> Result<Vec<TextureRow>> {
    let sql = format!(
        "select t.n, t.kind, t.id, t.slug, t.name, t.description, t.model, t.png, t.owner_n, a.id, a.username, a.avatar,
                t.is_featured, t.created_at, t.view_count, t.download_count, t.like_count, t.favorite_count, t.usage_count
         from textures t join accounts a on a.n = t.owner_n where t.rev > $1 order by {}",
        order_by(rev, "t.n")
    );
    let mut textures = conn.query(&sql, values![rev], read)?;
    let positions: HashMap<i64, usize> = textures.iter().enumerate().map(|(i, texture)| (texture.n, i)).collect();
    let sql = format!(
        "select g.texture_n, g.tag from texture_tags g join textures t on t.n = g.texture_n
         where t.rev > $1 order by {}, g.position",
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
