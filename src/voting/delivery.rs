//! Sends votes to the receivers of game servers.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::{SERVICE, Voting, to_receiver};
use rollcall_minecraft::votifier::{Outcome, Vote, send};
use rollcall_minecraft::{Edition, is_player_name};
use rollcall_store::voting::deliveries::{self, ClaimedDelivery, DeliveryOutcome};
use rollcall_store::voting::receivers::VoteReceiver;
use rollcall_store::{Result, voting};

/// Retries and votes of other nodes are looked for this often.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// Deliveries that are claimed at once. Each server gets one at a time.
const MAX_CLAIMS: i64 = 64;
/// Servers to which votes are being sent at the same time.
const MAX_SENDING: usize = 64;
/// How long one attempt may take.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
/// The same for a test vote, whose sender waits for the page.
const TEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Voters' addresses are not passed on. Receivers expect an address in a vote and write it to their logs.
const NO_ADDRESS: &str = "0.0.0.0";
const NO_PLAYER_NAME: &str = "the name has characters that no name of a player has";
/// How often old rows are deleted.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(600);

impl Voting {
    /// Delivers votes until the service stops.
    pub async fn deliver_votes(self: Arc<Self>) {
        let (mut failed, mut cleaned_at) = (false, None::<Instant>);
        loop {
            let _ = tokio::time::timeout(LOOK_INTERVAL, self.work.notified()).await;
            let mut outcome = self.start_due().await;
            if outcome.is_ok() && cleaned_at.is_none_or(|at| at.elapsed() > UPKEEP_INTERVAL) {
                cleaned_at = Some(Instant::now());
                let now = self.clock.now();
                outcome = self.pool.write(move |conn| voting::delete_expired(conn, now)).await;
            }
            match outcome {
                Ok(()) => {
                    failed = false;
                    metrics::counter!("rollcall_task_runs_total", "task" => "vote_deliveries").increment(1);
                }
                Err(error) if !failed => {
                    failed = true;
                    tracing::warn!(%error, "cannot read the votes to deliver");
                }
                Err(_) => {}
            }
        }
    }

    async fn start_due(self: &Arc<Self>) -> Result<()> {
        let now = self.clock.now();
        let busy: Vec<i64> = self.sending.lock().expect("nothing panics under this lock").iter().copied().collect();
        // Most of the time there is nothing to write.
        if busy.len() >= MAX_SENDING || !self.pool.read(move |conn| deliveries::is_due(conn, now)).await? {
            return Ok(());
        }
        let claimed = self.pool.write(move |conn| deliveries::claim(conn, now, MAX_CLAIMS, &busy)).await?;
        for delivery in claimed {
            self.sending.lock().expect("nothing panics under this lock").insert(delivery.server_n);
            tokio::spawn(self.clone().attempt(delivery));
        }
        Ok(())
    }

    async fn attempt(self: Arc<Self>, delivery: ClaimedDelivery) {
        let outcome = self.send(&delivery.receiver, &delivery.username, delivery.voted_at, ATTEMPT_TIMEOUT).await;
        metrics::counter!("rollcall_vote_deliveries_total", "outcome" => outcome_name(&outcome)).increment(1);
        let (server_n, now) = (delivery.server_n, self.clock.now());
        // If this fails, the lease ends and the delivery is uncertain.
        let finished = self.pool.write(move |conn| deliveries::finish(conn, &delivery, &outcome, now)).await;
        if let Err(error) = finished {
            tracing::warn!(%error, "cannot store how the delivery of a vote ended");
        }
        self.sending.lock().expect("nothing panics under this lock").remove(&server_n);
        self.work.notify_one();
    }

    /// Sends a vote that counts nowhere, to try a receiver.
    pub async fn send_test(&self, receiver: &VoteReceiver, username: &str) -> DeliveryOutcome {
        self.send(receiver, username, self.clock.now(), TEST_TIMEOUT).await
    }

    async fn send(&self, receiver: &VoteReceiver, username: &str, voted_at: i64, timeout: Duration) -> DeliveryOutcome {
        // Earlier versions accepted votes for any name, and owners may send old votes again.
        if !is_player_name(username, Edition::Bedrock) {
            return DeliveryOutcome::Rejected(NO_PLAYER_NAME.to_owned());
        }
        let vote = Vote::new(SERVICE, username, NO_ADDRESS, voted_at, None);
        let (vote, receiver) = match (vote, to_receiver(receiver)) {
            (Ok(vote), Ok(receiver)) => (vote, receiver),
            (Err(error), _) => return DeliveryOutcome::Rejected(error.to_string()),
            (_, Err(error)) => return DeliveryOutcome::Rejected(error),
        };
        let deadline = Instant::now() + timeout;
        match send(&vote, &receiver, &self.pinger.resolver, &self.pinger.guard, deadline).await {
            Outcome::Delivered => DeliveryOutcome::Delivered,
            Outcome::NotSent(reason) => DeliveryOutcome::NotSent(reason.to_string()),
            Outcome::Uncertain(reason) => DeliveryOutcome::Uncertain(reason.to_string()),
            Outcome::Rejected(reason) => DeliveryOutcome::Rejected(reason.to_string()),
        }
    }
}

fn outcome_name(outcome: &DeliveryOutcome) -> &'static str {
    match outcome {
        DeliveryOutcome::Delivered => "delivered",
        DeliveryOutcome::NotSent(_) => "not_sent",
        DeliveryOutcome::Uncertain(_) => "uncertain",
        DeliveryOutcome::Rejected(_) => "rejected",
    }
}
