//! `/dashboard/servers/{slug}/votes`: where votes are sent to, and what became of them.

use std::fmt::Write;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;

use super::managed;
use crate::app::App;
use crate::http::csv_field;
use crate::voting::{EnteredReceiver, parse_receiver};
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::error_page;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::session::PathId;
use crate::web::view::language;
use rollcall_model::message::{Message, translatable};
use rollcall_model::time::{self, DAY, iso, start_of_day};
use rollcall_store::server_access::ManagedServer;
use rollcall_store::voting::deliveries::{self, DeliveryOutcome, DeliveryRecord};
use rollcall_store::voting::{history, receivers};
use rollcall_store::{Conn, Result, votes};

/// Deliveries on the page and in the CSV file.
const SHOWN: i64 = 50;
const DOWNLOADED: i64 = 10_000;
const TOP_VOTERS: i64 = 10;
/// How far back votes are added up by month.
const MONTHS: usize = 6;
const TOP_VOTERS_SINCE: i64 = 30 * DAY;
/// The player of a test vote.
const TEST_NAME: &str = "RollcallTest";

#[derive(Template)]
#[template(path = "dashboard/server_votes.html")]
struct VotesPage {
    layout: Layout,
    dashboard: DashboardLayout,
    server: ManagedServer,
    has_receiver: bool,
    entered: Entered,
    /// Result of the test vote.
    test: Option<(bool, String)>,
    counts: Vec<(String, i64)>,
    deliveries: Vec<DeliveryRecord>,
    months: Vec<(String, i64)>,
    top_voters: Vec<(String, i64)>,
    base_url: String,
}

/// The values of the form. The secret is never shown again.
#[derive(Clone, Default)]
struct Entered {
    protocol: String,
    host: String,
    port: String,
    repeats_uncertain: bool,
}

impl VotesPage {
    fn tab(&self) -> &'static str {
        "votes"
    }

    fn state_name(&self, state: &str) -> String {
        language().translate(state_name(state)).to_owned()
    }

    fn state_class(&self, state: &str) -> &'static str {
        match state {
            "delivered" | "claimed" => "good",
            "rejected" => "bad",
            "uncertain" | "retrying" => "warn",
            // "sent" has no colour of its own: the outcome is unknown.
            _ => "",
        }
    }

    fn can_resend(&self, state: &str) -> bool {
        self.has_receiver && matches!(state, "rejected" | "uncertain" | "unclaimed")
    }
}

fn state_name(state: &str) -> &'static str {
    match state {
        "delivered" => translatable("Delivered"),
        "sent" => translatable("Sent"),
        "claimed" => translatable("Claimed"),
        "rejected" => translatable("Rejected"),
        "uncertain" => translatable("Uncertain"),
        "retrying" => translatable("Retrying"),
        "sending" => translatable("Sending"),
        "unclaimed" => translatable("Unclaimed"),
        _ => translatable("Waiting"),
    }
}

/// Data of the store for the page.
struct Stored {
    entered: Option<Entered>,
    counts: Vec<(String, i64)>,
    deliveries: Vec<DeliveryRecord>,
    months: Vec<(String, i64)>,
    top_voters: Vec<(String, i64)>,
}

fn load(conn: &mut Conn, server_n: i64, now: i64) -> Result<Stored> {
    let entered = receivers::of_server(conn, server_n)?.map(|receiver| Entered {
        protocol: receiver.protocol,
        host: receiver.host,
        port: receiver.port.to_string(),
        repeats_uncertain: receiver.repeats_uncertain,
    });
    let since = start_of_day(now) - MONTHS as i64 * 31 * DAY;
    let mut months: Vec<(String, i64)> = Vec::new();
    for (day, count) in votes::days(conn, server_n, since)? {
        let month = time::day(day)[..7].to_owned();
        match months.last_mut() {
            Some(last) if last.0 == month => last.1 += count,
            _ => months.push((month, count)),
        }
    }
    let skipped = months.len().saturating_sub(MONTHS);
    months.drain(..skipped);
    months.reverse();
    Ok(Stored {
        entered,
        counts: deliveries::count_by_state(conn, server_n)?,
        deliveries: deliveries::of_server(conn, server_n, SHOWN)?,
        months,
        top_voters: history::top_voters(conn, server_n, now - TOP_VOTERS_SINCE, TOP_VOTERS)?,
    })
}

pub async fn show(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(slug): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let server = managed(&app, &user, &slug).await?;
    let dashboard = DashboardLayout::new(&user, "/dashboard/servers").with_success_from(query.as_deref());
    render(&app, &user, dashboard, server, None, None).await
}

async fn render(
    app: &App,
    user: &CurrentUser,
    dashboard: DashboardLayout,
    server: ManagedServer,
    entered: Option<Entered>,
    test: Option<(bool, String)>,
) -> PageResult {
    let (n, now) = (server.n, user.session.now);
    let stored = app.pool.read(move |conn| load(conn, n, now)).await?;
    let has_receiver = stored.entered.is_some();
    let default = Entered { protocol: "v2".into(), port: "8192".into(), ..Entered::default() };
    Ok(page::private(&VotesPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        server,
        has_receiver,
        entered: entered.or(stored.entered).unwrap_or(default),
        test,
        counts: stored.counts,
        deliveries: stored.deliveries,
        months: stored.months,
        top_voters: stored.top_voters,
        base_url: app.public_url.clone(),
    }))
}

pub async fn set_receiver(
    State(app): State<Arc<App>>,
    PathId(slug): PathId,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let user = &form.sender;
    let server = managed(&app, user, &slug).await?;
    // The secret is never shown, so an empty field keeps it. That of another protocol is of no use.
    let n = server.n;
    let stored = app.pool.read(move |conn| receivers::of_server(conn, n)).await?;
    let stored = stored.filter(|stored| stored.protocol == form.text("protocol"));
    let secret = match &stored {
        Some(stored) if form.text("secret").is_empty() => stored.secret.reveal(),
        _ => form.raw("secret"),
    };
    let fields = EnteredReceiver {
        protocol: form.text("protocol"),
        host: form.text("host"),
        port: form.text("port"),
        secret,
        repeats_uncertain: form.text("repeats") == "on",
    };
    match parse_receiver(&fields) {
        Ok(receiver) => {
            let (n, author) = (server.n, user.author());
            app.pool.write(move |conn| receivers::set(conn, n, &receiver, &author)).await?;
            Ok(page::redirect(&format!("/dashboard/servers/{}/votes?done=receiver-set", server.slug)))
        }
        Err(error) => {
            let entered = Entered {
                protocol: fields.protocol.to_owned(),
                host: fields.host.to_owned(),
                port: fields.port.to_owned(),
                repeats_uncertain: fields.repeats_uncertain,
            };
            let dashboard = DashboardLayout::new(user, "/dashboard/servers").with_error(error);
            let response = render(&app, user, dashboard, server, Some(entered), None).await?;
            Ok(page::with_status(response, StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub async fn remove_receiver(
    State(app): State<Arc<App>>,
    PathId(slug): PathId,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let user = &form.sender;
    let server = managed(&app, user, &slug).await?;
    let (n, author) = (server.n, user.author());
    app.pool.write(move |conn| receivers::remove(conn, n, &author)).await?;
    Ok(page::redirect(&format!("/dashboard/servers/{}/votes?done=receiver-removed", server.slug)))
}

/// Sends a vote now and shows what came of it. It counts nowhere.
pub async fn send_test(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let server = managed(&app, user, &slug).await?;
    let (n, dashboard) = (server.n, DashboardLayout::new(user, "/dashboard/servers"));
    let Some(receiver) = app.pool.read(move |conn| receivers::of_server(conn, n)).await? else {
        return Ok(page::redirect(&format!("/dashboard/servers/{}/votes", server.slug)));
    };
    if let Err(seconds) = app.voting.count_test(user.account.n) {
        let error = translatable("You sent too many test votes within a minute. Try again shortly.");
        let page = render(&app, user, dashboard.with_error(error), server, None, None).await?;
        return Ok(page::with_retry_after(page::with_status(page, StatusCode::TOO_MANY_REQUESTS), seconds));
    }
    let test = match app.voting.send_test(&receiver, TEST_NAME).await {
        DeliveryOutcome::Delivered => {
            let text = match receiver.confirms() {
                true => translatable("The test vote arrived: your server received a vote of RollcallTest."),
                false => translatable(
                    "The test vote was sent. Receivers of version 1 do not confirm votes: look in the console of your server for a vote of RollcallTest.",
                ),
            };
            (true, language().translate(text).to_owned())
        }
        DeliveryOutcome::NotSent(reason) => failed_test(translatable("The test vote was not sent: {}"), &reason),
        DeliveryOutcome::Uncertain(reason) => {
            failed_test(translatable("Nobody knows whether the test vote arrived: {}"), &reason)
        }
        DeliveryOutcome::Rejected(reason) => failed_test(translatable("The test vote was rejected: {}"), &reason),
    };
    render(&app, user, dashboard, server, None, Some(test)).await
}

fn failed_test(text: &'static str, reason: &str) -> (bool, String) {
    (false, language().message(&Message::new(text, &[&reason])))
}

pub async fn resend(
    State(app): State<Arc<App>>,
    Path((slug, vote_id)): Path<(String, String)>,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let user = &form.sender;
    let server = managed(&app, user, &slug).await?;
    let (n, now) = (server.n, user.session.now);
    if !app.pool.write(move |conn| deliveries::resend(conn, n, &vote_id, now)).await? {
        return Err(error_page::not_found().into());
    }
    Ok(page::redirect(&format!("/dashboard/servers/{}/votes?done=resent", server.slug)))
}

/// `/dashboard/servers/{slug}/votes.csv`
pub async fn download(State(app): State<Arc<App>>, user: CurrentUser, PathId(slug): PathId) -> PageResult {
    let server = managed(&app, &user, &slug).await?;
    let n = server.n;
    let rows = app.pool.read(move |conn| deliveries::of_server(conn, n, DOWNLOADED)).await?;
    let mut csv = "voted_at,username,state,attempts,detail,updated_at\r\n".to_owned();
    for row in rows {
        let (username, detail) = (csv_field::text(&row.username), csv_field::text(&row.detail));
        let (voted_at, updated_at) = (iso(row.voted_at), iso(row.updated_at));
        let _ = write!(csv, "{voted_at},{username},{},{},{detail},{updated_at}\r\n", row.state, row.attempts);
    }
    let disposition = format!("attachment; filename=\"votes-{}.csv\"", server.slug);
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, csv).into_response())
}
