//! `/sign-up`: a new account, for anyone or for whoever was invited.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{Response, StatusCode};

use super::csrf_form::Sent;
use super::page::{self, Frame, Outcome, Told, wait};
use super::session::{By, Visitor};
use crate::accounts::policy;
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

#[derive(Template)]
#[template(path = "sign_up.html")]
struct Page<'a> {
    frame: Frame,
    token: String,
    username: &'a str,
    invitation: &'a str,
    by_invitation: bool,
    is_closed: bool,
    wrong: Option<String>,
}

pub async fn look(State(app): State<Arc<App>>, By(visitor): By<Visitor>, RawQuery(query): RawQuery) -> Outcome {
    if visitor.is_signed_in() {
        return Ok(page::go("/dashboard"));
    }
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let invitation = query.get("invitation").filter(|text| token::is_formed(text)).unwrap_or_default();
    let by_invitation = app.accounts.settings.sign_up == SignUp::Invitation && query.get("invitation").is_some();
    let (hash, now) = (token::hash(invitation), visitor.now);
    // Better said before the form is filled in.
    let is_over = by_invitation && !app.pool.read(move |conn| invitations::is_good(conn, &hash, now)).await?;
    Ok(visitor.welcome(form(&app, &visitor, "", invitation, is_over.then(|| NOT_INVITED.to_owned()))))
}

fn form(app: &App, visitor: &Visitor, username: &str, invitation: &str, wrong: Option<String>) -> Response<Body> {
    let sign_up = app.accounts.settings.sign_up;
    page::private(&Page {
        frame: Frame { here: "/dashboard" },
        token: visitor.token(),
        username,
        invitation,
        by_invitation: sign_up == SignUp::Invitation,
        is_closed: sign_up == SignUp::Closed,
        wrong,
    })
}

pub async fn send(State(app): State<Arc<App>>, sent: Sent<Visitor>) -> Outcome {
    let visitor = &sent.who;
    let (username, invitation, password) = (sent.text("username"), sent.text("invitation"), sent.raw("password"));
    let refuse = |status: StatusCode, wrong: String| {
        let mut response = visitor.welcome(form(&app, visitor, username, invitation, Some(wrong)));
        *response.status_mut() = status;
        response
    };
    let sign_up = app.accounts.settings.sign_up;
    if sign_up == SignUp::Closed {
        return Ok(refuse(StatusCode::FORBIDDEN, "Signing up is closed here.".into()));
    }
    if let Err(wrong) = policy::check_username(username) {
        return Ok(refuse(StatusCode::UNPROCESSABLE_ENTITY, wrong));
    }
    if password != sent.raw("again") {
        return Ok(refuse(StatusCode::UNPROCESSABLE_ENTITY, "The two passwords are not the same.".into()));
    }
    let invited = token::hash(invitation);
    if sign_up == SignUp::Invitation {
        let (hash, now) = (invited.clone(), visitor.now);
        if !app.pool.read(move |conn| invitations::is_good(conn, &hash, now)).await? {
            return Ok(refuse(StatusCode::UNPROCESSABLE_ENTITY, NOT_INVITED.into()));
        }
    }
    let from = bucket(visitor.address);
    if let Err(seconds) = app.accounts.throttle.sign_up(from, visitor.now) {
        let words = "Many accounts were made from your network today. Try again tomorrow.";
        return Ok(wait(refuse(StatusCode::TOO_MANY_REQUESTS, words.into()), seconds));
    }
    let made = make(&app, visitor, username, password, (sign_up == SignUp::Invitation).then_some(invited)).await;
    if !matches!(made, Ok(Ok(_))) {
        app.accounts.throttle.no_sign_up(from);
    }
    match made? {
        Ok(n) => {
            let account = app.pool.read(move |conn| accounts::by_number(conn, n)).await?;
            let account = account.ok_or_else(|| ApiError::Internal("a new account is gone".into()))?;
            Ok(visitor.sign_in(&account, false, page::go("/dashboard?done=welcome")).await?)
        }
        Err(wrong) if wrong == BUSY => Ok(wait(refuse(StatusCode::SERVICE_UNAVAILABLE, wrong), 1)),
        Err(wrong) => Ok(refuse(StatusCode::UNPROCESSABLE_ENTITY, wrong)),
    }
}

const BUSY: &str = "Many people are signing up right now. Try again in a moment.";

const NOT_INVITED: &str = "Signing up takes an invitation here, and this one is not good, was used, or is over.";

/// The account's number, or what the person could do better.
async fn make(
    app: &App,
    visitor: &Visitor,
    username: &str,
    password: &str,
    invited: Option<String>,
) -> Result<Result<i64, String>, Told> {
    let taken = format!("The name {username} is taken.");
    // Before there is work to do and a picture to keep, or refusals without end would fill the disk.
    let name = username.to_owned();
    if app.pool.read(move |conn| accounts::named(conn, &name)).await?.is_some() {
        return Ok(Err(taken));
    }
    let password = match app.accounts.passwords.hash(password, username).await {
        Ok(Ok(hash)) => hash,
        Ok(Err(wrong)) => return Ok(Err(wrong)),
        Err(_) => return Ok(Err(BUSY.into())),
    };
    let avatar = tokio::task::spawn_blocking(|| rollcall_paint::avatar(rand::random())).await;
    let avatar = avatar.map_err(|error| ApiError::Internal(error.to_string()))?;
    let avatar = app.media.put_png("avatar", &avatar).await.map_err(|error| {
        tracing::warn!(id = %RequestId::current(), %error, "a picture cannot be kept");
        ApiError::Unavailable
    })?;
    let (id, username, author) = (id::encode(rand::random()), username.to_owned(), visitor.as_author(username));
    let made = app.pool.write(move |conn| {
        if let Some(hash) = &invited
            && !invitations::hold(conn, hash, author.at)?
        {
            return Ok(Err(NOT_INVITED.to_owned()));
        }
        let new = NewAccount { id: &id, username: &username, avatar: &avatar, password: &password, operator: false };
        let Some(n) = accounts::create(conn, &new, &author)? else {
            return Ok(Err(taken));
        };
        if let Some(hash) = &invited {
            invitations::spend(conn, hash)?;
        }
        Ok(Ok(n))
    });
    Ok(made.await?)
}
