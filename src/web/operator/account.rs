//! `/operator/accounts/{id}`: one account with its API keys, sessions and log, and the acts on it.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::searched_list::{ListRequest, back_to, back_to_list};
use super::{dashboard, require_confirmation};
use crate::accounts::policy::INITIAL_PASSWORD_LIFETIME;
use crate::accounts::{self as rules, log_retention};
use crate::app::App;
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::{Admin, CurrentUser, ProvedAdmin};
use crate::web::dashboard::{AuditLog, BUSY, DashboardLayout, KeyView, SessionView, load_key_views};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::session::{PathId, or_not_found};
use rollcall_model::id;
use rollcall_model::message::translatable;
use rollcall_store::accounts::{self, Account, Role};
use rollcall_store::{Conn, account_deletion, credentials, keys, login_sessions, passkeys};

#[derive(Template)]
#[template(path = "operator/account.html")]
struct AccountPage {
    layout: Layout,
    dashboard: DashboardLayout,
    current: &'static str,
    /// The list that led here.
    list: ListRequest,
    account: Account,
    is_own: bool,
    recovery_codes: i64,
    passkeys: usize,
    keys: Vec<KeyView>,
    sessions: Vec<SessionView>,
    log: AuditLog,
    all_accounts: bool,
    /// Days that the log of a deleted account is kept.
    log_days: u32,
    /// A new password and deletion need a fresh proof first.
    must_confirm: bool,
    /// The password that was just set.
    new_password: Option<String>,
}

impl AccountPage {
    fn roles(&self) -> [(Role, &'static str); 3] {
        [
            (Role::User, translatable("User")),
            (Role::Moderator, translatable("Moderator: reviews what others write")),
            (Role::Admin, translatable("Operator: manages everything")),
        ]
    }
}

async fn find(app: &App, id: &str) -> Result<Account, PageRejection> {
    let id = id.to_owned();
    or_not_found(app.pool.read(move |conn| accounts::by_id(conn, &id)).await?)
}

/// An account that the operator may act on: not their own, which has pages of its own.
async fn find_other(app: &App, operator: &CurrentUser, id: &str) -> Result<Account, PageRejection> {
    let account = find(app, id).await?;
    or_not_found((account.n != operator.account.n).then_some(account))
}

pub async fn show(
    State(app): State<Arc<App>>,
    admin: Admin,
    PathId(id): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let account = find(&app, &id).await?;
    let dashboard = dashboard(&admin).with_success_from(query.as_deref());
    render(&app, &admin.0, account, dashboard, ListRequest::parse(query.as_deref()), None).await
}

async fn render(
    app: &App,
    operator: &CurrentUser,
    account: Account,
    dashboard: DashboardLayout,
    list: ListRequest,
    new_password: Option<String>,
) -> PageResult {
    let (n, generation, now) = (account.n, account.generation, operator.session.now);
    let read = move |conn: &mut Conn| {
        let passkeys = passkeys::of_account(conn, n)?.len();
        Ok((keys::of_account(conn, n)?, credentials::recovery_codes(conn, n)?, passkeys))
    };
    let (keys, recovery_codes, passkeys) = app.pool.read(read).await?;
    let sessions = app.ledger.read(move |conn| login_sessions::of_account(conn, n, generation, now)).await?;
    let log_link = ListRequest { search: account.username.clone(), before: None }.link("/operator/log") + "&before=";
    Ok(page::private(&AccountPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        current: "/operator/accounts",
        list,
        is_own: n == operator.account.n,
        recovery_codes,
        passkeys,
        keys: load_key_views(app, keys, now).await?,
        sessions: sessions.into_iter().map(|session| SessionView::new(session, &operator.login.hash)).collect(),
        log: AuditLog::load(app, Some(n), None, &log_link).await?,
        all_accounts: true,
        log_days: app.accounts.settings.deleted_log_days,
        must_confirm: !operator.is_freshly_proved(),
        new_password,
        account,
    }))
}

/// Ends all sessions of the account.
pub async fn sign_out(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<Admin>) -> PageResult {
    require_confirmation(&form)?;
    let operator = &form.sender.0;
    let (n, author) = (find_other(&app, operator, &id).await?.n, operator.author());
    app.pool.write(move |conn| accounts::end_sessions(conn, n, &author)).await?;
    app.ledger.write(move |conn| login_sessions::end_all(conn, n)).await?;
    operator.record(SecurityEventKind::OperatorAct, Some(&format!("account signed out {id}")));
    Ok(back_to("/operator/accounts", &id, "account-signed-out", &form))
}

/// Sets a password that the user must replace, and shows it once.
pub async fn reset_password(
    State(app): State<Arc<App>>,
    PathId(id): PathId,
    form: CsrfForm<ProvedAdmin>,
) -> PageResult {
    require_confirmation(&form)?;
    let operator = &form.sender.0;
    let account = find_other(&app, operator, &id).await?;
    // 100 bits, easy to type.
    let password = id::encode(rand::random());
    let list = ListRequest::of_form(&form);
    let layout = DashboardLayout::new(operator, "/operator");
    let hash = match app.accounts.passwords.hash(&password, &account.username).await {
        Ok(Ok(hash)) => hash,
        Ok(Err(error)) => {
            let response = render(&app, operator, account, layout.with_error(error), list, None).await?;
            return Ok(page::with_status(response, StatusCode::UNPROCESSABLE_ENTITY));
        }
        Err(_) => {
            let response = render(&app, operator, account, layout.with_error(BUSY), list, None).await?;
            return Ok(page::with_status(response, StatusCode::SERVICE_UNAVAILABLE));
        }
    };
    let (author, without_second_factor) = (operator.author(), form.text("without_second_factor") == "yes");
    let (n, changed) = (account.n, account);
    app.pool
        .write(move |conn| {
            let expires_at = Some(author.at + INITIAL_PASSWORD_LIFETIME);
            rules::reset_password(conn, &changed, &hash, expires_at, without_second_factor, &author)
        })
        .await?;
    app.ledger.write(move |conn| login_sessions::end_all(conn, n)).await?;
    operator.record(SecurityEventKind::OperatorAct, Some(&format!("password reset {id}")));
    render(&app, operator, find(&app, &id).await?, layout, list, Some(password)).await
}

/// Makes the account a user, a moderator or an operator.
pub async fn set_role(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<ProvedAdmin>) -> PageResult {
    require_confirmation(&form)?;
    let operator = &form.sender.0;
    let (n, author) = (find_other(&app, operator, &id).await?.n, operator.author());
    let role = or_not_found(Role::parse(form.text("role")))?;
    app.pool.write(move |conn| accounts::set_role(conn, n, role, &author)).await?;
    operator.record(SecurityEventKind::OperatorAct, Some(&format!("role {} {id}", role.as_str())));
    Ok(back_to("/operator/accounts", &id, "role-set", &form))
}

/// Lets what the account writes skip the moderation queue, or not.
pub async fn set_trusted(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<Admin>) -> PageResult {
    let operator = &form.sender.0;
    let (n, author) = (find_other(&app, operator, &id).await?.n, operator.author());
    let trusted = form.text("trusted") == "yes";
    app.pool.write(move |conn| accounts::set_trusted(conn, n, trusted, &author)).await?;
    let act = if trusted { "account trusted" } else { "account no longer trusted" };
    operator.record(SecurityEventKind::OperatorAct, Some(&format!("{act} {id}")));
    Ok(back_to("/operator/accounts", &id, "trust-set", &form))
}

pub async fn delete(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<ProvedAdmin>) -> PageResult {
    require_confirmation(&form)?;
    let operator = &form.sender.0;
    let account = find_other(&app, operator, &id).await?;
    let (n, author, retention) = (account.n, operator.author(), log_retention(&app.accounts.settings));
    app.pool.write(move |conn| account_deletion::delete(conn, &account, retention, &author)).await?;
    app.ledger.write(move |conn| login_sessions::delete_account(conn, n)).await?;
    operator.record(SecurityEventKind::OperatorAct, Some(&format!("account deleted {id}")));
    Ok(back_to_list("/operator/accounts", "account-deleted", &form))
}
