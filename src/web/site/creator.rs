//! `/creators/{username}`: the skins and capes of one owner.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::header::HeaderMap;

use crate::app::App;
use crate::catalogue::{TextureFilter, TextureSort, Textures};
use crate::error::ApiError;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::path_segment::Segment;
use crate::web::view;
use rollcall_store::textures::TextureRow;

/// Textures of an owner whose likes and downloads are summed up, the most popular first: far more than anyone makes.
const MAX_COUNTED: usize = 10_000;
/// Of each kind; the lists have all.
const SHOWN: usize = 24;

#[derive(Template)]
#[template(path = "site/creator.html")]
struct CreatorPage {
    layout: Layout,
    username: String,
    avatar: String,
    skins: OwnedTextures,
    capes: OwnedTextures,
}

/// The most popular textures of an owner, and figures over all of them.
struct OwnedTextures {
    root: &'static str,
    render_name: &'static str,
    total: i64,
    likes: i64,
    downloads: i64,
    shown: Vec<TextureRow>,
}

impl OwnedTextures {
    fn load(textures: &Textures, owner: &str, root: &'static str, render_name: &'static str) -> Self {
        let filter = TextureFilter { owner: Some(owner.to_owned()), ..TextureFilter::default() };
        let (all, total) = textures.page(&filter, TextureSort::Popular, 0, MAX_COUNTED);
        Self {
            root,
            render_name,
            total: total as i64,
            likes: all.iter().map(|entry| entry.row.like_count).sum(),
            downloads: all.iter().map(|entry| entry.row.download_count).sum(),
            shown: all.iter().take(SHOWN).map(|entry| entry.row.clone()).collect(),
        }
    }
}

pub async fn show(State(app): State<Arc<App>>, Segment(username): Segment, headers: HeaderMap) -> PageResult {
    Ok(page::cached(&app, &headers, async { render(&app, &username) }).await)
}

/// From memory alone.
fn render(app: &App, username: &str) -> Result<String, ApiError> {
    let skins = OwnedTextures::load(&app.catalogue.skins(), username, "/skins", "skin");
    let capes = OwnedTextures::load(&app.catalogue.capes(), username, "/capes", "cape");
    let owner = skins.shown.first().or(capes.shown.first()).map(|texture| texture.owner.clone());
    let owner = owner.ok_or_else(|| ApiError::NotFound("Creator not found".into()))?;
    let path = format!("/creators/{}", crate::http::query::encode(&owner.username));
    page::render(&CreatorPage {
        layout: Layout::public("/skins", path),
        username: owner.username,
        avatar: owner.avatar,
        skins,
        capes,
    })
}

impl CreatorPage {
    /// Name and value of each figure.
    fn figures(&self) -> [(&'static str, i64); 4] {
        [
            ("Skins", self.skins.total),
            ("Capes", self.capes.total),
            ("Likes", self.skins.likes + self.capes.likes),
            ("Downloads", self.skins.downloads + self.capes.downloads),
        ]
    }

    /// Both kinds with their headings.
    fn parts(&self) -> [(&'static str, &OwnedTextures); 2] {
        [("Skins", &self.skins), ("Capes", &self.capes)]
    }

    fn description(&self) -> String {
        let language = view::language();
        let skins = language.translate_plural("{} skin|{} skins", self.skins.total);
        let capes = language.translate_plural("{} cape|{} capes", self.capes.total);
        format!("{}: {skins}, {capes}.", self.username)
    }
}
