//! `/dashboard`: all keys of an account, and a new one.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{Response, StatusCode};

use super::key_view::{self, Shown};
use super::{Desk, secret, usage_page};
use crate::app::App;
use crate::web::csrf_form::Sent;
use crate::web::page::{self, Frame, Outcome, Told};
use crate::web::session::{By, Holder};
use crate::web::usage::UsageView;
use rollcall_model::api_key::Secret;
use rollcall_model::id;
use rollcall_model::time::{DAY, LATEST, parse_iso};
use rollcall_model::usage::Span;
use rollcall_store::keys::{self, NewKey, Overrides};
use rollcall_store::{accounts, audit, changes};

#[derive(Template)]
#[template(path = "dashboard/keys.html")]
struct Page {
    frame: Frame,
    desk: Desk,
    keys: Vec<Shown>,
    /// The number a new key will have: a form that is sent twice makes one key.
    new_id: String,
    /// What was typed into a form that was not accepted.
    typed: (String, String),
    max_keys: u32,
    /// The first day that can be a key's last.
    today: String,
    usage: UsageView,
}

pub async fn look(State(app): State<Arc<App>>, By(holder): By<Holder>, RawQuery(query): RawQuery) -> Outcome {
    let desk = Desk::of(&holder, "/dashboard").after(query.as_deref());
    page(&app, &holder, desk, Default::default(), usage_page::span(query.as_deref())).await
}

async fn page(app: &App, holder: &Holder, desk: Desk, typed: (String, String), span: Span) -> Outcome {
    let (n, now) = (holder.account.n, holder.visitor.now);
    let keys = app.pool.read(move |conn| keys::of_account(conn, n)).await?;
    let usage = usage_page::of_all(app, &keys, span, now).await?;
    Ok(page::private(&Page {
        frame: Frame { here: "/dashboard" },
        desk,
        keys: key_view::shown(app, keys, now).await?,
        new_id: id::encode(rand::random()),
        typed,
        max_keys: app.accounts.settings.max_keys,
        today: rollcall_model::time::day(now),
        usage,
    }))
}

/// What came of the wish for a key.
enum Made {
    /// The key's id.
    Now(String),
    Before,
    /// The account is gone, or he is signed out.
    Gone,
    TooMany,
    TooManyToday,
}

pub async fn create(State(app): State<Arc<App>>, sent: Sent<Holder>) -> Outcome {
    let holder = &sent.who;
    let (name, expires) = (sent.text("name").to_owned(), sent.text("expires").to_owned());
    let refuse =
        |status: StatusCode, wrong: String| refused(&app, holder, status, wrong, (name.clone(), expires.clone()));
    if let Err(wrong) = name_words(&name) {
        return refuse(StatusCode::UNPROCESSABLE_ENTITY, wrong).await;
    }
    let expires_at = match end_of(&expires, holder.visitor.now) {
        Ok(expires_at) => expires_at,
        Err(wrong) => return refuse(StatusCode::UNPROCESSABLE_ENTITY, wrong).await,
    };
    let key_id = match sent.text("id") {
        id if is_id(id) => id.to_owned(),
        _ => id::encode(rand::random()),
    };
    let (secret, settings) = (Secret::generate(), app.accounts.settings.clone());
    let made = {
        let (n, author) = (holder.account.n, holder.author());
        let (name, secret, held) = (name.clone(), secret.clone(), holder.account.clone());
        app.pool.write(move |conn| {
            // Of two forms at once, one waits here for the other, or they would count the same keys.
            changes::hold_keys(conn)?;
            if !accounts::hold(conn, &held)? {
                return Ok(Made::Gone);
            }
            // Another's id is not told: his key gets another.
            let key_id = match keys::find(conn, &key_id)? {
                Some(key) if key.account == Some(n) => return Ok(Made::Before),
                Some(_) => id::encode(rand::random()),
                None => key_id,
            };
            if keys::of_account(conn, n)?.len() >= settings.max_keys as usize {
                return Ok(Made::TooMany);
            }
            if audit::count(conn, n, keys::CREATED, author.at - DAY)? >= i64::from(settings.new_keys_per_day) {
                return Ok(Made::TooManyToday);
            }
            let overrides = Overrides::default();
            let new = NewKey { id: &key_id, name: &name, account: Some(n), overrides, expires_at };
            keys::create(conn, &new, &secret, &author)?;
            Ok(Made::Now(key_id))
        })
    };
    match made.await? {
        Made::Gone => Ok(page::go("/sign-in")),
        Made::Now(key_id) => Ok(secret::show(holder, &key_id, format!("The key {name} is made"), &secret, None)),
        Made::Before => Ok(page::go("/dashboard?done=made-before")),
        Made::TooMany => {
            let most = app.accounts.settings.max_keys;
            let wrong = format!("An account may have {most} keys. Delete one that you no longer need.");
            refuse(StatusCode::UNPROCESSABLE_ENTITY, wrong).await
        }
        Made::TooManyToday => {
            let most = app.accounts.settings.new_keys_per_day;
            let wrong = format!("An account may make {most} keys in 24 hours, and these are made. Try again tomorrow.");
            refuse(StatusCode::TOO_MANY_REQUESTS, wrong).await
        }
    }
}

async fn refused(
    app: &App,
    holder: &Holder,
    status: StatusCode,
    wrong: String,
    typed: (String, String),
) -> Result<Response<Body>, Told> {
    let desk = Desk { wrong: Some(wrong), ..Desk::of(holder, "/dashboard") };
    let mut response = page(app, holder, desk, typed, Span::Day).await?;
    *response.status_mut() = status;
    Ok(response)
}

/// As [`keys::check_name`], in a sentence for a page.
pub fn name_words(name: &str) -> Result<(), String> {
    keys::check_name(name).map(drop).map_err(|_| "A key's name has 1 to 100 characters, on one line.".to_owned())
}

/// The form of [`id::encode`].
fn is_id(text: &str) -> bool {
    text.len() == id::encode(0).len() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

/// The last day in UTC on which the key is good; empty: it never ends.
pub fn end_of(day: &str, now: i64) -> Result<Option<i64>, String> {
    if day.is_empty() {
        return Ok(None);
    }
    match parse_iso(&format!("{day}T00:00:00Z")).map(|start| start + DAY) {
        Some(end) if end > LATEST => Err("A key must end before the year 10000.".to_owned()),
        Some(end) if end > now => Ok(Some(end)),
        Some(_) => Err(format!("A key's last day is today or later, not {day}. To end it now, disable or delete it.")),
        None => Err("The last day of a key is written as 2027-01-31.".to_owned()),
    }
}
