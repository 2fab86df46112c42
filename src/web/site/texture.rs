//! `/skins/{slug}` and `/capes/{slug}`: one skin or cape, and who wears it.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::Response;
use axum::http::header::HeaderMap;

use super::player_link::PlayerLinks;
use super::textures::TextureKind;
use crate::app::App;
use crate::error::ApiError;
use crate::v1::textures::load_wearers;
use crate::web::layout::Layout;
use crate::web::page;
use crate::web::view;
use crate::web::{assets, filters};
use rollcall_model::resources::TextureWearer;
use rollcall_store::textures::TextureRow;

#[derive(Template)]
#[template(path = "site/texture.html")]
struct TexturePage {
    layout: Layout,
    kind: TextureKind,
    texture: TextureRow,
    wearers: Vec<TextureWearer>,
    links: PlayerLinks,
    /// The skin below a cape.
    default_skin: String,
}

pub async fn skin(State(app): State<Arc<App>>, Path(slug): Path<String>, headers: HeaderMap) -> Response<Body> {
    page::cached(&app, &headers, render(&app, slug, TextureKind::Skin)).await
}

pub async fn cape(State(app): State<Arc<App>>, Path(slug): Path<String>, headers: HeaderMap) -> Response<Body> {
    page::cached(&app, &headers, render(&app, slug, TextureKind::Cape)).await
}

async fn render(app: &Arc<App>, slug: String, kind: TextureKind) -> Result<String, ApiError> {
    page::render_from_store(app, move |app, conn| {
        let found = match kind {
            TextureKind::Skin => app.catalogue.skins().by_slug(&slug).map(|entry| entry.row.clone()),
            TextureKind::Cape => app.catalogue.capes().by_slug(&slug).map(|entry| entry.row.clone()),
        };
        let texture = found.ok_or_else(|| ApiError::NotFound("Skin or cape not found".into()))?;
        let wearers = load_wearers(app, conn, &texture, None)?.players;
        let path = format!("{}/{}", kind.root(), texture.slug);
        page::render(&TexturePage {
            layout: Layout::public(kind.root(), path.clone()).with_json(format!("/v1{path}")),
            links: PlayerLinks::load(conn, wearers.iter().map(|player| player.main_nickname.as_str()))?,
            default_skin: app.default_skin(),
            kind,
            texture,
            wearers,
        })
    })
    .await
}

impl TexturePage {
    fn viewer_script(&self) -> &'static str {
        assets::VIEWER
    }

    fn kind_name(&self) -> &'static str {
        if self.kind.is_skin() { "Skin" } else { "Cape" }
    }

    fn model_name(&self) -> &'static str {
        if self.texture.model.as_deref() == Some("slim") { "Slim" } else { "Classic" }
    }

    fn path(&self, player: &TextureWearer) -> String {
        self.links.path(&player.id, &player.main_nickname)
    }

    /// Name and value of each count.
    fn counts(&self) -> [(&'static str, i64); 5] {
        let texture = &self.texture;
        [
            ("Wearers", texture.usage_count),
            ("Likes", texture.like_count),
            ("Favorites", texture.favorite_count),
            ("Downloads", texture.download_count),
            ("Views", texture.view_count),
        ]
    }

    fn more_wearers(&self) -> i64 {
        self.texture.usage_count - self.wearers.len() as i64
    }

    fn description(&self) -> String {
        let language = view::language();
        let wearers = language.translate_plural("{} player wears it|{} players wear it", self.texture.usage_count);
        let text = self.texture.description.trim();
        format!("{}. {wearers}. {text}", self.texture.name).trim_end().to_owned()
    }
}
