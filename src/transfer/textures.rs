use serde::{Deserialize, Serialize};

use super::context::Context;
use super::dialect::read_list;
use super::slugs::Slugged;
use super::staging::{List, Table, Total, Touch, flag, int, text};
use super::{Missing, Record, Resource, Staged, Words, Wrong, checks};
use rollcall_model::time;
use rollcall_store::values;
use rollcall_store::{Row, Value};

pub(super) const MODELS: [&str; 2] = ["classic", "slim"];

/// A skin, or a cape, which is the same but for the model.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Texture {
    id: String,
    slug: Option<String>,
    name: String,
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    png: Option<String>,
    owner_id: String,
    is_featured: Option<bool>,
    created_at: Option<String>,
    view_count: Option<i64>,
    download_count: Option<i64>,
    tags: Option<Vec<String>>,
    likes: Option<Vec<String>>,
    favorites: Option<Vec<String>>,
}

static TABLE: Table = Table {
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
        int("created_at").kept_or_now(),
        int("view_count"),
        int("download_count"),
    ],
    computed: &["like_count", "favorite_count", "usage_count", "rev"],
    lists: &[
        List { table: "texture_tags", parent: "texture_n", columns: &[int("position"), text("tag")] },
        List { table: "texture_likes", parent: "texture_n", columns: &[int("account_n")] },
        List { table: "texture_favorites", parent: "texture_n", columns: &[int("account_n")] },
    ],
    touches: &[Touch::Itself(Total::Textures)],
};

impl Record for Texture {
    fn table(_: Resource) -> &'static Table {
        &TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn select(resource: Resource, words: &Words) -> Vec<String> {
        let accounts = |table: &str| {
            let from = format!("{table} l join accounts b on b.n = l.account_n where l.texture_n = t.n");
            words.list("b.id", &from, &format!("b.id{}", words.bytes))
        };
        vec![format!(
            "select t.id, t.slug, t.name, t.description, t.model, t.png, a.id, t.is_featured, t.created_at, t.view_count,
                    t.download_count, {}, {}, {}
             from textures t join accounts a on a.n = t.owner_n where t.kind = '{}' order by t.id{}",
            words.list("g.tag", "texture_tags g where g.texture_n = t.n", "g.position"),
            accounts("texture_likes"),
            accounts("texture_favorites"),
            if resource == Resource::Skins { "skin" } else { "cape" },
            words.bytes
        )]
    }

    fn read(row: &Row) -> Self {
        Self {
            id: row.get(0),
            slug: row.get(1),
            name: row.get(2),
            description: row.get(3),
            model: row.get(4),
            png: row.get(5),
            owner_id: row.get(6),
            is_featured: row.get(7),
            created_at: Some(time::iso(row.get(8))),
            view_count: row.get(9),
            download_count: row.get(10),
            tags: Some(read_list(&row.get::<String>(11))),
            likes: Some(read_list(&row.get::<String>(12))),
            favorites: Some(read_list(&row.get::<String>(13))),
        }
    }

    fn pictures(&self) -> Vec<&str> {
        self.png.iter().map(String::as_str).collect()
    }

    fn check(self, context: &mut Context) -> Result<Staged, Wrong> {
        checks::id(&self.id)?;
        let (kind, other) = match context.resource {
            Resource::Skins => (Slugged::Skin, Slugged::Cape),
            _ => (Slugged::Cape, Slugged::Skin),
        };
        if other.exists(context, &self.id)? {
            return Err(format!("id {:?} belongs to a {}", self.id, other.name()).into());
        }
        let name = checks::filled("name", &self.name)?;
        let (model, missing) = if kind == Slugged::Skin {
            let model = self.model.as_deref().unwrap_or(MODELS[0]);
            checks::one_of("model", model, &MODELS)?;
            (Some(model), Missing::Skin { id: &self.id, model })
        } else if self.model.is_some() {
            return Err("model is for skins: a cape has none".to_owned().into());
        } else {
            (None, Missing::Cape { id: &self.id })
        };
        let slug = kind.claim(context, &self.id, self.slug, name)?;
        let tags = self.tags.unwrap_or_default();
        let tags =
            checks::distinct("tags", &tags)?.iter().zip(0_i64..).map(|(tag, i)| values![i, tag].to_vec()).collect();
        let likes = accounts(context, "likes", self.likes)?;
        let favorites = accounts(context, "favorites", self.favorites)?;
        let values = values![
            kind.name(),
            &self.id,
            slug,
            name,
            self.description.unwrap_or_default(),
            model,
            context.picture("png", self.png, missing)?,
            context.account("ownerId", &self.owner_id)?,
            self.is_featured.unwrap_or(false),
            checks::time_or_none("createdAt", self.created_at.as_ref())?,
            checks::count("viewCount", self.view_count.unwrap_or(0))?,
            checks::count("downloadCount", self.download_count.unwrap_or(0))?,
        ]
        .to_vec();
        Ok(Staged { values, lists: vec![tags, likes, favorites] })
    }
}

fn accounts(context: &mut Context, field: &str, ids: Option<Vec<String>>) -> Result<Vec<Vec<Value>>, Wrong> {
    let ids = ids.unwrap_or_default();
    checks::distinct(field, &ids)?.iter().map(|id| Ok(values![context.account(field, id)?].to_vec())).collect()
}
