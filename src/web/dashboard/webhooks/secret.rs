//! The page that shows the secret of a new or rotated webhook, once.

use askama::Template;
use axum::body::Body;
use axum::http::Response;

use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;
use rollcall_model::secret::Secret;

#[derive(Template)]
#[template(path = "dashboard/webhook_secret.html")]
struct SecretPage<'a> {
    layout: Layout,
    dashboard: DashboardLayout,
    title: &'static str,
    id: &'a str,
    name: &'a str,
    secret: &'a str,
    /// After a rotation: when the old secret ends.
    old_until: Option<i64>,
}

pub fn show(
    user: &CurrentUser,
    (id, name): (&str, &str),
    title: &'static str,
    secret: &Secret,
    old_until: Option<i64>,
) -> Response<Body> {
    page::private(&SecretPage {
        layout: Layout::new("/dashboard"),
        dashboard: DashboardLayout::new(user, "/dashboard/webhooks"),
        title,
        id,
        name,
        secret: secret.reveal(),
        old_until,
    })
}
