//! What a message says.

use serde::Serialize;
use serde_json::{Value, json};

use crate::event_feed;
use rollcall_model::event::{self, EventKind};
use rollcall_model::resources::{Event, EventPlayer, EventServer, Pictures, Timestamp};
use rollcall_model::webhook::WebhookType;
use rollcall_store::account_events::AccountEvent;
use rollcall_store::events::EventRow;

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

    /// `None` if there is nothing to show.
    pub fn of_account_event(event: AccountEvent, pictures: &Pictures) -> Option<Self> {
        let AccountEvent { n, at, kind, server, facts, .. } = event;
        if let WebhookType::Event(kind) = kind {
            let facts = serde_json::from_str(&facts).unwrap_or_default();
            let row = EventRow { n, at, kind, server, player: None, subject: None, facts, post: None, skin: None };
            return Some(Self::of_event(kind, event_feed::resource(row, pictures)?));
        }
        let server = server.map(|server| EventServer { id: server.id, slug: server.slug, name: server.name });
        let data = serde_json::from_str(&facts).unwrap_or_else(|_| json!({}));
        Some(Self { kind, id: event::id(n), r#type: kind.name(), at: Timestamp(at), server, player: None, data })
    }

    pub fn test(id: &str, at: i64) -> Self {
        let (kind, data) = (WebhookType::Test, json!({"text": "This is a test."}));
        Self { kind, id: id.to_owned(), r#type: kind.name(), at: Timestamp(at), server: None, player: None, data }
    }
}
