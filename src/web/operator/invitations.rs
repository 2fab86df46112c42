//! `/operator/invitations`: invitations that can still be used; creating and revoking them.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};

use super::{dashboard, require_confirmation};
use crate::accounts::invitations::{self, DEFAULT_DAYS};
use crate::app::App;
use crate::config::SignUp;
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::Admin;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::session::{PathId, or_not_found};
use rollcall_store::invitations::{self as stored, Invitation};

/// More are not shown; each ends by itself.
const MAX_SHOWN: i64 = 500;

#[derive(Template)]
#[template(path = "operator/invitations.html")]
struct InvitationsPage {
    layout: Layout,
    dashboard: DashboardLayout,
    current: &'static str,
    invitations: Vec<Invitation>,
    invitation_only: bool,
    /// The link of an invitation that was just created.
    link: Option<String>,
    days: u16,
}

impl InvitationsPage {
    /// A username, or words for an actor without an account.
    fn made_by<'a>(&self, invitation: &'a Invitation) -> &'a str {
        crate::web::dashboard::actor_name(&invitation.made_by)
    }
}

pub async fn show(State(app): State<Arc<App>>, admin: Admin, RawQuery(query): RawQuery) -> PageResult {
    render(&app, dashboard(&admin).with_success_from(query.as_deref()), None).await
}

async fn render(app: &App, dashboard: DashboardLayout, link: Option<String>) -> PageResult {
    let now = app.clock.now();
    Ok(page::private(&InvitationsPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        current: "/operator/invitations",
        invitations: app.pool.read(move |conn| stored::list_open(conn, now, MAX_SHOWN)).await?,
        invitation_only: app.accounts.settings.sign_up == SignUp::Invitation,
        link,
        days: DEFAULT_DAYS,
    }))
}

/// Shows the link on the page it renders; it cannot be shown again.
pub async fn create(State(app): State<Arc<App>>, form: CsrfForm<Admin>) -> PageResult {
    let (author, public_url) = (form.sender.0.author(), app.public_url.clone());
    let link = app.pool.write(move |conn| invitations::create(conn, &public_url, DEFAULT_DAYS, &author)).await?;
    form.sender.0.record(SecurityEventKind::OperatorAct, Some("invitation created"));
    render(&app, dashboard(&form.sender), Some(link)).await
}

pub async fn revoke(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<Admin>) -> PageResult {
    require_confirmation(&form)?;
    let (author, revoked) = (form.sender.0.author(), id.clone());
    or_not_found(app.pool.write(move |conn| stored::revoke(conn, &revoked, &author)).await?.then_some(()))?;
    form.sender.0.record(SecurityEventKind::OperatorAct, Some(&format!("invitation revoked {id}")));
    Ok(page::redirect("/operator/invitations?done=invitation-revoked"))
}
