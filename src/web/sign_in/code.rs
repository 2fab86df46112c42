//! `/sign-in/code`: the code after the password, if two-factor authentication is on.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::throttle::{ProofPrompt, Throttled, check_throttle, count_attempt};
use super::{DEFAULT_PAGE, complete, safe_next};
use crate::accounts::{CountedAttempt, Exhausted, LoginDecision, second_factor, secret_cipher};
use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::http::request_id::RequestId;
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult, with_status};
use crate::web::session::Session;
use crate::web::view::language;
use rollcall_model::message::translatable;
use rollcall_store::accounts::Account;
use rollcall_store::{credentials, login_sessions};

#[derive(Template)]
#[template(path = "sign_in_code.html")]
struct SignInCodePage<'a> {
    layout: Layout,
    csrf_token: String,
    next: &'a str,
    error: Option<String>,
    proof: Option<ProofPrompt>,
}

impl<'a> SignInCodePage<'a> {
    fn new(session: &Session, next: &'a str) -> Self {
        let layout = Layout::new(DEFAULT_PAGE);
        Self { layout, csrf_token: session.csrf_token(), next, error: None, proof: None }
    }
}

pub async fn show(session: Session, RawQuery(query): RawQuery) -> PageResult {
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let next = safe_next(query.get("next").unwrap_or_default());
    if session.awaiting_second_factor().is_none() {
        return Ok(page::redirect("/sign-in"));
    }
    Ok(page::private(&SignInCodePage::new(&session, next)))
}

pub async fn submit(State(app): State<Arc<App>>, form: CsrfForm<Session>) -> PageResult {
    let (session, next) = (&form.sender, safe_next(form.text("next")));
    let Some(account) = session.awaiting_second_factor() else { return Ok(page::redirect("/sign-in")) };
    let reject = |status: StatusCode, error: &str, exhausted: Option<Exhausted>| {
        let page = SignInCodePage::new(session, next);
        let page = SignInCodePage {
            error: Some(language().translate(error).to_owned()),
            proof: exhausted.map(Into::into),
            ..page
        };
        with_status(page::private(&page), status)
    };
    let code = form.text("code");
    let is_recovery_code = second_factor::recovery_code_hash(&account.id, code).is_some();
    let guessed = if is_recovery_code { "recovery code of" } else { "code of" };
    let counted = count_attempt(&app, session, &format!("{guessed} {}", account.username), Some(account)).await?;
    if let Err(throttled) = check_code_throttle(&app, &form, &counted, account, is_recovery_code).await {
        return Ok(throttled.respond(reject));
    }
    if !use_code(&app, session, account, code).await? {
        session.record(SecurityEventKind::SecondFactorFailed, Some(account), None);
        let error = translatable(
            "The code is wrong or was already used. Codes change every 30 seconds; check your device's clock.",
        );
        return Ok(reject(StatusCode::UNPROCESSABLE_ENTITY, error, counted.exhausted()));
    }
    app.accounts.login_throttle.refund(&counted);
    let to = if is_recovery_code { "/dashboard/account?done=recovered" } else { next };
    complete(&app, session, account, to).await
}

/// The sender knows the password and TOTP codes are short, so no proof of work buys more attempts at those of one account.
/// Recovery codes are too long to guess: with a proof, the owner can use one whatever others have tried.
async fn check_code_throttle(
    app: &App,
    form: &CsrfForm<Session>,
    counted: &CountedAttempt,
    account: &Account,
    is_recovery_code: bool,
) -> Result<(), Throttled> {
    match counted.decision {
        LoginDecision::RequireProof(Exhausted::Account(seconds)) if !is_recovery_code => {
            app.accounts.login_throttle.refund(counted);
            form.sender.record(SecurityEventKind::SignInThrottled, Some(account), None);
            Err(Throttled::Wait(seconds))
        }
        _ => check_throttle(app, form, counted, Some(account)).await,
    }
}

/// Accepts a TOTP code or a recovery code, each once.
pub async fn use_code(app: &App, session: &Session, account: &Account, code: &str) -> Result<bool, ApiError> {
    let n = account.n;
    let stored = account.second_factor.as_deref().unwrap_or_default();
    let secret = secret_cipher::open(app.accounts.secret_cipher.as_deref(), &account.id, stored).map_err(|error| {
        tracing::error!(id = %RequestId::current(), error, "cannot read a second factor");
        ApiError::Unavailable
    })?;
    if let Some(step) = second_factor::matching_step(&secret, code, session.now) {
        return Ok(app.ledger.write(move |conn| login_sessions::use_totp_step(conn, n, step)).await?);
    }
    let Some(hash) = second_factor::recovery_code_hash(&account.id, code) else { return Ok(false) };
    let author = session.author(&account.username);
    Ok(app.pool.write(move |conn| credentials::spend_recovery_code(conn, n, &hash, &author)).await?)
}
