//! `/operator`: what whoever runs the service sees and does. For everyone else there is nothing here.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::routing::get;

use super::csrf_form::Sent;
use super::dashboard::{Desk, Lines, Shown, limits, shown};
use super::page::{self, Frame, Outcome, form};
use super::session::{By, Named, Operator, found};
use crate::app::App;
use crate::config::SignUp;
use crate::http::query::Query;
use rollcall_model::quota::Limits;
use rollcall_model::time::{self, DAY};
use rollcall_model::token;
use rollcall_store::accounts::{self, Account};
use rollcall_store::limit_requests::{self, LimitRequest};
use rollcall_store::{invitations, keys};

/// Characters of an answer to a wish.
const LONGEST_ANSWER: usize = 500;
/// How long an invitation is good.
const INVITED: i64 = 7 * DAY;

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/operator", get(look))
        .route("/operator/wishes/{id}", form(decide))
        .route("/operator/accounts", get(look_at_accounts))
        .route("/operator/accounts/{id}/disable", form(disable_account))
        .route("/operator/accounts/{id}/enable", form(enable_account))
        .route("/operator/keys", get(look_at_keys))
        .route("/operator/keys/{id}/disable", form(disable_key))
        .route("/operator/keys/{id}/enable", form(enable_key))
        .route("/operator/invitations", form(invite))
        .route("/operator/log", get(look_at_log))
}

fn desk(operator: &Operator) -> Desk {
    Desk::of(&operator.0, "/operator")
}

const fn frame() -> Frame {
    Frame { here: "/dashboard" }
}

#[derive(Template)]
#[template(path = "operator/wishes.html")]
struct Wishes {
    frame: Frame,
    desk: Desk,
    here: &'static str,
    wishes: Vec<LimitRequest>,
    /// Of a key that was given no limits of its own.
    configured: Limits,
    by_invitation: bool,
    /// A link that was just made.
    invitation: Option<String>,
}

impl Wishes {
    fn has(&self, wish: &LimitRequest) -> Limits {
        wish.has.over(self.configured)
    }

    fn at(&self, wish: &LimitRequest) -> String {
        time::iso(wish.created_at)
    }
}

pub async fn look(State(app): State<Arc<App>>, By(operator): By<Operator>, RawQuery(query): RawQuery) -> Outcome {
    wishes(&app, desk(&operator).after(query.as_deref()), None).await
}

async fn wishes(app: &App, desk: Desk, invitation: Option<String>) -> Outcome {
    let wishes = app.pool.read(limit_requests::open).await?;
    let by_invitation = app.accounts.settings.sign_up == SignUp::Invitation;
    Ok(page::private(&Wishes {
        frame: frame(),
        desk,
        here: "/operator",
        wishes,
        configured: app.limits,
        by_invitation,
        invitation,
    }))
}

pub async fn decide(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Operator>) -> Outcome {
    let answer = sent.text("answer").to_owned();
    let granted = match sent.text("decision") {
        "grant" => limits(&sent).map(Some),
        "refuse" => Ok(None),
        other => Err(format!("A wish is granted or refused, not \u{201c}{other}\u{201d}.")),
    };
    let granted = match granted {
        _ if answer.chars().count() > LONGEST_ANSWER => {
            Err(format!("An answer has at most {LONGEST_ANSWER} characters."))
        }
        granted => granted,
    };
    let granted = match granted {
        Ok(granted) => granted,
        Err(wrong) => {
            let desk = Desk { wrong: Some(wrong), ..desk(&sent.who) };
            let mut response = wishes(&app, desk, None).await?;
            *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
            return Ok(response);
        }
    };
    let author = sent.who.0.author();
    let decided = app.pool.write(move |conn| limit_requests::decide(conn, &id, granted, &answer, &author)).await?;
    found(decided.then_some(()))?;
    Ok(page::go(if granted.is_some() { "/operator?done=granted" } else { "/operator?done=refused" }))
}

/// The link is shown on the page that comes back, and cannot be shown again.
pub async fn invite(State(app): State<Arc<App>>, sent: Sent<Operator>) -> Outcome {
    let (code, author) = (token::generate(), sent.who.0.author());
    let hash = token::hash(&code);
    app.pool.write(move |conn| invitations::add(conn, &hash, author.at + INVITED, &author)).await?;
    wishes(&app, desk(&sent.who), Some(invitation_link(&app.public_url, &code))).await
}

pub fn invitation_link(public_url: &str, code: &str) -> String {
    format!("{public_url}/sign-up?invitation={code}")
}

#[derive(Template)]
#[template(path = "operator/accounts.html")]
struct Accounts {
    frame: Frame,
    desk: Desk,
    here: &'static str,
    /// Each with its number of keys.
    accounts: Vec<(Account, i64)>,
    part: Part,
}

/// Rows on a page.
const ROWS: usize = 100;

/// Which part of a long list is shown.
struct Part {
    /// What is looked for.
    find: String,
    /// Where the next part begins.
    older: Option<i64>,
}

impl Part {
    fn read(query: Option<&str>) -> (String, i64) {
        let query = Query::parse(query.unwrap_or_default()).unwrap_or_default();
        let find = query.get("find").unwrap_or_default().trim().replace('\0', "");
        (find, query.get("before").and_then(|text| text.parse().ok()).unwrap_or(i64::MAX))
    }

    /// One row more than is shown tells whether there are any more.
    fn of<T>(find: String, rows: &mut Vec<T>, number: impl Fn(&T) -> i64) -> Self {
        let more = rows.len() > ROWS;
        rows.truncate(ROWS);
        Self { find, older: rows.last().filter(|_| more).map(number) }
    }
}

impl Accounts {
    fn at(&self, account: &Account) -> String {
        time::iso(account.created_at)
    }
}

pub async fn look_at_accounts(
    State(app): State<Arc<App>>,
    By(operator): By<Operator>,
    RawQuery(query): RawQuery,
) -> Outcome {
    let (find, before) = Part::read(query.as_deref());
    let begin = find.clone();
    let found = app.pool.read(move |conn| accounts::page(conn, &begin, before, ROWS as i64 + 1));
    let mut accounts = found.await?;
    let part = Part::of(find, &mut accounts, |(account, _)| account.n);
    let desk = desk(&operator).after(query.as_deref());
    Ok(page::private(&Accounts { frame: frame(), desk, here: "/operator/accounts", accounts, part }))
}

pub async fn disable_account(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Operator>) -> Outcome {
    switch_account(&app, &id, &sent, true).await
}

pub async fn enable_account(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Operator>) -> Outcome {
    switch_account(&app, &id, &sent, false).await
}

/// An operator cannot switch himself off: nobody might be left to switch him on.
async fn switch_account(app: &App, id: &str, sent: &Sent<Operator>, disabled: bool) -> Outcome {
    let (id, me, author) = (id.to_owned(), sent.who.0.account.n, sent.who.0.author());
    let switched = app.pool.write(move |conn| {
        let account = accounts::by_id(conn, &id)?.filter(|account| account.n != me);
        account.map(|account| accounts::set_disabled(conn, account.n, disabled, &author)).transpose()
    });
    found(switched.await?)?;
    Ok(page::go(&format!("/operator/accounts?done=account-{}", if disabled { "disabled" } else { "enabled" })))
}

#[derive(Template)]
#[template(path = "operator/keys.html")]
struct Keys {
    frame: Frame,
    desk: Desk,
    here: &'static str,
    keys: Vec<Shown>,
    part: Part,
}

pub async fn look_at_keys(
    State(app): State<Arc<App>>,
    By(operator): By<Operator>,
    RawQuery(query): RawQuery,
) -> Outcome {
    let (find, before) = Part::read(query.as_deref());
    let wanted = find.clone();
    let mut keys = app.pool.read(move |conn| keys::page(conn, &wanted, before, ROWS as i64 + 1)).await?;
    let part = Part::of(find, &mut keys, |key| key.n);
    let keys = shown(&app, keys, operator.0.visitor.now).await?;
    let desk = desk(&operator).after(query.as_deref());
    Ok(page::private(&Keys { frame: frame(), desk, here: "/operator/keys", keys, part }))
}

pub async fn disable_key(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Operator>) -> Outcome {
    switch_key(&app, &id, &sent, true).await
}

pub async fn enable_key(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Operator>) -> Outcome {
    switch_key(&app, &id, &sent, false).await
}

async fn switch_key(app: &App, id: &str, sent: &Sent<Operator>, blocked: bool) -> Outcome {
    let (id, author) = (id.to_owned(), sent.who.0.author());
    let switched = app.pool.write(move |conn| {
        keys::find(conn, &id)?.map(|key| keys::set_blocked(conn, key.n, blocked, &author)).transpose()
    });
    found(switched.await?)?;
    Ok(page::go(if blocked { "/operator/keys?done=disabled" } else { "/operator/keys?done=enabled" }))
}

#[derive(Template)]
#[template(path = "operator/log.html")]
struct Log {
    frame: Frame,
    desk: Desk,
    here: &'static str,
    lines: Lines,
    is_everyones: bool,
}

pub async fn look_at_log(
    State(app): State<Arc<App>>,
    By(operator): By<Operator>,
    RawQuery(query): RawQuery,
) -> Outcome {
    let lines = Lines::read(&app, None, query.as_deref()).await?;
    Ok(page::private(&Log { frame: frame(), desk: desk(&operator), here: "/operator/log", lines, is_everyones: true }))
}
