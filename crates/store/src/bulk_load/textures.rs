//! Skins and capes, and the accounts that like them.

use super::{Conn, Result, bulk_row};
use crate::values;

bulk_row! {
    BulkTexture<'a> in "textures" {
        n: i64,
        kind: &'a str,
        id: &'a str,
        slug: &'a str,
        name: &'a str,
        description: &'a str,
        model: Option<&'a str>,
        png: &'a str,
        owner_n: i64,
        is_featured: bool,
        created_at: i64,
        view_count: i64,
        download_count: i64,
        rev: i64,
    }
    derived {
        like_count: 0_i64,
        favorite_count: 0_i64,
        usage_count: 0_i64,
    }
}

bulk_row! {
    BulkTextureTag<'a> in "texture_tags" {
        texture_n: i64,
        position: i64,
        tag: &'a str,
    }
}

/// The first free row number.
pub fn next_texture_n(conn: &mut Conn) -> Result<i64> {
    conn.query_one("select coalesce(max(n), 0) + 1 from textures", &[], |row| row.get(0))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureReaction {
    Like,
    Favorite,
}

/// `rows` calls its argument with the texture's and the account's row number.
pub fn insert_texture_reactions(
    conn: &mut Conn,
    reaction: TextureReaction,
    rows: impl FnOnce(&mut dyn FnMut(i64, i64) -> Result<()>) -> Result<()>,
) -> Result<()> {
    let table = match reaction {
        TextureReaction::Like => "texture_likes",
        TextureReaction::Favorite => "texture_favorites",
    };
    conn.bulk_insert(table, &["texture_n", "account_n"], |insert| {
        rows(&mut |texture_n, account_n| insert(values![texture_n, account_n]))
    })
}
