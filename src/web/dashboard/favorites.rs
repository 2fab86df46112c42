//! `/dashboard/favorites`: the favorites of a user, in collections that only they see.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::routing::get;

use super::DashboardLayout;
use crate::app::App;
use crate::http::query::Query;
use crate::moderation::text;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::filters;
use crate::web::form_route::form_route;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::session::{PathId, or_not_found};
use rollcall_model::message::{Message, translatable};
use rollcall_model::text::is_control_or_bidi;
use rollcall_store::texture_acts::collections::{
    self, Collection, CollectionOutcome, Favorite, FavoritesIn, MAX_COLLECTIONS,
};
use rollcall_store::texture_acts::count_favorites;
use rollcall_store::{Conn, Result};

const PATH: &str = "/dashboard/favorites";
const PAGE_SIZE: i64 = 48;
const MAX_NAME_CHARS: usize = 40;
/// The value of `collection` for favorites in none.
const NONE: &str = "none";

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route(PATH, get(show))
        .route("/dashboard/favorites/create", form_route(PATH, create))
        .route("/dashboard/favorites/move", form_route(PATH, move_favorite))
        .route("/dashboard/favorites/{id}/rename", form_route(PATH, rename))
        .route("/dashboard/favorites/{id}/delete", form_route(PATH, delete))
}

#[derive(Template)]
#[template(path = "dashboard/favorites.html")]
struct FavoritesPage {
    layout: Layout,
    dashboard: DashboardLayout,
    /// The id of the shown collection, [`NONE`], or empty for all favorites.
    shown: String,
    page: i64,
    stored: StoredFavorites,
    max_name_chars: usize,
}

/// Data of the store for the page.
struct StoredFavorites {
    total: i64,
    unsorted: i64,
    collections: Vec<Collection>,
    favorites: Vec<Favorite>,
    has_more: bool,
}

impl FavoritesPage {
    fn current(&self) -> Option<&Collection> {
        self.stored.collections.iter().find(|collection| collection.id == self.shown)
    }

    fn can_create(&self) -> bool {
        self.stored.collections.len() < MAX_COLLECTIONS
    }

    fn root(&self, favorite: &Favorite) -> &'static str {
        if favorite.is_skin { "/skins" } else { "/capes" }
    }

    fn kind(&self, favorite: &Favorite) -> &'static str {
        if favorite.is_skin { "skin" } else { "cape" }
    }

    fn is_in(&self, favorite: &Favorite, collection: &Collection) -> bool {
        favorite.collection.as_ref() == Some(&collection.id)
    }
}

async fn show(State(app): State<Arc<App>>, user: CurrentUser, RawQuery(query): RawQuery) -> PageResult {
    let dashboard = DashboardLayout::new(&user, PATH).with_success_from(query.as_deref());
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let page = query.get("page").and_then(|page| page.parse().ok()).unwrap_or(1);
    render(&app, &user, dashboard, query.get("collection").unwrap_or_default(), page).await
}

async fn render(app: &App, user: &CurrentUser, dashboard: DashboardLayout, shown: &str, page: i64) -> PageResult {
    let (account_n, page) = (user.account.n, page.clamp(1, 1_000));
    let wanted = shown.to_owned();
    let stored = app.pool.read(move |conn| load(conn, account_n, &wanted, page)).await?;
    Ok(page::private(&FavoritesPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        shown: shown.to_owned(),
        page,
        stored: or_not_found(stored)?,
        max_name_chars: MAX_NAME_CHARS,
    }))
}

/// `None` if the account has no such collection.
fn load(conn: &mut Conn, account_n: i64, shown: &str, page: i64) -> Result<Option<StoredFavorites>> {
    let collections = collections::list(conn, account_n)?;
    let within = match shown {
        "" => FavoritesIn::All,
        NONE => FavoritesIn::NoCollection,
        id => match collections.iter().find(|collection| collection.id == id) {
            Some(collection) => FavoritesIn::Collection(collection.n),
            None => return Ok(None),
        },
    };
    let mut favorites = collections::favorites(conn, account_n, within, (page - 1) * PAGE_SIZE, PAGE_SIZE + 1)?;
    let has_more = favorites.len() as i64 > PAGE_SIZE;
    favorites.truncate(PAGE_SIZE as usize);
    let total = count_favorites(conn, account_n)?;
    Ok(Some(StoredFavorites {
        total,
        unsorted: collections::count_unsorted(conn, account_n)?,
        collections,
        favorites,
        has_more,
    }))
}

/// Shows the page again with an error message.
async fn reject(app: &App, user: &CurrentUser, status: StatusCode, error: impl Into<Message>) -> PageResult {
    let dashboard = DashboardLayout::new(user, PATH).with_error(error);
    Ok(page::with_status(render(app, user, dashboard, "", 1).await?, status))
}

/// The name of a collection, on one line.
fn check_name(name: &str) -> std::result::Result<(), Message> {
    if name.is_empty() {
        return Err(translatable("Enter a name for the collection.").into());
    }
    if name.chars().any(is_control_or_bidi) {
        return Err(translatable("The name must not contain control or direction characters.").into());
    }
    text::check(name, 1, MAX_NAME_CHARS)
}

async fn respond(app: &App, user: &CurrentUser, outcome: CollectionOutcome, done: &str) -> PageResult {
    let error = match outcome {
        CollectionOutcome::Done => return Ok(page::redirect(done)),
        CollectionOutcome::NotFound => return or_not_found(None),
        CollectionOutcome::NameTaken => translatable("You have a collection of this name.").into(),
        CollectionOutcome::TooMany => {
            Message::new("You have {} collections. Delete one before you create another.", &[&MAX_COLLECTIONS])
        }
    };
    reject(app, user, StatusCode::CONFLICT, error).await
}

async fn create(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let (user, name) = (&form.sender, form.text("name").to_owned());
    if let Err(error) = check_name(&name) {
        return reject(&app, user, StatusCode::UNPROCESSABLE_ENTITY, error).await;
    }
    let (account_n, now) = (user.account.n, user.session.now);
    let outcome = app.pool.write(move |conn| collections::create(conn, account_n, &name, now)).await?;
    respond(&app, user, outcome, "/dashboard/favorites?done=collection-created").await
}

async fn rename(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let (user, name) = (&form.sender, form.text("name").to_owned());
    if let Err(error) = check_name(&name) {
        return reject(&app, user, StatusCode::UNPROCESSABLE_ENTITY, error).await;
    }
    let (account_n, done) = (user.account.n, format!("{PATH}?collection={id}&done=collection-renamed"));
    let outcome = app.pool.write(move |conn| collections::rename(conn, account_n, &id, &name)).await?;
    respond(&app, user, outcome, &done).await
}

/// The favorites in it stay.
async fn delete(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let account_n = user.account.n;
    let outcome = app.pool.write(move |conn| collections::delete(conn, account_n, &id)).await?;
    respond(&app, user, outcome, "/dashboard/favorites?done=collection-deleted").await
}

async fn move_favorite(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let (user, slug) = (&form.sender, form.text("slug"));
    let texture_n = match form.text("kind") {
        "cape" => app.catalogue.capes().by_slug(slug).map(|entry| entry.row.n),
        _ => app.catalogue.skins().by_slug(slug).map(|entry| entry.row.n),
    };
    let texture_n = or_not_found(texture_n)?;
    let to = Some(form.text("to").to_owned()).filter(|to| !to.is_empty());
    let (account_n, now) = (user.account.n, user.session.now);
    let moved =
        app.pool.write(move |conn| collections::move_favorite(conn, account_n, texture_n, to.as_deref(), now)).await?;
    // Back to the list from which it was moved.
    let from = form.text("from");
    let is_plain = !from.is_empty() && from.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let done = match is_plain {
        true => format!("{PATH}?collection={from}&done=favorite-moved"),
        false => format!("{PATH}?done=favorite-moved"),
    };
    respond(&app, user, moved, &done).await
}
