//! `/dashboard/add-server`: submits a server in two steps. The first pings the address and shows what came back.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode};

use crate::app::App;
use crate::listings::{ProbeOutcome, Submission};
use crate::moderation::Verdict;
use crate::tracked_servers;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::server_form::{EnteredServer, explain, explain_address, parse_edition};
use rollcall_model::message::{Message, translatable};
use rollcall_model::motd;
use rollcall_store::listings::SameAddress;
use rollcall_store::server_lookup::ServerAtAddress;

#[derive(Template)]
#[template(path = "dashboard/add_server.html")]
struct AddServerPage {
    layout: Layout,
    dashboard: DashboardLayout,
    entered: EnteredServer,
    /// `None` before the address was pinged.
    probe: Option<ProbeView>,
    /// What is known about the server can be entered.
    shows_fields: bool,
    /// The server that is tracked at this address already.
    tracked_as: Option<ServerAtAddress>,
    max_per_account: u32,
}

/// Result of the ping of the address.
struct ProbeView {
    reply: Result<ReplyView, String>,
    same_address: Vec<SameAddress>,
}

struct ReplyView {
    motd: String,
    version: String,
    players: i64,
    max_players: i64,
    latency: i64,
}

impl From<ProbeOutcome> for ProbeView {
    fn from(probe: ProbeOutcome) -> Self {
        let reply = probe.reply.map(|reply| ReplyView {
            motd: motd::plain(&reply.status.motd_raw),
            version: reply.status.version,
            players: reply.status.players,
            max_players: reply.status.max_players,
            latency: reply.latency_ms,
        });
        // Hidden servers are not disclosed; the submission is held all the same.
        let same_address = probe.same_address.into_iter().filter(|server| server.is_public).collect();
        Self { reply, same_address }
    }
}

fn dashboard(user: &CurrentUser) -> DashboardLayout {
    DashboardLayout::new(user, "/dashboard/servers")
}

fn render(app: &App, dashboard: DashboardLayout, entered: EnteredServer, probe: Option<ProbeView>) -> AddServerPage {
    let untouched = EnteredServer {
        address: entered.address.clone(),
        edition: entered.edition.clone(),
        ..EnteredServer::new_server()
    };
    AddServerPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        shows_fields: probe.is_some() || entered != untouched,
        entered,
        probe,
        tracked_as: None,
        max_per_account: app.listings.max_per_account,
    }
}

pub async fn show(State(app): State<Arc<App>>, user: CurrentUser) -> PageResult {
    Ok(page::private(&render(&app, dashboard(&user), EnteredServer::new_server(), None)))
}

pub async fn submit(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let defaults = EnteredServer::new_server();
    let mut entered = EnteredServer::of_owner_form(&form, defaults.clone());
    form.text("address").clone_into(&mut entered.address);
    form.text("edition").clone_into(&mut entered.edition);
    let is_first_step = form.text("step") != "submit";
    if entered.visibility.is_empty() {
        // The first form has only the address.
        entered.visibility.clone_from(&defaults.visibility);
    }
    let rejected = |error: Message, entered: EnteredServer, probe: Option<ProbeView>| {
        let page = render(&app, dashboard(user).with_error(error), entered, probe);
        Ok(page::with_status(page::private(&page), StatusCode::UNPROCESSABLE_ENTITY))
    };
    let edition = match parse_edition(&entered.edition) {
        Ok(edition) => edition,
        Err(error) => return rejected(error, entered, None),
    };
    if let Err(seconds) = app.listings.count_ping(user.account.n) {
        return Ok(too_many(&app, user, entered, seconds));
    }
    let probe = match app.listings.probe(&entered.address, edition).await {
        Ok(probe) => probe,
        Err(error) => return rejected(explain_address(error)?, entered, None),
    };
    let address = entered.address.clone();
    let tracked = app.pool.try_read(move |conn| tracked_servers::tracked_as(conn, &address, edition)).await;
    let tracked_as = match tracked {
        Ok(tracked_as) => tracked_as,
        Err(error) => return rejected(explain_address(error)?, entered, None),
    };
    if is_first_step || tracked_as.is_some() {
        let page = AddServerPage { tracked_as, ..render(&app, dashboard(user), entered, Some(probe.into())) };
        return Ok(page::private(&page));
    }
    let settings = match entered.differences(&EnteredServer { address: entered.address.clone(), ..defaults }) {
        Ok(settings) => settings,
        Err(error) => return rejected(error, entered, Some(probe.into())),
    };
    let held = match check_texts(&app, user, &entered, &EnteredServer::default()) {
        Ok(held) => held,
        Err(error) => return rejected(error, entered, Some(probe.into())),
    };
    let view = ProbeView::from(probe.clone());
    let submission = Submission {
        held,
        account_n: user.account.n,
        address: entered.address.clone(),
        settings,
        probe,
        max_per_account: app.listings.max_per_account,
    };
    match app.listings.submit(submission, user.author()).await {
        Ok(server) => Ok(page::redirect(&format!("/dashboard/servers/{}/claim?done=server-submitted", server.slug))),
        Err(error) => rejected(explain(error)?, entered, Some(view)),
    }
}

/// Verdict of the rules on the changed texts and links of a server: why a moderator must review them first, or why they are
/// refused.
pub fn check_texts(
    app: &App,
    user: &CurrentUser,
    entered: &EnteredServer,
    stored: &EnteredServer,
) -> Result<Option<String>, Message> {
    let texts = changed(&[
        (&entered.name, &stored.name),
        (&entered.description, &stored.description),
        (&entered.tags, &stored.tags),
        (&entered.mode, &stored.mode),
    ]);
    let links = changed(&[
        (&entered.website, &stored.website),
        (&entered.chat_url, &stored.chat_url),
        (&entered.store_url, &stored.store_url),
        (&entered.video_url, &stored.video_url),
    ]);
    if texts.is_empty() && links.is_empty() {
        return Ok(None);
    }
    let host = tracked_servers::split_address(&entered.address).map_or_else(|_| String::new(), |(host, _)| host);
    match app.moderation.rules.check_server(&texts, &links, &host, user.account.skips_moderation()) {
        Verdict::Shown => Ok(None),
        Verdict::Held(why) => Ok(Some(why)),
        Verdict::Refused(error) => Err(error),
    }
}

/// The fields that have another value now.
fn changed<'a>(fields: &[(&'a String, &'a String)]) -> Vec<&'a str> {
    fields.iter().filter(|(new, old)| new != old && !new.is_empty()).map(|(new, _)| new.as_str()).collect()
}

fn too_many(app: &App, user: &CurrentUser, entered: EnteredServer, seconds: i64) -> Response<Body> {
    let error = translatable("You had too many addresses pinged within a minute. Try again shortly.");
    let page = render(app, dashboard(user).with_error(error), entered, None);
    page::with_retry_after(page::with_status(page::private(&page), StatusCode::TOO_MANY_REQUESTS), seconds)
}
