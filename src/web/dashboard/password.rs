//! `/dashboard/account/password`: changes the password. Users with a password that an operator made are sent here.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode};

use super::DashboardLayout;
use super::reauthentication::{BUSY, check_password};
use crate::accounts::Duty;
use crate::app::App;
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::{CurrentUser, SignedInUser, redirect_to_proof};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::view::language;
use rollcall_model::message::Message;
use rollcall_store::accounts::{self, Account};
use rollcall_store::{credentials, login_sessions};

#[derive(Template)]
#[template(path = "dashboard/password.html")]
struct PasswordPage {
    layout: Layout,
    dashboard: DashboardLayout,
}

pub async fn show(SignedInUser(user): SignedInUser) -> PageResult {
    user.check_duty(Some(Duty::ChangePassword))?;
    Ok(render(&user, None))
}

fn render(user: &CurrentUser, error: Option<String>) -> Response<Body> {
    let dashboard = DashboardLayout { error, ..DashboardLayout::new(user, "/dashboard/account") };
    page::private(&PasswordPage { layout: Layout::new("/dashboard"), dashboard })
}

pub async fn change(State(app): State<Arc<App>>, form: CsrfForm<SignedInUser>) -> PageResult {
    let user = &form.sender.0;
    user.check_duty(Some(Duty::ChangePassword))?;
    let reject =
        |status: StatusCode, error: Message| page::with_status(render(user, Some(language().message(&error))), status);
    let invalid = |error: Message| Ok(reject(StatusCode::UNPROCESSABLE_ENTITY, error));
    if user.must_confirm() {
        return Ok(redirect_to_proof("/dashboard/account"));
    }
    if form.raw("new") != form.raw("again") {
        return invalid(Message::new("The new passwords do not match.", &[]));
    }
    if let Err(rejected) = check_password(&app, user, form.raw("password")).await? {
        return Ok(reject(rejected.status, rejected.message));
    }
    if user.account.password_expires_at.is_some() && form.raw("new") == form.raw("password") {
        return invalid(Message::new("The new password must differ from the one that the operator made.", &[]));
    }
    let hash = match app.accounts.passwords.hash(form.raw("new"), &user.account.username).await {
        Ok(Ok(hash)) => hash,
        Ok(Err(error)) => return invalid(error),
        Err(_) => return Ok(reject(StatusCode::SERVICE_UNAVAILABLE, BUSY.into())),
    };
    // A session that was ended while the password was hashed must not change it.
    let (n, author, session_hash) = (user.account.n, user.author(), user.login.hash.clone());
    if !app.ledger.write(move |conn| login_sessions::end(conn, &session_hash)).await? {
        return Ok(page::redirect("/sign-in"));
    }
    let account = user.account.clone();
    let generation = app.pool.write(move |conn| match accounts::lock_if_unchanged(conn, &account)? {
        true => credentials::set_password(conn, n, &hash, None, &author).map(Some),
        false => Ok(None),
    });
    let Some(generation) = generation.await? else { return Ok(page::redirect("/sign-in")) };
    user.record(SecurityEventKind::CredentialsChanged, Some("password"));
    // The current browser stays signed in, with a session of the new generation.
    let account = Account { generation, ..user.account.clone() };
    app.ledger.write(move |conn| login_sessions::end_all(conn, n)).await?;
    Ok(user.session.sign_in(&account, false, page::redirect("/dashboard/account?done=password")).await?)
}
