//! A form that was sent: by a page of ours, by whom that page was made for, and no longer than a form is.

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};

use super::page::{self, Told};
use super::session::{Visitor, Who};
use crate::app::App;
use crate::http::query::Query;
use crate::http::same_origin;
use rollcall_model::token;

/// Bytes; the longest form asks for a reason in a thousand characters.
const LONGEST: usize = 16 * 1024;
/// The field that every form brings along.
const TOKEN: &str = "token";

pub struct Sent<W> {
    pub who: W,
    fields: Query,
}

impl<W> Sent<W> {
    /// Without the blanks around it; empty when it was not sent.
    pub fn text(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// As it was typed: a password may end with a blank.
    pub fn raw(&self, name: &str) -> &str {
        self.fields.given(name).unwrap_or_default()
    }
}

impl<W: Who> FromRequest<Arc<App>> for Sent<W> {
    type Rejection = Told;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Self::Rejection> {
        let (parts, body) = request.into_parts();
        // Every browser says where a form comes from.
        if !parts.headers.contains_key(header::ORIGIN) || !same_origin::is_own(&parts.headers, &app.public_url) {
            let text = "This form was sent by another site than this one, so nothing was done.";
            return Err(page::trouble(StatusCode::FORBIDDEN, "That did not come from here", text).into());
        }
        let formed = parts
            .headers
            .get(header::CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().to_ascii_lowercase().starts_with(b"application/x-www-form-urlencoded"));
        if !formed {
            let text = "A form is sent as application/x-www-form-urlencoded.";
            return Err(page::trouble(StatusCode::UNSUPPORTED_MEDIA_TYPE, "That is no form", text).into());
        }
        let bytes = axum::body::to_bytes(body, LONGEST).await.map_err(|_| {
            let text = "A form may have 16 KiB, and this one has more, or did not arrive.";
            page::trouble(StatusCode::PAYLOAD_TOO_LARGE, "That is too much", text)
        })?;
        let fields = read(&bytes).ok_or_else(|| {
            page::trouble(StatusCode::BAD_REQUEST, "That cannot be read", "The fields of a form are UTF-8 text.")
        })?;
        let visitor = Visitor::of(&parts, app).await?;
        // Hashes are compared, so that time tells nothing of the token.
        if token::hash(fields.given(TOKEN).unwrap_or_default()) != token::hash(&visitor.token()) {
            let text = "Nothing was done. Go back, load the page anew, and send it once more; cookies must be allowed.";
            return Err(page::trouble(StatusCode::FORBIDDEN, "This form is no longer good", text).into());
        }
        let now = visitor.now;
        let who = W::admit(visitor, "/dashboard")?;
        if let Some(account) = who.counted()
            && let Err(seconds) = app.accounts.throttle.change(account, now)
        {
            let text = "You have changed more in this hour than anyone needs to. Nothing was done; go on later.";
            let response = page::trouble(StatusCode::TOO_MANY_REQUESTS, "That is a lot", text);
            return Err(page::wait(response, seconds).into());
        }
        Ok(Self { who, fields })
    }
}

/// `None` for what is no text, or has a NUL in it, which PostgreSQL cannot keep.
fn read(bytes: &[u8]) -> Option<Query> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0') && !text.contains("%00"))?;
    Query::parse(text).ok()
}
