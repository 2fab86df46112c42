//! `/sign-in`: username and password, then a code if two-factor authentication is on.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{Response, StatusCode};

use super::csrf_form::CsrfForm;
use super::layout::Layout;
use super::page::{self, PageResult, with_retry_after, with_status};
use super::session::Session;
use crate::accounts::{ACCOUNT_WINDOW, LoginAttempt, LoginDecision, PasswordsBusy, second_factor};
use crate::app::App;
use crate::captcha::Purpose;
use crate::config::SignUp;
use crate::http::query::Query;
use crate::limits::bucket;
use rollcall_model::time::SECOND;
use rollcall_search::fold;
use rollcall_store::accounts::{self, Account};
use rollcall_store::login_sessions;

/// The page after signing in, unless `next` names another.
const DEFAULT_PAGE: &str = "/dashboard";
/// Longer usernames do not exist.
const MAX_USERNAME_CHARS: usize = 100;
/// The value of `?done=` after an account was deleted.
pub const ACCOUNT_DELETED: &str = "account-deleted";

const PROOF_REQUIRED: &str =
    "There were many failed sign-ins to this account. Your browser must solve a CAPTCHA; submit the form again.";

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
    requires_proof: bool,
    account_deleted: bool,
}

impl<'a> SignInPage<'a> {
    fn new(app: &App, session: &Session, next: &'a str, username: &'a str) -> Self {
        Self {
            layout: Layout { current: DEFAULT_PAGE },
            csrf_token: session.csrf_token(),
            next,
            username,
            error: None,
            may_sign_up: app.accounts.settings.sign_up != SignUp::Closed,
            requires_proof: false,
            account_deleted: false,
        }
    }
}

#[derive(Template)]
#[template(path = "sign_in_code.html")]
struct SignInCodePage<'a> {
    layout: Layout,
    csrf_token: String,
    next: &'a str,
    error: Option<String>,
    requires_proof: bool,
}

impl<'a> SignInCodePage<'a> {
    fn new(session: &Session, next: &'a str) -> Self {
        let layout = Layout { current: DEFAULT_PAGE };
        Self { layout, csrf_token: session.csrf_token(), next, error: None, requires_proof: false }
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

/// Prevents open redirects: only dashboard and operator pages are accepted.
fn safe_next(wanted: &str) -> &str {
    let is_own = ["/dashboard", "/operator"]
        .iter()
        .any(|root| wanted.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
    let is_plain = wanted.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_'));
    if is_own && is_plain { wanted } else { DEFAULT_PAGE }
}

pub async fn submit(State(app): State<Arc<App>>, form: CsrfForm<Session>) -> PageResult {
    let (session, next) = (&form.sender, safe_next(form.text("next")));
    let username: String = form.text("username").chars().take(MAX_USERNAME_CHARS).collect();
    let reject = |status: StatusCode, error: &str, requires_proof: bool| {
        let page = SignInPage::new(&app, session, next, &username);
        let page = SignInPage { error: Some(error.to_owned()), requires_proof, ..page };
        with_status(session.with_cookie(page::private(&page)), status)
    };
    let name = username.clone();
    let account = app.pool.read(move |conn| accounts::find(conn, &name)).await?;
    let attempt = new_attempt(&app, session, &format!("password of {username}"), account.as_ref()).await?;
    let decision = app.accounts.login_throttle.count(&attempt, session.now);
    match check_throttle(&app, &form, &attempt, &decision).await {
        Ok(()) => {}
        Err(Throttled::Wait(seconds)) => return Ok(wait_response(&reject, seconds)),
        Err(Throttled::ProofRequired(message)) => return Ok(reject(StatusCode::TOO_MANY_REQUESTS, message, true)),
    }
    let Ok(verified) = verify_password(&app, &form, account.as_ref()).await else {
        // The password was not checked, so the attempt does not count.
        app.accounts.login_throttle.refund(&attempt, &decision);
        let error = "Too many people are signing in right now. Try again in a moment.";
        return Ok(with_retry_after(reject(StatusCode::SERVICE_UNAVAILABLE, error, false), 1));
    };
    let Some(account) = account.filter(|_| verified) else {
        let requires_proof = decision == LoginDecision::RequireProof;
        return Ok(reject(StatusCode::UNPROCESSABLE_ENTITY, "Wrong username or password.", requires_proof));
    };
    app.accounts.login_throttle.refund(&attempt, &decision);
    if account.disabled {
        let error = "This account is disabled. Contact the operator of this service.";
        return Ok(reject(StatusCode::FORBIDDEN, error, false));
    }
    let needs_code = account.second_factor.is_some();
    let to = if needs_code { format!("/sign-in/code?next={next}") } else { next.to_owned() };
    Ok(session.sign_in(&account, needs_code, page::redirect(&to)).await?)
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

fn wait_response(reject: &impl Fn(StatusCode, &str, bool) -> Response<Body>, seconds: i64) -> Response<Body> {
    with_retry_after(reject(StatusCode::TOO_MANY_REQUESTS, &too_many_attempts(seconds), false), seconds)
}

/// `guessed` says what is guessed and for whom, so that no username collides with a counter for codes. A browser counts as
/// known only for the account that it signed in to.
async fn new_attempt(
    app: &App,
    session: &Session,
    guessed: &str,
    account: Option<&Account>,
) -> rollcall_store::Result<LoginAttempt> {
    let now = session.now;
    let browser = match (session.browser_hash(), account.map(|account| account.n)) {
        (Some(hash), Some(n)) => {
            let browser = hash.clone();
            let known = app.ledger.read(move |conn| login_sessions::is_known_browser(conn, &browser, n, now)).await?;
            known.then_some(hash)
        }
        _ => None,
    };
    Ok(LoginAttempt { bucket: bucket(session.client), account: fold(guessed), browser })
}

/// Why an attempt is not checked.
enum Throttled {
    Wait(i64),
    /// With the message to show.
    ProofRequired(&'static str),
}

/// With a valid proof of work an attempt is checked, however often others have failed.
async fn check_throttle(
    app: &App,
    form: &CsrfForm<Session>,
    attempt: &LoginAttempt,
    decision: &LoginDecision,
) -> Result<(), Throttled> {
    match decision {
        LoginDecision::Allow => Ok(()),
        LoginDecision::Wait(seconds) => Err(Throttled::Wait(*seconds)),
        LoginDecision::RequireProof if form.raw("human").is_empty() => {
            app.accounts.login_throttle.refund(attempt, decision);
            Err(Throttled::ProofRequired(PROOF_REQUIRED))
        }
        LoginDecision::RequireProof => {
            let verified = app.captcha.verify_and_spend(form.raw("human"), Purpose::SignIn, form.sender.now).await;
            verified.map_err(|error| Throttled::ProofRequired(error.message()))
        }
    }
}

pub fn too_many_attempts(seconds: i64) -> String {
    match (seconds + 59) / 60 {
        1 => "Too many failed attempts. Try again in a minute.".to_owned(),
        minutes => format!("Too many failed attempts. Try again in {minutes} minutes."),
    }
}

pub async fn show_code(session: Session, RawQuery(query): RawQuery) -> PageResult {
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let next = safe_next(query.get("next").unwrap_or_default());
    if session.awaiting_second_factor().is_none() {
        return Ok(page::redirect("/sign-in"));
    }
    Ok(page::private(&SignInCodePage::new(&session, next)))
}

pub async fn submit_code(State(app): State<Arc<App>>, form: CsrfForm<Session>) -> PageResult {
    let (session, next) = (&form.sender, safe_next(form.text("next")));
    let Some(account) = session.awaiting_second_factor() else { return Ok(page::redirect("/sign-in")) };
    let reject = |status: StatusCode, error: &str, requires_proof: bool| {
        let page = SignInCodePage::new(session, next);
        let page = SignInCodePage { error: Some(error.to_owned()), requires_proof, ..page };
        with_status(page::private(&page), status)
    };
    // The sender knows the password and TOTP codes are short, so no proof of work buys more attempts at them. Recovery
    // codes are too long to guess: with a proof, the owner can use one whatever others have tried.
    let code = form.text("code");
    let is_recovery_code = second_factor::recovery_code_hash(&account.id, code).is_some();
    let guessed = if is_recovery_code { "recovery code of" } else { "code of" };
    let attempt = new_attempt(&app, session, &format!("{guessed} {}", account.username), Some(account)).await?;
    let decision = app.accounts.login_throttle.count(&attempt, session.now);
    match (&decision, check_throttle(&app, &form, &attempt, &decision).await) {
        (LoginDecision::Allow, Ok(())) => {}
        (_, Ok(())) if is_recovery_code => {}
        (_, Err(Throttled::ProofRequired(message))) if is_recovery_code => {
            return Ok(reject(StatusCode::TOO_MANY_REQUESTS, message, true));
        }
        (LoginDecision::Wait(seconds), _) => return Ok(wait_response(&reject, *seconds)),
        _ => return Ok(wait_response(&reject, ACCOUNT_WINDOW / SECOND)),
    }
    if !use_code(&app, session, account, code).await? {
        let error = "The code is wrong or was already used. Codes change every 30 seconds; check your device's clock.";
        let requires_proof = decision == LoginDecision::RequireProof;
        return Ok(reject(StatusCode::UNPROCESSABLE_ENTITY, error, requires_proof));
    }
    app.accounts.login_throttle.refund(&attempt, &decision);
    let to = if is_recovery_code { "/dashboard/account?done=recovered" } else { next };
    Ok(session.sign_in(account, false, page::redirect(to)).await?)
}

/// Accepts a TOTP code or a recovery code, each once.
async fn use_code(app: &App, session: &Session, account: &Account, code: &str) -> rollcall_store::Result<bool> {
    let n = account.n;
    let secret = account.second_factor.as_deref().unwrap_or_default();
    if let Some(step) = second_factor::matching_step(secret, code, session.now) {
        return app.ledger.write(move |conn| login_sessions::use_totp_step(conn, n, step)).await;
    }
    let Some(hash) = second_factor::recovery_code_hash(&account.id, code) else { return Ok(false) };
    let author = session.author(&account.username);
    app.pool.write(move |conn| accounts::spend_recovery_code(conn, n, &hash, &author)).await
}

pub async fn sign_out(form: CsrfForm<Session>) -> PageResult {
    Ok(form.sender.sign_out(page::redirect("/sign-in")).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_leads_to_own_pages_only() {
        for own in ["/dashboard", "/dashboard/keys/a1-b_2", "/operator/accounts"] {
            assert_eq!(safe_next(own), own);
        }
        for other in [
            "",
            "/",
            "//evil.example",
            "/dashboard//evil.example/..",
            "https://evil.example",
            "/dashboard?x",
            "/dashboardx",
            "/dashboard\\@evil",
            "/dashboard%0d%0a",
            "/docs",
            "/dashboard/\r\nX: y",
            "javascript:alert(1)",
        ] {
            let next = safe_next(other);
            let is_own = next == DEFAULT_PAGE || (next.starts_with("/dashboard/") && !next.contains(".."));
            assert!(is_own, "{other} leads to {next}");
        }
    }
}
