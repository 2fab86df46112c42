//! A message as the body of a request, in both formats.

use serde::Serialize;

use super::discord;
use super::message::WebhookMessage;
use rollcall_model::resources::Timestamp;
use rollcall_model::webhook::WebhookFormat;

/// After the Standard Webhooks specification.
#[derive(Serialize)]
struct Envelope<'a> {
    r#type: &'static str,
    timestamp: &'a Timestamp,
    data: &'a WebhookMessage,
}

/// `public_url` is where the pages are.
pub fn encode(message: &WebhookMessage, format: WebhookFormat, public_url: &str) -> String {
    let json = match format {
        WebhookFormat::Standard => {
            serde_json::to_string(&Envelope { r#type: message.r#type, timestamp: &message.at, data: message })
        }
        WebhookFormat::Discord => serde_json::to_string(&discord::body(message, public_url)),
    };
    json.expect("a message serializes")
}
