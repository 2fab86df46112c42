//! `/dashboard/webhooks`: the webhooks of an account, and the form for a new one.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::fields::{FieldError, WebhookFields};
use super::{secret, state};
use crate::app::App;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::webhooks::signature;
use rollcall_model::id;
use rollcall_model::message::{Message, translatable};
use rollcall_store::webhooks::{self, Creation, Webhook};
use rollcall_store::{Conn, server_access};

#[derive(Template)]
#[template(path = "dashboard/webhooks.html")]
struct WebhooksPage {
    layout: Layout,
    dashboard: DashboardLayout,
    webhooks: Vec<Webhook>,
    max: u32,
    /// The id of the next webhook: a form sent twice creates one.
    new_id: String,
    fields: WebhookFields,
    now: i64,
}

impl WebhooksPage {
    fn state(&self, webhook: &Webhook) -> (&'static str, &'static str) {
        state(webhook, self.now)
    }

    fn is_full(&self) -> bool {
        self.webhooks.len() >= self.max as usize
    }
}

pub async fn show(State(app): State<Arc<App>>, user: CurrentUser, RawQuery(query): RawQuery) -> PageResult {
    let dashboard = DashboardLayout::new(&user, "/dashboard/webhooks").with_success_from(query.as_deref());
    render(&app, &user, dashboard, None).await
}

async fn render(
    app: &App,
    user: &CurrentUser,
    dashboard: DashboardLayout,
    entered: Option<WebhookFields>,
) -> PageResult {
    let n = user.account.n;
    let load = move |conn: &mut Conn| Ok((webhooks::of_account(conn, n)?, server_access::of_account(conn, n)?));
    let (webhooks, servers) = app.pool.read(load).await?;
    Ok(page::private(&WebhooksPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        webhooks,
        max: app.webhooks.settings.max_per_account,
        new_id: id::encode(rand::random()),
        fields: entered.unwrap_or_else(|| WebhookFields::suggested(!servers.is_empty())),
        now: user.session.now,
    }))
}

pub async fn create(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let (user, fields) = (&form.sender, WebhookFields::of_form(&form));
    let id = match form.text("id") {
        id if id::is_encoded(id) => id.to_owned(),
        _ => id::encode(rand::random()),
    };
    let settings = match fields.to_settings(&app, user.account.n, &id).await {
        Ok(settings) => settings,
        Err(FieldError::Store(error)) => return Err(error.into()),
        Err(FieldError::Wrong(error)) => return reject(&app, user, error, fields).await,
    };
    let (secret, name) = (signature::generate_secret(), settings.name.clone());
    let creation = {
        let (sealed, max) = (app.webhooks.seal(&id, secret.reveal()), app.webhooks.settings.max_per_account);
        let (account_n, id, author) = (user.account.n, id.clone(), user.author());
        app.pool.write(move |conn| webhooks::create(conn, (account_n, &id), &settings, &sealed, max, &author))
    };
    match creation.await? {
        Creation::Created => Ok(secret::show(user, (&id, &name), translatable("Webhook created"), &secret, None)),
        Creation::AlreadyCreated => Ok(page::redirect("/dashboard/webhooks?done=webhook-made-before")),
        Creation::TooMany => {
            let max = app.webhooks.settings.max_per_account;
            let error = Message::new("An account can have {} webhooks. Delete one you no longer need.", &[&max]);
            reject(&app, user, error, fields).await
        }
    }
}

/// Shows the page again with an error message and the entered values.
async fn reject(app: &App, user: &CurrentUser, error: Message, fields: WebhookFields) -> PageResult {
    let dashboard = DashboardLayout::new(user, "/dashboard/webhooks").with_error(error);
    Ok(page::with_status(render(app, user, dashboard, Some(fields)).await?, StatusCode::UNPROCESSABLE_ENTITY))
}
