//! Links between accounts and players: the listener that players join, and the codes that users enter.

mod listener;

use std::net::IpAddr;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use crate::config;
use crate::limits::{AttemptLimiter, NewPlayerQuota, bucket};
use rollcall_model::clock::Clock;
use rollcall_model::link_code::LinkCode;
use rollcall_model::time::MINUTE;
use rollcall_store::audit::Author;
use rollcall_store::player_links::{self, LinkOutcome};
use rollcall_store::{Pool, Result, link_codes};

/// Wrong codes are counted in windows of this length.
const WINDOW: i64 = 10 * MINUTE;
const WRONG_CODES_PER_ACCOUNT: u32 = 10;
const WRONG_CODES_PER_IP: u32 = 30;
/// Codes for players from one client IP and minute.
const CODES_PER_MINUTE: u32 = 5;
/// Players who were never seen on a server count as those of server 0.
const NO_SERVER: i64 = 0;
/// How often expired codes are deleted.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(60);

pub struct Linking {
    settings: config::Linking,
    /// Address that players enter in the game. Known when the listener runs.
    join_address: OnceLock<String>,
    public_url: String,
    pool: Pool,
    clock: Clock,
    wrong_by_account: AttemptLimiter<i64>,
    wrong_by_ip: AttemptLimiter<IpAddr>,
    joins: AttemptLimiter<IpAddr>,
    new_players: Mutex<NewPlayerQuota>,
}

/// Why a code was not looked at: too many wrong ones; seconds until the next try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyCodes(pub i64);

impl Linking {
    pub fn new(settings: &config::Linking, public_url: &str, pool: Pool, clock: Clock) -> Self {
        Self {
            join_address: OnceLock::new(),
            settings: settings.clone(),
            public_url: public_url.to_owned(),
            pool,
            clock,
            wrong_by_account: AttemptLimiter::new(WRONG_CODES_PER_ACCOUNT, WINDOW),
            wrong_by_ip: AttemptLimiter::new(WRONG_CODES_PER_IP, WINDOW),
            joins: AttemptLimiter::new(CODES_PER_MINUTE, MINUTE),
            new_players: Mutex::default(),
        }
    }

    /// Address that players enter in the game to join the listener; `None` if it is off.
    pub fn join_address(&self) -> Option<&str> {
        self.join_address.get().map(String::as_str)
    }

    /// Links an account with the player who got this code by joining.
    pub async fn link(
        &self,
        account_n: i64,
        client: IpAddr,
        code: LinkCode,
        author: Author,
    ) -> Result<std::result::Result<LinkOutcome, TooManyCodes>> {
        let now = self.clock.now();
        if let Err(wait) = self.count_try(account_n, client, now) {
            return Ok(Err(wait));
        }
        // Wrong codes cost no transaction.
        let (read, at) = (code.clone(), now);
        if self.pool.read(move |conn| link_codes::find_player(conn, &read, at)).await?.is_none() {
            return Ok(Ok(LinkOutcome::WrongCode));
        }
        let may_create = self.quota().remaining(NO_SERVER, now) > 0;
        let author = Author { at: now, ..author };
        let outcome = self
            .pool
            .write(move |conn| player_links::link_by_join(conn, account_n, &code, may_create, &author))
            .await?;
        if let LinkOutcome::Linked { is_new } = outcome {
            self.quota().consume(NO_SERVER, usize::from(is_new));
        }
        if outcome != LinkOutcome::WrongCode {
            self.wrong_by_account.refund(&account_n);
            self.wrong_by_ip.refund(&bucket(client));
        }
        Ok(Ok(outcome))
    }

    fn count_try(&self, account_n: i64, client: IpAddr, now: i64) -> std::result::Result<(), TooManyCodes> {
        self.wrong_by_account.take(account_n, now).map_err(TooManyCodes)?;
        self.wrong_by_ip.take(bucket(client), now).map_err(TooManyCodes)
    }

    /// A new code that the user of an account enters in the game.
    pub async fn create_account_code(&self, account_n: i64) -> Result<LinkCode> {
        let (code, now) = (LinkCode::generate(), self.clock.now());
        let issued = code.clone();
        self.pool.write(move |conn| link_codes::issue_to_account(conn, account_n, &issued, now)).await?;
        Ok(code)
    }

    /// Deletes codes that expired, until the service stops. They name players who may not be stored otherwise.
    pub async fn delete_expired_codes(self: Arc<Self>) {
        loop {
            tokio::time::sleep(UPKEEP_INTERVAL).await;
            let now = self.clock.now();
            // Most of the time there is nothing to write.
            let outcome = match self.pool.read(move |conn| link_codes::has_expired(conn, now)).await {
                Ok(true) => self.pool.write(move |conn| link_codes::delete_expired(conn, now)).await,
                Ok(false) => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = outcome {
                tracing::debug!(%error, "cannot delete expired link codes");
            }
        }
    }

    fn quota(&self) -> std::sync::MutexGuard<'_, NewPlayerQuota> {
        self.new_players.lock().expect("nothing panics under this lock")
    }
}
