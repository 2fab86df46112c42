//! Servers that people submit, claim and manage themselves.

mod duplicates;
mod owner_actions;
mod ownership_claim;
mod submission;
mod upkeep;

use std::sync::Arc;

pub use owner_actions::{
    UNPROVED_BANNER, archive, change_settings, delete, follow_decision, hold, restore, set_banner,
};
pub use ownership_claim::{AddressEvidence, ClaimOutcome, new_claim};
pub use submission::{ProbeOutcome, Submission};

use crate::config;
use crate::limits::AttemptLimiter;
use rollcall_minecraft::PingClient;
use rollcall_model::clock::Clock;
use rollcall_model::time::MINUTE;
use rollcall_store::Pool;
use rollcall_store::media::Media;

/// Pings that one account may cause per minute. Each costs us a connection to a host of the account's choice.
const PINGS_PER_MINUTE: u32 = 10;

pub struct Listings {
    pub max_per_account: u32,
    pool: Pool,
    media: Media,
    clock: Clock,
    pinger: Arc<PingClient>,
    pings: AttemptLimiter<i64>,
}

impl Listings {
    pub fn new(config: &config::Listing, pool: Pool, media: Media, clock: Clock, pinger: Arc<PingClient>) -> Self {
        Self {
            max_per_account: config.max_per_account,
            pool,
            media,
            clock,
            pinger,
            pings: AttemptLimiter::new(PINGS_PER_MINUTE, MINUTE),
        }
    }

    /// Counts a ping that an account causes; if there were too many, the seconds until the next one.
    pub fn count_ping(&self, account_n: i64) -> Result<(), i64> {
        self.pings.take(account_n, self.clock.now())
    }
}
