//! `/dashboard`: all keys of an account, and a new one.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{Response, StatusCode};

use super::shown::{self, Shown};
use super::{Desk, monitor, secret};
use crate::app::App;
use crate::gate::Secret;
use crate::model::id;
use crate::model::time::{DAY, parse_iso};
use crate::model::usage::Span;
use crate::store::keys::{self, NewKey, Overrides};
use crate::store::{audit, changes};
use crate::web::page::{self, Frame, Outcome, Told};
use crate::web::sent::Sent;
use crate::web::usage::UsageView;
use crate::web::visitor::{By, Holder};

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
    /// The first day on which a key can end.
    tomorrow: String,
    usage: UsageView,
}

pub async fn look(State(app): State<Arc<App>>, By(holder): By<Holder>, RawQuery(query): RawQuery) -> Outcome {
    let desk = Desk::of(&holder, "/dashboard").after(query.as_deref());
    page(&app, &holder, desk, Default::default(), monitor::span(query.as_deref())).await
}

async fn page(app: &App, holder: &Holder, desk: Desk, typed: (String, String), span: Span) -> Outcome {
    let (n, now) = (holder.account.n, holder.visitor.now);
    let keys = app.pool.read(move |conn| keys::of_account(conn, n)).await?;
    let usage = monitor::of_all(app, &keys, span, now).await?;
    Ok(page::private(&Page {
        frame: Frame { here: "/dashboard" },
        desk,
        keys: shown::shown(app, keys, now).await?,
        new_id: id::encode(rand::random()),
        typed,
        max_keys: app.accounts.settings.max_keys,
        tomorrow: crate::model::time::day(now + DAY),
        usage,
    }))
}

/// What came of the wish for a key.
enum Made {
    Now,
    Before,
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
        let (key_id, name, secret) = (key_id.clone(), name.clone(), secret.clone());
        app.pool.write(move |conn| {
            // Of two forms at once, one waits here for the other, or they would count the same keys. Whoever changes keys
            // begins with this row: locks that are taken in one order never wait in a circle.
            changes::raise_keys(conn)?;
            if keys::find(conn, &key_id)?.is_some() {
                return Ok(Made::Before);
            }
            if keys::of_account(conn, n)?.len() >= settings.max_keys as usize {
                return Ok(Made::TooMany);
            }
            if audit::count(conn, n, keys::CREATED, author.at - DAY)? >= i64::from(settings.new_keys_per_day) {
                return Ok(Made::TooManyToday);
            }
            let overrides = Overrides::default();
            let new = NewKey { id: &key_id, name: &name, account: Some(n), overrides, expires_at };
            keys::create(conn, &new, &secret, &author)?;
            Ok(Made::Now)
        })
    };
    match made.await? {
        Made::Now => Ok(secret::show(holder, &key_id, format!("The key {name} is made"), &secret, None)),
        Made::Before => Ok(page::go("/dashboard?done=made-before")),
        Made::TooMany => {
            let most = app.accounts.settings.max_keys;
            let wrong = format!(
                "An account may have {most} keys. Delete one that you no longer need, or ask for higher limits."
            );
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

/// A day, from whose beginning in UTC the key is over; empty: never.
pub fn end_of(day: &str, now: i64) -> Result<Option<i64>, String> {
    if day.is_empty() {
        return Ok(None);
    }
    match parse_iso(&format!("{day}T00:00:00Z")) {
        Some(end) if end > now => Ok(Some(end)),
        Some(_) => Err(format!("A key must end on a day to come, not on {day}. To end it now, disable or delete it.")),
        None => Err("The day on which a key ends is written as 2027-01-31.".to_owned()),
    }
}
