//! `/servers/{slug}/review`: players with a linked account review servers on which they have played.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{Response, StatusCode};

use super::server_tile::{CardSource, ServerCard};
use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::moderation::text::{self, MAX_REVIEW_CHARS, MIN_REVIEW_CHARS};
use crate::moderation::{CAP_PERIOD, Verdict};
use crate::web::contribution_status;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::filters;
use crate::web::form_rejection::FormRejection;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::path_segment::Segment;
use crate::web::session::or_not_found;
use crate::web::view::language;
use rollcall_model::message::{Message, translatable};
use rollcall_store::player_links::{self, PlayerLink};
use rollcall_store::submitted_reviews::{self, NewReview, SubmitOutcome, SubmittedReview};
use rollcall_store::{Conn, Result, player_sessions, server_access};

#[derive(Template)]
#[template(path = "site/review.html")]
struct ReviewPage {
    layout: Layout,
    csrf_token: String,
    server: ServerCard,
    /// Why the user cannot review the server.
    blocked: Option<String>,
    nickname: String,
    /// The status of the stored review.
    status: Option<String>,
    rating: i64,
    content: String,
    min_chars: usize,
    max_chars: usize,
    success: Option<&'static str>,
    error: Option<String>,
}

fn find(app: &App, slug: &str) -> std::result::Result<ServerCard, ApiError> {
    let servers = app.catalogue.servers();
    let entry = servers.by_slug(slug).ok_or_else(|| ApiError::NotFound("Server not found".into()))?;
    CardSource::from(entry).card()
}

/// What decides whether a user may review a server, and their review.
struct Reviewer {
    link: Option<PlayerLink>,
    play_seconds: i64,
    manages: bool,
    /// Only this server says that the player is theirs.
    is_vouched_by_server: bool,
    review: Option<SubmittedReview>,
}

fn load(conn: &mut Conn, server_n: i64, slug: &str, account_n: i64) -> Result<Reviewer> {
    let link = player_links::of_account(conn, account_n)?;
    let player_n = link.as_ref().map(|link| link.player_n);
    let play_seconds = match player_n {
        Some(player_n) => player_sessions::play_time(conn, player_n, server_n)?,
        None => 0,
    };
    let review = submitted_reviews::find(conn, server_n, account_n, None)?;
    let manages = server_access::find(conn, slug, account_n, false)?.is_some();
    let is_vouched_by_server = player_links::is_vouched_by(conn, account_n, server_n)?;
    Ok(Reviewer { link, play_seconds, manages, is_vouched_by_server, review })
}

impl Reviewer {
    /// The player to review as, or why the user may not.
    fn player(&self, required_seconds: i64) -> std::result::Result<&PlayerLink, Message> {
        if self.manages {
            return Err(translatable("You manage this server, so you cannot review it.").into());
        }
        let Some(link) = &self.link else {
            return Err(translatable(
                "Only players can review servers: link your account with your game account first.",
            )
            .into());
        };
        if self.is_vouched_by_server {
            return Err(translatable(
                "Only this server vouches for your player. Prove that the player is yours by joining our listener, then review it.",
            )
            .into());
        }
        if self.play_seconds < required_seconds {
            return Err(Message::new(
                "You need {} minutes of play on this server to review it; you have {}.",
                &[&(required_seconds / 60), &(self.play_seconds / 60)],
            ));
        }
        Ok(link)
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Segment(slug): Segment,
    user: CurrentUser,
    RawQuery(query): RawQuery,
) -> PageResult {
    let server = find(&app, &slug)?;
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let success = match query.get("done") {
        Some("shown") => Some(translatable("Thank you. Your review is shown on the page of the server.")),
        Some("held") => Some(translatable("Thank you. A moderator looks at your review before it is shown.")),
        Some("deleted") => Some(translatable("Review deleted.")),
        _ => None,
    };
    Ok(render(&app, &user, server, None, success, None).await?)
}

async fn render(
    app: &App,
    user: &CurrentUser,
    server: ServerCard,
    entered: Option<(i64, String)>,
    success: Option<&'static str>,
    error: Option<String>,
) -> std::result::Result<Response<Body>, ApiError> {
    let (n, slug, account_n) = (server.n, server.slug.clone(), user.account.n);
    let reviewer = app.pool.read(move |conn| load(conn, n, &slug, account_n)).await?;
    let blocked = reviewer.player(app.moderation.review_play_seconds).err();
    let stored = reviewer.review.as_ref().map(|review| (review.rating, review.content.clone()));
    let (rating, content) = entered.or(stored).unwrap_or_default();
    Ok(page::private(&ReviewPage {
        layout: Layout::new("/servers"),
        csrf_token: user.session.csrf_token(),
        server,
        blocked: blocked.map(|message| language().message(&message)),
        nickname: reviewer.link.map(|link| link.nickname).unwrap_or_default(),
        status: reviewer.review.map(|review| review.status),
        rating,
        content,
        min_chars: MIN_REVIEW_CHARS,
        max_chars: MAX_REVIEW_CHARS,
        success,
        error,
    }))
}

impl ReviewPage {
    fn ratings(&self) -> [i64; 5] {
        [5, 4, 3, 2, 1]
    }

    fn status_name(&self, status: &str) -> &'static str {
        contribution_status::name(status)
    }

    fn status_class(&self, status: &str) -> &'static str {
        contribution_status::class(status)
    }
}

pub async fn submit(State(app): State<Arc<App>>, Segment(slug): Segment, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let server = find(&app, &slug)?;
    let content = text::normalized(form.raw("content"));
    let rating = form.text("rating").parse().unwrap_or(0);
    match write(&app, user, &server, rating, &content).await? {
        Ok(SubmitOutcome::Held) => Ok(page::redirect(&format!("/servers/{}/review?done=held", server.slug))),
        Ok(_) => Ok(page::redirect(&format!("/servers/{}/review?done=shown", server.slug))),
        Err(rejection) => {
            let error = Some(language().message(&rejection.message));
            let shown = content.chars().take(MAX_REVIEW_CHARS).collect();
            let page = render(&app, user, server, Some((rating, shown)), None, error).await?;
            Ok(rejection.respond(page))
        }
    }
}

async fn write(
    app: &App,
    user: &CurrentUser,
    server: &ServerCard,
    rating: i64,
    content: &str,
) -> std::result::Result<std::result::Result<SubmitOutcome, FormRejection>, ApiError> {
    if !(1..=5).contains(&rating) {
        return Ok(Err(FormRejection::invalid(translatable("Choose one to five stars."))));
    }
    if let Err(error) = text::check(content, MIN_REVIEW_CHARS, MAX_REVIEW_CHARS) {
        return Ok(Err(FormRejection::invalid(error)));
    }
    let held = match app.moderation.rules.check(&[content], &[], user.account.skips_moderation()) {
        Verdict::Shown => None,
        Verdict::Held(why) => Some(why),
        Verdict::Refused(error) => return Ok(Err(FormRejection::invalid(error))),
    };
    let (n, slug, account_n, author) = (server.n, server.slug.clone(), user.account.n, user.author());
    let (content, limits) = (content.to_owned(), app.moderation.clone());
    app.pool
        .write(move |conn| {
            let since = author.at - CAP_PERIOD;
            if submitted_reviews::written_since(conn, account_n, since)? >= limits.reviews_per_day {
                let error = translatable("You have written too many reviews within a day. Try again tomorrow.");
                return Ok(Err(FormRejection::too_many(error, CAP_PERIOD / 1000)));
            }
            let reviewer = load(conn, n, &slug, account_n)?;
            let link = match reviewer.player(limits.review_play_seconds) {
                Ok(link) => link,
                Err(error) => return Ok(Err(FormRejection::new(StatusCode::FORBIDDEN, error))),
            };
            let nickname = link.nickname.clone();
            let new = NewReview { server_n: n, account_n, player_n: link.player_n, nickname, rating, content, held };
            Ok(match submitted_reviews::submit(conn, &new, &author)? {
                SubmitOutcome::ReviewedByAnotherAccount => Err(FormRejection::new(
                    StatusCode::CONFLICT,
                    translatable("Another account has already reviewed this server as this player."),
                )),
                SubmitOutcome::Gone => {
                    Err(FormRejection::new(StatusCode::NOT_FOUND, translatable("The server is no longer listed.")))
                }
                outcome => Ok(outcome),
            })
        })
        .await
        .map_err(ApiError::from)
}

pub async fn delete(State(app): State<Arc<App>>, Segment(slug): Segment, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let server = find(&app, &slug)?;
    let (n, account_n, author) = (server.n, user.account.n, user.author());
    let deleted = app.pool.write(move |conn| submitted_reviews::delete_own(conn, n, account_n, &author)).await?;
    or_not_found(deleted.then_some(()))?;
    Ok(page::redirect(&format!("/servers/{}/review?done=deleted", server.slug)))
}
