//! `/dashboard/webhooks/{id}/deliveries/{n}`: one delivery with its bodies.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};

use super::fields::type_label;
use super::{WebhookHead, delivery_state, find_own};
use crate::app::App;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::error_page;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::session::or_not_found;
use rollcall_store::webhooks::delivery_log::{self, DeliveryDetail};

#[derive(Template)]
#[template(path = "dashboard/webhook_delivery.html")]
struct DeliveryPage {
    layout: Layout,
    dashboard: DashboardLayout,
    head: WebhookHead,
    delivery: DeliveryDetail,
}

impl DeliveryPage {
    fn state(&self) -> (&'static str, &'static str) {
        delivery_state(&self.delivery.record.state, self.delivery.record.attempts)
    }

    fn label(&self) -> &'static str {
        self.delivery.record.kind.map_or("", type_label)
    }

    fn type_name(&self) -> &'static str {
        self.delivery.record.kind.map_or("", |kind| kind.name())
    }

    /// Indented, if it is JSON.
    fn request(&self) -> String {
        let json = serde_json::from_str::<serde_json::Value>(&self.delivery.request);
        json.ok().and_then(|json| serde_json::to_string_pretty(&json).ok()).unwrap_or_default()
    }

    fn can_resend(&self) -> bool {
        let record = &self.delivery.record;
        self.head.is_active() && !record.is_test && !matches!(record.state.as_str(), "sending" | "queued")
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    path: Result<Path<(String, i64)>, axum::extract::rejection::PathRejection>,
) -> PageResult {
    let Path((id, n)) = or_not_found(path.ok())?;
    let webhook = find_own(&app, &user, &id).await?;
    let webhook_n = webhook.n;
    let delivery = app.pool.read(move |conn| delivery_log::find(conn, webhook_n, n)).await?;
    Ok(page::private(&DeliveryPage {
        layout: Layout::new("/dashboard"),
        dashboard: DashboardLayout::new(&user, "/dashboard/webhooks"),
        head: WebhookHead { webhook, tab: "delivery", now: user.session.now },
        delivery: or_not_found(delivery)?,
    }))
}

pub async fn resend(
    State(app): State<Arc<App>>,
    path: Result<Path<(String, i64)>, axum::extract::rejection::PathRejection>,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let Path((id, n)) = or_not_found(path.ok())?;
    let user = &form.sender;
    let webhook = find_own(&app, user, &id).await?;
    let (webhook_n, now) = (webhook.n, user.session.now);
    if !app.pool.write(move |conn| delivery_log::resend(conn, webhook_n, n, now)).await? {
        return Err(error_page::not_found().into());
    }
    app.webhooks.wake();
    Ok(page::redirect(&format!("/dashboard/webhooks/{}?done=webhook-resent", webhook.id)))
}
