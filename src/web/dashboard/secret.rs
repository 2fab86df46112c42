//! The page that shows the secret of a new or rotated key, once.

use askama::Template;
use axum::body::Body;
use axum::http::Response;

use super::DashboardLayout;
use crate::web::current_user::CurrentUser;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;
use rollcall_model::api_key::ApiKeySecret;

#[derive(Template)]
#[template(path = "dashboard/secret.html")]
struct SecretPage<'a> {
    layout: Layout,
    dashboard: DashboardLayout,
    title: &'static str,
    id: &'a str,
    name: &'a str,
    secret: &'a str,
    base_url: String,
    /// After a rotation: when the old secret ends.
    old_until: Option<String>,
}

pub fn show(
    user: &CurrentUser,
    (id, name): (&str, &str),
    title: &'static str,
    secret: &ApiKeySecret,
    old_until: Option<String>,
) -> Response<Body> {
    page::private(&SecretPage {
        layout: Layout::new("/dashboard"),
        dashboard: DashboardLayout::new(user, "/dashboard"),
        title,
        id,
        name,
        secret: secret.reveal(),
        base_url: format!("{}/v1", user.session.app.public_url),
        old_until,
    })
}
