//! Skins and capes in an import or export. Both are in one table and differ by `kind`.

use std::collections::HashMap;

use super::dialect::{Dialect, parse_list};
use super::table::{AffectedTotals, ListTable, StagedRow, StagedTable, TotalsOf, flag, int, text};
use super::{numbered_texts, row};
use crate::{Conn, Result, Value, values};

pub struct TransferTexture<Ref> {
    /// `skin` or `cape`.
    pub kind: String,
    pub id: String,
    pub slug: String,
    pub name: String,
    pub description: String,
    /// Skins only.
    pub model: Option<String>,
    pub png: String,
    pub owner: Ref,
    pub is_featured: bool,
    /// `None` in an import: the existing value, or the time of the import.
    pub created_at: Option<i64>,
    pub view_count: i64,
    pub download_count: i64,
    pub tags: Vec<String>,
    /// Accounts.
    pub likes: Vec<Ref>,
    pub favorites: Vec<Ref>,
}

pub static TABLE: StagedTable = StagedTable {
    name: "textures",
    key: "id",
    columns: &[
        text("kind"),
        text("id"),
        text("slug"),
        text("name"),
        text("description"),
        text("model"),
        text("png"),
        int("owner_n"),
        flag("is_featured"),
        int("created_at").existing_or_now(),
        int("view_count"),
        int("download_count"),
    ],
    computed: &["like_count", "favorite_count", "usage_count", "rev"],
    lists: &[
        ListTable { table: "texture_tags", parent: "texture_n", columns: &[int("position"), text("tag")] },
        ListTable { table: "texture_likes", parent: "texture_n", columns: &[int("account_n")] },
        ListTable { table: "texture_favorites", parent: "texture_n", columns: &[int("account_n")] },
    ],
    affects: &[AffectedTotals::OfRow(TotalsOf::Textures)],
};

impl From<TransferTexture<i64>> for StagedRow {
    fn from(texture: TransferTexture<i64>) -> Self {
        let accounts = |numbers: Vec<i64>| -> Vec<Vec<Value>> { numbers.into_iter().map(|n| row![n]).collect() };
        Self {
            lists: vec![numbered_texts(texture.tags), accounts(texture.likes), accounts(texture.favorites)],
            values: row![
                texture.kind,
                texture.id,
                texture.slug,
                texture.name,
                texture.description,
                texture.model,
                texture.png,
                texture.owner,
                texture.is_featured,
                texture.created_at,
                texture.view_count,
                texture.download_count,
            ],
        }
    }
}

/// The skins or the capes.
pub fn for_each(conn: &mut Conn, kind: &str, mut read: impl FnMut(TransferTexture<String>)) -> Result<()> {
    let dialect = Dialect::of(conn);
    let order = dialect.byte_collation;
    let accounts = |table: &str| {
        let from = format!("{table} l join accounts b on b.n = l.account_n where l.texture_n = t.n");
        dialect.json_array("b.id", &from, &format!("b.id{order}"))
    };
    let sql = format!(
        "select t.kind, t.id, t.slug, t.name, t.description, t.model, t.png, a.id, t.is_featured, t.created_at,
                t.view_count, t.download_count, {}, {}, {}
         from textures t join accounts a on a.n = t.owner_n
         where t.kind = $1 and not t.hidden order by t.id{order}",
        dialect.json_array("g.tag", "texture_tags g where g.texture_n = t.n", "g.position"),
        accounts("texture_likes"),
        accounts("texture_favorites"),
    );
    conn.for_each(&sql, values![kind], |row| {
        read(TransferTexture {
            kind: row.get(0),
            id: row.get(1),
            slug: row.get(2),
            name: row.get(3),
            description: row.get(4),
            model: row.get(5),
            png: row.get(6),
            owner: row.get(7),
            is_featured: row.get(8),
            created_at: Some(row.get(9)),
            view_count: row.get(10),
            download_count: row.get(11),
            tags: parse_list(&row.get::<String>(12)),
            likes: parse_list(&row.get::<String>(13)),
            favorites: parse_list(&row.get::<String>(14)),
        });
    })
}

/// Fields that an imported player gets from its skin or cape.
#[derive(Clone)]
pub struct TextureReference {
    pub n: i64,
    pub kind: String,
    pub slug: String,
    pub model: Option<String>,
    pub png: String,
}

/// All skins and capes by id.
pub fn references(conn: &mut Conn) -> Result<HashMap<String, TextureReference>> {
    let mut textures = HashMap::new();
    conn.for_each("select id, n, kind, slug, model, png from textures", &[], |row| {
        let texture =
            TextureReference { n: row.get(1), kind: row.get(2), slug: row.get(3), model: row.get(4), png: row.get(5) };
        textures.insert(row.get(0), texture);
    })?;
    Ok(textures)
}

/// The id and slug of each skin, or of each cape.
pub fn for_each_slug(conn: &mut Conn, kind: &str, read: &mut dyn FnMut(&str, &str)) -> Result<()> {
    conn.for_each("select id, slug from textures where kind = $1", values![kind], |row| {
        read(&row.get::<String>(0), &row.get::<String>(1));
    })
}
