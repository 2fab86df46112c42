//! One attempt: the signed request, through the SSRF guard, and what its answer means.

use std::time::Duration;

use axum::http::{HeaderMap, Uri, header};

use super::{Webhooks, signature};
use crate::http_client::{self, FetchLimits, HttpResponse};
use rollcall_model::secret::Secret;
use rollcall_model::time::SECOND;
use rollcall_store::webhooks::SigningSecrets;
use rollcall_store::webhooks::deliveries::{Attempt, AttemptOutcome};

/// Bytes of a response that are read and shown.
const MAX_RESPONSE: usize = 4 * 1024;

/// Target and signing secrets of a message; URL and secrets as they are stored.
pub struct Target<'a> {
    pub webhook_id: &'a str,
    pub url: &'a Secret,
    pub secrets: &'a SigningSecrets,
}

impl Webhooks {
    /// Sends a message once. Redirects are not followed: they fail.
    pub(super) async fn post(
        &self,
        target: &Target<'_>,
        message_id: &str,
        body: String,
        deadline: Duration,
    ) -> Attempt {
        let request = body.clone();
        let (outcome, status, error, response) = match self.exchange(target, message_id, body, deadline).await {
            Ok(response) => {
                let status = response.status.as_u16();
                let outcome = outcome(status, &response.headers);
                let error = if outcome == AttemptOutcome::Delivered { String::new() } else { reason(status) };
                (outcome, status, error, text(&response.body))
            }
            Err(error) => (AttemptOutcome::Unreachable, 0, error, String::new()),
        };
        Attempt { outcome, status, error, request, response }
    }

    async fn exchange(
        &self,
        target: &Target<'_>,
        message_id: &str,
        body: String,
        deadline: Duration,
    ) -> Result<HttpResponse, String> {
        let unreadable = |error: String| {
            tracing::warn!(error, "cannot send a webhook");
            "its URL or secret cannot be read; the operator knows why".to_owned()
        };
        let url = self.open(target.webhook_id, target.url).map_err(unreadable)?;
        let url: Uri = url.reveal().parse().map_err(|_| "the URL is not valid".to_owned())?;
        let now = self.clock.now();
        let opened: Result<Vec<Secret>, String> =
            target.secrets.valid(now).map(|secret| self.open(target.webhook_id, secret)).collect();
        let timestamp = now / SECOND;
        let signature = signature::sign(&opened.map_err(unreadable)?, message_id, timestamp, &body)?;
        let timestamp = timestamp.to_string();
        let headers = [
            ("webhook-id", message_id),
            ("webhook-timestamp", timestamp.as_str()),
            ("webhook-signature", signature.as_str()),
        ];
        let limits = FetchLimits { deadline, max_bytes: MAX_RESPONSE };
        let exchange = async {
            let addresses = http_client::public_addresses(&self.pinger, &url).await?;
            http_client::post_json_to(&url, &addresses, &headers, body, limits).await
        };
        let late = |_| format!("no response within {} seconds", deadline.as_secs());
        tokio::time::timeout(deadline, exchange).await.map_err(late)?
    }
}

fn outcome(status: u16, headers: &HeaderMap) -> AttemptOutcome {
    match status {
        200..=299 => AttemptOutcome::Delivered,
        410 => AttemptOutcome::Gone,
        429 | 503 => AttemptOutcome::Busy(retry_after(headers)),
        _ => AttemptOutcome::Refused,
    }
}

/// Discord writes fractions. Dates are not read: the schedule of retries is used.
fn retry_after(headers: &HeaderMap) -> Option<i64> {
    let seconds: f64 = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    let is_usable = seconds.is_finite() && (0.0..=1e6).contains(&seconds);
    is_usable.then(|| (seconds * SECOND as f64).ceil() as i64)
}

fn reason(status: u16) -> String {
    match status {
        300..=399 => format!("the receiver answered {status}; redirects are not followed"),
        _ => format!("the receiver answered {status}"),
    }
}

/// Without what the database and pages refuse.
fn text(body: &[u8]) -> String {
    String::from_utf8_lossy(body).replace('\0', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_mean_what_the_specification_says() {
        let none = HeaderMap::new();
        for (status, wanted) in [
            (200, AttemptOutcome::Delivered),
            (204, AttemptOutcome::Delivered),
            (301, AttemptOutcome::Refused),
            (308, AttemptOutcome::Refused),
            (400, AttemptOutcome::Refused),
            (410, AttemptOutcome::Gone),
            (429, AttemptOutcome::Busy(None)),
            (500, AttemptOutcome::Refused),
            (503, AttemptOutcome::Busy(None)),
        ] {
            assert_eq!(outcome(status, &none), wanted, "{status}");
        }
        for (value, wanted) in [("7", Some(7_000)), ("0.35", Some(350)), ("-1", None), ("NaN", None), ("soon", None)] {
            let headers = HeaderMap::from_iter([(header::RETRY_AFTER, value.parse().unwrap())]);
            assert_eq!(outcome(429, &headers), AttemptOutcome::Busy(wanted), "{value}");
        }
    }
}
