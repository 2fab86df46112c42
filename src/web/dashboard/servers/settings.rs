//! `/dashboard/servers/{slug}/settings`: what owners and editors change about a server, who may, and its end.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::add::check_texts;
use super::{accessible, owned};
use crate::app::App;
use crate::error::ApiError;
use crate::listings;
use crate::tracked_servers::ServerError;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::server_form::{EnteredServer, edition_label, explain};
use crate::web::session::{PathId, or_not_found};
use crate::web::upload_form::UploadForm;
use crate::web::view::language;
use rollcall_minecraft::Edition;
use rollcall_model::message::{Message, translatable};
use rollcall_store::audit::Author;
use rollcall_store::listings::claims;
use rollcall_store::listings::editors::{self, AddOutcome};
use rollcall_store::listings::{self as listing_rows, Listing};
use rollcall_store::media::Media;
use rollcall_store::server_access::ManagedServer;
use rollcall_store::servers::{self, ServerListing};
use rollcall_store::{Conn, Result};

#[derive(Template)]
#[template(path = "dashboard/server_settings.html")]
struct SettingsPage {
    layout: Layout,
    dashboard: DashboardLayout,
    server: ManagedServer,
    stored: Stored,
    entered: EnteredServer,
}

/// Data of the store for the page.
struct Stored {
    row: ServerListing,
    /// The settings as the form shows them.
    settings: EnteredServer,
    listing: Option<Listing>,
    editors: Vec<String>,
    /// The address that the user moves the server to, and has not proved yet.
    moves_to: Option<String>,
    /// The path of the banner that is shown.
    banner: String,
}

impl SettingsPage {
    fn tab(&self) -> &'static str {
        "settings"
    }

    /// Why the server is not shown, if so.
    fn notice(&self) -> Option<String> {
        let listing = self.stored.listing.as_ref()?;
        let text = match (listing.deleted_at, listing.archived_at) {
            (Some(_), _) => translatable(
                "You deleted this server. It is removed with its history after 30 days; until then you can restore it.",
            ),
            (None, Some(_)) => {
                translatable("This server is archived: it is hidden and not pinged. Its history is kept.")
            }
            _ => return (!listing.reason.is_empty()).then(|| language().translate(&listing.reason).to_owned()),
        };
        Some(language().translate(text).to_owned())
    }

    fn has_own_banner(&self) -> bool {
        self.stored.listing.as_ref().is_some_and(|listing| !listing.banner.is_empty())
    }

    fn edition(&self) -> &'static str {
        edition_label(Edition::parse(&self.stored.row.edition).unwrap_or_default())
    }

    fn is_archived(&self) -> bool {
        self.stored.listing.as_ref().is_some_and(|listing| listing.archived_at.is_some())
    }
}

fn load(conn: &mut Conn, server_n: i64, account_n: i64, now: i64) -> Result<Option<Stored>> {
    let Some(row) = servers::listing_by_number(conn, server_n)? else { return Ok(None) };
    let Some(details) = servers::by_number(conn, server_n)? else { return Ok(None) };
    let listing = listing_rows::of_server(conn, server_n)?;
    let mut settings = EnteredServer::stored(&row, &details);
    if let Some(listing) = &listing {
        listing.visibility.name().clone_into(&mut settings.visibility);
    }
    let editors = editors::of_server(conn, server_n)?;
    let claim = claims::find(conn, server_n, account_n, now)?;
    let claim = claim.filter(|claim| (&claim.host, claim.port) != (&row.ip, row.port));
    let moves_to = claim.map(|claim| servers::address(&claim.host, claim.port));
    Ok(Some(Stored { settings, listing, editors, moves_to, banner: details.banner, row }))
}

async fn stored(app: &App, user: &CurrentUser, server: &ManagedServer) -> std::result::Result<Stored, PageRejection> {
    let (n, account_n, now) = (server.n, user.account.n, user.session.now);
    or_not_found(app.pool.read(move |conn| load(conn, n, account_n, now)).await?)
}

fn dashboard(user: &CurrentUser) -> DashboardLayout {
    DashboardLayout::new(user, "/dashboard/servers")
}

pub async fn show(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(slug): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let server = accessible(&app, &user, &slug).await?;
    let stored = stored(&app, &user, &server).await?;
    let entered = stored.settings.clone();
    let dashboard = dashboard(&user).with_success_from(query.as_deref());
    Ok(page::private(&SettingsPage { layout: Layout::new("/dashboard"), dashboard, server, stored, entered }))
}

/// The page with an error, and what was entered.
pub async fn rejected(
    app: &App,
    user: &CurrentUser,
    server: ManagedServer,
    entered: Option<EnteredServer>,
    error: impl Into<Message>,
) -> PageResult {
    let stored = stored(app, user, &server).await?;
    let entered = entered.unwrap_or_else(|| stored.settings.clone());
    let dashboard = dashboard(user).with_error(error);
    let page = SettingsPage { layout: Layout::new("/dashboard"), dashboard, server, stored, entered };
    Ok(page::with_status(page::private(&page), StatusCode::UNPROCESSABLE_ENTITY))
}

fn saved(slug: &str, done: &str) -> PageResult {
    Ok(page::redirect(&format!("/dashboard/servers/{slug}/settings?done={done}")))
}

pub async fn save(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let server = accessible(&app, user, &slug).await?;
    let stored = stored(&app, user, &server).await?;
    let entered = EnteredServer::of_owner_form(&form, stored.settings.clone());
    let settings = match entered.differences(&stored.settings) {
        Ok(settings) => settings,
        Err(error) => return rejected(&app, user, server, Some(entered), error).await,
    };
    let held = match check_texts(&app, user, &entered, &stored.settings) {
        Ok(held) => held,
        Err(error) => return rejected(&app, user, server, Some(entered), error).await,
    };
    let (media, author, row, account_n) = (app.media.clone(), user.author(), stored.row, user.account.n);
    let work = move |conn: &mut Conn| {
        let slug = listings::change_settings(conn, &media, &row, &settings, &author)?;
        if let Some(why) = held {
            listings::hold(conn, &media, (row.n, Some(account_n)), &why, &author)?;
        }
        Ok(slug)
    };
    match app.pool.try_write(work).await {
        Ok(slug) => saved(&slug, "server-changed"),
        Err(error) => rejected(&app, user, server, Some(entered), explain(error)?).await,
    }
}

pub async fn add_editor(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let server = owned(&app, user, &slug).await?;
    let (n, username, author) = (server.n, form.text("username").to_owned(), user.author());
    let added = move |conn: &mut Conn| conn.transaction(|conn| editors::add(conn, n, &username, &author));
    let error: Message = match app.pool.write(added).await? {
        AddOutcome::Added => return saved(&slug, "editor-added"),
        AddOutcome::NoSuchAccount => translatable("No account has this username.").into(),
        AddOutcome::IsOwner => translatable("This account owns the server.").into(),
        AddOutcome::AlreadyEditor => translatable("This account is an editor already.").into(),
        AddOutcome::TooMany => Message::new("A server has at most {} editors.", &[&editors::MAX_EDITORS]),
    };
    rejected(&app, user, server, None, error).await
}

pub async fn remove_editor(
    State(app): State<Arc<App>>,
    PathId(slug): PathId,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let user = &form.sender;
    let server = owned(&app, user, &slug).await?;
    let (n, username, author) = (server.n, form.text("username").to_owned(), user.author());
    app.pool.write(move |conn| conn.transaction(|conn| editors::remove(conn, n, &username, &author))).await?;
    saved(&slug, "editor-removed")
}

/// Takes a picture that is shown instead of the drawn one.
pub async fn upload_banner(
    State(app): State<Arc<App>>,
    PathId(slug): PathId,
    upload: UploadForm<CurrentUser>,
) -> PageResult {
    let user = &upload.sender;
    let server = accessible(&app, user, &slug).await?;
    let bytes = upload.file;
    // Decoding takes milliseconds, which other requests must not wait for.
    let png = tokio::task::spawn_blocking(move || rollcall_paint::sanitize_banner(&bytes)).await.ok().flatten();
    let Some(png) = png else {
        let error = translatable("The banner must be a PNG of 936 × 120 or 468 × 60 pixels.");
        return rejected(&app, user, server, None, error).await;
    };
    let stored = app.media.put_png("banner", &png).await;
    let banner = stored.map_err(ApiError::from)?;
    set_banner(&app, user, server, banner, "banner-set").await
}

pub async fn remove_banner(
    State(app): State<Arc<App>>,
    PathId(slug): PathId,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let server = accessible(&app, &form.sender, &slug).await?;
    set_banner(&app, &form.sender, server, String::new(), "banner-removed").await
}

async fn set_banner(app: &App, user: &CurrentUser, server: ManagedServer, banner: String, done: &str) -> PageResult {
    let (row, media, author) = (stored(app, user, &server).await?.row, app.media.clone(), user.author());
    // No rule can read a picture: those of people who have proved nothing are reviewed first.
    let is_held = !banner.is_empty() && !server.role.can_manage() && !user.account.skips_moderation();
    let account_n = user.account.n;
    let work = move |conn: &mut Conn| {
        listings::set_banner(conn, &media, &row, &banner, &author)?;
        if is_held {
            listings::hold(conn, &media, (row.n, Some(account_n)), listings::UNPROVED_BANNER, &author)?;
        }
        Ok(())
    };
    match app.pool.try_write(work).await {
        Ok(()) => saved(&server.slug, if is_held { "banner-held" } else { done }),
        Err(error) => rejected(app, user, server, None, explain(error)?).await,
    }
}

/// A server that the user may archive and delete.
async fn deletable(app: &App, user: &CurrentUser, slug: &str) -> std::result::Result<ManagedServer, PageRejection> {
    let server = accessible(app, user, slug).await?;
    or_not_found(server.role.can_delete().then_some(server))
}

type Act = fn(&mut Conn, &Media, &ServerListing, &Author) -> std::result::Result<(), ServerError>;

/// Acts on a whole server.
async fn act(app: &App, user: &CurrentUser, slug: &str, act: Act, done: &str) -> PageResult {
    let server = deletable(app, user, slug).await?;
    let (row, media, author) = (stored(app, user, &server).await?.row, app.media.clone(), user.author());
    match app.pool.try_write(move |conn| act(conn, &media, &row, &author)).await {
        Ok(()) => saved(slug, done),
        Err(error) => rejected(app, user, server, None, explain(error)?).await,
    }
}

pub async fn archive(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    act(&app, &form.sender, &slug, listings::archive, "server-archived").await
}

pub async fn restore(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    act(&app, &form.sender, &slug, listings::restore, "server-restored").await
}

pub async fn delete(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    if form.text("sure") != "yes" {
        let server = deletable(&app, &form.sender, &slug).await?;
        let error = translatable("Nothing was changed. Go back and check the box to confirm.");
        return rejected(&app, &form.sender, server, None, error).await;
    }
    act(&app, &form.sender, &slug, listings::delete, "server-deleted").await
}
