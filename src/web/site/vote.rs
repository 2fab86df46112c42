//! `/servers/{slug}/vote`: everyone may vote for a server once a day.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::header::HeaderMap;
use axum::http::{Response, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::Deserialize;

use super::server_tile::media_path;
use crate::app::App;
use crate::captcha::Purpose;
use crate::config::HumanCheck;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::moderation::Verdict;
use crate::voting::{check_nickname, next_day};
use crate::web::csrf_form::CsrfForm;
use crate::web::filters;
use crate::web::form_rejection::{FormRejection, check_captcha};
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::path_segment::Segment;
use crate::web::session::Session;
use crate::web::view::{self, language};
use rollcall_minecraft::Edition;
use rollcall_model::message::translatable;
use rollcall_store::Conn;
use rollcall_store::voting::{self, CastOutcome, VotedBy};

/// Remembers the nickname, so that tomorrow's vote is one click.
const NICKNAME_COOKIE: &str = "rollcall-nickname";

#[derive(Template)]
#[template(path = "site/vote.html")]
struct VotePage {
    layout: Layout,
    csrf_token: String,
    slug: String,
    name: String,
    icon: String,
    total_votes: i64,
    nickname: String,
    has_captcha: bool,
    is_done: bool,
    /// The visitor has voted for this server today.
    has_voted: bool,
    /// When everyone may vote again.
    next_at: i64,
    error: Option<String>,
}

/// The server that is voted for.
struct VotedServer {
    n: i64,
    edition: Edition,
    summary: Summary,
}

/// Parts of the list entry of a server for the page.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    slug: String,
    name: String,
    icon_url: String,
    total_votes: i64,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Segment(slug): Segment,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    session: Session,
) -> PageResult {
    let server = find(&app, &slug)?;
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let edition = server.edition;
    let named = query.get("name").filter(|name| check_nickname(name, edition).is_ok()).map(str::to_owned);
    let remembered = remembered_nickname(&headers, edition);
    // Another name than the remembered one is another player's, who may vote from another network.
    let own = remembered.clone().filter(|own| named.as_ref().is_none_or(|named| named == own)).unwrap_or_default();
    let (n, account_n, now) = (server.n, account_of(&session), session.now);
    // From the store: the catalogue follows it a moment later, and the visitor may have voted a moment ago.
    let read = move |conn: &mut Conn| {
        Ok((voting::voted_today(conn, n, account_n, &own, now)?.is_some(), voting::total(conn, n)?))
    };
    let (has_voted, total_votes) = app.pool.read(read).await?;
    let server = VotedServer { summary: Summary { total_votes, ..server.summary }, ..server };
    let nickname = named.or(remembered).unwrap_or_default();
    let state = if has_voted && query.get("done") == Some("voted") {
        VoteState::Done
    } else if has_voted {
        VoteState::VotedBefore
    } else {
        VoteState::Open
    };
    Ok(session.with_cookie(render(&app, &session, server, nickname, state, None)))
}

/// Whether and how the page offers to vote.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VoteState {
    Open,
    /// The visitor has just voted.
    Done,
    /// The visitor has voted today.
    VotedBefore,
}

fn account_of(session: &Session) -> Option<i64> {
    session.account().filter(|_| session.is_signed_in()).map(|account| account.n)
}

fn find(app: &App, slug: &str) -> Result<VotedServer, ApiError> {
    let servers = app.catalogue.servers();
    let server = servers.by_slug(slug).ok_or_else(|| ApiError::NotFound("Server not found".into()))?;
    let summary = serde_json::from_slice(&server.summary).map_err(|error| ApiError::Internal(error.to_string()))?;
    Ok(VotedServer { n: server.n, edition: server.edition, summary })
}

fn render(
    app: &App,
    session: &Session,
    server: VotedServer,
    nickname: String,
    state: VoteState,
    error: Option<String>,
) -> Response<Body> {
    page::private(&VotePage {
        layout: Layout::new("/servers"),
        csrf_token: session.csrf_token(),
        slug: server.summary.slug,
        name: server.summary.name,
        icon: media_path(&server.summary.icon_url).to_owned(),
        total_votes: server.summary.total_votes,
        nickname,
        has_captcha: app.voting.human_check == HumanCheck::Altcha,
        is_done: state == VoteState::Done,
        has_voted: state == VoteState::VotedBefore,
        next_at: next_day(session.now),
        error,
    })
}

pub async fn submit(State(app): State<Arc<App>>, Segment(slug): Segment, form: CsrfForm<Session>) -> PageResult {
    let session = &form.sender;
    let nickname = form.text("nickname");
    let server = find(&app, &slug)?;
    if let Err(rejection) = cast(&app, &form, &server, nickname).await? {
        let error = Some(language().message(&rejection.message));
        let shown = nickname.chars().take(16).collect();
        return Ok(rejection.respond(session.with_cookie(render(
            &app,
            session,
            server,
            shown,
            VoteState::Open,
            error,
        ))));
    }
    let mut response = page::redirect(&format!("/servers/{}/vote?done=voted", server.summary.slug));
    let value = utf8_percent_encode(nickname, NON_ALPHANUMERIC).to_string();
    view::set_cookie(&mut response, NICKNAME_COOKIE, &value, &app.public_url);
    Ok(response)
}

async fn cast(
    app: &App,
    form: &CsrfForm<Session>,
    server: &VotedServer,
    nickname: &str,
) -> Result<Result<(), FormRejection>, ApiError> {
    let session = &form.sender;
    if let Err(error) = check_nickname(nickname, server.edition) {
        return Ok(Err(FormRejection::invalid(error)));
    }
    if let Err(seconds) = app.voting.count_try(session.client) {
        let error = translatable("Too many votes were tried from your network. Try again in a minute.");
        return Ok(Err(FormRejection::too_many(error, seconds)));
    }
    if app.voting.human_check == HumanCheck::Altcha
        && let Err(rejection) = check_captcha(app, form, Purpose::Vote).await
    {
        return Ok(Err(rejection));
    }
    let shows_nickname = app.moderation.rules.check_name(nickname) == Verdict::Shown;
    let account_n = account_of(session);
    Ok(match app.voting.cast(server.n, account_n, nickname, shows_nickname, session.client).await? {
        CastOutcome::Cast => Ok(()),
        CastOutcome::Gone => return Err(ApiError::NotFound("Server not found".into())),
        CastOutcome::AlreadyVoted(by) => {
            let message = match by {
                VotedBy::Account => translatable("Your account has already voted for this server today."),
                VotedBy::Nickname => translatable("Someone has already voted for this server with this name today."),
                VotedBy::Address => translatable("Someone has already voted for this server from your network today."),
            };
            Err(FormRejection {
                status: StatusCode::CONFLICT,
                message: message.into(),
                retry_after: Some(app.voting.seconds_until_tomorrow()),
            })
        }
    })
}

fn remembered_nickname(headers: &HeaderMap, edition: Edition) -> Option<String> {
    let nickname = percent_decode_str(view::cookie(headers, NICKNAME_COOKIE)?).decode_utf8().ok()?.into_owned();
    check_nickname(&nickname, edition).is_ok().then_some(nickname)
}
