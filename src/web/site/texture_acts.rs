//! Actions on the page of a skin or cape: likes, favorites, downloads, wearing, reports, featuring.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{self, HeaderValue};
use axum::http::{Method, Response, StatusCode};

use super::texture::{Notice, TexturePath, count_visit, show_to_user};
use crate::app::App;
use crate::error::ApiError;
use crate::moderation::text::{self, MAX_NOTE_CHARS, MIN_TEXTURE_REPORT_CHARS};
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::{ActingUser, CurrentUser, Moderator};
use crate::web::error_page;
use crate::web::form_rejection::FormRejection;
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::session::Session;
use crate::web::view::language;
use rollcall_model::message::translatable;
use rollcall_model::time::DAY;
use rollcall_store::player_settings;
use rollcall_store::texture_acts::reports::{self, TextureReportOutcome};
use rollcall_store::texture_acts::visits::VisitKind;
use rollcall_store::texture_acts::{self, MarkKind, MarkOutcome};

pub async fn like(State(app): State<Arc<App>>, path: TexturePath, form: CsrfForm<ActingUser>) -> PageResult {
    mark(&app, &path, &form, MarkKind::Like).await
}

pub async fn favorite(State(app): State<Arc<App>>, path: TexturePath, form: CsrfForm<ActingUser>) -> PageResult {
    mark(&app, &path, &form, MarkKind::Favorite).await
}

/// The form says what shall be, so that sending it twice changes nothing.
async fn mark(app: &App, path: &TexturePath, form: &CsrfForm<ActingUser>, kind: MarkKind) -> PageResult {
    let user = &form.sender.0;
    let texture = path.find(app)?;
    if let Err(seconds) = app.texture_acts.count_change(user.account.n) {
        user.record(SecurityEventKind::ChangesThrottled, None);
        let text =
            translatable("Your account made too many changes within an hour. Nothing was changed; try again later.");
        let response = error_page::with_message(StatusCode::TOO_MANY_REQUESTS, translatable("Too many changes"), text);
        return Ok(page::with_retry_after(response, seconds));
    }
    match app.texture_acts.set_mark(kind, texture.n, user.account.n, form.text("on") == "yes").await? {
        MarkOutcome::Changed | MarkOutcome::Unchanged => Ok(page::redirect(&path.page())),
        MarkOutcome::Gone => Err(ApiError::NotFound("Skin or cape not found".into()).into()),
        MarkOutcome::TooMany => {
            let text = translatable("You have 5,000 favorites. Remove one before you add another.");
            Ok(error_page::with_message(StatusCode::CONFLICT, translatable("Too many favorites"), text))
        }
    }
}

/// The picture as a file. Counted once per account or address and day.
pub async fn download(
    State(app): State<Arc<App>>,
    path: TexturePath,
    method: Method,
    session: Result<Session, PageRejection>,
) -> PageResult {
    let texture = path.find(&app)?;
    let picture = app.media.get(&texture.png).await.map_err(ApiError::from)?;
    let picture = picture.ok_or_else(|| ApiError::NotFound("Picture not found".into()))?;
    if let (Ok(session), &Method::GET) = (&session, &method) {
        count_visit(&app, session, texture.n, VisitKind::Download);
    }
    let mut response = Response::new(Body::from(picture));
    let headers = response.headers_mut();
    // A slug holds letters, digits and hyphens only.
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{}.png\"", texture.slug));
    let disposition = disposition.unwrap_or(HeaderValue::from_static("attachment; filename=\"texture.png\""));
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/png"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let policy = HeaderValue::from_static("default-src 'none'; sandbox");
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(response)
}

/// Puts it on the player that the account is linked with.
pub async fn wear(State(app): State<Arc<App>>, path: TexturePath, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let (n, account_n, author) = (path.find(&app)?.n, user.account.n, user.author());
    let is_skin = path.kind.is_skin();
    let put_on = move |conn: &mut _| player_settings::wear(conn, account_n, n, is_skin, &author);
    match app.pool.write(put_on).await? {
        true => Ok(page::redirect(&format!("{}?done=worn", path.page()))),
        // There the user links a player.
        false => Ok(page::redirect("/dashboard/player")),
    }
}

/// Reports it to the moderators.
pub async fn report(State(app): State<Arc<App>>, path: TexturePath, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let texture = path.find(&app)?;
    let why = text::normalized(form.raw("why"));
    let rejection = match text::check(&why, MIN_TEXTURE_REPORT_CHARS, MAX_NOTE_CHARS) {
        Err(error) => FormRejection::invalid(error),
        Ok(()) => {
            let (n, account_n, author, entered) = (texture.n, user.account.n, user.author(), why.clone());
            let write = move |conn: &mut _| reports::report(conn, n, account_n, &entered, &author);
            match app.pool.write(write).await? {
                TextureReportOutcome::Reported | TextureReportOutcome::AlreadyReported => {
                    return Ok(page::redirect(&format!("{}?done=reported", path.page())));
                }
                TextureReportOutcome::Gone => return Err(ApiError::NotFound("Skin or cape not found".into()).into()),
                TextureReportOutcome::TooMany => {
                    let error = translatable("You have reported too much within a day. Try again tomorrow.");
                    FormRejection::too_many(error, DAY / 1000)
                }
            }
        }
    };
    let notice = Notice {
        error: Some(language().message(&rejection.message)),
        why: why.chars().take(MAX_NOTE_CHARS).collect(),
        ..Notice::default()
    };
    let page = show_to_user(&app, &path, texture, (&user.session, &user.account), notice).await?;
    Ok(rejection.respond(page))
}

/// Moderators choose what is featured.
pub async fn feature(State(app): State<Arc<App>>, path: TexturePath, form: CsrfForm<Moderator>) -> PageResult {
    let user = &form.sender.0;
    let (n, is_featured, author) = (path.find(&app)?.n, form.text("on") == "yes", user.author());
    let write = move |conn: &mut _| texture_acts::set_featured(conn, n, is_featured, &author);
    if !app.pool.write(write).await? {
        return Err(ApiError::NotFound("Skin or cape not found".into()).into());
    }
    let done = if is_featured { "featured" } else { "unfeatured" };
    user.record(SecurityEventKind::ModeratorAct, Some(&format!("{done} {}", path.page())));
    Ok(page::redirect(&format!("{}?done={done}", path.page())))
}
