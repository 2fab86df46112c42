//! `/dashboard/servers/{slug}/claim`: proves that a server, or the address it moves to, belongs to the account.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};

use super::{owned, settings};
use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::listings::{self, AddressEvidence, ClaimOutcome};
use crate::tracked_servers::{self, ServerError};
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::live_part::{self, LivePart};
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::server_form::{explain, explain_address};
use crate::web::session::{PathId, or_not_found};
use rollcall_minecraft::Edition;
use rollcall_model::message::{Message, translatable};
use rollcall_model::server_token::ServerToken;
use rollcall_model::visibility::Visibility;
use rollcall_store::listings::claims::{self, Claim};
use rollcall_store::server_access::ServerRole;
use rollcall_store::servers::{self, ServerListing};
use rollcall_store::{Conn, Result, server_access, server_lookup};

#[derive(Template)]
#[template(path = "dashboard/claim.html")]
struct ClaimPage {
    layout: Layout,
    dashboard: DashboardLayout,
    server: ServerListing,
    /// The path of this page.
    path: String,
    /// The server is hidden from this account: the page tells its address alone, which the account knows.
    is_secret: bool,
    role: Option<ServerRole>,
    claim: Option<Claim>,
    /// Result of the search for the code.
    evidence: Option<AddressEvidence>,
    /// A token that was just created; it is shown once.
    new_token: Option<String>,
    base_url: String,
    /// Result of a report with the token of the claim; updated live.
    proof: LivePart,
}

impl ClaimPage {
    /// The address that the server moves to, if the claim is for another one than the server's.
    fn moves_to(&self) -> Option<String> {
        let claim = self.claim.as_ref().filter(|claim| is_move(claim, &self.server))?;
        Some(servers::address(&claim.host, claim.port))
    }

    /// A server that is not pinged cannot prove itself by a report.
    fn can_report(&self) -> bool {
        self.server.is_tracked && self.moves_to().is_none()
    }

    /// An IP address has no TXT records.
    fn has_name(&self, claim: &Claim) -> bool {
        claim.host.parse::<std::net::IpAddr>().is_err()
    }
}

/// The part of the page that follows live.
#[derive(Template)]
#[template(path = "live/claim_proof.html")]
struct ProofPart {
    slug: String,
    is_owner: bool,
    /// When a report was refused as a proof, and why.
    refused: Option<(i64, &'static str)>,
    awaits_report: bool,
}

/// The claim is for another address than the server's.
fn is_move(claim: &Claim, server: &ServerListing) -> bool {
    (&claim.host, claim.port) != (&server.ip, server.port)
}

/// Data of the store for the page.
struct Stored {
    server: ServerListing,
    role: Option<ServerRole>,
    claim: Option<Claim>,
}

impl Stored {
    /// The server is hidden, and the account has no role.
    fn is_secret(&self) -> bool {
        self.role.is_none() && self.server.visibility == Visibility::Hidden.name()
    }

    /// Names the server in the path of this page.
    fn segment(&self) -> String {
        let ServerListing { id, slug, ip, port, .. } = &self.server;
        if self.is_secret() { server_lookup::secret_segment(id, ip, *port) } else { slug.clone() }
    }

    fn path(&self) -> String {
        format!("/dashboard/servers/{}/claim", self.segment())
    }

    /// There is nothing to prove: the account owns the server and does not move it.
    fn is_settled(&self) -> bool {
        let moves = self.claim.as_ref().is_some_and(|claim| is_move(claim, &self.server));
        self.role == Some(ServerRole::Owner) && !moves
    }
}

/// The server named by a path. A hidden server can be claimed, too, but only its managers find it by its slug, which can be guessed
/// and reveals the name. Others enter its address, which redirects here.
fn load(conn: &mut Conn, segment: &str, user: (i64, bool), now: i64) -> Result<Option<Stored>> {
    let mut found = servers::list(conn, Some(segment))?.pop();
    if found.is_none()
        && let Some((id, _)) = segment.rsplit_once('-')
    {
        found = servers::listing_by_id(conn, id)?;
    }
    let Some(server) = found else { return Ok(None) };
    let role = server_access::find(conn, &server.slug, user.0, user.1)?.map(|managed| managed.role);
    let claim = claims::find(conn, server.n, user.0, now)?;
    let stored = Stored { server, role, claim };
    Ok(Some(stored).filter(|stored| !stored.is_secret() || stored.segment() == segment))
}

async fn find(app: &App, user: &CurrentUser, slug: &str) -> std::result::Result<Stored, PageRejection> {
    let (slug, account, now) = (slug.to_owned(), (user.account.n, user.account.operator), user.session.now);
    or_not_found(app.pool.read(move |conn| load(conn, &slug, account, now)).await?)
}

fn dashboard(user: &CurrentUser) -> DashboardLayout {
    DashboardLayout::new(user, "/dashboard/servers")
}

fn proof_part(app: &App, user: &CurrentUser, stored: &Stored) -> std::result::Result<LivePart, ApiError> {
    let refused = app.intake.refused_proof(stored.server.n, user.account.n);
    // One of an earlier claim is no longer of interest.
    let refused = refused.filter(|refused| stored.claim.as_ref().is_none_or(|claim| refused.at >= claim.created_at));
    let part = ProofPart {
        slug: stored.server.slug.clone(),
        is_owner: stored.is_settled(),
        refused: refused.map(|refused| (refused.at, refused.why.message())),
        awaits_report: stored.claim.as_ref().is_some_and(|claim| !claim.token_hint.is_empty()),
    };
    LivePart::new("claim-proof", &part)
}

fn claim_page(
    app: &App,
    user: &CurrentUser,
    dashboard: DashboardLayout,
    stored: Stored,
) -> std::result::Result<ClaimPage, PageRejection> {
    Ok(ClaimPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        proof: proof_part(app, user, &stored)?,
        path: stored.path(),
        is_secret: stored.is_secret(),
        server: stored.server,
        role: stored.role,
        claim: stored.claim,
        evidence: None,
        new_token: None,
        base_url: app.public_url.clone(),
    })
}

/// The page with an error.
fn rejected(app: &App, user: &CurrentUser, stored: Stored, error: impl Into<Message>) -> PageResult {
    let page = claim_page(app, user, dashboard(user).with_error(error), stored)?;
    Ok(page::with_status(page::private(&page), StatusCode::UNPROCESSABLE_ENTITY))
}

fn claimed(slug: &str) -> PageResult {
    Ok(page::redirect(&format!("/dashboard/servers/{slug}/settings?done=server-claimed")))
}

pub async fn show(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(slug): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let stored = find(&app, &user, &slug).await?;
    // A report may have proved the claim since the page was opened.
    if stored.is_settled() {
        return claimed(&stored.server.slug);
    }
    let dashboard = dashboard(&user).with_success_from(query.as_deref());
    Ok(page::private(&claim_page(&app, &user, dashboard, stored)?))
}

/// `/dashboard/servers/{slug}/claim/live`: what came of a report, if it changed.
pub async fn refresh(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(slug): PathId,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> PageResult {
    let parts = [proof_part(&app, &user, &find(&app, &user, &slug).await?)?];
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    Ok(live_part::respond(&parts, &query, &headers))
}

/// Makes a new code.
pub async fn start(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let stored = find(&app, user, &slug).await?;
    if stored.is_settled() {
        return claimed(&stored.server.slug);
    }
    let claim = listings::new_claim(&stored.server, user.account.n, None, user.session.now);
    start_claim(&app, user, stored, claim).await
}

/// Makes a code for the address that the owner wants to move the server to.
pub async fn move_server(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let managed = owned(&app, user, &slug).await?;
    let stored = find(&app, user, &slug).await?;
    let edition = Edition::parse(&stored.server.edition).unwrap_or_default();
    let address = form.text("address").to_owned();
    let look = move |conn: &mut Conn| {
        let (host, port) = tracked_servers::split_address(&address)?;
        let tracked_as = tracked_servers::tracked_as(conn, &address, edition)?;
        Ok::<_, ServerError>((tracked_as, (host, i64::from(port.unwrap_or(edition.default_port())))))
    };
    let error = match app.pool.try_read(look).await {
        Err(error) => explain_address(error)?,
        Ok((Some(other), _)) if other.id == stored.server.id => {
            translatable("The server is at this address already.").into()
        }
        Ok((Some(other), _)) if other.is_hidden => {
            translatable("Another server was added at this address. Enter it under “Add your server” to claim it.")
                .into()
        }
        Ok((Some(other), _)) => Message::new("Another server is tracked at this address: {}.", &[&other.slug]),
        Ok((None, to)) => {
            let claim = listings::new_claim(&stored.server, user.account.n, Some(to), user.session.now);
            return start_claim(&app, user, stored, claim).await;
        }
    };
    settings::rejected(&app, user, managed, None, error).await
}

/// Gives up the move to another address.
pub async fn cancel_move(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    owned(&app, user, &slug).await?;
    let stored = find(&app, user, &slug).await?;
    if let Some(claim) = stored.claim.filter(|claim| is_move(claim, &stored.server)) {
        app.pool.write(move |conn| claims::end(conn, claim.server_n, claim.account_n)).await?;
    }
    Ok(page::redirect(&format!("/dashboard/servers/{slug}/settings?done=move-cancelled")))
}

async fn start_claim(app: &App, user: &CurrentUser, stored: Stored, claim: Claim) -> PageResult {
    let started = app.pool.write(move |conn| conn.transaction(|conn| claims::start(conn, &claim))).await?;
    if started {
        return Ok(page::redirect(&stored.path()));
    }
    let error = Message::new("You are claiming {} servers. Finish one of them first.", &[&claims::MAX_CLAIMS]);
    rejected(app, user, stored, error)
}

/// Looks for the code now.
pub async fn check(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let stored = find(&app, user, &slug).await?;
    let Some(claim) = stored.claim.clone() else {
        if stored.is_settled() {
            return claimed(&stored.server.slug);
        }
        return rejected(&app, user, stored, translatable("Your code has expired. Make a new one."));
    };
    if let Err(seconds) = app.listings.count_ping(user.account.n) {
        let error = translatable("You had too many addresses pinged within a minute. Try again shortly.");
        let page = claim_page(&app, user, dashboard(user).with_error(error), stored)?;
        let response = page::with_status(page::private(&page), StatusCode::TOO_MANY_REQUESTS);
        return Ok(page::with_retry_after(response, seconds));
    }
    let edition = Edition::parse(&stored.server.edition).unwrap_or_default();
    let evidence = app.listings.look_at(&claim, edition).await;
    let error = match app.listings.settle(claim, &evidence, user.author()).await {
        Ok(ClaimOutcome::Owner) => return claimed(&stored.server.slug),
        Ok(ClaimOutcome::Moved(slug)) => {
            return Ok(page::redirect(&format!("/dashboard/servers/{slug}/settings?done=server-moved")));
        }
        Ok(ClaimOutcome::Disputed) => {
            return Ok(page::redirect(&format!("{}?done=claim-disputed", stored.path())));
        }
        Ok(ClaimOutcome::NotFound) => translatable("The code was not found yet. Below is what we see now.").into(),
        Err(error) => explain(error)?,
    };
    let page = claim_page(&app, user, dashboard(user).with_error(error), stored)?;
    let page = ClaimPage { evidence: Some(evidence), ..page };
    Ok(page::with_status(page::private(&page), StatusCode::UNPROCESSABLE_ENTITY))
}

/// Makes a token whose first report from the server's address proves the claim.
pub async fn create_token(
    State(app): State<Arc<App>>,
    PathId(slug): PathId,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let user = &form.sender;
    let mut stored = find(&app, user, &slug).await?;
    let path = stored.path();
    let Some(claim) = stored.claim.as_mut() else {
        return Ok(page::redirect(&path));
    };
    let (token, server_n, account_n) = (ServerToken::generate(), claim.server_n, claim.account_n);
    token.hint().clone_into(&mut claim.token_hint);
    let issued = token.clone();
    app.pool.write(move |conn| claims::set_token(conn, server_n, account_n, &issued)).await?;
    let new_token = Some(token.reveal().to_owned());
    Ok(page::private(&ClaimPage { new_token, ..claim_page(&app, user, dashboard(user), stored)? }))
}
