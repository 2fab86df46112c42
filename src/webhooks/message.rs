//! What a message says.

use serde::Serialize;
use serde_json::{Value, json};

use rollcall_model::event::{self, EventKind};
use rollcall_model::resources::{Event, EventPlayer, EventServer, Timestamp};
use rollcall_model::webhook::WebhookType;
use rollcall_store::account_events::AccountEvent;

/// An event as `GET /v1/events` shows it. Alerts have the same form.
#[derive(Clone, Debug, Serialize)]
pub struct WebhookMessage {
    #[serde(skip)]
    pub kind: WebhookType,
    pub id: String,
    pub r#type: &'static str,
    pub at: Timestamp,
    pub server: Option<EventServer>,
    pub player: Option<EventPlayer>,
    pub data: Value,
}

impl WebhookMessage {
    pub fn of_event(kind: EventKind, event: Event) -> Self {
        let data = serde_json::to_value(event.data).expect("a resource serializes");
        let Event { id, r#type, at, server, player, .. } = event;
        Self { kind: WebhookType::Event(kind), id, r#type, at, server, player, data }
    }

    pub fn of_alert(alert: AccountEvent) -> Self {
        let server = alert.server.map(|server| EventServer { id: server.id, slug: server.slug, name: server.name });
        let data = serde_json::from_str(&alert.facts).unwrap_or_else(|_| json!({}));
        let (id, at) = (event::id(alert.n), Timestamp(alert.at));
        let kind = WebhookType::Alert(alert.kind);
        Self { kind, id, r#type: kind.name(), at, server, player: None, data }
    }

    pub fn test(id: &str, at: i64) -> Self {
        let (kind, data) = (WebhookType::Test, json!({"text": "This is a test."}));
        Self { kind, id: id.to_owned(), r#type: kind.name(), at: Timestamp(at), server: None, player: None, data }
    }
}
