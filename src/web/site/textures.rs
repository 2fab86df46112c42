//! `/skins` and `/capes`: grids with every filter and sort order of the API.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;

use super::list_query::ListQuery;
use super::paging::Paging;
use crate::app::App;
use crate::catalogue::{TextureSort, Textures};
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::textures::ListParams;
use crate::v1::{capes, skins};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;
use crate::web::view;
use rollcall_model::resources::Pagination;
use rollcall_store::textures::TextureRow;

/// Tags that have a link; the most common ones.
const POPULAR_TAGS: usize = 20;
/// Tags in the list of the form field.
const SUGGESTED_TAGS: usize = 100;

/// A sort order of the pages only.
const TRENDING: &str = "trending";

/// Skins or capes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TextureKind {
    Skin,
    Cape,
}

impl TextureKind {
    /// The address of the list.
    pub fn root(self) -> &'static str {
        match self {
            Self::Skin => "/skins",
            Self::Cape => "/capes",
        }
    }

    /// The segment of `/render/…`.
    pub fn render_name(self) -> &'static str {
        match self {
            Self::Skin => "skin",
            Self::Cape => "cape",
        }
    }

    pub fn is_skin(self) -> bool {
        self == Self::Skin
    }

    fn params(self, query: &Query) -> Result<ListParams, ApiError> {
        match self {
            Self::Skin => skins::list::params(query),
            Self::Cape => capes::list::params(query),
        }
    }
}

#[derive(Template)]
#[template(path = "site/textures.html")]
struct TexturesPage {
    layout: Layout,
    kind: TextureKind,
    query: Query,
    textures: Vec<TextureRow>,
    /// Tag and number of textures, most first.
    tags: Vec<(String, i64)>,
    paging: Paging,
    error: Option<String>,
}

pub async fn skins(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    page::cached(&app, &headers, async { render(&app, TextureKind::Skin) }).await
}

pub async fn capes(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    page::cached(&app, &headers, async { render(&app, TextureKind::Cape) }).await
}

/// From memory alone, like the API.
fn render(app: &App, kind: TextureKind) -> Result<String, ApiError> {
    let list_query = ListQuery::current(kind.root())?;
    // The pages have one order more than the API, whose call is then the one without it.
    let is_trending = list_query.query.get("sort") == Some(TRENDING);
    let read = |query: &Query| if is_trending { kind.params(&query.without("sort")) } else { kind.params(query) };
    let (mut params, error) = list_query.params(read)?;
    let mut layout = list_query.layout();
    if is_trending {
        params.sort = TextureSort::Trending;
        layout = layout.with_json(format!("/v1{}{}", kind.root(), list_query.query.with("sort", None)));
    }
    let page = params.page;
    let (textures, total, tags) = {
        let all = match kind {
            TextureKind::Skin => app.catalogue.skins(),
            TextureKind::Cape => app.catalogue.capes(),
        };
        let (entries, total) = all.page(&params.filter, params.sort, page.offset(), page.limit as usize);
        (entries.into_iter().map(|entry| entry.row.clone()).collect(), total, popular_tags(&all))
    };
    page::render(&TexturesPage {
        layout,
        paging: list_query.paging(&Pagination::new(page.page, page.limit, total)),
        kind,
        query: list_query.query,
        textures,
        tags,
        error,
    })
}

fn popular_tags(textures: &Textures) -> Vec<(String, i64)> {
    let mut tags: Vec<(String, i64)> = textures.tags().map(|(tag, count)| (tag.to_owned(), count as i64)).collect();
    tags.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    tags.truncate(SUGGESTED_TAGS);
    tags
}

impl TexturesPage {
    fn value(&self, name: &str) -> &str {
        self.query.get(name).unwrap_or_default()
    }

    fn is_set(&self, name: &str, value: &str) -> bool {
        self.value(name).eq_ignore_ascii_case(value)
    }

    /// The list with one tag turned on, or off if it is on.
    fn tag_url(&self, tag: &str) -> String {
        let value = (!self.is_set("tag", tag)).then_some(tag);
        format!("{}{}", self.kind.root(), self.query.with("tag", value))
    }

    fn top_tags(&self) -> &[(String, i64)] {
        &self.tags[..self.tags.len().min(POPULAR_TAGS)]
    }

    /// Capes are not counted by use.
    fn sorts(&self) -> &'static [(&'static str, &'static str)] {
        const SORTS: [(&str, &str); 9] = [
            ("recent", "Newest"),
            (TRENDING, "Trending"),
            ("popular", "Most popular"),
            ("likes", "Likes"),
            ("favorites", "Favorites"),
            ("views", "Views"),
            ("downloads", "Downloads"),
            ("name", "Name"),
            ("usage", "Wearers"),
        ];
        &SORTS[..if self.kind.is_skin() { SORTS.len() } else { SORTS.len() - 1 }]
    }

    fn is_sort(&self, sort: &str) -> bool {
        self.query.get("sort").unwrap_or("recent") == sort
    }

    fn models(&self) -> [(&'static str, &'static str); 3] {
        [("", "Any model"), ("classic", "Classic"), ("slim", "Slim")]
    }

    /// Icon (SVG path data in a box of 24 by 24), name and value of the counts on a card.
    fn counts(&self, texture: &TextureRow) -> Vec<(&'static str, &'static str, i64)> {
        let mut counts = vec![
            ("M12 20 4 12a5 5 0 0 1 8-6 5 5 0 0 1 8 6Z", "Likes", texture.like_count),
            ("M12 4v11M7 11l5 5 5-5M5 20h14", "Downloads", texture.download_count),
        ];
        if self.kind.is_skin() {
            counts.push(("M12 4a4 4 0 1 0 .01 0ZM4 21a8 8 0 0 1 16 0", "Wearers", texture.usage_count));
        }
        counts
    }

    fn is_filtered(&self) -> bool {
        ["search", "tag", "owner", "model"].into_iter().any(|name| self.query.get(name).is_some())
    }

    fn title(&self) -> &'static str {
        if self.kind.is_skin() { "Skins" } else { "Capes" }
    }

    fn total(&self) -> String {
        let language = view::language();
        match self.kind {
            TextureKind::Skin => language.translate_plural("{} skin matches|{} skins match", self.paging.total),
            TextureKind::Cape => language.translate_plural("{} cape matches|{} capes match", self.paging.total),
        }
    }

    fn description(&self) -> &'static str {
        match self.kind {
            TextureKind::Skin => "Community skins with previews, tags and downloads.",
            TextureKind::Cape => "Community capes with previews, tags and downloads.",
        }
    }
}
