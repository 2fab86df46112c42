//! `/report/v1` and `/api/azlink`: reports of game servers about themselves.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Response, StatusCode, header};
use axum::response::IntoResponse;
use serde_json::json;

use crate::app::App;
use crate::error::ApiError;
use crate::http::{client_ip, envelope};
use crate::intake::{MAX_BYTES, ReportFormat, Sender, TokenRejection};
use crate::security_log::{EventFields, SecurityEventKind};
use rollcall_store::reports::ReportOutcome;
use rollcall_store::server_tokens::TokenServer;

/// The header in which the AzLink plugin sends its token.
const AZLINK_TOKEN: &str = "azuriom-link-token";

/// Deleted servers are archived, too.
const ARCHIVED: &str = "The server is archived or deleted: restore it in its settings on the dashboard to send reports";

pub async fn receive(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    if parts.method != Method::POST {
        return envelope::method_not_allowed("Send reports with POST", "POST");
    }
    let (new_owner, outcome) = match report(&app, ReportFormat::Own, &parts, body).await {
        Ok(reported) => reported,
        Err(response) => return response,
    };
    let mut notes: Vec<String> = new_owner.map(|username| claim_note(&username)).into_iter().collect();
    match outcome {
        ReportOutcome::Accepted(accepted) => {
            notes.extend(accepted.notes);
            envelope::success(json!({"status": "accepted", "players": accepted.players, "notes": notes}))
        }
        ReportOutcome::Duplicate => envelope::success(json!({"status": "duplicate", "players": 0, "notes": notes})),
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
pub async fn receive_azlink(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let outcome = match parts.method {
        Method::GET => test_connection(&app, &parts).await.map(|()| None),
        Method::POST => report(&app, ReportFormat::AzLink, &parts, body).await.map(|(_, outcome)| Some(outcome)),
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

async fn test_connection(app: &App, parts: &Parts) -> Result<(), Response<Body>> {
    let token = token(&parts.headers).ok_or_else(token_required)?;
    authenticate(app, token, client_ip::of(&parts.extensions)).await.map(drop)
}

/// The account that became the owner by the report, and what came of it.
async fn report(
    app: &App,
    format: ReportFormat,
    parts: &Parts,
    body: Body,
) -> Result<(Option<String>, ReportOutcome), Response<Body>> {
    let token = token(&parts.headers).ok_or_else(token_required)?;
    let sender = match app.intake.known_sender(token) {
        Some(sender) => sender,
        None => authenticate(app, token, client_ip::of(&parts.extensions)).await?,
    };
    let server = &sender.server;
    if server.is_archived {
        return Err(refuse(app, server, StatusCode::FORBIDDEN, ARCHIVED).await);
    }
    let body = match app.body_reader.read(body, MAX_BYTES, &parts.extensions).await {
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
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let bearer = text(header::AUTHORIZATION.as_str()).and_then(|value| {
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
