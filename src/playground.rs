//! The API without a key, for those who try it: a check buys a pass, a pass some runs. What is counted is kept in the
//! ledger, so that restarts and other machines know of it.

use std::net::IpAddr;

use tokio::sync::Semaphore;

use crate::captcha::{Human, Mark, Provider, Purpose, Refused, proof_of_work};
use crate::config::{self, Check, Config};
use crate::error::ApiError;
use rollcall_model::quota::Limits;
use rollcall_model::time::MINUTE;
use rollcall_model::token;
use rollcall_store::playground_passes::{self, NewPass, Run};
use rollcall_store::{Pool, spent_challenges};

/// Runs and passes written at the same time. The ledger's one writer serves keys, too, and they wait for no more than
/// these.
const AT_ONCE: usize = 4;

pub struct Playground {
    pub settings: config::Playground,
    /// `None`: the proof of work.
    pub provider: Option<Provider>,
    ledger: Pool,
    at_once: Semaphore,
}

/// A pass as it is handed out; the token is kept nowhere.
pub struct Issued {
    pub token: String,
    pub runs: u32,
    pub expires_at: i64,
}

pub enum Refusal {
    Human(Refused),
    Store(ApiError),
}

impl From<rollcall_store::Error> for Refusal {
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
            at_once: Semaphore::new(AT_ONCE),
        }
    }

    pub fn is_open(&self) -> bool {
        self.settings.check != Check::Off
    }

    /// A pass for a solved check, which is spent by it.
    pub async fn issue(&self, captcha: &Human, solution: &str, client: IpAddr, now: i64) -> Result<Issued, Refusal> {
        let mark = match &self.provider {
            Some(provider) => provider.check(solution, client, now).await,
            None => captcha.check(solution, Purpose::Playground, now).await,
        };
        let Mark { hash, expires_at: until } = mark.map_err(Refusal::Human)?;
        let token = token::generate();
        let (kept, address) = (kept_of(&token), address_of(client));
        let (runs, expires_at) = (self.settings.runs_per_check, now + i64::from(self.settings.pass_minutes) * MINUTE);
        let _place = self.at_once.acquire().await;
        let spent = self.ledger.write(move |conn| {
            let spent = spent_challenges::spend(conn, &hash, until, now)?;
            if spent {
                playground_passes::issue(conn, &NewPass { hash: &kept, address: &address, runs, expires_at }, now)?;
            }
            Ok(spent)
        });
        if spent.await? { Ok(Issued { token, runs, expires_at }) } else { Err(Refusal::Human(Refused::Spent)) }
    }

    /// One run out of a pass and of what its address may use.
    pub async fn take(&self, token: &str, client: IpAddr, now: i64) -> rollcall_store::Result<Run> {
        let (kept, address, limits) = (kept_of(token), address_of(client), self.limits());
        let _place = self.at_once.acquire().await;
        self.ledger.write(move |conn| playground_passes::take(conn, &kept, &address, limits, now)).await
    }

    fn limits(&self) -> Limits {
        // The playground knows no month.
        Limits { per_minute: self.settings.per_minute, per_day: self.settings.per_day, per_month: u32::MAX }
    }
}

fn kept_of(token: &str) -> String {
    proof_of_work::hash(&["pass", token])
}

fn address_of(client: IpAddr) -> String {
    crate::limits::bucket(client).to_string()
}
