//! `/dashboard/webhooks`: the endpoints of an account, what was sent to them, and their settings.

mod delivery;
mod fields;
mod list;
mod log;
mod secret;
mod settings;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use crate::app::App;
use crate::web::current_user::CurrentUser;
use crate::web::form_route::form_route;
use crate::web::page::PageRejection;
use crate::web::session::or_not_found;
use rollcall_model::message::translatable;
use rollcall_store::webhooks::{self, Webhook, WebhookState};

/// Pages with forms.
const LOG: &str = "/dashboard/webhooks/{id}";
const DELIVERY: &str = "/dashboard/webhooks/{id}/deliveries/{n}";
const SETTINGS: &str = "/dashboard/webhooks/{id}/settings";

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/dashboard/webhooks", get(list::show).post(list::create))
        .route(LOG, get(log::show))
        .route("/dashboard/webhooks/{id}/test", form_route(LOG, log::send_test))
        .route("/dashboard/webhooks/{id}/replay", form_route(LOG, log::replay))
        .route(DELIVERY, get(delivery::show))
        .route("/dashboard/webhooks/{id}/deliveries/{n}/resend", form_route(DELIVERY, delivery::resend))
        .route("/dashboard/webhooks/{id}/settings", get(settings::show).post(settings::save))
        .route("/dashboard/webhooks/{id}/rotate", form_route(SETTINGS, settings::rotate))
        .route("/dashboard/webhooks/{id}/enable", form_route(SETTINGS, settings::enable))
        .route("/dashboard/webhooks/{id}/disable", form_route(SETTINGS, settings::disable))
        .route("/dashboard/webhooks/{id}/delete", form_route(SETTINGS, settings::delete))
}

/// A webhook of the user; 404 for those of others.
async fn find_own(app: &App, user: &CurrentUser, id: &str) -> Result<Webhook, PageRejection> {
    let (account_n, id) = (user.account.n, id.to_owned());
    or_not_found(app.pool.read(move |conn| webhooks::find(conn, account_n, &id)).await?)
}

/// The head that all pages of a webhook share (`web/templates/dashboard/webhook_layout.html`).
struct WebhookHead {
    webhook: Webhook,
    /// The last segment of the path of the current tab.
    tab: &'static str,
    now: i64,
}

impl WebhookHead {
    fn tabs(&self) -> [(String, &'static str, bool); 2] {
        let root = format!("/dashboard/webhooks/{}", self.webhook.id);
        [
            (root.clone(), translatable("Deliveries"), self.tab.is_empty()),
            (format!("{root}/settings"), translatable("Settings"), self.tab == "settings"),
        ]
    }

    /// The state in words, and the class of its pill.
    fn state(&self) -> (&'static str, &'static str) {
        state(&self.webhook, self.now)
    }

    fn is_active(&self) -> bool {
        self.webhook.state == WebhookState::Active
    }

    fn is_gone(&self) -> bool {
        self.webhook.state == WebhookState::Gone
    }

    /// Until when nothing is sent because the receiver fails.
    fn paused_until(&self) -> Option<i64> {
        Some(self.webhook.retry_at).filter(|at| self.is_active() && *at > self.now)
    }
}

fn state(webhook: &Webhook, now: i64) -> (&'static str, &'static str) {
    match webhook.state {
        WebhookState::Active if webhook.retry_at > now => (translatable("Failing"), "warn"),
        WebhookState::Active => (translatable("Active"), "good"),
        WebhookState::Disabled => (translatable("Disabled"), ""),
        WebhookState::Gone => (translatable("Disabled by the receiver"), "bad"),
    }
}

/// The state of a delivery in words, and the class of its pill.
fn delivery_state(state: &str, attempts: i64) -> (&'static str, &'static str) {
    match state {
        "delivered" => (translatable("Delivered"), "good"),
        "failed" => (translatable("Failed"), "bad"),
        "cancelled" => (translatable("Cancelled"), ""),
        "sending" => (translatable("Sending"), ""),
        "queued" => (translatable("Queued"), ""),
        _ if attempts > 0 => (translatable("Retrying"), "warn"),
        _ => (translatable("Waiting"), ""),
    }
}
