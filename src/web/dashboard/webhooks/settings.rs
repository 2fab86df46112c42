//! `/dashboard/webhooks/{id}/settings`: event selection, secret, deletion.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::fields::{FieldError, WebhookFields};
use super::{WebhookHead, find_own, secret};
use crate::app::App;
use crate::error::ApiError;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::{CurrentUser, ProvedUser};
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::session::PathId;
use crate::webhooks::{EnteredWebhook, signature};
use rollcall_model::message::{Message, translatable};
use rollcall_store::Conn;
use rollcall_store::webhooks::{self, ROTATION_GRACE, Webhook};

#[derive(Template)]
#[template(path = "dashboard/webhook_settings.html")]
struct SettingsPage {
    layout: Layout,
    dashboard: DashboardLayout,
    head: WebhookHead,
    fields: WebhookFields,
    /// The number of changes, so that a form sent twice rotates once.
    version: i64,
    old_until: Option<i64>,
    /// Rotating needs a fresh proof first.
    must_confirm: bool,
}

pub async fn show(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(id): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let webhook = find_own(&app, &user, &id).await?;
    let dashboard = DashboardLayout::new(&user, "/dashboard/webhooks").with_success_from(query.as_deref());
    render(&app, &user, dashboard, webhook, None).await
}

async fn render(
    app: &App,
    user: &CurrentUser,
    dashboard: DashboardLayout,
    webhook: Webhook,
    entered: Option<WebhookFields>,
) -> PageResult {
    let (n, now) = (webhook.n, user.session.now);
    let load = move |conn: &mut Conn| Ok((webhooks::version(conn, n)?, webhooks::chosen_slugs(conn, n)?));
    let (version, slugs) = app.pool.read(load).await?;
    let fields = match entered {
        Some(fields) => fields,
        None => WebhookFields(EnteredWebhook {
            name: webhook.settings.name.clone(),
            url: open_url(app, &webhook)?,
            format: webhook.settings.format.name().to_owned(),
            types: webhook.settings.types.clone(),
            scope: webhook.settings.scope.name().to_owned(),
            servers: slugs.join("\n"),
        }),
    };
    let old_until = webhook.secrets.old.as_ref().map(|(_, ends_at)| *ends_at).filter(|ends_at| *ends_at > now);
    Ok(page::private(&SettingsPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        head: WebhookHead { webhook, tab: "settings", now },
        fields,
        version,
        old_until,
        must_confirm: !user.is_freshly_proved(),
    }))
}

fn open_url(app: &App, webhook: &Webhook) -> Result<String, ApiError> {
    let url = app.webhooks.open(&webhook.id, &webhook.settings.url).map_err(ApiError::Internal)?;
    Ok(url.reveal().to_owned())
}

/// Shows the page again with an error message.
async fn reject(
    app: &App,
    user: &CurrentUser,
    webhook: Webhook,
    error: impl Into<Message>,
    entered: Option<WebhookFields>,
) -> PageResult {
    let dashboard = DashboardLayout::new(user, "/dashboard/webhooks").with_error(error);
    let response = render(app, user, dashboard, webhook, entered).await?;
    Ok(page::with_status(response, StatusCode::UNPROCESSABLE_ENTITY))
}

pub async fn save(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let (user, fields) = (&form.sender, WebhookFields::of_form(&form));
    let webhook = find_own(&app, user, &id).await?;
    let settings = match fields.to_settings(&app, user.account.n, &webhook.id).await {
        Ok(settings) => settings,
        Err(FieldError::Store(error)) => return Err(error.into()),
        Err(FieldError::Wrong(error)) => return reject(&app, user, webhook, error, Some(fields)).await,
    };
    let author = user.author();
    change(&app, webhook, "settings?done=webhook-saved", move |conn, webhook| {
        webhooks::change(conn, webhook, &settings, &author)
    })
    .await
}

async fn change(
    app: &App,
    webhook: Webhook,
    to: &str,
    work: impl FnOnce(&mut Conn, &Webhook) -> rollcall_store::Result<()> + Send + 'static,
) -> PageResult {
    let target = format!("/dashboard/webhooks/{}/{to}", webhook.id);
    app.pool.write(move |conn| work(conn, &webhook)).await?;
    app.webhooks.wake();
    Ok(page::redirect(&target))
}

/// A new secret is shown to users who have just proved who they are only.
pub async fn rotate(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<ProvedUser>) -> PageResult {
    let user = &form.sender.0;
    let webhook = find_own(&app, user, &id).await?;
    let (id, name) = (webhook.id.clone(), webhook.settings.name.clone());
    let (secret, author) = (signature::generate_secret(), user.author());
    let (sealed, version) = (app.webhooks.seal(&id, secret.reveal()), form.text("version").parse().unwrap_or(0));
    let old_until = author.at + ROTATION_GRACE;
    if !app.pool.write(move |conn| webhooks::rotate(conn, &webhook, version, &sealed, &author)).await? {
        return Ok(page::redirect(&format!("/dashboard/webhooks/{id}/settings?done=webhook-changed-before")));
    }
    Ok(secret::show(user, (&id, &name), translatable("Webhook secret rotated"), &secret, Some(old_until)))
}

pub async fn enable(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let (webhook, author) = (find_own(&app, &form.sender, &id).await?, form.sender.author());
    change(&app, webhook, "settings?done=webhook-enabled", move |conn, webhook| {
        webhooks::enable(conn, webhook, &author)
    })
    .await
}

pub async fn disable(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let (webhook, author) = (find_own(&app, &form.sender, &id).await?, form.sender.author());
    change(&app, webhook, "settings?done=webhook-disabled", move |conn, webhook| {
        webhooks::disable(conn, webhook, &author)
    })
    .await
}

pub async fn delete(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let webhook = find_own(&app, user, &id).await?;
    if form.text("sure") != "yes" {
        return reject(&app, user, webhook, translatable("Check the box to confirm the deletion."), None).await;
    }
    let author = user.author();
    app.pool.write(move |conn| webhooks::delete(conn, &webhook, &author)).await?;
    Ok(page::redirect("/dashboard/webhooks?done=webhook-deleted"))
}
