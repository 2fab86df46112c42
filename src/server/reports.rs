//! `/report/v1` and `/api/azlink`: reports of game servers about themselves.

use std::net::IpAddr;

use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderName};
use axum::http::{Method, Request, Response, StatusCode};
use axum::response::IntoResponse;
use serde::Serialize;

use crate::app::App;
use crate::error::ApiError;
use crate::http::client_ip::client_ip;
use crate::http::envelope;
use crate::intake::{MAX_BYTES, ReportFormat, Sender, TokenRejection};
use crate::security_log::{EventFields, SecurityEventKind};
use rollcall_store::reports::ReportOutcome;
use rollcall_store::server_tokens::TokenServer;

/// The header in which the AzLink plugin sends its token.
const AZLINK_TOKEN: HeaderName = HeaderName::from_static("azuriom-link-token");

/// Deleted servers are archived, too.
const ARCHIVED: &str = "The server is archived or deleted: restore it in its settings on the dashboard to send reports";

/// An endpoint for reports.
#[derive(Clone, Copy)]
pub struct ReportRoute {
    pub path: &'static str,
    pub format: ReportFormat,
}

/// Those with two slashes are for plugins whose base URL was entered with a trailing slash.
const ROUTES: [ReportRoute; 4] = [
    ReportRoute { path: "/report/v1", format: ReportFormat::Own },
    ReportRoute { path: "/api/azlink", format: ReportFormat::AzLink },
    ReportRoute { path: "//report/v1", format: ReportFormat::Own },
    ReportRoute { path: "//api/azlink", format: ReportFormat::AzLink },
];

/// The data of a response to a report.
#[derive(Serialize)]
struct Receipt {
    status: &'static str,
    players: usize,
    notes: Vec<String>,
}

pub fn route(path: &str) -> Option<ReportRoute> {
    ROUTES.into_iter().find(|route| route.path == path)
}

/// Answers any request at an endpoint for reports.
pub async fn respond(app: &App, format: ReportFormat, request: &Request<()>, body: Body) -> Response<Body> {
    match format {
        ReportFormat::Own => receive(app, request, body).await,
        ReportFormat::AzLink => receive_azlink(app, request, body).await,
    }
}

async fn receive(app: &App, request: &Request<()>, body: Body) -> Response<Body> {
    if request.method() != Method::POST {
        return envelope::method_not_allowed("Send reports with POST", "POST");
    }
    let (new_owner, outcome) = match report(app, ReportFormat::Own, request, body).await {
        Ok(reported) => reported,
        Err(response) => return response,
    };
    let mut notes: Vec<String> = new_owner.map(|username| claim_note(&username)).into_iter().collect();
    match outcome {
        ReportOutcome::Accepted(accepted) => {
            notes.extend(accepted.notes);
            envelope::success(Receipt { status: "accepted", players: accepted.players, notes })
        }
        ReportOutcome::Duplicate => envelope::success(Receipt { status: "duplicate", players: 0, notes }),
        ReportOutcome::TooSoon { next_at } => {
            let seconds = app.intake.seconds_until(next_at);
            envelope::rate_limited("A server may send one report every 10 seconds", seconds)
        }
        ReportOutcome::UnknownToken => unknown_token(),
        ReportOutcome::Archived => archived(),
    }
}

/// Response when the report proved a claim.
fn claim_note(username: &str) -> String {
    format!("this report proved the ownership: the server belongs to the account {username}")
}

/// Called every minute by the AzLink plugin: GET tests the connection, POST reports. We never send commands.
async fn receive_azlink(app: &App, request: &Request<()>, body: Body) -> Response<Body> {
    let outcome = match *request.method() {
        Method::GET => test_connection(app, request).await.map(|()| None),
        Method::POST => report(app, ReportFormat::AzLink, request, body).await.map(|(_, outcome)| Some(outcome)),
        _ => return envelope::method_not_allowed("AzLink uses GET and POST", "GET, POST"),
    };
    match outcome {
        Err(response) => response,
        Ok(Some(ReportOutcome::UnknownToken)) => unknown_token(),
        Ok(Some(ReportOutcome::Archived)) => archived(),
        // One that comes too early is no problem of the server, and the plugin would log it as an error.
        Ok(Some(ReportOutcome::Accepted(_) | ReportOutcome::Duplicate | ReportOutcome::TooSoon { .. }) | None) => {
            ([(header::CONTENT_TYPE, "application/json")], r#"{"commands":{},"users":[]}"#).into_response()
        }
    }
}

async fn test_connection(app: &App, request: &Request<()>) -> Result<(), Response<Body>> {
    let token = token(request.headers()).ok_or_else(token_required)?;
    authenticate(app, token, client_ip(request)).await.map(drop)
}

/// The account that became the owner by the report, and what came of it.
async fn report(
    app: &App,
    format: ReportFormat,
    request: &Request<()>,
    body: Body,
) -> Result<(Option<String>, ReportOutcome), Response<Body>> {
    let token = token(request.headers()).ok_or_else(token_required)?;
    let sender = match app.intake.known_sender(token) {
        Some(sender) => sender,
        None => authenticate(app, token, client_ip(request)).await?,
    };
    let server = &sender.server;
    if server.is_archived {
        return Err(refuse(app, server, StatusCode::FORBIDDEN, ARCHIVED).await);
    }
    let body = match app.body_reader.read(body, MAX_BYTES, request.extensions()).await {
        Ok(body) => body,
        Err(ApiError::BodyTooLarge) => {
            return Err(refuse(app, server, StatusCode::PAYLOAD_TOO_LARGE, "A report must not exceed 64 KiB").await);
        }
        Err(error) => return Err(envelope::api_failure(&error)),
    };
    let parsed = match app.intake.parse(format, &body) {
        Ok(parsed) => parsed,
        Err(message) => return Err(refuse(app, server, StatusCode::BAD_REQUEST, &message).await),
    };
    let outcome =
        app.intake.submit(&sender, format, parsed).await.map_err(|error| envelope::api_failure(&error.into()));
    metrics::counter!("rollcall_reports_total", "outcome" => outcome_name(outcome.as_ref().ok())).increment(1);
    Ok((sender.new_owner, outcome?))
}

fn outcome_name(outcome: Option<&ReportOutcome>) -> &'static str {
    match outcome {
        Some(ReportOutcome::Accepted(_)) => "accepted",
        Some(ReportOutcome::Duplicate) => "duplicate",
        Some(ReportOutcome::TooSoon { .. }) => "too_soon",
        Some(ReportOutcome::UnknownToken) => "unknown_token",
        Some(ReportOutcome::Archived) => "archived",
        None => "failed",
    }
}

/// The sender with a token, or the answer to a wrong one.
pub async fn authenticate(app: &App, token: &str, client: IpAddr) -> Result<Sender, Response<Body>> {
    let found = app.intake.authenticate(token, client).await.map_err(|error| envelope::api_failure(&error.into()))?;
    found.map_err(|rejection| {
        let fields = EventFields { client: Some(client), ..EventFields::default() };
        app.security_log.record(SecurityEventKind::WrongServerToken, fields, app.clock.now());
        match rejection {
            TokenRejection::Unknown => unknown_token(),
            TokenRejection::Unproved(unproved) => envelope::failure(StatusCode::FORBIDDEN, unproved.message()),
            TokenRejection::Throttled(seconds) => {
                envelope::rate_limited("Too many wrong server tokens from this IP address", seconds)
            }
        }
    })
}

fn unknown_token() -> Response<Body> {
    envelope::failure(StatusCode::UNAUTHORIZED, "Unknown server token: create a new one on the server's page")
}

fn token_required() -> Response<Body> {
    let message = "Server token required: send it in the header Authorization: Bearer rcs_…";
    envelope::failure(StatusCode::UNAUTHORIZED, message)
}

fn archived() -> Response<Body> {
    envelope::failure(StatusCode::FORBIDDEN, ARCHIVED)
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let bearer = text(header::AUTHORIZATION).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    });
    bearer.or_else(|| text(AZLINK_TOKEN)).filter(|token| !token.is_empty())
}

/// Refuses a report, and tells the owner on the server's page.
async fn refuse(app: &App, server: &TokenServer, status: StatusCode, message: &str) -> Response<Body> {
    metrics::counter!("rollcall_reports_total", "outcome" => "invalid").increment(1);
    if let Err(error) = app.intake.record_refusal(server, message).await {
        tracing::debug!(%error, server = server.slug, "cannot record a refused report");
    }
    envelope::failure(status, message)
}
