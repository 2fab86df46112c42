//! `/sign-up`: creates an account, for everyone or with an invitation.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{Response, StatusCode};

use super::csrf_form::CsrfForm;
use super::layout::Layout;
use super::page::{self, PageRejection, PageResult, with_retry_after, with_status};
use super::session::Session;
use crate::accounts::policy;
use crate::accounts::registration::{Registration, register};
use crate::app::App;
use crate::config::SignUp;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::http::request_id::RequestId;
use crate::limits::bucket;
use rollcall_model::id;
use rollcall_model::token;
use rollcall_store::accounts::{self, NewAccount};
use rollcall_store::invitations;

const INVALID_INVITATION: &str = "Signing up needs an invitation, and this one is invalid, used or expired.";
const CLOSED: &str = "Sign-up is closed on this server.";

#[derive(Template)]
#[template(path = "sign_up.html")]
struct SignUpPage<'a> {
    layout: Layout,
    csrf_token: String,
    username: &'a str,
    invitation: &'a str,
    needs_invitation: bool,
    is_closed: bool,
    error: Option<String>,
}

pub async fn show(State(app): State<Arc<App>>, session: Session, RawQuery(query): RawQuery) -> PageResult {
    if session.is_signed_in() {
        return Ok(page::redirect("/dashboard"));
    }
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let invitation = query.get("invitation").filter(|text| token::is_well_formed(text)).unwrap_or_default();
    let has_invitation = app.accounts.settings.sign_up == SignUp::Invitation && query.get("invitation").is_some();
    let (hash, now) = (token::hash(invitation), session.now);
    // Says so before the user fills in the form.
    let is_invalid = has_invitation && !app.pool.read(move |conn| invitations::is_valid(conn, &hash, now)).await?;
    let error = is_invalid.then(|| INVALID_INVITATION.to_owned());
    Ok(session.with_cookie(render(&app, &session, "", invitation, error)))
}

fn render(app: &App, session: &Session, username: &str, invitation: &str, error: Option<String>) -> Response<Body> {
    let sign_up = app.accounts.settings.sign_up;
    page::private(&SignUpPage {
        layout: Layout { current: "/dashboard" },
        csrf_token: session.csrf_token(),
        username,
        invitation,
        needs_invitation: sign_up == SignUp::Invitation,
        is_closed: sign_up == SignUp::Closed,
        error,
    })
}

pub async fn submit(State(app): State<Arc<App>>, form: CsrfForm<Session>) -> PageResult {
    let session = &form.sender;
    let (username, invitation, password) = (form.text("username"), form.text("invitation"), form.raw("password"));
    let reject = |status: StatusCode, error: String| {
        with_status(session.with_cookie(render(&app, session, username, invitation, Some(error))), status)
    };
    let invalid = |error: String| reject(StatusCode::UNPROCESSABLE_ENTITY, error);
    let sign_up = app.accounts.settings.sign_up;
    if sign_up == SignUp::Closed {
        return Ok(reject(StatusCode::FORBIDDEN, CLOSED.into()));
    }
    if let Err(error) = policy::check_username(username) {
        return Ok(invalid(error));
    }
    if password != form.raw("again") {
        return Ok(invalid("The passwords do not match.".into()));
    }
    let invitation_hash = (sign_up == SignUp::Invitation).then(|| token::hash(invitation));
    if let Some(hash) = invitation_hash.clone() {
        let now = session.now;
        if !app.pool.read(move |conn| invitations::is_valid(conn, &hash, now)).await? {
            return Ok(invalid(INVALID_INVITATION.into()));
        }
    }
    let client = bucket(session.client);
    if let Err(seconds) = app.accounts.login_throttle.count_sign_up(client, session.now) {
        let error = "Too many accounts were created from your network today. Try again tomorrow.";
        return Ok(with_retry_after(reject(StatusCode::TOO_MANY_REQUESTS, error.into()), seconds));
    }
    let created = create_account(&app, session, username, password, invitation_hash).await;
    if !matches!(created, Ok(Ok(_))) {
        app.accounts.login_throttle.refund_sign_up(client);
    }
    match created? {
        Ok(n) => {
            let account = app.pool.read(move |conn| accounts::by_number(conn, n)).await?;
            let account = account.ok_or_else(|| ApiError::Internal("a new account is missing".into()))?;
            Ok(session.sign_in(&account, false, page::redirect("/dashboard?done=welcome")).await?)
        }
        Err(SignUpError::Busy) => {
            let error = "Too many people are signing up right now. Try again in a moment.";
            Ok(with_retry_after(reject(StatusCode::SERVICE_UNAVAILABLE, error.into()), 1))
        }
        Err(SignUpError::Invalid(error)) => Ok(invalid(error)),
    }
}

enum SignUpError {
    Busy,
    /// With a message for the user.
    Invalid(String),
}

/// Returns the number of the new account.
async fn create_account(
    app: &App,
    session: &Session,
    username: &str,
    password: &str,
    invitation_hash: Option<String>,
) -> Result<Result<i64, SignUpError>, PageRejection> {
    let name_taken = || SignUpError::Invalid(format!("The username {username} is taken."));
    // Checked before hashing and storing an avatar: rejected requests must not cost CPU or disk space.
    let name = username.to_owned();
    if app.pool.read(move |conn| accounts::find_name(conn, &name)).await?.is_some() {
        return Ok(Err(name_taken()));
    }
    let password = match app.accounts.passwords.hash(password, username).await {
        Ok(Ok(hash)) => hash,
        Ok(Err(error)) => return Ok(Err(SignUpError::Invalid(error))),
        Err(_) => return Ok(Err(SignUpError::Busy)),
    };
    let avatar = tokio::task::spawn_blocking(|| rollcall_paint::avatar(rand::random())).await;
    let avatar = avatar.map_err(|error| ApiError::Internal(error.to_string()))?;
    let avatar = app.media.put_png("avatar", &avatar).await.map_err(|error| {
        tracing::warn!(id = %RequestId::current(), %error, "cannot store an avatar");
        ApiError::Unavailable
    })?;
    let (id, author, name) = (id::encode(rand::random()), session.author(username), username.to_owned());
    let registration = app.pool.write(move |conn| {
        let new = NewAccount { id: &id, username: &name, avatar: &avatar, password: &password, operator: false };
        register(conn, &new, invitation_hash.as_deref(), &author)
    });
    Ok(match registration.await? {
        Registration::Created(n) => Ok(n),
        Registration::NameTaken => Err(name_taken()),
        Registration::InvitationInvalid => Err(SignUpError::Invalid(INVALID_INVITATION.to_owned())),
    })
}
