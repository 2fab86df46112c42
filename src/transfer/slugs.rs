//! The slug of a server, skin or cape: from the line, from the store, or made from the name.

use super::LineError;
use super::context::ImportContext;
use super::unique::LoadValues;
use rollcall_model::slug::{is_valid_slug, slug};
use rollcall_store::transfer::{servers, textures};

/// Kinds with slugs. Each kind has its own namespace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SlugKind {
    Server,
    Skin,
    Cape,
}

impl SlugKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Skin => "skin",
            Self::Cape => "cape",
        }
    }

    fn load_existing(self) -> LoadValues {
        match self {
            Self::Server => servers::for_each_slug,
            Self::Skin => |conn, read| textures::for_each_slug(conn, "skin", read),
            Self::Cape => |conn, read| textures::for_each_slug(conn, "cape", read),
        }
    }

    /// Whether there is one with this id.
    pub fn exists(self, context: &mut ImportContext, id: &str) -> Result<bool, LineError> {
        Ok(context.unique(self.name(), self.load_existing())?.value_of(id).is_some())
    }

    /// The given slug if it is valid and free; else the existing one; else one made from the name.
    pub fn claim(
        self,
        context: &mut ImportContext,
        id: &str,
        given: Option<String>,
        name: &str,
    ) -> Result<String, LineError> {
        let slugs = context.unique(self.name(), self.load_existing())?;
        let slug = match given {
            Some(given) if is_valid_slug(&given) => given,
            Some(given) => {
                return Err(format!(
                    "slug must be 1 to 64 characters (a-z, 0-9, inner hyphens) and not top, countries or versions: {given:?}"
                )
                .into());
            }
            None => match slugs.value_of(id) {
                Some(existing) => existing.to_owned(),
                None => {
                    let from_name = slug(name);
                    slugs.first_free(if from_name.is_empty() { self.name() } else { &from_name }, is_valid_slug)
                }
            },
        };
        if slugs.claim(id, &slug) {
            Ok(slug)
        } else {
            Err(format!("slug {slug:?} is already used by another {}", self.name()).into())
        }
    }
}
