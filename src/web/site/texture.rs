//! `/skins/{slug}` and `/capes/{slug}`: one skin or cape, who wears it, and what a signed-in user can do with it.

use std::convert::Infallible;
use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{FromRequestParts, Path, RawQuery, State};
use axum::http::header::HeaderMap;
use axum::http::request::Parts;
use axum::http::{Method, Response};

use super::player_link::PlayerLinks;
use super::textures::TextureKind;
use super::unlisted_texture;
use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::moderation::text::MAX_NOTE_CHARS;
use crate::texture_acts::ClientVisit;
use crate::v1::textures::load_wearers;
use crate::web::layout::Layout;
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::session::Session;
use crate::web::view;
use crate::web::{assets, filters};
use rollcall_model::message::translatable;
use rollcall_model::resources::TextureWearer;
use rollcall_store::accounts::Account;
use rollcall_store::texture_acts::visits::VisitKind;
use rollcall_store::textures::{self, TextureRow};
use rollcall_store::{Conn, player_settings};

/// The texture that a path names. It may not exist.
pub struct TexturePath {
    pub kind: TextureKind,
    slug: String,
}

impl FromRequestParts<Arc<App>> for TexturePath {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Self::Rejection> {
        let kind = if parts.uri.path().starts_with("/capes/") { TextureKind::Cape } else { TextureKind::Skin };
        // A path that is not UTF-8 names nothing.
        let path: Result<Path<String>, _> = Path::from_request_parts(parts, app).await;
        Ok(Self { kind, slug: path.map_or_else(|_| String::new(), |Path(slug)| slug) })
    }
}

impl TexturePath {
    pub fn find(&self, app: &App) -> Result<TextureRow, ApiError> {
        let found = match self.kind {
            TextureKind::Skin => app.catalogue.skins().by_slug(&self.slug).map(|entry| entry.row.clone()),
            TextureKind::Cape => app.catalogue.capes().by_slug(&self.slug).map(|entry| entry.row.clone()),
        };
        found.ok_or_else(|| ApiError::NotFound("Skin or cape not found".into()))
    }

    /// The address of the page.
    pub fn page(&self) -> String {
        format!("{}/{}", self.kind.root(), self.slug)
    }
}

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
    /// Data of the signed-in user; `None` on the page that is cached for everyone.
    user: Option<UserPart>,
}

/// Content for one user only.
struct UserPart {
    csrf_token: String,
    liked: bool,
    favorited: bool,
    is_owner: bool,
    is_moderator: bool,
    wearing: Wearing,
    notice: Notice,
}

/// Whether the player of the user can wear it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wearing {
    NotLinked,
    /// Another one.
    Other,
    This,
}

/// Result of the last action.
#[derive(Clone, Default)]
pub struct Notice {
    pub success: Option<&'static str>,
    pub error: Option<String>,
    /// The text of a report that was rejected.
    pub why: String,
}

/// The messages that `?done=` names.
const SUCCESS_MESSAGES: &[(&str, &str)] = &[
    ("worn", translatable("Your player wears it. Its page changes within a few seconds.")),
    ("reported", translatable("Reported. A moderator will look at it.")),
    ("featured", translatable("It is featured now.")),
    ("unfeatured", translatable("It is no longer featured.")),
];

/// The page for everyone is cached; a signed-in user gets one of their own, which is not.
pub async fn show(
    State(app): State<Arc<App>>,
    path: TexturePath,
    method: Method,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    session: Result<Session, PageRejection>,
) -> PageResult {
    let Ok(texture) = path.find(&app) else { return Ok(show_unlisted(&app, path, &headers).await) };
    // Without the ledger no user is signed in, but the page is public.
    let Ok(session) = session else { return Ok(show_public(&app, &path, texture, &headers).await) };
    let is_prefetch = headers.get("sec-purpose").is_some_and(|purpose| purpose.as_bytes().starts_with(b"prefetch"));
    if method == Method::GET && !is_prefetch {
        count_visit(&app, &session, texture.n, VisitKind::View);
    }
    let Some(account) = session.account().filter(|_| session.is_signed_in()) else {
        return Ok(show_public(&app, &path, texture, &headers).await);
    };
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let done = SUCCESS_MESSAGES.iter().find(|(name, _)| query.get("done") == Some(name));
    let notice = Notice { success: done.map(|(_, text)| *text), ..Notice::default() };
    show_to_user(&app, &path, texture, (&session, account), notice).await
}

/// Beside the cache: also a cached page counts.
pub fn count_visit(app: &App, session: &Session, texture_n: i64, kind: VisitKind) {
    let account_n = session.account().filter(|_| session.is_signed_in()).map(|account| account.n);
    app.texture_acts.visits.count(ClientVisit { texture_n, kind, account_n, client: session.client });
}

async fn show_public(app: &Arc<App>, path: &TexturePath, texture: TextureRow, headers: &HeaderMap) -> Response<Body> {
    let kind = path.kind;
    let render = page::render_from_store(app, move |app, conn| {
        page::render(&load(app, conn, kind, texture.clone(), None, |_, _| Ok(None))?)
    });
    page::cached(app, headers, render).await
}

async fn show_unlisted(app: &Arc<App>, path: TexturePath, headers: &HeaderMap) -> Response<Body> {
    let render =
        page::render_from_store(app, move |app, conn| unlisted_texture::render(app, conn, path.kind, &path.slug));
    page::cached(app, headers, render).await
}

/// The page with the forms of a signed-in user. Counts come from the store: the user may have changed them a moment ago.
pub async fn show_to_user(
    app: &Arc<App>,
    path: &TexturePath,
    texture: TextureRow,
    (session, account): (&Session, &Account),
    notice: Notice,
) -> PageResult {
    let (kind, csrf_token) = (path.kind, session.csrf_token());
    let (account_n, is_moderator) = (account.n, account.is_moderator());
    let html = page::render_for_user(app, move |app, conn| {
        let counts = textures::counts(conn, texture.n)?;
        let counts = counts.ok_or_else(|| ApiError::NotFound("Skin or cape not found".into()))?;
        let (mut texture, csrf_token, notice) = (texture.clone(), csrf_token.clone(), notice.clone());
        texture.view_count = counts.views;
        texture.download_count = counts.downloads;
        texture.like_count = counts.likes;
        texture.favorite_count = counts.favorites;
        texture.usage_count = counts.uses;
        texture.is_featured = counts.is_featured;
        let slug = texture.slug.clone();
        let page = load(app, conn, kind, texture, Some(account_n), |conn, viewer| {
            let wearing = match player_settings::of_account(conn, account_n)? {
                None => Wearing::NotLinked,
                Some(settings) if kind.is_skin() && settings.skin_slug == slug => Wearing::This,
                Some(settings) if !kind.is_skin() && settings.cape_slug.as_ref() == Some(&slug) => Wearing::This,
                Some(_) => Wearing::Other,
            };
            Ok(Some(UserPart {
                csrf_token,
                liked: viewer.liked,
                favorited: viewer.favorited,
                is_owner: viewer.is_owner,
                is_moderator,
                wearing,
                notice,
            }))
        })?;
        page::render(&page)
    });
    Ok(page::private_html(html.await?))
}

fn load(
    app: &App,
    conn: &mut Conn,
    kind: TextureKind,
    texture: TextureRow,
    account_n: Option<i64>,
    user: impl FnOnce(&mut Conn, &rollcall_model::resources::Viewer) -> Result<Option<UserPart>, ApiError>,
) -> Result<TexturePage, ApiError> {
    let wearers = load_wearers(app, conn, &texture, account_n)?;
    Ok(TexturePage {
        user: user(conn, &wearers.viewer)?,
        layout: layout(app, kind, &texture.slug),
        links: PlayerLinks::load(conn, wearers.players.iter().map(|player| player.main_nickname.as_str()))?,
        default_skin: app.default_skin(),
        kind,
        texture,
        wearers: wearers.players,
    })
}

fn layout(app: &App, kind: TextureKind, slug: &str) -> Layout {
    let path = format!("{}/{slug}", kind.root());
    let card = if kind.is_skin() { "skin" } else { "cape" };
    Layout::public(kind.root(), path.clone())
        .with_json(format!("/v1{path}"))
        .with_card(format!("{}/card/{card}/{slug}.png", app.public_url))
}

impl TexturePage {
    fn max_why_chars(&self) -> usize {
        MAX_NOTE_CHARS
    }

    fn can_wear(&self) -> bool {
        self.user.as_ref().is_some_and(|user| user.wearing == Wearing::Other)
    }

    fn wears(&self) -> bool {
        self.user.as_ref().is_some_and(|user| user.wearing == Wearing::This)
    }

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

    /// The address of the page.
    fn page(&self) -> String {
        format!("{}/{}", self.kind.root(), self.texture.slug)
    }

    /// The last segment of the form, the name of the button, its icon (SVG path data in a box of 24 by 24), and whether it is on.
    fn marks(&self) -> [(&'static str, &'static str, &'static str, bool); 2] {
        let is_on = |is_on: fn(&UserPart) -> bool| self.user.as_ref().is_some_and(is_on);
        [
            ("like", translatable("Like"), "M12 20 4 12a5 5 0 0 1 8-6 5 5 0 0 1 8 6Z", is_on(|user| user.liked)),
            ("favorite", translatable("Favorite"), "M6 4h12v16l-6-4-6 4Z", is_on(|user| user.favorited)),
        ]
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
