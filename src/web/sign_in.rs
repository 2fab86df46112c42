//! `/sign-in`: username and password, then a code if two-factor authentication is on.

pub mod code;
pub mod passkey;
mod throttle;

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

pub use throttle::too_many_attempts;
use throttle::{ProofPrompt, check_throttle, count_attempt};

use super::csrf_form::CsrfForm;
use super::layout::Layout;
use super::page::{self, PageResult, with_retry_after, with_status};
use super::session::Session;
use crate::accounts::{Exhausted, PasswordsBusy};
use crate::app::App;
use crate::config::SignUp;
use crate::http::query::Query;
use crate::security_log::SecurityEventKind;
use crate::web::filters;
use crate::web::view::language;
use rollcall_model::message::translatable;
use rollcall_model::time;
use rollcall_store::accounts::Account;
use rollcall_store::credentials::{self, CredentialChange};
use rollcall_store::held_usernames;

/// The page after signing in, unless `next` names another.
const DEFAULT_PAGE: &str = "/dashboard";
/// Longer usernames do not exist.
const MAX_USERNAME_CHARS: usize = 100;
/// The value of `?done=` after an account was deleted.
pub const ACCOUNT_DELETED: &str = "account-deleted";

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage<'a> {
    layout: Layout,
    csrf_token: String,
    next: &'a str,
    username: &'a str,
    error: Option<String>,
    may_sign_up: bool,
    /// Too many failed attempts by others: an attempt costs a proof of work.
    proof: Option<ProofPrompt>,
    account_deleted: bool,
}

impl<'a> SignInPage<'a> {
    fn new(app: &App, session: &Session, next: &'a str, username: &'a str) -> Self {
        Self {
            layout: Layout::new(DEFAULT_PAGE),
            csrf_token: session.csrf_token(),
            next,
            username,
            error: None,
            may_sign_up: app.accounts.settings.sign_up != SignUp::Closed,
            proof: None,
            account_deleted: false,
        }
    }
}

/// Tells of credentials that were changed since the last sign-in, once.
#[derive(Template)]
#[template(path = "credential_changes.html")]
struct CredentialChangesPage<'a> {
    layout: Layout,
    changes: Vec<CredentialChange>,
    next: &'a str,
}

impl CredentialChangesPage<'_> {
    fn time(&self, change: &CredentialChange) -> String {
        time::iso(change.at)
    }
}

pub async fn show(State(app): State<Arc<App>>, session: Session, RawQuery(query): RawQuery) -> PageResult {
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let next = safe_next(query.get("next").unwrap_or_default());
    if session.is_signed_in() {
        return Ok(page::redirect(next));
    }
    let account_deleted = query.get("done") == Some(ACCOUNT_DELETED);
    let page = SignInPage { account_deleted, ..SignInPage::new(&app, &session, next, "") };
    Ok(session.with_cookie(page::private(&page)))
}

/// Prevents open redirects. The path is put into queries unencoded, so it may have no characters with a meaning there.
pub fn safe_next(wanted: &str) -> &str {
    let is_plain = wanted.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_'));
    if page::is_own_path(wanted) && is_plain { wanted } else { DEFAULT_PAGE }
}

pub async fn submit(State(app): State<Arc<App>>, form: CsrfForm<Session>) -> PageResult {
    let (session, next) = (&form.sender, safe_next(form.text("next")));
    let username: String = form.text("username").chars().take(MAX_USERNAME_CHARS).collect();
    let reject = |status: StatusCode, error: &str, exhausted: Option<Exhausted>| {
        let page = SignInPage::new(&app, session, next, &username);
        let page = SignInPage {
            error: Some(language().translate(error).to_owned()),
            proof: exhausted.map(Into::into),
            ..page
        };
        with_status(session.with_cookie(page::private(&page)), status)
    };
    let name = username.clone();
    let account = app.pool.read(move |conn| held_usernames::find_account(conn, &name)).await?;
    // One count for both names of an account whose own is held.
    let guessed = account.as_ref().map_or(username.as_str(), |account| account.username.as_str());
    let counted = count_attempt(&app, session, &format!("password of {guessed}"), account.as_ref()).await?;
    if let Err(throttled) = check_throttle(&app, &form, &counted, account.as_ref()).await {
        return Ok(throttled.respond(reject));
    }
    let Ok(verified) = verify_password(&app, &form, account.as_ref()).await else {
        // The password was not checked, so the attempt does not count.
        app.accounts.login_throttle.refund(&counted);
        let error = translatable("Too many people are signing in right now. Try again in a moment.");
        return Ok(with_retry_after(reject(StatusCode::SERVICE_UNAVAILABLE, error, None), 1));
    };
    if !verified {
        session.record(SecurityEventKind::SignInFailed, account.as_ref(), None);
    }
    let Some(account) = account.filter(|_| verified) else {
        let error = translatable("Wrong username or password.");
        return Ok(reject(StatusCode::UNPROCESSABLE_ENTITY, error, counted.exhausted()));
    };
    app.accounts.login_throttle.refund(&counted);
    if let Some(error) = closed_error(&account, session.now) {
        session.record(SecurityEventKind::SignInFailed, Some(&account), Some(error));
        return Ok(reject(StatusCode::FORBIDDEN, error, None));
    }
    if account.second_factor.is_some() {
        let to = page::redirect(&format!("/sign-in/code?next={next}"));
        return Ok(session.sign_in(&account, true, to).await?);
    }
    complete(&app, session, &account, next).await
}

/// Why an account cannot be signed in to with the right password.
fn closed_error(account: &Account, now: i64) -> Option<&'static str> {
    if account.disabled {
        Some(translatable("This account is disabled. Contact the operator of this service."))
    } else if account.password_expires_at.is_some_and(|end| now >= end) {
        Some(translatable(
            "This password has expired: it was made by an operator and never replaced. Ask them for a new one.",
        ))
    } else {
        None
    }
}

/// Begins the session. The page after the sign-in is `next`, or one that tells of changed credentials first.
async fn complete(app: &App, session: &Session, account: &Account, next: &str) -> PageResult {
    let n = account.n;
    let login = session.start_login(account, false).await?;
    session.record(SecurityEventKind::SignIn, Some(account), None);
    let mut response = match app.pool.read(move |conn| credentials::has_changes(conn, n)).await? {
        true => {
            let changes = app.pool.write(move |conn| credentials::take_changes(conn, n)).await?;
            page::private(&CredentialChangesPage { layout: Layout::new(DEFAULT_PAGE), changes, next })
        }
        false => page::redirect(next),
    };
    login.set_cookies(&mut response);
    Ok(response)
}

async fn verify_password(
    app: &App,
    form: &CsrfForm<Session>,
    account: Option<&Account>,
) -> Result<bool, PasswordsBusy> {
    // A limit per IP, so that one client cannot fill the queue.
    let _permit = app.accounts.sign_ins_per_ip.try_acquire(form.sender.client).ok_or(PasswordsBusy)?;
    let hash = account.map(|account| account.password.clone());
    app.accounts.passwords.verify(form.raw("password"), hash).await
}

pub async fn sign_out(form: CsrfForm<Session>) -> PageResult {
    form.sender.record(SecurityEventKind::SignOut, form.sender.account(), None);
    Ok(form.sender.sign_out(page::redirect("/sign-in")).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_leads_to_own_pages_only() {
        for own in ["/dashboard", "/dashboard/keys/a1-b_2", "/operator/accounts", "/servers/a1/review", "/skins/a1"] {
            assert_eq!(safe_next(own), own);
        }
        for other in [
            "",
            "//evil.example",
            "//evil",
            "/\\evil",
            "/dashboard//evil.example/..",
            "https://evil.example",
            "/dashboard?x",
            "/dashboard\\@evil",
            "/dashboard%0d%0a",
            "/dashboard/\r\nX: y",
            "dashboard",
            "javascript:alert(1)",
        ] {
            assert_eq!(safe_next(other), DEFAULT_PAGE, "{other:?}");
        }
    }
}
