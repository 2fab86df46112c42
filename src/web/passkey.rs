//! Challenges for passkeys, and the fields of the forms that answer them.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{self, HeaderValue};
use axum::http::{Response, StatusCode};
use serde_json::json;

use super::csrf_form::CsrfForm;
use super::error_page;
use super::page::{self, PageRejection, PageResult};
use super::session::Session;
use crate::accounts::passkeys::{self, CHALLENGE_LIFETIME, Ceremony, EDDSA, ES256, RelyingParty};
use crate::app::App;
use crate::limits::bucket;
use crate::security_log::SecurityEventKind;
use rollcall_model::message::translatable;
use rollcall_model::token;
use rollcall_store::passkeys as store;

/// Scope of a challenge: one browser session and one ceremony.
fn binding(session: &Session, ceremony: Ceremony) -> String {
    let name = match ceremony {
        Ceremony::Register => "register",
        Ceremony::SignIn => "sign-in",
    };
    format!("{name} {}", session.cookie_hash())
}

/// Challenges are stored and signatures are checked, so that a client may ask for a few in a minute.
fn count_attempt(app: &App, session: &Session) -> Result<(), PageRejection> {
    app.accounts.passkey_attempts.take(bucket(session.client), session.now).map_err(|seconds| {
        session.record(SecurityEventKind::SignInThrottled, session.account(), Some("passkey"));
        let text = translatable("Too many attempts with passkeys came from your network. Try again in a minute.");
        let response = error_page::with_message(StatusCode::TOO_MANY_REQUESTS, translatable("Too many attempts"), text);
        page::with_retry_after(response, seconds).into()
    })
}

/// `POST /passkeys/challenge`: the options for `navigator.credentials`, for the script.
pub async fn challenge(State(app): State<Arc<App>>, form: CsrfForm<Session>) -> PageResult {
    let session = &form.sender;
    count_attempt(&app, session)?;
    let ceremony = if form.text("for") == "register" { Ceremony::Register } else { Ceremony::SignIn };
    let party = RelyingParty::new(&app.public_url);
    // Of the signed-in user, or of the one whose password was right: no one else learns which passkeys an account has.
    let known = match session.account().map(|account| account.n) {
        Some(n) => app.pool.read(move |conn| store::of_account(conn, n)).await?,
        None => Vec::new(),
    };
    let known: Vec<&str> = known.iter().map(|passkey| passkey.credential.as_str()).collect();
    let user = session.account().map(|account| {
        json!({"id": passkeys::encode(account.id.as_bytes()), "name": account.username, "displayName": account.username})
    });
    let challenge = token::generate();
    let (hash, bound_to, now) = (token::hash(&challenge), binding(session, ceremony), session.now);
    let add = move |conn: &mut _| store::add_challenge(conn, &hash, &bound_to, now, now + CHALLENGE_LIFETIME);
    app.ledger.write(add).await?;
    let options = json!({
        "challenge": passkeys::encode(challenge.as_bytes()),
        "rpId": party.id,
        "user": user,
        "known": known,
        "algorithms": [ES256, EDDSA],
        "timeout": CHALLENGE_LIFETIME,
    });
    let mut response = Response::new(Body::from(options.to_string()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(session.with_cookie(response))
}

/// The client data of a form, if it answers a challenge of this session that was not answered before.
pub async fn spend_challenge(
    app: &App,
    session: &Session,
    client_data: &str,
    ceremony: Ceremony,
) -> Result<Option<Vec<u8>>, PageRejection> {
    count_attempt(app, session)?;
    let party = RelyingParty::new(&app.public_url);
    let Some(client_data) = passkeys::decode(client_data) else { return Ok(None) };
    let Some(challenge) = passkeys::challenge(&client_data, ceremony, &party) else { return Ok(None) };
    let (hash, bound_to, now) = (token::hash(&challenge), binding(session, ceremony), session.now);
    let spent = app.ledger.write(move |conn| store::spend_challenge(conn, &hash, &bound_to, now)).await?;
    Ok(spent.then_some(client_data))
}
