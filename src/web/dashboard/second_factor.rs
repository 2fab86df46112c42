//! `/dashboard/account/second-factor`: turns two-factor authentication on and off, and renews its recovery codes.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::DashboardLayout;
use super::account::{confirm, reject};
use super::reauthentication::check_password;
use crate::accounts::{Duty, second_factor, secret_cipher};
use crate::app::App;
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::{CurrentUser, SignedInUser, redirect_to_proof};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::view::language;
use rollcall_model::message::translatable;
use rollcall_store::accounts::{self, Account};
use rollcall_store::{credentials, login_sessions};

const PAGE: &str = "/dashboard/account/second-factor";
const NOT_ON: &str = translatable("Two-factor authentication is not on.");

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
    title: &'static str,
    codes: Vec<String>,
}

impl RecoveryCodesPage {
    /// The codes as a file. In the page itself, so that they need not be stored to be downloaded.
    fn file(&self) -> String {
        let text = format!("Rollcall recovery codes of {}\n\n{}\n", self.dashboard.username, self.codes.join("\n"));
        format!("data:text/plain;charset=utf-8,{}", utf8_percent_encode(&text, NON_ALPHANUMERIC))
    }
}

/// The page shows a new secret, so it needs a fresh proof.
pub async fn show(SignedInUser(user): SignedInUser) -> PageResult {
    user.check_duty(Some(Duty::EnableSecondFactor))?;
    if user.account.second_factor.is_some() {
        return Ok(page::redirect("/dashboard/account"));
    }
    if !user.is_freshly_proved() {
        return Ok(redirect_to_proof(PAGE));
    }
    Ok(render(&user, &second_factor::generate_secret(), None))
}

fn render(user: &CurrentUser, secret: &str, error: Option<String>) -> Response<Body> {
    let host = user.session.app.public_url.split("://").nth(1).unwrap_or_default();
    let uri = second_factor::otpauth_uri(secret, &user.account.username, host);
    let groups: Vec<&str> = secret.as_bytes().chunks(4).filter_map(|group| std::str::from_utf8(group).ok()).collect();
    page::private(&SecondFactorPage {
        layout: Layout::new("/dashboard"),
        dashboard: DashboardLayout { error, ..DashboardLayout::new(user, "/dashboard/account") },
        secret,
        grouped_secret: groups.join(" "),
        qr_code: second_factor::qr_code(&uri),
        uri,
    })
}

/// The form sends the secret back: it is stored only after a code proves that the app has it.
pub async fn enable(State(app): State<Arc<App>>, form: CsrfForm<SignedInUser>) -> PageResult {
    let user = &form.sender.0;
    user.check_duty(Some(Duty::EnableSecondFactor))?;
    let secret = form.text("secret").to_owned();
    if user.account.second_factor.is_some() {
        return Ok(page::redirect("/dashboard/account"));
    }
    let invalid = |secret: &str, error: &str| {
        page::with_status(
            render(user, secret, Some(language().translate(error).to_owned())),
            StatusCode::UNPROCESSABLE_ENTITY,
        )
    };
    if !second_factor::is_valid_secret(&secret) {
        if !user.is_freshly_proved() {
            return Ok(redirect_to_proof(PAGE));
        }
        return Ok(invalid(&second_factor::generate_secret(), translatable("Start again: scan the QR code below.")));
    }
    // The secret stays the same, because the app may have scanned it already.
    if let Err(rejected) = check_password(&app, user, form.raw("password")).await? {
        return Ok(page::with_status(
            render(user, &secret, Some(language().message(&rejected.message))),
            rejected.status,
        ));
    }
    let n = user.account.n;
    let accepted = match second_factor::matching_step(&secret, form.text("code"), user.session.now) {
        Some(step) => app.ledger.write(move |conn| login_sessions::use_totp_step(conn, n, step)).await?,
        None => false,
    };
    if !accepted {
        return Ok(invalid(&secret, translatable("The code is wrong. Enter the six digits that the app shows now.")));
    }
    let codes = second_factor::generate_recovery_codes();
    let Some(generation) = store(&app, user, &secret, &codes).await? else {
        return Ok(page::redirect("/dashboard/account"));
    };
    user.record(SecurityEventKind::CredentialsChanged, Some("second factor enabled"));
    // All other sessions began without the second factor; they end. So does this one, for one of the new generation.
    let hash = user.login.hash.clone();
    app.ledger.write(move |conn| login_sessions::end_all_but(conn, n, &hash)).await?;
    let login = user.session.start_login(&Account { generation, ..user.account.clone() }, false).await?;
    let title = translatable("Two-factor authentication is on");
    let mut response = show_codes(user, title, codes, login.csrf_token());
    login.set_cookies(&mut response);
    Ok(response)
}

/// Stores the second factor and returns the new generation of the account; `None` if it was turned on or the account was
/// changed in the meantime.
async fn store(app: &App, user: &CurrentUser, secret: &str, codes: &[String]) -> rollcall_store::Result<Option<i64>> {
    let (n, author, account) = (user.account.n, user.author(), user.account.clone());
    let hashes = hashes(user, codes);
    let sealed = secret_cipher::seal(app.accounts.secret_cipher.as_deref(), &account.id, secret);
    app.pool
        .write(move |conn| {
            // Of two concurrent requests only one may store its recovery codes and show them.
            let is_off = accounts::lock_if_unchanged(conn, &account)?
                && accounts::by_number(conn, n)?.is_some_and(|account| account.second_factor.is_none());
            is_off.then(|| credentials::enable_second_factor(conn, n, &sealed, &hashes, &author)).transpose()
        })
        .await
}

fn hashes(user: &CurrentUser, codes: &[String]) -> Vec<String> {
    codes.iter().filter_map(|code| second_factor::recovery_code_hash(&user.account.id, code)).collect()
}

fn show_codes(user: &CurrentUser, title: &'static str, codes: Vec<String>, csrf_token: String) -> Response<Body> {
    let dashboard = DashboardLayout { csrf_token, duty: None, ..DashboardLayout::new(user, "/dashboard/account") };
    page::private(&RecoveryCodesPage { layout: Layout::new("/dashboard"), dashboard, title, codes })
}

/// Replaces the recovery codes and shows the new ones.
pub async fn renew_codes(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    confirm(&app, &form).await?;
    if user.account.second_factor.is_none() {
        return reject(&app, user, StatusCode::UNPROCESSABLE_ENTITY, NOT_ON).await;
    }
    let (n, author, account) = (user.account.n, user.author(), user.account.clone());
    let codes = second_factor::generate_recovery_codes();
    let hashes = hashes(user, &codes);
    let renewed = app.pool.write(move |conn| match accounts::lock_if_unchanged(conn, &account)? {
        true => credentials::set_recovery_codes(conn, n, &hashes, &author).map(|()| true),
        false => Ok(false),
    });
    if !renewed.await? {
        return Ok(page::redirect("/sign-in"));
    }
    user.record(SecurityEventKind::CredentialsChanged, Some("recovery codes created"));
    Ok(show_codes(user, translatable("New recovery codes"), codes, user.session.csrf_token()))
}

pub async fn disable(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    confirm(&app, &form).await?;
    if user.account.second_factor.is_none() {
        return reject(&app, user, StatusCode::UNPROCESSABLE_ENTITY, NOT_ON).await;
    }
    let (n, author, account) = (user.account.n, user.author(), user.account.clone());
    let disabled = app.pool.write(move |conn| match accounts::lock_if_unchanged(conn, &account)? {
        true => credentials::disable_second_factor(conn, n, &author).map(|()| true),
        false => Ok(false),
    });
    if !disabled.await? {
        return Ok(page::redirect("/sign-in"));
    }
    user.record(SecurityEventKind::CredentialsChanged, Some("second factor disabled"));
    Ok(page::redirect("/dashboard/account?done=factor-off"))
}
