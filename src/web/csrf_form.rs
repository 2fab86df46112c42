//! A submitted form. The extractor checks origin, CSRF token, size, the sender's permission and their rate limit.

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};

use super::current_user::Authorize;
use super::error_page;
use super::form_route::page_with_form;
use super::page::{self, PageRejection};
use super::session::Session;
use crate::app::App;
use crate::error::ApiError;
use crate::http::client_ip::ClientIp;
use crate::http::query::Query;
use crate::http::same_origin;
use crate::security_log::{EventFields, SecurityEventKind};
use rollcall_model::message::translatable;
use rollcall_model::token as tokens;

/// Bytes; most forms have at most a text of two thousand characters.
const MAX_FORM_BYTES: usize = 16 * 1024;
/// Of forms with a long text. A character may take twelve bytes.
const MAX_LONG_FORM_BYTES: usize = 128 * 1024;
/// The hidden field that every form has.
pub const TOKEN: &str = "token";

/// A form with a long text.
pub type LongCsrfForm<U> = CsrfForm<U, MAX_LONG_FORM_BYTES>;

pub struct CsrfForm<U, const MAX_BYTES: usize = MAX_FORM_BYTES> {
    pub sender: U,
    fields: Query,
}

impl<U, const MAX_BYTES: usize> CsrfForm<U, MAX_BYTES> {
    /// The trimmed value of a field; empty if it is missing.
    pub fn text(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// The value as typed: passwords may start or end with a space.
    pub fn raw(&self, name: &str) -> &str {
        self.fields.given(name).unwrap_or_default()
    }
}

impl<U: Authorize, const MAX_BYTES: usize> FromRequest<Arc<App>> for CsrfForm<U, MAX_BYTES> {
    type Rejection = PageRejection;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Self::Rejection> {
        let (parts, body) = request.into_parts();
        check_origin(app, &parts)?;
        let is_form = parts
            .headers
            .get(header::CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().to_ascii_lowercase().starts_with(b"application/x-www-form-urlencoded"));
        if !is_form {
            let text = translatable("Forms must be sent as application/x-www-form-urlencoded.");
            let title = translatable("Unsupported content type");
            return Err(error_page::with_message(StatusCode::UNSUPPORTED_MEDIA_TYPE, title, text).into());
        }
        let bytes = app.body_reader.read(body, MAX_BYTES, &parts.extensions).await.map_err(|error| match error {
            ApiError::BodyTooLarge => {
                let text = match MAX_BYTES {
                    MAX_FORM_BYTES => translatable("The form is larger than 16 KiB. Nothing was changed."),
                    _ => translatable("The form is larger than 128 KiB. Nothing was changed."),
                };
                error_page::with_message(StatusCode::PAYLOAD_TOO_LARGE, translatable("Form too large"), text)
            }
            error => error_page::error_page(&error),
        })?;
        let fields = parse(&bytes).ok_or_else(|| {
            let text = translatable("The fields of the form are not valid UTF-8 text. Nothing was changed.");
            error_page::with_message(StatusCode::BAD_REQUEST, translatable("Bad request"), text)
        })?;
        let sender = authorize_sender(app, &parts, fields.given(TOKEN).unwrap_or_default()).await?;
        Ok(Self { sender, fields })
    }
}

/// Rejects a form of another site.
pub fn check_origin(app: &App, parts: &Parts) -> Result<(), PageRejection> {
    // Every browser sends `Origin` with a POST.
    if !parts.headers.contains_key(header::ORIGIN) || !same_origin::is_own(&parts.headers, &app.public_url) {
        record_rejection(app, parts);
        let text = translatable("The form was submitted from another site. Nothing was changed.");
        return Err(
            error_page::with_message(StatusCode::FORBIDDEN, translatable("Cross-site request blocked"), text).into()
        );
    }
    Ok(())
}

/// Checks the CSRF token, the permission of the sender and their rate limit.
pub async fn authorize_sender<U: Authorize>(app: &Arc<App>, parts: &Parts, token: &str) -> Result<U, PageRejection> {
    let session = Session::load(parts, app).await?;
    // Comparing hashes hides the token from timing attacks.
    if tokens::hash(token) != tokens::hash(&session.csrf_token()) {
        record_rejection(app, parts);
        let text =
            translatable("Nothing was changed. Reload the page and submit the form again; cookies must be enabled.");
        return Err(error_page::with_message(StatusCode::FORBIDDEN, translatable("Form expired"), text).into());
    }
    let now = session.now;
    let sender = U::authorize(session, &page_with_form(parts))?;
    if let Some(user) = sender.limited_account()
        && let Err(seconds) = app.accounts.login_throttle.count_change(user.account.n, now)
    {
        user.record(SecurityEventKind::ChangesThrottled, None);
        let text =
            translatable("Your account made too many changes within an hour. Nothing was changed; try again later.");
        let response = error_page::with_message(StatusCode::TOO_MANY_REQUESTS, translatable("Too many changes"), text);
        return Err(page::with_retry_after(response, seconds).into());
    }
    Ok(sender)
}

fn record_rejection(app: &App, parts: &Parts) {
    let client = parts.extensions.get::<ClientIp>().map(|client| client.0);
    let fields = EventFields { client, ..EventFields::default() };
    app.security_log.record(SecurityEventKind::CsrfRejected, fields, app.clock.now());
}

/// `None` if the body is not UTF-8 or contains NUL, which PostgreSQL cannot store.
fn parse(bytes: &[u8]) -> Option<Query> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0') && !text.contains("%00"))?;
    Query::parse(text).ok()
}
