//! `/dashboard/account`: password, sessions, two-factor authentication and deletion of the account.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::DashboardLayout;
use crate::accounts::{LoginAttempt, LoginDecision};
use crate::app::App;
use crate::limits::bucket;
use crate::web::csrf_form::CsrfForm;
use crate::web::layout::Layout;
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::session::{CurrentUser, PathId, or_not_found};
use crate::web::sign_in::{ACCOUNT_DELETED, too_many_attempts};
use rollcall_model::time;
use rollcall_search::fold;
use rollcall_store::accounts;
use rollcall_store::login_sessions::{self, LoginSession};

const BUSY: &str = "Too many passwords are being checked right now. Try again in a moment.";

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
}

/// A session as its user sees it.
struct SessionView {
    id: String,
    browser: String,
    address: String,
    created_at: String,
    last_used_at: String,
    is_current: bool,
}

pub async fn show(State(app): State<Arc<App>>, user: CurrentUser, RawQuery(query): RawQuery) -> PageResult {
    let dashboard = DashboardLayout::new(&user, "/dashboard/account").with_success_from(query.as_deref());
    render(&app, &user, dashboard).await
}

async fn render(app: &App, user: &CurrentUser, dashboard: DashboardLayout) -> PageResult {
    let (n, generation, now) = (user.account.n, user.account.generation, user.session.now);
    let sessions = app.ledger.read(move |conn| login_sessions::of_account(conn, n, generation, now)).await?;
    let (recovery_codes, keys) = app
        .pool
        .read(move |conn| Ok((accounts::recovery_codes(conn, n)?, rollcall_store::keys::of_account(conn, n)?.len())))
        .await?;
    let view = |session: LoginSession| SessionView {
        is_current: session.hash == user.login.hash,
        browser: browser_name(&session.agent),
        address: session.address,
        created_at: time::iso(session.created_at),
        last_used_at: time::iso(session.seen_at),
        id: session.id,
    };
    Ok(page::private(&AccountPage {
        layout: Layout { current: "/dashboard" },
        dashboard,
        created_at: time::iso(user.account.created_at),
        second_factor: user.account.second_factor.is_some(),
        recovery_codes,
        sessions: sessions.into_iter().map(view).collect(),
        keys,
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
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(browser), None) => browser.to_owned(),
        _ if user_agent.is_empty() => "Unknown browser".to_owned(),
        _ => user_agent.chars().take(MAX_CHARS).collect(),
    }
}

/// Shows the page again with an error message.
pub async fn reject(app: &App, user: &CurrentUser, status: StatusCode, error: impl Into<String>) -> PageResult {
    let dashboard = DashboardLayout::new(user, "/dashboard/account").with_error(error);
    Ok(page::with_status(render(app, user, dashboard).await?, status))
}

/// Requires the password for actions that cannot be undone: the screen may be unlocked and unattended.
pub async fn confirm_password(app: &App, form: &CsrfForm<CurrentUser>) -> Result<(), PageRejection> {
    match password_error(app, form).await {
        Some((status, error)) => Err(reject(app, &form.sender, status, error).await?.into()),
        None => Ok(()),
    }
}

/// Why the password in the form is rejected, if it is.
pub async fn password_error(app: &App, form: &CsrfForm<CurrentUser>) -> Option<(StatusCode, String)> {
    let user = &form.sender;
    let attempt = LoginAttempt {
        bucket: bucket(user.session.client),
        account: fold(&user.account.username),
        browser: Some(user.login.hash.clone()),
    };
    let decision = app.accounts.login_throttle.count(&attempt, user.session.now);
    if let LoginDecision::Wait(seconds) = decision {
        return Some((StatusCode::TOO_MANY_REQUESTS, too_many_attempts(seconds)));
    }
    let hash = Some(user.account.password.clone());
    match app.accounts.passwords.verify(form.raw("password"), hash).await {
        Ok(true) => {
            app.accounts.login_throttle.refund(&attempt, &decision);
            None
        }
        Ok(false) => Some((StatusCode::UNPROCESSABLE_ENTITY, "The password is wrong. Nothing was changed.".to_owned())),
        Err(_) => {
            app.accounts.login_throttle.refund(&attempt, &decision);
            Some((StatusCode::SERVICE_UNAVAILABLE, BUSY.to_owned()))
        }
    }
}

pub async fn change_password(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    if form.raw("new") != form.raw("again") {
        return reject(&app, user, StatusCode::UNPROCESSABLE_ENTITY, "The new passwords do not match.").await;
    }
    confirm_password(&app, &form).await?;
    let hash = match app.accounts.passwords.hash(form.raw("new"), &user.account.username).await {
        Ok(Ok(hash)) => hash,
        Ok(Err(error)) => return reject(&app, user, StatusCode::UNPROCESSABLE_ENTITY, error).await,
        Err(_) => return reject(&app, user, StatusCode::SERVICE_UNAVAILABLE, BUSY).await,
    };
    // A session that was ended while the password was hashed must not change it.
    let (n, author, session_hash) = (user.account.n, user.author(), user.login.hash.clone());
    if !app.ledger.write(move |conn| login_sessions::end(conn, &session_hash)).await? {
        return Ok(page::redirect("/sign-in"));
    }
    let account = user.account.clone();
    let generation = app.pool.write(move |conn| match accounts::lock_if_unchanged(conn, &account)? {
        true => accounts::set_password(conn, n, &hash, &author).map(Some),
        false => Ok(None),
    });
    let Some(generation) = generation.await? else { return Ok(page::redirect("/sign-in")) };
    // The current browser stays signed in, with a session of the new generation.
    let account = accounts::Account { generation, ..user.account.clone() };
    app.ledger.write(move |conn| login_sessions::end_all(conn, n)).await?;
    Ok(user.session.sign_in(&account, false, page::redirect("/dashboard/account?done=password")).await?)
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
        return reject(&app, user, StatusCode::UNPROCESSABLE_ENTITY, "Check the box to confirm the deletion.").await;
    }
    confirm_password(&app, &form).await?;
    let (n, account, author) = (user.account.n, user.account.clone(), user.author());
    let deleted = app.pool.write(move |conn| {
        let unchanged = accounts::lock_if_unchanged(conn, &account)?;
        if unchanged {
            accounts::delete(conn, &account, &author)?;
        }
        Ok(unchanged)
    });
    if !deleted.await? {
        return Ok(page::redirect("/sign-in"));
    }
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
