//! `/sign-up`: creates an account, for everyone or with an invitation. The form tells whether a username is taken, so that it
//! needs a CAPTCHA or an invitation, and each client IP may send a few per minute.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{Response, StatusCode};

use super::csrf_form::CsrfForm;
use super::form_rejection::{FormRejection, check_captcha};
use super::layout::Layout;
use super::page::{self, PageRejection, PageResult};
use super::session::Session;
use crate::accounts::policy;
use crate::accounts::registration::{HeldName, Registration, register};
use crate::app::App;
use crate::captcha::Purpose;
use crate::config::{HumanCheck, SignUp};
use crate::error::ApiError;
use crate::http::query::Query;
use crate::http::request_id::RequestId;
use crate::limits::bucket;
use crate::moderation::Verdict;
use crate::security_log::SecurityEventKind;
use crate::web::filters;
use crate::web::view::language;
use rollcall_model::id;
use rollcall_model::message::{Message, translatable};
use rollcall_model::token;
use rollcall_store::accounts::{self, NewAccount};
use rollcall_store::{Conn, held_usernames, invitations};

const INVALID_INVITATION: &str =
    translatable("Signing up needs an invitation, and this one is invalid, used or expired.");
const CLOSED: &str = translatable("Sign-up is closed on this server.");

#[derive(Template)]
#[template(path = "sign_up.html")]
struct SignUpPage<'a> {
    layout: Layout,
    csrf_token: String,
    username: &'a str,
    invitation: &'a str,
    needs_invitation: bool,
    is_closed: bool,
    /// The form needs a proof of work.
    has_captcha: bool,
    error: Option<String>,
}

/// An invitation shows that a person is expected.
fn needs_captcha(app: &App) -> bool {
    let settings = &app.accounts.settings;
    settings.sign_up == SignUp::Open && settings.sign_up_check == HumanCheck::Altcha
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
    let error = is_invalid.then(|| language().translate(INVALID_INVITATION).to_owned());
    Ok(session.with_cookie(render(&app, &session, "", invitation, error)))
}

fn render(app: &App, session: &Session, username: &str, invitation: &str, error: Option<String>) -> Response<Body> {
    let sign_up = app.accounts.settings.sign_up;
    page::private(&SignUpPage {
        layout: Layout::new("/dashboard"),
        csrf_token: session.csrf_token(),
        username,
        invitation,
        needs_invitation: sign_up == SignUp::Invitation,
        is_closed: sign_up == SignUp::Closed,
        has_captcha: needs_captcha(app),
        error,
    })
}

pub async fn submit(State(app): State<Arc<App>>, form: CsrfForm<Session>) -> PageResult {
    let session = &form.sender;
    let (username, invitation, password) = (form.text("username"), form.text("invitation"), form.raw("password"));
    let reject = |rejection: FormRejection| {
        let page = render(&app, session, username, invitation, Some(language().message(&rejection.message)));
        rejection.respond(session.with_cookie(page))
    };
    if let Err(rejection) = check_form(&app, &form).await? {
        return Ok(reject(rejection));
    }
    let client = bucket(session.client);
    if let Err(seconds) = app.accounts.login_throttle.count_sign_up(client, session.now) {
        session.record(SecurityEventKind::SignUpThrottled, None, None);
        let error = translatable("Too many accounts were created from your network today. Try again tomorrow.");
        return Ok(reject(FormRejection::too_many(error, seconds)));
    }
    let invitation_hash = (app.accounts.settings.sign_up == SignUp::Invitation).then(|| token::hash(invitation));
    // Nothing says that someone is trusted who has no account yet.
    let held = match app.moderation.rules.check_name(username) {
        Verdict::Held(why) => Some(why),
        Verdict::Shown | Verdict::Refused(_) => None,
    };
    let welcome = if held.is_some() { "welcome-name-held" } else { "welcome" };
    let created = create_account(&app, session, (username, held), password, invitation_hash).await;
    if !matches!(created, Ok(Ok(_))) {
        app.accounts.login_throttle.refund_sign_up(client);
    }
    match created? {
        Ok(n) => {
            let account = app.pool.read(move |conn| accounts::by_number(conn, n)).await?;
            let account = account.ok_or_else(|| ApiError::Internal("a new account is missing".into()))?;
            session.record(SecurityEventKind::SignUp, Some(&account), None);
            let to = page::redirect(&format!("/dashboard?done={welcome}"));
            Ok(session.sign_in(&account, false, to).await?)
        }
        Err(SignUpError::Busy) => {
            let error = translatable("Too many people are signing up right now. Try again in a moment.");
            let busy = FormRejection::new(StatusCode::SERVICE_UNAVAILABLE, error);
            Ok(reject(FormRejection { retry_after: Some(1), ..busy }))
        }
        Err(SignUpError::Invalid(error)) => Ok(reject(FormRejection::invalid(error))),
    }
}

/// The checks that say nothing about existing accounts, the limits, and last the CAPTCHA, which is valid once.
async fn check_form(app: &App, form: &CsrfForm<Session>) -> Result<Result<(), FormRejection>, PageRejection> {
    let (session, sign_up) = (&form.sender, app.accounts.settings.sign_up);
    if sign_up == SignUp::Closed {
        return Ok(Err(FormRejection::new(StatusCode::FORBIDDEN, CLOSED)));
    }
    let username = form.text("username");
    if let Err(error) = policy::check_username(username) {
        return Ok(Err(FormRejection::invalid(error)));
    }
    if let Verdict::Refused(error) = app.moderation.rules.check_name(username) {
        return Ok(Err(FormRejection::invalid(error)));
    }
    if form.raw("password") != form.raw("again") {
        return Ok(Err(FormRejection::invalid(translatable("The passwords do not match."))));
    }
    if let Err(seconds) = app.accounts.login_throttle.count_sign_up_try(bucket(session.client), session.now) {
        session.record(SecurityEventKind::SignUpThrottled, None, None);
        let error = translatable("Too many sign-ups were tried from your network. Try again in a minute.");
        return Ok(Err(FormRejection::too_many(error, seconds)));
    }
    if sign_up == SignUp::Invitation {
        let (hash, now) = (token::hash(form.text("invitation")), session.now);
        if !app.pool.read(move |conn| invitations::is_valid(conn, &hash, now)).await? {
            return Ok(Err(FormRejection::invalid(INVALID_INVITATION)));
        }
    }
    Ok(if needs_captcha(app) { check_captcha(app, form, Purpose::SignUp).await } else { Ok(()) })
}

enum SignUpError {
    Busy,
    /// With a message for the user.
    Invalid(Message),
}

/// Returns the number of the new account. A name may be held for a reason.
async fn create_account(
    app: &App,
    session: &Session,
    (username, held): (&str, Option<String>),
    password: &str,
    invitation_hash: Option<String>,
) -> Result<Result<i64, SignUpError>, PageRejection> {
    let name_taken = || SignUpError::Invalid(Message::new("The username {} is taken.", &[&username]));
    // Checked before hashing and storing an avatar: rejected requests must not cost CPU or disk space.
    let name = username.to_owned();
    let is_taken = move |conn: &mut Conn| {
        Ok(accounts::find_name(conn, &name)?.is_some() || held_usernames::waiting_for(conn, &name)?.is_some())
    };
    if app.pool.read(is_taken).await? {
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
        ApiError::PicturesUnavailable
    })?;
    let (id, wanted) = (id::encode(rand::random()), username.to_owned());
    let name = if held.is_some() { held_usernames::neutral_name(&id) } else { wanted.clone() };
    let author = session.author(&name);
    let registration = app.pool.write(move |conn| {
        let held = held.as_deref().map(|why| HeldName { name: &wanted, why });
        let new = NewAccount {
            id: &id,
            username: &name,
            avatar: &avatar,
            password: &password,
            operator: false,
            password_expires_at: None,
        };
        register(conn, &new, held.as_ref(), invitation_hash.as_deref(), &author)
    });
    Ok(match registration.await? {
        Registration::Created(n) => Ok(n),
        Registration::NameTaken => Err(name_taken()),
        Registration::InvitationInvalid => Err(SignUpError::Invalid(INVALID_INVITATION.into())),
    })
}
