//! `skins.ndjson` and `capes.ndjson`

use serde::{Deserialize, Serialize};

use super::context::ImportContext;
use super::slugs::SlugKind;
use super::{DefaultPicture, LineError, NdjsonLine, Resource, checks};
use rollcall_model::time;
use rollcall_store::Conn;
use rollcall_store::transfer::textures::{self, TransferTexture};
use rollcall_store::transfer::{StagedRow, StagedTable};

pub(super) const MODELS: [&str; 2] = ["classic", "slim"];

/// A skin or a cape. Only skins have a model.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct TextureLine {
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

impl From<TransferTexture<String>> for TextureLine {
    fn from(texture: TransferTexture<String>) -> Self {
        Self {
            id: texture.id,
            slug: Some(texture.slug),
            name: texture.name,
            description: Some(texture.description),
            model: texture.model,
            png: Some(texture.png),
            owner_id: texture.owner,
            is_featured: Some(texture.is_featured),
            created_at: texture.created_at.map(time::iso),
            view_count: Some(texture.view_count),
            download_count: Some(texture.download_count),
            tags: Some(texture.tags),
            likes: Some(texture.likes),
            favorites: Some(texture.favorites),
        }
    }
}

impl NdjsonLine for TextureLine {
    fn table(_: Resource) -> &'static StagedTable {
        &textures::TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn for_each(conn: &mut Conn, resource: Resource, write: &mut dyn FnMut(Self)) -> rollcall_store::Result<()> {
        textures::for_each(conn, kinds(resource).0.name(), |texture| write(texture.into()))
    }

    fn pictures(&self) -> Vec<&str> {
        self.png.iter().map(String::as_str).collect()
    }

    fn check(self, context: &mut ImportContext) -> Result<StagedRow, LineError> {
        checks::id(&self.id)?;
        let (kind, other) = kinds(context.resource);
        if other.exists(context, &self.id)? {
            return Err(format!("id {:?} is already used by a {}", self.id, other.name()).into());
        }
        checks::name("name", &self.name, checks::MAX_NAME)?;
        checks::text("description", self.description.as_ref())?;
        let model = if kind == SlugKind::Skin {
            let model = self.model.unwrap_or_else(|| MODELS[0].to_owned());
            checks::one_of("model", &model, &MODELS)?;
            Some(model)
        } else if self.model.is_some() {
            return Err("model must be left out: only skins have one".to_owned().into());
        } else {
            None
        };
        let slug = kind.claim(context, &self.id, self.slug, &self.name)?;
        let tags = self.tags.unwrap_or_default();
        checks::tags(&tags)?;
        let likes = accounts(context, "likes", self.likes)?;
        let favorites = accounts(context, "favorites", self.favorites)?;
        let default = match &model {
            Some(model) => DefaultPicture::Skin { id: &self.id, model },
            None => DefaultPicture::Cape { id: &self.id },
        };
        let png = context.picture("png", self.png, default)?;
        let texture = TransferTexture {
            kind: kind.name().to_owned(),
            id: self.id,
            slug,
            name: self.name,
            description: self.description.unwrap_or_default(),
            model,
            png,
            owner: context.account("ownerId", &self.owner_id)?,
            is_featured: self.is_featured.unwrap_or(false),
            created_at: checks::time_or_none("createdAt", self.created_at.as_ref())?,
            view_count: checks::count("viewCount", self.view_count.unwrap_or(0))?,
            download_count: checks::count("downloadCount", self.download_count.unwrap_or(0))?,
            tags,
            likes,
            favorites,
        };
        Ok(texture.into())
    }
}

/// The kind of texture in a file, and the other kind.
fn kinds(resource: Resource) -> (SlugKind, SlugKind) {
    match resource {
        Resource::Skins => (SlugKind::Skin, SlugKind::Cape),
        _ => (SlugKind::Cape, SlugKind::Skin),
    }
}

fn accounts(context: &mut ImportContext, field: &str, ids: Option<Vec<String>>) -> Result<Vec<i64>, LineError> {
    let ids = ids.unwrap_or_default();
    checks::distinct(field, &ids)?;
    ids.iter().map(|id| context.account(field, id)).collect()
}
