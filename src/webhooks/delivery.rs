//! Sends what is due, claimed before: with the same id again if a node dies meanwhile.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::Webhooks;
use super::message::WebhookMessage;
use super::message_body;
use super::request::Target;
use crate::event_feed;
use rollcall_model::webhook::WebhookType;
use rollcall_model::{id, time};
use rollcall_store::webhooks::deliveries::{self, Attempt, AttemptOutcome, ClaimedDelivery};
use rollcall_store::webhooks::{Webhook, delivery_log};
use rollcall_store::{Result, account_events, events};

/// Retries and deliveries of other nodes are looked for this often.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// Endpoints that are claimed at once.
const MAX_ENDPOINTS: usize = 64;
/// How long one attempt may take.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(15);
/// The same for a test, whose sender waits for the page.
const TEST_TIMEOUT: Duration = Duration::from_secs(5);
/// How often old rows are deleted and the backlog is counted.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(60);

impl Webhooks {
    /// Sends messages until the service stops.
    pub async fn send_forever(self: Arc<Self>) {
        let (mut failed, mut kept_up_at) = (false, None::<Instant>);
        loop {
            let _ = tokio::time::timeout(LOOK_INTERVAL, self.work.notified()).await;
            let mut outcome = self.start_due().await;
            if outcome.is_ok() && kept_up_at.is_none_or(|at| at.elapsed() > UPKEEP_INTERVAL) {
                kept_up_at = Some(Instant::now());
                outcome = self.keep_up().await;
            }
            match outcome {
                Ok(()) => {
                    failed = false;
                    metrics::counter!("rollcall_task_runs_total", "task" => "webhook_deliveries").increment(1);
                }
                Err(error) if !failed => {
                    failed = true;
                    tracing::warn!(%error, "cannot read the webhooks to send");
                }
                Err(_) => {}
            }
        }
    }

    async fn start_due(self: &Arc<Self>) -> Result<()> {
        let (now, room) = (self.clock.now(), self.in_flight.room());
        if room.places == 0 {
            return Ok(());
        }
        let limit = MAX_ENDPOINTS.min(room.places) as i64;
        let (busy, with_failing) = (room.busy, room.with_failing);
        let due = self.pool.read(move |conn| deliveries::due(conn, now, &busy, with_failing, limit)).await?;
        // Most of the time there is nothing to write.
        if due.is_empty() {
            return Ok(());
        }
        let claimed = self.pool.write(move |conn| deliveries::claim(conn, now, &due, room.places)).await?;
        for delivery in claimed {
            let was_slow = self.in_flight.begin(delivery.webhook_n, delivery.is_failing);
            tokio::spawn(self.clone().attempt(delivery, was_slow));
        }
        Ok(())
    }

    async fn attempt(self: Arc<Self>, delivery: ClaimedDelivery, was_slow: bool) {
        let (webhook_n, started) = (delivery.webhook_n, Instant::now());
        match self.send(&delivery).await {
            Ok(attempt) => {
                metrics::counter!("rollcall_webhook_deliveries_total", "result" => result_name(attempt.outcome))
                    .increment(1);
                let now = self.clock.now();
                // If this fails, the lease ends and the message is sent again.
                let finished = self.pool.write(move |conn| deliveries::finish(conn, &delivery, &attempt, now)).await;
                if let Err(error) = finished {
                    tracing::warn!(%error, "cannot store how the delivery of a webhook ended");
                }
            }
            Err(error) => tracing::warn!(%error, "cannot read the event of a webhook"),
        }
        self.in_flight.end(webhook_n, was_slow, started.elapsed());
        self.wake();
    }

    async fn send(&self, delivery: &ClaimedDelivery) -> Result<Attempt> {
        let Some(message) = self.message(delivery).await? else {
            let error = "what it is about is not shown any more".to_owned();
            let (request, response) = (String::new(), String::new());
            return Ok(Attempt { outcome: AttemptOutcome::Cancelled, status: 0, error, request, response });
        };
        let target = Target { webhook_id: &delivery.webhook_id, url: &delivery.url, secrets: &delivery.secrets };
        Ok(self
            .post(
                &target,
                &delivery.message_id,
                message_body::encode(&message, delivery.format, &self.pictures.base),
                ATTEMPT_TIMEOUT,
            )
            .await)
    }

    /// The current content: data that was hidden meanwhile is left out.
    async fn message(&self, delivery: &ClaimedDelivery) -> Result<Option<WebhookMessage>> {
        let (account_n, event_n) = (delivery.account_n, delivery.event_n);
        if let WebhookType::Event(kind) = delivery.kind {
            let row = self.pool.read(move |conn| events::by_number(conn, event_n)).await?;
            if let Some(event) = row.and_then(|row| event_feed::resource(row, &self.pictures)) {
                return Ok(Some(WebhookMessage::of_event(kind, event)));
            }
        }
        let event = self.pool.read(move |conn| account_events::by_number(conn, account_n, event_n)).await?;
        Ok(event.and_then(|event| WebhookMessage::of_account_event(event, &self.pictures)))
    }

    /// Sends a test now and adds it to the log. A receiver that answers it gets at once what waits for it.
    pub async fn send_test(&self, webhook: &Webhook) -> Result<Attempt> {
        let message_id = format!("test_{}", id::encode(rand::random()));
        let message = WebhookMessage::test(&message_id, self.clock.now());
        let body = message_body::encode(&message, webhook.settings.format, &self.pictures.base);
        let target = Target { webhook_id: &webhook.id, url: &webhook.settings.url, secrets: &webhook.secrets };
        let attempt = self.post(&target, &message_id, body, TEST_TIMEOUT).await;
        let (webhook_n, now, stored) = (webhook.n, self.clock.now(), attempt.clone());
        let store = move |conn: &mut rollcall_store::Conn| {
            if stored.outcome == AttemptOutcome::Delivered {
                deliveries::note_answered_test(conn, webhook_n, now)?;
            }
            deliveries::add_test(conn, webhook_n, &message_id, &stored, now)
        };
        self.pool.write(store).await?;
        self.wake();
        Ok(attempt)
    }

    async fn keep_up(&self) -> Result<()> {
        let now = self.clock.now();
        let read = move |conn: &mut rollcall_store::Conn| {
            let (is_old, has_old_events) =
                (delivery_log::has_expired(conn, now)?, account_events::has_expired(conn, now)?);
            Ok((deliveries::backlog(conn)?, delivery_log::overfull(conn)?, is_old, has_old_events))
        };
        let ((open, oldest), overfull, is_old, has_old_events) = self.pool.read(read).await?;
        metrics::gauge!("rollcall_webhook_backlog").set(open as f64);
        let lag = oldest.map_or(0, |oldest| (now - oldest).max(0));
        metrics::gauge!("rollcall_webhook_lag_seconds").set(lag as f64 / time::SECOND as f64);
        // Most of the time there is nothing to write.
        if has_old_events {
            self.pool.write(move |conn| account_events::delete_expired(conn, now)).await?;
        }
        if overfull.is_empty() && !is_old {
            return Ok(());
        }
        loop {
            let overfull = overfull.clone();
            let delete = move |conn: &mut rollcall_store::Conn| delivery_log::delete_old(conn, &overfull, now);
            if !self.pool.write(delete).await? {
                return Ok(());
            }
        }
    }
}

fn result_name(outcome: AttemptOutcome) -> &'static str {
    match outcome {
        AttemptOutcome::Delivered => "delivered",
        AttemptOutcome::Gone => "gone",
        AttemptOutcome::Refused => "refused",
        AttemptOutcome::Unreachable => "unreachable",
        AttemptOutcome::Busy(_) => "busy",
        AttemptOutcome::Cancelled => "cancelled",
    }
}
