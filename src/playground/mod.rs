//! The API without a key, for those who try it: a check buys a pass, a pass some runs. What is counted is kept in the
//! ledger, so that restarts and other machines know of it.

mod pass;
mod run;

use std::net::IpAddr;

use axum::http::StatusCode;
use tokio::sync::Semaphore;

pub use pass::respond as respond_pass;
pub use run::respond as respond_run;

use crate::accounts::token;
use crate::app::App;
use crate::config::{self, Check, Config, Limits};
use crate::human::{Mark, Provider, Purpose, Refused, proof};
use crate::model::time::MINUTE;
use crate::store::passes::{self, NewPass, Run};
use crate::store::{self, Pool, spent};
use crate::v1::ApiError;

/// Runs and passes written at the same time. The ledger's one writer serves keys, too, and they wait for no more than
/// these.
const AT_ONCE: usize = 4;
/// What a request hears when there is no playground.
const OFF: (StatusCode, &str) = (StatusCode::NOT_FOUND, "The playground is switched off on this server");

pub struct Playground {
    pub settings: config::Playground,
    /// `None`: the proof of work.
    pub provider: Option<Provider>,
    ledger: Pool,
    at_once: Semaphore,
}

/// A pass as it is handed out; the token is kept nowhere.
struct Issued {
    token: String,
    runs: u32,
    expires_at: i64,
}

enum Refusal {
    Human(Refused),
    Store(ApiError),
}

impl From<store::Error> for Refusal {
    fn from(error: store::Error) -> Self {
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
    async fn issue(&self, app: &App, solution: &str, client: IpAddr, now: i64) -> Result<Issued, Refusal> {
        let mark = match &self.provider {
            Some(provider) => provider.check(solution, client, now).await,
            None => app.human.check(solution, Purpose::Playground, now).await,
        };
        let Mark { hash, expires_at: until } = mark.map_err(Refusal::Human)?;
        let token = token::generate();
        let (kept, address) = (kept_of(&token), address_of(client));
        let (runs, expires_at) = (self.settings.runs_per_check, now + i64::from(self.settings.pass_minutes) * MINUTE);
        let _place = self.at_once.acquire().await;
        let spent = self.ledger.write(move |conn| {
            let spent = spent::spend(conn, &hash, until, now)?;
            if spent {
                passes::issue(conn, &NewPass { hash: &kept, address: &address, runs, expires_at }, now)?;
            }
            Ok(spent)
        });
        if spent.await? { Ok(Issued { token, runs, expires_at }) } else { Err(Refusal::Human(Refused::Spent)) }
    }

    /// One run out of a pass and of what its address may use.
    async fn take(&self, token: &str, client: IpAddr, now: i64) -> store::Result<Run> {
        let (kept, address, limits) = (kept_of(token), address_of(client), self.limits());
        let _place = self.at_once.acquire().await;
        self.ledger.write(move |conn| passes::take(conn, &kept, &address, limits, now)).await
    }

    fn limits(&self) -> Limits {
        // The playground knows no month.
        Limits { per_minute: self.settings.per_minute, per_day: self.settings.per_day, per_month: u32::MAX }
    }
}

fn kept_of(token: &str) -> String {
    proof::hash(&["pass", token])
}

fn address_of(client: IpAddr) -> String {
    crate::http::address::bucket(client).to_string()
}
