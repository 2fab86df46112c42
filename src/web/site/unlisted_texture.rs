//! `/skins/{slug}` and `/capes/{slug}` of an unlisted upload, for visitors with the link. Search engines must not index
//! it.

use askama::Template;

use super::textures::TextureKind;
use crate::app::App;
use crate::error::ApiError;
use crate::web::layout::Layout;
use crate::web::page;
use crate::web::{assets, filters};
use rollcall_store::Conn;
use rollcall_store::texture_uploads::{self, TextureUpload};

#[derive(Template)]
#[template(path = "site/unlisted_texture.html")]
struct UnlistedTexturePage {
    layout: Layout,
    upload: TextureUpload,
    /// The skin below a cape.
    default_skin: String,
}

impl UnlistedTexturePage {
    fn viewer_script(&self) -> &'static str {
        assets::VIEWER
    }
}

pub fn render(app: &App, conn: &mut Conn, kind: TextureKind, slug: &str) -> Result<String, ApiError> {
    // PostgreSQL rejects NUL in a text.
    let found = if slug.contains('\0') { None } else { texture_uploads::unlisted(conn, kind.is_skin(), slug)? };
    let upload = found.ok_or_else(|| ApiError::NotFound("Skin or cape not found".into()))?;
    page::render(&UnlistedTexturePage { layout: Layout::new(kind.root()), upload, default_skin: app.default_skin() })
}
