//! Votes that people cast on the site, and their delivery to game servers.

mod delivery;
mod receiver;

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use crate::batch_writer::BatchWriter;
use crate::config::HumanCheck;
use crate::limits::{AttemptLimiter, bucket};
pub use receiver::{EnteredReceiver, check_nickname, parse_receiver, to_receiver};
use rollcall_minecraft::PingClient;
use rollcall_model::clock::Clock;
use rollcall_model::time::{MINUTE, SECOND};
use rollcall_store::voting::{self, Ballot, CastOutcome};
use rollcall_store::{Pool, Result};

/// The name under which receivers know this service.
pub const SERVICE: &str = "Rollcall";
/// Votes that one client IP may try to cast per minute.
const TRIES_PER_MINUTE: u32 = 20;
/// Test votes that one account may send per minute. Each costs us a connection to a host of the account's choice.
const TESTS_PER_MINUTE: u32 = 10;

pub struct Voting {
    pub human_check: HumanCheck,
    pool: Pool,
    clock: Clock,
    pinger: Arc<PingClient>,
    casts: BatchWriter<Ballot, CastOutcome>,
    tries: AttemptLimiter<IpAddr>,
    tests: AttemptLimiter<i64>,
    /// Servers to which a vote is being sent: one at a time.
    sending: Mutex<HashSet<i64>>,
    /// There may be something to send.
    work: Notify,
}

impl Voting {
    pub fn new(human_check: HumanCheck, pool: Pool, clock: Clock, pinger: Arc<PingClient>) -> Self {
        Self {
            human_check,
            pool,
            clock,
            pinger,
            casts: BatchWriter::new("votes"),
            tries: AttemptLimiter::new(TRIES_PER_MINUTE, MINUTE),
            tests: AttemptLimiter::new(TESTS_PER_MINUTE, MINUTE),
            sending: Mutex::default(),
            work: Notify::new(),
        }
    }

    /// Counts a try of a client IP; if there were too many, the seconds until the next one.
    pub fn count_try(&self, client: IpAddr) -> std::result::Result<(), i64> {
        self.tries.take(bucket(client), self.clock.now())
    }

    /// Counts a test vote of an account; if there were too many, the seconds until the next one.
    pub fn count_test(&self, account_n: i64) -> std::result::Result<(), i64> {
        self.tests.take(account_n, self.clock.now())
    }

    /// Casts a vote together with those that arrive at the same time. `shows_nickname`: whether the site may show a name
    /// that no known player has.
    pub async fn cast(
        &self,
        server_n: i64,
        account_n: Option<i64>,
        nickname: &str,
        shows_nickname: bool,
        client: IpAddr,
    ) -> Result<CastOutcome> {
        let ballot = Ballot {
            server_n,
            at: self.clock.now(),
            account_n,
            nickname: nickname.to_owned(),
            shows_nickname,
            address: bucket(client).to_string(),
        };
        let outcome = self.casts.write(ballot).await?;
        if outcome == CastOutcome::Cast {
            self.work.notify_one();
        }
        Ok(outcome)
    }

    /// Stores votes until the service stops.
    pub async fn write_votes(&self) {
        self.casts.run(&self.pool, voting::cast).await;
    }

    /// Whole seconds until the next UTC day, when everyone may vote again.
    pub fn seconds_until_tomorrow(&self) -> i64 {
        let now = self.clock.now();
        (next_day(now) - now + SECOND - 1) / SECOND
    }
}

/// The start of the next UTC day.
pub fn next_day(now: i64) -> i64 {
    rollcall_model::time::start_of_day(now) + rollcall_model::time::DAY
}
