//! The fields of a new webhook and of its settings (`web/templates/dashboard/webhook_fields.html`).

use crate::app::App;
use crate::error::ApiError;
use crate::web::csrf_form::CsrfForm;
use crate::webhooks::EnteredWebhook;
use rollcall_model::event::EventKind;
use rollcall_model::message::{Message, translatable};
use rollcall_model::webhook::{AlertKind, ServerScope, WebhookFormat, WebhookType};
use rollcall_store::webhooks::{self, WebhookSettings};

/// The form as it is shown: stored values, or those of a rejected form.
#[derive(Clone)]
pub struct WebhookFields(pub EnteredWebhook);

/// Why a form is rejected, or why it cannot be checked.
pub enum FieldError {
    Wrong(Message),
    Store(ApiError),
}

impl WebhookFields {
    /// Of a new webhook.
    pub fn suggested(has_servers: bool) -> Self {
        let scope = if has_servers { ServerScope::Own } else { ServerScope::All };
        let types = vec![WebhookType::Event(EventKind::ServerOffline), WebhookType::Event(EventKind::ServerOnline)];
        Self(EnteredWebhook {
            name: String::new(),
            url: String::new(),
            format: WebhookFormat::Standard.name().to_owned(),
            types,
            scope: scope.name().to_owned(),
            servers: String::new(),
        })
    }

    pub fn of_form<U>(form: &CsrfForm<U>) -> Self {
        let is_checked = |kind: &WebhookType| !form.text(&format!("type {}", kind.name())).is_empty();
        let text = |name: &str| form.text(name).to_owned();
        Self(EnteredWebhook {
            name: text("name"),
            url: text("url"),
            format: text("format"),
            types: WebhookType::choices().filter(is_checked).collect(),
            scope: text("scope"),
            servers: text("servers"),
        })
    }

    /// Values to store for a webhook of an account.
    pub async fn to_settings(
        &self,
        app: &App,
        account_n: i64,
        webhook_id: &str,
    ) -> Result<WebhookSettings, FieldError> {
        let parsed = app.webhooks.parse(&self.0).map_err(FieldError::Wrong)?;
        let slugs = parsed.slugs;
        let servers = app.pool.read(move |conn| webhooks::servers_by_slug(conn, account_n, &slugs)).await;
        let servers = servers.map_err(|error| FieldError::Store(error.into()))?.map_err(|slug| {
            FieldError::Wrong(Message::new("There is no public server with the slug “{}”.", &[&slug]))
        })?;
        Ok(WebhookSettings {
            name: parsed.name,
            host: parsed.host,
            url: app.webhooks.seal(webhook_id, &parsed.url),
            format: parsed.format,
            types: parsed.types,
            scope: parsed.scope,
            servers,
        })
    }

    fn is_checked(&self, kind: WebhookType) -> bool {
        self.0.types.contains(&kind)
    }

    /// Name, label and whether it is chosen.
    pub fn events(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        let choices = EventKind::ALL.into_iter().map(WebhookType::Event);
        choices.map(|kind| (kind.name(), type_label(kind), self.is_checked(kind)))
    }

    pub fn alerts(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        let choices = AlertKind::ALL.into_iter().map(WebhookType::Alert);
        choices.map(|kind| (kind.name(), type_label(kind), self.is_checked(kind)))
    }

    pub fn formats(&self) -> [(&'static str, &'static str, bool); 2] {
        WebhookFormat::ALL.map(|format| {
            let label = match format {
                WebhookFormat::Standard => translatable("JSON, signed"),
                WebhookFormat::Discord => translatable("Discord message"),
            };
            (format.name(), label, format.name() == self.0.format)
        })
    }

    pub fn scopes(&self) -> [(&'static str, &'static str, bool); 3] {
        ServerScope::ALL.map(|scope| {
            let label = match scope {
                ServerScope::All => translatable("All public servers"),
                ServerScope::Own => translatable("My servers"),
                ServerScope::Chosen => translatable("Only the servers listed below"),
            };
            (scope.name(), label, scope.name() == self.0.scope)
        })
    }
}

pub fn type_label(kind: WebhookType) -> &'static str {
    match kind {
        WebhookType::Event(kind) => match kind {
            EventKind::ServerOnline => translatable("A server comes online"),
            EventKind::ServerOffline => translatable("A server goes offline"),
            EventKind::ServerPeak => translatable("A server has a new player record"),
            EventKind::ServerVersion => translatable("A server reports another version"),
            EventKind::VoteCreated => translatable("A vote"),
            EventKind::ReviewCreated => translatable("A review"),
            EventKind::PostApproved => translatable("An update post"),
            EventKind::PlayerJoined => translatable("A player joins"),
            EventKind::PlayerLeft => translatable("A player leaves"),
            EventKind::PlayerRenamed => translatable("A player has another nickname"),
            EventKind::SkinPublished => translatable("A skin is published"),
        },
        WebhookType::Alert(kind) => match kind {
            AlertKind::KeyQuota80 => translatable("A key has used 80 % of a quota"),
            AlertKind::KeyQuota100 => translatable("A key has used up a quota"),
            AlertKind::KeyExpiring => translatable("A key expires within 7 days"),
            AlertKind::KeyExpired => translatable("A key has expired"),
            AlertKind::ReportMissing => translatable("A server of yours sends no reports any more"),
        },
        WebhookType::Test => translatable("Test"),
    }
}
