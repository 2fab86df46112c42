//! `/dashboard/confirm`: a signed-in user proves again who they are, for acts that a stolen session must not make. The proof
//! begins a new session, so that it counts for the next minutes.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::DashboardLayout;
use crate::accounts::{LoginAttempt, LoginDecision};
use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::limits::bucket;
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::{CurrentUser, SignedInUser};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::sign_in::{self, too_many_attempts};
use crate::web::view::language;
use rollcall_model::message::{Message, translatable};
use rollcall_search::fold;

pub const BUSY: &str = translatable("Too many passwords are being checked right now. Try again in a moment.");

#[derive(Template)]
#[template(path = "dashboard/confirm.html")]
struct ConfirmPage<'a> {
    layout: Layout,
    dashboard: DashboardLayout,
    next: &'a str,
    needs_code: bool,
}

impl<'a> ConfirmPage<'a> {
    fn new(user: &CurrentUser, next: &'a str, error: Option<String>) -> Self {
        Self {
            layout: Layout::new("/dashboard"),
            dashboard: DashboardLayout { error, ..DashboardLayout::new(user, "/dashboard/account") },
            next,
            needs_code: user.account.second_factor.is_some(),
        }
    }
}

pub async fn show(SignedInUser(user): SignedInUser, RawQuery(query): RawQuery) -> PageResult {
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let next = sign_in::safe_next(query.get("next").unwrap_or_default());
    Ok(page::private(&ConfirmPage::new(&user, next, None)))
}

pub async fn submit(State(app): State<Arc<App>>, form: CsrfForm<SignedInUser>) -> PageResult {
    let (user, next) = (&form.sender.0, sign_in::safe_next(form.text("next")));
    let code = user.account.second_factor.is_some().then(|| form.text("code"));
    if let Err(rejected) = check(&app, user, form.raw("password"), code).await? {
        let response = page::private(&ConfirmPage::new(user, next, Some(language().message(&rejected.message))));
        return Ok(page::with_status(response, rejected.status));
    }
    Ok(user.session.sign_in(&user.account, false, page::redirect(next)).await?)
}

/// Why a proof is rejected.
pub struct RejectedProof {
    pub status: StatusCode,
    pub message: Message,
}

/// Checks the password of a user.
pub async fn check_password(
    app: &App,
    user: &CurrentUser,
    password: &str,
) -> Result<Result<(), RejectedProof>, ApiError> {
    check(app, user, password, None).await
}

/// Checks the password and the code, if one is needed. Each session has its own counter of wrong ones.
async fn check(
    app: &App,
    user: &CurrentUser,
    password: &str,
    code: Option<&str>,
) -> Result<Result<(), RejectedProof>, ApiError> {
    let attempt = LoginAttempt {
        bucket: bucket(user.session.client),
        account: fold(&user.account.username),
        browser: Some(user.login.hash.clone()),
    };
    let rejected = |status, message: Message| Ok(Err(RejectedProof { status, message }));
    let throttle = &app.accounts.login_throttle;
    let counted = throttle.count(attempt, user.session.now);
    if let LoginDecision::Wait(seconds) = counted.decision {
        user.record(SecurityEventKind::SignInThrottled, None);
        return rejected(StatusCode::TOO_MANY_REQUESTS, too_many_attempts(seconds).into());
    }
    let Ok(verified) = app.accounts.passwords.verify(password, Some(user.account.password.clone())).await else {
        throttle.refund(&counted);
        return rejected(StatusCode::SERVICE_UNAVAILABLE, BUSY.into());
    };
    if !verified {
        user.record(SecurityEventKind::ProofFailed, Some("password"));
        return rejected(
            StatusCode::UNPROCESSABLE_ENTITY,
            Message::new("The password is wrong. Nothing was changed.", &[]),
        );
    }
    if let Some(code) = code
        && !sign_in::code::use_code(app, &user.session, &user.account, code).await?
    {
        user.record(SecurityEventKind::ProofFailed, Some("second factor"));
        let message = Message::new(
            "The code is wrong or was already used. Wait for the next code of your app. Nothing was changed.",
            &[],
        );
        return rejected(StatusCode::UNPROCESSABLE_ENTITY, message);
    }
    throttle.refund(&counted);
    Ok(Ok(()))
}
