//! Polls one server: a ping, one retry if it fails while the server counts as online, and the result to store.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::availability::{FAILURES_UNTIL_OFFLINE, PollOutcome};
use super::completed_poll::{CompletedPoll, ReportedInfo};
use super::pictures::PictureRenderer;
use super::placeholder;
use super::status_bounds::sanitize;
use rollcall_minecraft::{Edition, Host, PingClient, PingError, PingProtocol, PingReply, PingRequest};
use rollcall_model::clock::Clock;
use rollcall_model::country;
use rollcall_store::tracking::{ClaimedPoll, PollTarget};

/// Pause before the retry, so that a short glitch can pass.
const RETRY_DELAY: Duration = Duration::from_millis(500);

pub struct Poller {
    pub client: Arc<PingClient>,
    pub pictures: PictureRenderer,
    pub clock: Clock,
}

impl Poller {
    /// `new_player_limit` is passed through to the result.
    pub async fn poll(&self, claim: ClaimedPoll, new_player_limit: usize) -> CompletedPoll {
        let Some(server) = &claim.server else {
            // The network totals are computed from the store when the batch is persisted.
            let outcome = PollOutcome::Failed { reason: "" };
            let info = ReportedInfo::default();
            return CompletedPoll { at: self.clock.now(), claim, outcome, info, new_player_limit };
        };
        let result = match ping_request(server, &claim.form) {
            Ok(request) => self.ping(&request, !is_offline(&claim)).await,
            Err(error) => Err(error),
        };
        let at = self.clock.now();
        match result {
            Ok(reply) if placeholder::is_placeholder(&reply.status) => {
                failed(claim, at, placeholder::ASLEEP, new_player_limit)
            }
            Ok(reply) => self.complete(claim, at, reply, new_player_limit).await,
            Err(error) => failed(claim, at, error.reason(), new_player_limit),
        }
    }

    async fn ping(&self, request: &PingRequest, may_retry: bool) -> Result<PingReply, PingError> {
        match self.ping_once(request).await {
            // A retry after half a second would fail the same way.
            Err(error @ (PingError::Forbidden(_) | PingError::ForbiddenPort(_) | PingError::NameNotFound(_))) => {
                Err(error)
            }
            Err(_) if may_retry => {
                tokio::time::sleep(RETRY_DELAY.min(self.client.timeout / 4)).await;
                self.ping_once(request).await
            }
            result => result,
        }
    }

    async fn ping_once(&self, request: &PingRequest) -> Result<PingReply, PingError> {
        let started = Instant::now();
        let result = self.client.ping(request).await;
        let outcome = if result.is_ok() { "answered" } else { "failed" };
        metrics::histogram!("rollcall_ping_seconds", "outcome" => outcome).record(started.elapsed());
        result
    }

    async fn complete(&self, claim: ClaimedPoll, at: i64, reply: PingReply, new_player_limit: usize) -> CompletedPoll {
        metrics::counter!("rollcall_polls_total", "outcome" => "answered").increment(1);
        let PingReply { address, protocol, latency_ms, status: mut reported, query_players } = reply;
        let pictures = self.pictures.render_changed(&claim, &reported.motd_raw, reported.icon.take(), at).await;
        let has_no_country = claim.server.as_ref().is_some_and(|server| server.country == country::UNKNOWN);
        let info = ReportedInfo {
            protocol_name: Some(protocol.name()),
            address: Some(address.ip()),
            version: std::mem::take(&mut reported.version),
            protocol: reported.protocol,
            motd_raw: std::mem::take(&mut reported.motd_raw),
            pictures,
            country: has_no_country
                .then(|| iptocc::country_code(address.ip()).and_then(country::by_code))
                .flatten()
                .map(|country| country.name),
        };
        let query_port = claim.server.as_ref().and_then(|server| server.query_port);
        let failed_query_port = query_port.filter(|_| query_players.is_none());
        let mut status = sanitize(&reported, query_players);
        if let Some(port) = failed_query_port {
            status.add_note(&format!("no Query reply on port {port}"));
        }
        CompletedPoll { claim, at, outcome: PollOutcome::Replied { status, latency_ms }, info, new_player_limit }
    }
}

fn failed(claim: ClaimedPoll, at: i64, reason: &'static str, new_player_limit: usize) -> CompletedPoll {
    metrics::counter!("rollcall_polls_total", "outcome" => reason).increment(1);
    let (outcome, info) = (PollOutcome::Failed { reason }, ReportedInfo::default());
    CompletedPoll { claim, at, outcome, info, new_player_limit }
}

fn is_offline(claim: &ClaimedPoll) -> bool {
    claim.failures >= FAILURES_UNTIL_OFFLINE
}

fn ping_request(server: &PollTarget, last_protocol: &str) -> Result<PingRequest, PingError> {
    let invalid = || PingError::NameNotFound(server.host.clone());
    let port = |port: i64| u16::try_from(port).ok().filter(|port| *port > 0);
    Ok(PingRequest {
        host: server.host.parse::<Host>().map_err(|_| invalid())?,
        port: port(server.port).ok_or_else(invalid)?,
        edition: Edition::parse(&server.edition).unwrap_or_default(),
        query_port: server.query_port.and_then(port),
        protocol: PingProtocol::parse(last_protocol),
        no_fallback: false,
    })
}
