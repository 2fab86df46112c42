//! Takes tiers of known players over from a tier list. Polite: one request at a time, a pause between two, and none before the
//! time that `Retry-After` names. If the source fails, the last tiers stay.

mod tier_list;

use std::time::Duration;

use axum::http::{StatusCode, Uri, header};

use crate::config;
use crate::http_client::{self, FetchLimits, HttpResponse};
use rollcall_model::clock::Clock;
use rollcall_model::time::{HOUR, MINUTE, SECOND};
use rollcall_store::tier_sync::{self, PlayerTier};
use rollcall_store::{Pool, Result};

/// Between two rounds, in milliseconds, and after one that failed.
const INTERVAL: i64 = 6 * HOUR;
const RETRY_INTERVAL: i64 = 30 * MINUTE;
/// Players per page, and pages per round.
const PAGE_SIZE: i64 = 50;
const MAX_PAGES: i64 = 200;
/// The longest `Retry-After` that is honoured.
const MAX_WAIT: i64 = 24 * HOUR;
/// How often it is looked whether a round is due.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
const LIMITS: FetchLimits = FetchLimits { deadline: Duration::from_secs(15), max_bytes: 1024 * 1024 };

pub struct TierSync {
    base_url: String,
    pause: Duration,
    pool: Pool,
    clock: Clock,
}

/// Why a round ended early.
enum RoundError {
    /// The source asks for a pause, in milliseconds.
    Wait(i64),
    /// A message for the log.
    Failed(String),
}

impl From<rollcall_store::Error> for RoundError {
    fn from(error: rollcall_store::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl TierSync {
    /// `None` if no tier list is configured.
    pub fn new(settings: &config::Tiers, pool: Pool, clock: Clock) -> Option<Self> {
        if settings.base_url.is_empty() {
            return None;
        }
        let pause = Duration::from_secs(60) / settings.requests_per_minute.max(1);
        Some(Self { base_url: settings.base_url.trim_end_matches('/').to_owned(), pause, pool, clock })
    }

    /// Takes tiers over until the service stops.
    pub async fn run(&self) {
        loop {
            match self.claim_round().await {
                Ok(is_due) => {
                    if is_due {
                        self.run_round().await;
                    }
                    metrics::counter!("rollcall_task_runs_total", "task" => "tier_list").increment(1);
                }
                Err(error) => tracing::debug!(%error, "cannot read when tiers are next taken over"),
            }
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }

    async fn claim_round(&self) -> Result<bool> {
        let now = self.clock.now();
        // Most of the time there is nothing to write.
        if !self.pool.read(move |conn| tier_sync::is_due(conn, now)).await? {
            return Ok(false);
        }
        self.pool.write(move |conn| tier_sync::claim(conn, now, now + INTERVAL)).await
    }

    async fn run_round(&self) {
        let wait = match self.take_over().await {
            Ok(count) => {
                tracing::info!(count, "took tiers over from the tier list");
                metrics::counter!("rollcall_tier_syncs_total", "outcome" => "done").increment(1);
                return;
            }
            Err(RoundError::Wait(wait)) => wait,
            Err(RoundError::Failed(error)) => {
                tracing::warn!(error, "cannot take tiers over from the tier list; keeping the last ones");
                RETRY_INTERVAL
            }
        };
        metrics::counter!("rollcall_tier_syncs_total", "outcome" => "failed").increment(1);
        let due_at = self.clock.now() + wait;
        if let Err(error) = self.pool.write(move |conn| tier_sync::set_due(conn, due_at)).await {
            tracing::debug!(%error, "cannot store when tiers are next taken over");
        }
    }

    /// The whole list, then the profiles of players who are no longer on it. Returns how many players were updated.
    async fn take_over(&self) -> std::result::Result<usize, RoundError> {
        let (began_at, mut count) = (self.clock.now(), 0);
        for page in 0..MAX_PAGES {
            let from = page * PAGE_SIZE;
            let response = self.get(&format!("/mode/overall?count={PAGE_SIZE}&from={from}")).await?;
            if response.status != StatusCode::OK {
                return Err(RoundError::Failed(format!("the list has status {}", response.status)));
            }
            let (tiers, entries) = tier_list::parse_page(&response.body, from).map_err(RoundError::Failed)?;
            count += self.store(tiers).await?;
            if (entries as i64) < PAGE_SIZE {
                break;
            }
        }
        for uuid in self.pool.read(move |conn| tier_sync::missed(conn, began_at)).await? {
            let response = self.get(&format!("/profile/{uuid}")).await?;
            let tier = match response.status {
                StatusCode::OK => tier_list::parse_profile(&response.body, &uuid).map_err(RoundError::Failed)?,
                StatusCode::NOT_FOUND => PlayerTier { game_uuid: uuid, ranking: None },
                status => return Err(RoundError::Failed(format!("a profile has status {status}"))),
            };
            count += self.store(vec![tier]).await?;
        }
        Ok(count)
    }

    async fn store(&self, tiers: Vec<PlayerTier>) -> Result<usize> {
        let now = self.clock.now();
        self.pool.write(move |conn| tier_sync::apply(conn, &tiers, now)).await
    }

    async fn get(&self, path: &str) -> std::result::Result<HttpResponse, RoundError> {
        tokio::time::sleep(self.pause).await;
        let url = format!("{}{path}", self.base_url);
        let url: Uri = url.parse().map_err(|_| RoundError::Failed(format!("{url} is not a URL")))?;
        let response = http_client::get(&url, LIMITS).await.map_err(RoundError::Failed)?;
        match response.status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                Err(RoundError::Wait(retry_after(&response).unwrap_or(RETRY_INTERVAL)))
            }
            _ => Ok(response),
        }
    }
}

/// Milliseconds. The form with a date is rare and counts as none.
fn retry_after(response: &HttpResponse) -> Option<i64> {
    let seconds: i64 = response.headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(seconds.clamp(0, MAX_WAIT / SECOND) * SECOND)
}
