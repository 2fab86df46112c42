//! The slug of a server, skin or cape: given, kept, or made from the name.

use super::Wrong;
use super::context::Context;
use rollcall_model::slug::{is_valid_slug, slug};

/// What has slugs of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Slugged {
    Server,
    Skin,
    Cape,
}

impl Slugged {
    pub fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Skin => "skin",
            Self::Cape => "cape",
        }
    }

    fn kept(self) -> &'static str {
        match self {
            Self::Server => "select id, slug from servers",
            Self::Skin => "select id, slug from textures where kind = 'skin'",
            Self::Cape => "select id, slug from textures where kind = 'cape'",
        }
    }

    /// Whether there is one with this id.
    pub fn exists(self, context: &mut Context, id: &str) -> Result<bool, Wrong> {
        Ok(context.unique(self.name(), self.kept())?.held_by(id).is_some())
    }

    /// The given slug if it is well formed and free; else the one the row has; else one made from the name.
    pub fn claim(self, context: &mut Context, id: &str, given: Option<String>, name: &str) -> Result<String, Wrong> {
        let slugs = context.unique(self.name(), self.kept())?;
        let slug = match given {
            Some(given) if is_valid_slug(&given) => given,
            Some(given) => {
                let rule = "1 to 64 of a-z, 0-9 and inner hyphens, and none of top, countries, versions";
                return Err(format!("slug must be {rule}, not {given:?}").into());
            }
            None => match slugs.held_by(id) {
                Some(held) => held.to_owned(),
                None => {
                    let made = slug(name);
                    slugs.free(if made.is_empty() { self.name() } else { &made }, is_valid_slug)
                }
            },
        };
        if slugs.claim(id, &slug) {
            Ok(slug)
        } else {
            Err(format!("slug {slug:?} belongs to another {}", self.name()).into())
        }
    }
}
