//! `/dashboard/keys/{id}`: one key, and everything that can be done with it.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::key_view::{self, Shown};
use super::keys::{end_of, name_words};
use super::{Desk, secret, usage_page};
use crate::app::App;
use crate::web::csrf_form::Sent;
use crate::web::page::{self, Frame, Outcome, Told};
use crate::web::session::{By, Holder, Named, found};
use crate::web::usage::UsageView;
use rollcall_model::api_key::Secret;
use rollcall_model::id;
use rollcall_model::quota::Limits;
use rollcall_model::time::{self, DAY, HOUR};
use rollcall_model::usage::Span;
use rollcall_store::audit::Author;
use rollcall_store::keys::{self, KeyRecord};
use rollcall_store::limit_requests::{self, LimitRequest};
use rollcall_store::{Conn, Result, changes};

/// Characters of the reason for higher limits.
const LONGEST_REASON: usize = 1000;

/// How long the secret before stays good when a key is rotated.
const GRACES: [(&str, &str, i64); 4] =
    [("24h", "for 24 hours", DAY), ("1h", "for an hour", HOUR), ("7d", "for 7 days", 7 * DAY), ("0", "no longer", 0)];

#[derive(Template)]
#[template(path = "dashboard/key.html")]
struct Page {
    frame: Frame,
    desk: Desk,
    shown: Shown,
    graces: [(&'static str, &'static str, i64); 4],
    /// The newest wish for higher limits.
    wish: Option<LimitRequest>,
    expires: String,
    today: String,
    longest_reason: usize,
    is_waiting: bool,
    usage: UsageView,
}

pub async fn look(
    State(app): State<Arc<App>>,
    By(holder): By<Holder>,
    Named(id): Named,
    RawQuery(query): RawQuery,
) -> Outcome {
    let key = own(&app, &holder, &id).await?;
    let desk = Desk::of(&holder, "/dashboard").after(query.as_deref());
    page(&app, &holder, key, desk, usage_page::span(query.as_deref())).await
}

async fn page(app: &App, holder: &Holder, key: KeyRecord, desk: Desk, span: Span) -> Outcome {
    let (n, now) = (key.n, holder.visitor.now);
    let expires = key.expires_at.map(|end| time::day(end - 1)).unwrap_or_default();
    let wish = app.pool.read(move |conn| limit_requests::newest(conn, n)).await?;
    let is_waiting = wish.as_ref().is_some_and(|wish| wish.status == "open");
    let usage = usage_page::of_key(app, &key, span, now).await?;
    let shown = key_view::shown(app, vec![key], now).await?.pop();
    Ok(page::private(&Page {
        frame: Frame { here: "/dashboard" },
        desk,
        shown: found(shown)?,
        graces: GRACES,
        wish,
        expires,
        today: time::day(now),
        longest_reason: LONGEST_REASON,
        is_waiting,
        usage,
    }))
}

/// A key of the holder's own; of anyone else's he learns nothing.
pub async fn own(app: &App, holder: &Holder, id: &str) -> std::result::Result<KeyRecord, Told> {
    let id = id.to_owned();
    let key = app.pool.read(move |conn| keys::find(conn, &id)).await?;
    found(key.filter(|key| key.account == Some(holder.account.n)))
}

async fn refuse(app: &App, holder: &Holder, key: KeyRecord, wrong: &str) -> Outcome {
    let desk = Desk { wrong: Some(wrong.to_owned()), ..Desk::of(holder, "/dashboard") };
    let mut response = page(app, holder, key, desk, Span::Day).await?;
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    Ok(response)
}

/// Changes a key of the holder's own and shows it again.
async fn change(
    app: &App,
    sent: &Sent<Holder>,
    key: &KeyRecord,
    done: &str,
    work: impl FnOnce(&mut Conn, i64, &Author) -> Result<()> + Send + 'static,
) -> Outcome {
    let (n, author) = (key.n, sent.who.author());
    app.pool.write(move |conn| work(conn, n, &author)).await?;
    Ok(page::go(&format!("/dashboard/keys/{}?done={done}", key.id)))
}

pub async fn rename(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Holder>) -> Outcome {
    let key = own(&app, &sent.who, &id).await?;
    let name = sent.text("name").to_owned();
    if let Err(wrong) = name_words(&name) {
        return refuse(&app, &sent.who, key, &wrong).await;
    }
    change(&app, &sent, &key, "renamed", move |conn, n, author| keys::rename(conn, n, &name, author)).await
}

pub async fn set_expiry(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Holder>) -> Outcome {
    let key = own(&app, &sent.who, &id).await?;
    match end_of(sent.text("expires"), sent.who.visitor.now) {
        Ok(end) => {
            change(&app, &sent, &key, "expiry", move |conn, n, author| keys::set_expiry(conn, n, end, author)).await
        }
        Err(wrong) => refuse(&app, &sent.who, key, &wrong).await,
    }
}

pub async fn rotate(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Holder>) -> Outcome {
    let key = own(&app, &sent.who, &id).await?;
    let Some((_, _, grace)) = GRACES.iter().find(|(value, _, _)| *value == sent.text("grace")) else {
        return refuse(&app, &sent.who, key, "Say how long the old secret stays good: 0, 1h, 24h or 7d.").await;
    };
    let (n, author) = (key.n, sent.who.author());
    let (secret, ends_at, before) = (Secret::generate(), author.at + grace, sent.text("newest").to_owned());
    let (new, key_id) = (secret.clone(), key.id.clone());
    let rotated = app.pool.write(move |conn| {
        // A form that is sent twice rotates once: the second time another secret is the newest. Of two at once, one waits
        // here for the other.
        changes::hold_keys(conn)?;
        let newest = keys::find(conn, &key_id)?.and_then(|key| key.secrets.last().map(|secret| secret.hash.clone()));
        if newest.as_ref() != Some(&before) {
            return Ok(false);
        }
        keys::rotate(conn, n, &new, Some(ends_at), &author)?;
        Ok(true)
    });
    if !rotated.await? {
        return Ok(page::go(&format!("/dashboard/keys/{}?done=rotated-before", key.id)));
    }
    let until = (*grace > 0).then(|| time::iso(ends_at));
    Ok(secret::show(&sent.who, &key.id, format!("The key {} has a new secret", key.name), &secret, until))
}

pub async fn end_old(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Holder>) -> Outcome {
    let key = own(&app, &sent.who, &id).await?;
    change(&app, &sent, &key, "ended", |conn, n, author| keys::revoke_old(conn, n, author).map(drop)).await
}

pub async fn disable(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Holder>) -> Outcome {
    let key = own(&app, &sent.who, &id).await?;
    change(&app, &sent, &key, "disabled", |conn, n, author| keys::set_disabled(conn, n, true, author)).await
}

pub async fn enable(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Holder>) -> Outcome {
    let key = own(&app, &sent.who, &id).await?;
    if key.blocked {
        let wrong = "An operator has disabled this key, so only an operator can enable it.";
        return refuse(&app, &sent.who, key, wrong).await;
    }
    change(&app, &sent, &key, "enabled", |conn, n, author| keys::set_disabled(conn, n, false, author)).await
}

pub async fn delete(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Holder>) -> Outcome {
    let key = own(&app, &sent.who, &id).await?;
    if sent.text("sure") != "yes" {
        return refuse(&app, &sent.who, key, "Tick the box to say that you are sure.").await;
    }
    let (n, author) = (key.n, sent.who.author());
    app.pool.write(move |conn| keys::delete(conn, n, &author)).await?;
    Ok(page::go("/dashboard?done=deleted"))
}

pub async fn ask_for_limits(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Holder>) -> Outcome {
    let key = own(&app, &sent.who, &id).await?;
    let wanted = match limits(&sent) {
        Ok(wanted) => wanted,
        Err(wrong) => return refuse(&app, &sent.who, key, &wrong).await,
    };
    let has = key.overrides.over(app.limits);
    let pairs = [(wanted.per_minute, has.per_minute), (wanted.per_day, has.per_day), (wanted.per_month, has.per_month)];
    if pairs.iter().any(|(wanted, has)| wanted < has) || pairs.iter().all(|(wanted, has)| wanted == has) {
        let wrong = format!(
            "Ask for more than the key has: {} a minute, {} a day and {} a month.",
            has.per_minute, has.per_day, has.per_month
        );
        return refuse(&app, &sent.who, key, &wrong).await;
    }
    let reason = sent.text("reason").to_owned();
    if reason.is_empty() || reason.chars().count() > LONGEST_REASON {
        let wrong = format!("Say in 1 to {LONGEST_REASON} characters what you need the calls for.");
        return refuse(&app, &sent.who, key, &wrong).await;
    }
    let wish = id::encode(rand::random());
    change(&app, &sent, &key, "asked", move |conn, n, author| {
        limit_requests::ask(conn, &wish, n, wanted, &reason, author).map(drop)
    })
    .await
}

pub async fn withdraw_wish(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Holder>) -> Outcome {
    let key = own(&app, &sent.who, &id).await?;
    change(&app, &sent, &key, "withdrawn", limit_requests::withdraw).await
}

/// The three limits of a form.
pub fn limits<W>(sent: &Sent<W>) -> std::result::Result<Limits, String> {
    let limit = |name: &str| match sent.text(name).parse::<u32>() {
        Ok(limit) if limit > 0 => Ok(limit),
        _ => Err(format!(
            "Each limit is a whole number from 1 to {}, not \u{201c}{}\u{201d}.",
            u32::MAX,
            sent.text(name)
        )),
    };
    Ok(Limits { per_minute: limit("per_minute")?, per_day: limit("per_day")?, per_month: limit("per_month")? })
}
