//! The page that shows a secret, once.

use askama::Template;
use axum::body::Body;
use axum::http::Response;

use super::Desk;
use crate::web::page::{self, Frame};
use crate::web::session::Holder;
use rollcall_model::api_key::Secret;

#[derive(Template)]
#[template(path = "dashboard/secret.html")]
struct Page<'a> {
    frame: Frame,
    desk: Desk,
    title: String,
    id: &'a str,
    secret: &'a str,
    base: String,
    /// When the secret before ends; for a key that was rotated.
    until: Option<String>,
}

pub fn show(holder: &Holder, id: &str, title: String, secret: &Secret, until: Option<String>) -> Response<Body> {
    page::private(&Page {
        frame: Frame { here: "/dashboard" },
        desk: Desk::of(holder, "/dashboard"),
        title,
        id,
        secret: secret.reveal(),
        base: format!("{}/v1", holder.visitor.app.public_url),
        until,
    })
}
