//! `/dashboard/servers/{slug}/claim`: proves that a server belongs to the account.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::owned;
use crate::app::App;
use crate::listings::{self, AddressEvidence, ClaimOutcome};
use crate::tracked_servers::{self, ServerError};
use crate::web::csrf_form::CsrfForm;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::server_form::explain;
use crate::web::session::{CurrentUser, PathId, or_not_found};
use rollcall_model::message::{Message, translatable};
use rollcall_model::server_token::ServerToken;
use rollcall_model::visibility::Visibility;
use rollcall_ping::Edition;
use rollcall_store::listings::claims::{self, Claim};
use rollcall_store::server_access::ServerRole;
use rollcall_store::servers::{self, ServerListing};
use rollcall_store::{Conn, Result, server_access};

#[derive(Template)]
#[template(path = "dashboard/claim.html")]
struct ClaimPage {
    layout: Layout,
    dashboard: DashboardLayout,
    server: ServerListing,
    role: Option<ServerRole>,
    claim: Option<Claim>,
    /// What was found when the code was looked for.
    evidence: Option<AddressEvidence>,
    /// A token that was just created; it is shown once.
    new_token: Option<String>,
    base_url: String,
}

impl ClaimPage {
    /// The claim is for another address than the server's.
    fn is_move(&self, claim: &Claim) -> bool {
        (&claim.host, claim.port) != (&self.server.ip, self.server.port)
    }

    fn address(&self, claim: &Claim) -> String {
        servers::address(&claim.host, claim.port)
    }

    /// An IP address has no TXT records.
    fn has_name(&self, claim: &Claim) -> bool {
        claim.host.parse::<std::net::IpAddr>().is_err()
    }
}

/// What the page shows of the store.
struct Stored {
    server: ServerListing,
    role: Option<ServerRole>,
    claim: Option<Claim>,
}

fn load(conn: &mut Conn, slug: &str, user: (i64, bool), now: i64) -> Result<Option<Stored>> {
    let Some(server) = servers::list(conn, Some(slug))?.pop() else { return Ok(None) };
    let role = server_access::find(conn, slug, user.0, user.1)?.map(|managed| managed.role);
    // Hidden servers are shown to nobody else.
    if role.is_none() && server.visibility == Visibility::Hidden.name() {
        return Ok(None);
    }
    let claim = claims::find(conn, server.n, user.0, now)?;
    Ok(Some(Stored { server, role, claim }))
}

async fn find(app: &App, user: &CurrentUser, slug: &str) -> std::result::Result<Stored, PageRejection> {
    let (slug, account, now) = (slug.to_owned(), (user.account.n, user.account.operator), user.session.now);
    or_not_found(app.pool.read(move |conn| load(conn, &slug, account, now)).await?)
}

fn dashboard(user: &CurrentUser) -> DashboardLayout {
    DashboardLayout::new(user, "/dashboard/servers")
}

fn claim_page(app: &App, dashboard: DashboardLayout, stored: Stored) -> ClaimPage {
    ClaimPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        server: stored.server,
        role: stored.role,
        claim: stored.claim,
        evidence: None,
        new_token: None,
        base_url: app.public_url.clone(),
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(slug): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let stored = find(&app, &user, &slug).await?;
    let dashboard = dashboard(&user).with_success_from(query.as_deref());
    Ok(page::private(&claim_page(&app, dashboard, stored)))
}

/// Makes a new code.
pub async fn start(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let stored = find(&app, user, &slug).await?;
    let claim = listings::new_claim(&stored.server, user.account.n, None, user.session.now);
    start_claim(&app, user, stored, claim).await
}

/// Makes a code for the address that the owner wants to move the server to.
pub async fn move_server(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    owned(&app, user, &slug).await?;
    let stored = find(&app, user, &slug).await?;
    let edition = Edition::parse(&stored.server.edition).unwrap_or_default();
    let address = form.text("address").to_owned();
    let look = move |conn: &mut Conn| {
        let (host, port) = tracked_servers::split_address(&address)?;
        let tracked_as = tracked_servers::tracked_as(conn, &address, edition)?;
        Ok::<_, ServerError>((tracked_as, (host, i64::from(port.unwrap_or(edition.default_port())))))
    };
    let error = match app.pool.try_read(look).await {
        Err(error) => explain(error)?,
        Ok((Some(other), _)) if other == stored.server.slug => {
            translatable("The server is at this address already.").into()
        }
        Ok((Some(other), _)) => Message::new("Another server is tracked at this address: {}.", &[&other]),
        Ok((None, to)) => {
            let claim = listings::new_claim(&stored.server, user.account.n, Some(to), user.session.now);
            return start_claim(&app, user, stored, claim).await;
        }
    };
    let page = claim_page(&app, dashboard(user).with_error(error), stored);
    Ok(page::with_status(page::private(&page), StatusCode::UNPROCESSABLE_ENTITY))
}

async fn start_claim(app: &App, user: &CurrentUser, stored: Stored, claim: Claim) -> PageResult {
    let started = app.pool.write(move |conn| conn.transaction(|conn| claims::start(conn, &claim))).await?;
    if started {
        return Ok(page::redirect(&format!("/dashboard/servers/{}/claim", stored.server.slug)));
    }
    let error = Message::new("You are claiming {} servers. Finish one of them first.", &[&claims::MAX_CLAIMS]);
    let page = claim_page(app, dashboard(user).with_error(error), stored);
    Ok(page::with_status(page::private(&page), StatusCode::UNPROCESSABLE_ENTITY))
}

/// Looks for the code now.
pub async fn check(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let stored = find(&app, user, &slug).await?;
    let Some(claim) = stored.claim.clone() else {
        let error = translatable("Your code has expired. Make a new one.");
        let page = claim_page(&app, dashboard(user).with_error(error), stored);
        return Ok(page::with_status(page::private(&page), StatusCode::UNPROCESSABLE_ENTITY));
    };
    if let Err(seconds) = app.listings.count_ping(user.account.n) {
        let error = translatable("You had too many addresses pinged within a minute. Try again shortly.");
        let page = claim_page(&app, dashboard(user).with_error(error), stored);
        let response = page::with_status(page::private(&page), StatusCode::TOO_MANY_REQUESTS);
        return Ok(page::with_retry_after(response, seconds));
    }
    let edition = Edition::parse(&stored.server.edition).unwrap_or_default();
    let evidence = app.listings.look_at(&claim, edition).await;
    let done = |slug: &str, page: &str, done: &str| {
        Ok(page::redirect(&format!("/dashboard/servers/{slug}{page}?done={done}")))
    };
    let error = match app.listings.settle(claim, &evidence, user.author()).await {
        Ok(ClaimOutcome::Owner) => return done(&slug, "/settings", "server-claimed"),
        Ok(ClaimOutcome::Moved(slug)) => return done(&slug, "/settings", "server-moved"),
        Ok(ClaimOutcome::Disputed) => return done(&slug, "/claim", "claim-disputed"),
        Ok(ClaimOutcome::NotFound) => translatable("The code was not found yet. Below is what we see now.").into(),
        Err(error) => explain(error)?,
    };
    let page = ClaimPage { evidence: Some(evidence), ..claim_page(&app, dashboard(user).with_error(error), stored) };
    Ok(page::with_status(page::private(&page), StatusCode::UNPROCESSABLE_ENTITY))
}

/// Makes a token whose first report from the server's address proves the claim.
pub async fn create_token(
    State(app): State<Arc<App>>,
    PathId(slug): PathId,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let user = &form.sender;
    let stored = find(&app, user, &slug).await?;
    let Some(claim) = stored.claim.as_ref() else {
        return Ok(page::redirect(&format!("/dashboard/servers/{slug}/claim")));
    };
    let (token, server_n, account_n) = (ServerToken::generate(), claim.server_n, claim.account_n);
    let issued = token.clone();
    app.pool.write(move |conn| claims::set_token(conn, server_n, account_n, &issued)).await?;
    let new_token = Some(token.reveal().to_owned());
    Ok(page::private(&ClaimPage { new_token, ..claim_page(&app, dashboard(user), stored) }))
}
