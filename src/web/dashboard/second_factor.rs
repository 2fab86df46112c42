//! `/dashboard/account/second-factor`: turns two-factor authentication on and off.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode};

use super::DashboardLayout;
use super::account::{confirm_password, password_error, reject};
use crate::accounts::second_factor;
use crate::app::App;
use crate::web::csrf_form::CsrfForm;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::session::CurrentUser;
use rollcall_store::accounts;
use rollcall_store::login_sessions;

#[derive(Template)]
#[template(path = "dashboard/second_factor.html")]
struct SecondFactorPage<'a> {
    layout: Layout,
    dashboard: DashboardLayout,
    secret: &'a str,
    /// The secret in groups of four characters, to be typed.
    grouped_secret: String,
    uri: String,
    qr_code: Option<(i32, String)>,
}

#[derive(Template)]
#[template(path = "dashboard/recovery_codes.html")]
struct RecoveryCodesPage {
    layout: Layout,
    dashboard: DashboardLayout,
    codes: Vec<String>,
}

pub async fn show(user: CurrentUser) -> PageResult {
    if user.account.second_factor.is_some() {
        return Ok(page::redirect("/dashboard/account"));
    }
    Ok(render(&user, &second_factor::generate_secret(), None))
}

fn render(user: &CurrentUser, secret: &str, error: Option<String>) -> Response<Body> {
    let host = user.session.app.public_url.split("://").nth(1).unwrap_or_default();
    let uri = second_factor::otpauth_uri(secret, &user.account.username, host);
    let groups: Vec<&str> = secret.as_bytes().chunks(4).filter_map(|group| std::str::from_utf8(group).ok()).collect();
    page::private(&SecondFactorPage {
        layout: Layout { current: "/dashboard" },
        dashboard: DashboardLayout { error, ..DashboardLayout::new(user, "/dashboard/account") },
        secret,
        grouped_secret: groups.join(" "),
        qr_code: second_factor::qr_code(&uri),
        uri,
    })
}

/// The form sends the secret back: it is stored only after a code proves that the app has it.
pub async fn enable(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let secret = form.text("secret").to_owned();
    if user.account.second_factor.is_some() {
        return Ok(page::redirect("/dashboard/account"));
    }
    let invalid = |secret: &str, error: &str| {
        page::with_status(render(user, secret, Some(error.to_owned())), StatusCode::UNPROCESSABLE_ENTITY)
    };
    if !second_factor::is_valid_secret(&secret) {
        return Ok(invalid(&second_factor::generate_secret(), "Start again: scan the QR code below."));
    }
    // The secret stays the same, because the app may have scanned it already.
    if let Some((status, error)) = password_error(&app, &form).await {
        return Ok(page::with_status(render(user, &secret, Some(error)), status));
    }
    let n = user.account.n;
    let accepted = match second_factor::matching_step(&secret, form.text("code"), user.session.now) {
        Some(step) => app.ledger.write(move |conn| login_sessions::use_totp_step(conn, n, step)).await?,
        None => false,
    };
    if !accepted {
        return Ok(invalid(&secret, "The code is wrong. Enter the six digits that the app shows now."));
    }
    let codes = second_factor::generate_recovery_codes();
    let hashes: Vec<String> =
        codes.iter().filter_map(|code| second_factor::recovery_code_hash(&user.account.id, code)).collect();
    let (author, account) = (user.author(), user.account.clone());
    let stored = app.pool.write(move |conn| {
        // Of two concurrent requests only one may store its recovery codes and show them.
        let is_off = accounts::lock_if_unchanged(conn, &account)?
            && accounts::by_number(conn, n)?.is_some_and(|account| account.second_factor.is_none());
        if is_off {
            accounts::set_second_factor(conn, n, Some((&secret, &hashes)), &author)?;
        }
        Ok(is_off)
    });
    if !stored.await? {
        return Ok(page::redirect("/dashboard/account"));
    }
    let dashboard = DashboardLayout::new(user, "/dashboard/account");
    Ok(page::private(&RecoveryCodesPage { layout: Layout { current: "/dashboard" }, dashboard, codes }))
}

pub async fn disable(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    confirm_password(&app, &form).await?;
    if user.account.second_factor.is_none() {
        let error = "Two-factor authentication is not on.";
        return reject(&app, user, StatusCode::UNPROCESSABLE_ENTITY, error).await;
    }
    let (n, author, account) = (user.account.n, user.author(), user.account.clone());
    let disabled = app.pool.write(move |conn| match accounts::lock_if_unchanged(conn, &account)? {
        true => accounts::set_second_factor(conn, n, None, &author).map(|()| true),
        false => Ok(false),
    });
    if !disabled.await? {
        return Ok(page::redirect("/sign-in"));
    }
    Ok(page::redirect("/dashboard/account?done=factor-off"))
}
