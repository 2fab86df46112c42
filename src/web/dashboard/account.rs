//! `/dashboard/account`: sessions, two-factor authentication and deletion of the account.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::DashboardLayout;
use super::reauthentication::check_password;
use crate::accounts::log_retention;
use crate::accounts::passkeys::MAX_NAME_CHARS;
use crate::app::App;
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::{CurrentUser, redirect_to_proof};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::session::{PathId, or_not_found};
use crate::web::sign_in::ACCOUNT_DELETED;
use crate::web::view::language;
use rollcall_model::message::{Message, translatable};
use rollcall_model::time;
use rollcall_store::login_sessions::{self, LoginSession};
use rollcall_store::passkeys::{self, Passkey};
use rollcall_store::{account_deletion, accounts, credentials};

#[derive(Template)]
#[template(path = "dashboard/account.html")]
struct AccountPage {
    layout: Layout,
    dashboard: DashboardLayout,
    created_at: String,
    second_factor: bool,
    recovery_codes: i64,
    sessions: Vec<SessionView>,
    keys: usize,
    must_confirm: bool,
    passkeys: Vec<PasskeyView>,
    /// Adding and removing passkeys needs a fresh proof first.
    must_prove: bool,
    max_name_chars: usize,
    /// Days that the log of a deleted account is kept.
    log_days: u32,
}

struct PasskeyView {
    id: String,
    name: String,
    created_at: String,
    used_at: Option<String>,
}

/// A session as pages show it.
pub struct SessionView {
    pub id: String,
    pub browser: String,
    pub address: String,
    pub created_at: String,
    pub last_used_at: String,
    pub is_current: bool,
}

impl SessionView {
    /// `current` is the hash of the session that asks.
    pub fn new(session: LoginSession, current: &str) -> Self {
        Self {
            is_current: session.hash == current,
            browser: browser_name(&session.agent),
            address: session.address,
            created_at: time::iso(session.created_at),
            last_used_at: time::iso(session.seen_at),
            id: session.id,
        }
    }
}

pub async fn show(State(app): State<Arc<App>>, user: CurrentUser, RawQuery(query): RawQuery) -> PageResult {
    let dashboard = DashboardLayout::new(&user, "/dashboard/account").with_success_from(query.as_deref());
    render(&app, &user, dashboard).await
}

async fn render(app: &App, user: &CurrentUser, dashboard: DashboardLayout) -> PageResult {
    let (n, generation, now) = (user.account.n, user.account.generation, user.session.now);
    let sessions = app.ledger.read(move |conn| login_sessions::of_account(conn, n, generation, now)).await?;
    let read = move |conn: &mut _| {
        let keys = rollcall_store::keys::of_account(conn, n)?.len();
        Ok((credentials::recovery_codes(conn, n)?, keys, passkeys::of_account(conn, n)?))
    };
    let (recovery_codes, keys, passkeys) = app.pool.read(read).await?;
    let passkey = |passkey: Passkey| PasskeyView {
        id: passkey.id,
        name: passkey.name,
        created_at: time::iso(passkey.created_at),
        used_at: passkey.used_at.map(time::iso),
    };
    let view = |session: LoginSession| SessionView::new(session, &user.login.hash);
    Ok(page::private(&AccountPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        created_at: time::iso(user.account.created_at),
        second_factor: user.account.second_factor.is_some(),
        recovery_codes,
        sessions: sessions.into_iter().map(view).collect(),
        keys,
        must_confirm: user.must_confirm(),
        passkeys: passkeys.into_iter().map(passkey).collect(),
        must_prove: !user.is_freshly_proved(),
        max_name_chars: MAX_NAME_CHARS,
        log_days: app.accounts.settings.deleted_log_days,
    }))
}

/// `Firefox on Linux`; unknown user agents are shown as they are.
fn browser_name(user_agent: &str) -> String {
    const MAX_CHARS: usize = 60;
    const BROWSERS: [(&str, &str); 5] =
        [("Firefox/", "Firefox"), ("Edg/", "Edge"), ("OPR/", "Opera"), ("Chrome/", "Chrome"), ("Safari/", "Safari")];
    const SYSTEMS: [(&str, &str); 6] = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    ];
    let find =
        |list: &[(&str, &'static str)]| list.iter().find(|(part, _)| user_agent.contains(part)).map(|(_, name)| *name);
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => language().fill("{} on {}", &[&browser, &system]),
        (Some(browser), None) => browser.to_owned(),
        _ if user_agent.is_empty() => language().translate("Unknown browser").to_owned(),
        _ => user_agent.chars().take(MAX_CHARS).collect(),
    }
}

/// Shows the page again with an error message.
pub async fn reject(app: &App, user: &CurrentUser, status: StatusCode, error: impl Into<Message>) -> PageResult {
    let dashboard = DashboardLayout::new(user, "/dashboard/account").with_error(error);
    Ok(page::with_status(render(app, user, dashboard).await?, status))
}

/// Requires the password for actions that cannot be undone, and a fresh code if there is a second factor: the screen may be
/// unlocked and unattended, or the session stolen.
pub async fn confirm(app: &App, form: &CsrfForm<CurrentUser>) -> Result<(), PageRejection> {
    let user = &form.sender;
    if user.must_confirm() {
        return Err(redirect_to_proof("/dashboard/account").into());
    }
    match check_password(app, user, form.raw("password")).await? {
        Err(rejected) => Err(reject(app, user, rejected.status, rejected.message).await?.into()),
        Ok(()) => Ok(()),
    }
}

pub async fn end_session(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let n = form.sender.account.n;
    let ended = app.ledger.write(move |conn| login_sessions::end_by_id(conn, n, &id)).await?;
    or_not_found(ended.then_some(()))?;
    Ok(page::redirect("/dashboard/account?done=sign-in-ended"))
}

pub async fn end_other_sessions(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let (n, hash) = (form.sender.account.n, form.sender.login.hash.clone());
    app.ledger.write(move |conn| login_sessions::end_all_but(conn, n, &hash)).await?;
    Ok(page::redirect("/dashboard/account?done=others-ended"))
}

pub async fn delete(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    if form.text("sure") != "yes" {
        return reject(
            &app,
            user,
            StatusCode::UNPROCESSABLE_ENTITY,
            translatable("Check the box to confirm the deletion."),
        )
        .await;
    }
    confirm(&app, &form).await?;
    let (n, account, author) = (user.account.n, user.account.clone(), user.author());
    let retention = log_retention(&app.accounts.settings);
    let deleted = app.pool.write(move |conn| {
        let unchanged = accounts::lock_if_unchanged(conn, &account)?;
        if unchanged {
            account_deletion::delete(conn, &account, retention, &author)?;
        }
        Ok(unchanged)
    });
    if !deleted.await? {
        return Ok(page::redirect("/sign-in"));
    }
    user.record(SecurityEventKind::AccountDeleted, None);
    app.ledger.write(move |conn| login_sessions::delete_account(conn, n)).await?;
    Ok(user.session.sign_out(page::redirect(&format!("/sign-in?done={ACCOUNT_DELETED}"))).await?)
}

#[cfg(test)]
mod tests {
    use super::browser_name;

    #[test]
    fn user_agents_become_browser_names() {
        let chrome =
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
        assert_eq!(browser_name(chrome), "Chrome on Linux");
        assert_eq!(browser_name("curl/8.5.0"), "curl/8.5.0");
        assert_eq!(browser_name(""), "Unknown browser");
    }
}
