//! `/api/?object=votes&element=claim&key=…&username=…`: a game server without an open port asks whether a player has voted, in
//! the form that plugins for other vote lists use, some with GET and some with POST. The answer is 0 (no), 1 (yes) or 2 (yes,
//! and claimed). With `action=post` the vote is claimed: 1 if there was one, else 0.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode, header};
use axum::response::IntoResponse;

use super::reports::authenticate;
use crate::app::App;
use crate::http::client_ip;
use crate::http::envelope;
use crate::http::query::Query;
use rollcall_store::voting::deliveries::{self, ClaimState};

const MAX_USERNAME_BYTES: usize = 64;

pub async fn respond(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let client = client_ip::client_ip(&request);
    let query = Query::parse(request.uri().query().unwrap_or_default()).unwrap_or_default();
    drop(request);
    if (query.get("object"), query.get("element")) != (Some("votes"), Some("claim")) {
        return wrong("object must be votes and element must be claim");
    }
    let is_claim = match query.get("action") {
        None => false,
        Some("post") => true,
        Some(_) => return wrong("action must be post, or missing"),
    };
    let Some(username) = query.get("username").filter(|name| is_username(name)) else {
        return wrong("username must be the name of a player");
    };
    let server = match authenticate(&app, query.get("key").unwrap_or_default(), client).await {
        Ok(sender) => sender.server,
        Err(response) => return response,
    };
    let (username, n, now) = (username.to_owned(), server.n, app.clock.now());
    let outcome = if is_claim {
        app.pool.write(move |conn| deliveries::claim_vote(conn, n, &username, now)).await.map(u8::from)
    } else {
        let state = app.pool.read(move |conn| deliveries::claim_state(conn, n, &username, now)).await;
        state.map(|state| match state {
            ClaimState::NoVote => 0,
            ClaimState::Unclaimed => 1,
            ClaimState::Claimed => 2,
        })
    };
    match outcome {
        Ok(digit) => {
            let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
            (headers, digit.to_string()).into_response()
        }
        Err(error) => envelope::api_failure(&error.into()),
    }
}

/// Any name that a vote of the last day may have. PostgreSQL stores no NUL.
fn is_username(name: &str) -> bool {
    (1..=MAX_USERNAME_BYTES).contains(&name.len()) && !name.chars().any(char::is_control)
}

fn wrong(message: &str) -> Response<Body> {
    envelope::failure(StatusCode::BAD_REQUEST, message)
}
