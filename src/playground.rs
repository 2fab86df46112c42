//! The playground: the API without a key. A solved CAPTCHA buys a pass, a pass allows some runs. Passes and counts are
//! stored in the ledger, so restarts and other processes share them.

use std::net::IpAddr;

use tokio::sync::Semaphore;

use crate::captcha::{Captcha, CaptchaError, Provider, Purpose, VerifiedSolution, proof_of_work};
use crate::config::{self, Check, Config};
use crate::error::ApiError;
use rollcall_model::quota::Limits;
use rollcall_model::time::MINUTE;
use rollcall_model::token;
use rollcall_store::playground_passes::{self, NewPass, RunOutcome};
use rollcall_store::{Pool, spent_challenges};

/// Runs and passes written concurrently. API keys share the ledger's single writer, so the playground may queue only a few.
const CONCURRENT_WRITES: usize = 4;

pub struct Playground {
    pub settings: config::Playground,
    /// `None`: the proof of work.
    pub provider: Option<Provider>,
    ledger: Pool,
    writes: Semaphore,
}

/// A new pass. Only a hash of the token is stored.
pub struct IssuedPass {
    pub token: String,
    pub runs: u32,
    pub expires_at: i64,
}

pub enum PassError {
    Captcha(CaptchaError),
    Store(ApiError),
}

impl From<rollcall_store::Error> for PassError {
    fn from(error: rollcall_store::Error) -> Self {
        Self::Store(error.into())
    }
}

impl Playground {
    pub fn new(config: &Config, ledger: Pool) -> Self {
        Self {
            settings: config.playground.clone(),
            provider: Provider::new(config),
            ledger,
            writes: Semaphore::new(CONCURRENT_WRITES),
        }
    }

    pub fn is_enabled(&self) -> bool {
        self.settings.check != Check::Off
    }

    /// Exchanges a CAPTCHA solution for a pass, and spends the solution in the same transaction.
    pub async fn issue_pass(
        &self,
        captcha: &Captcha,
        solution: &str,
        client: IpAddr,
        now: i64,
    ) -> Result<IssuedPass, PassError> {
        let verified = match &self.provider {
            Some(provider) => provider.verify(solution, client, now).await,
            None => captcha.verify(solution, Purpose::Playground, now).await,
        };
        let VerifiedSolution { hash, expires_at: spent_until } = verified.map_err(PassError::Captcha)?;
        let token = token::generate();
        let (pass_hash, address) = (pass_hash(&token), address_key(client));
        let (runs, expires_at) = (self.settings.runs_per_check, now + i64::from(self.settings.pass_minutes) * MINUTE);
        let _permit = self.writes.acquire().await;
        let issued = self.ledger.write(move |conn| {
            let spent = spent_challenges::spend(conn, &hash, spent_until, now)?;
            if spent {
                let pass = NewPass { hash: &pass_hash, address: &address, runs, expires_at };
                playground_passes::issue(conn, &pass, now)?;
            }
            Ok(spent)
        });
        match issued.await? {
            true => Ok(IssuedPass { token, runs, expires_at }),
            false => Err(PassError::Captcha(CaptchaError::AlreadyUsed)),
        }
    }

    /// Takes one run from the pass and from the limits of the client's IP address.
    pub async fn take_run(&self, token: &str, client: IpAddr, now: i64) -> rollcall_store::Result<RunOutcome> {
        let (pass_hash, address, limits) = (pass_hash(token), address_key(client), self.limits());
        let _permit = self.writes.acquire().await;
        self.ledger.write(move |conn| playground_passes::use_run(conn, &pass_hash, &address, limits, now)).await
    }

    fn limits(&self) -> Limits {
        // The playground has no monthly limit.
        Limits { per_minute: self.settings.per_minute, per_day: self.settings.per_day, per_month: u32::MAX }
    }
}

fn pass_hash(token: &str) -> String {
    proof_of_work::hash(&["pass", token])
}

fn address_key(client: IpAddr) -> String {
    crate::limits::bucket(client).to_string()
}
