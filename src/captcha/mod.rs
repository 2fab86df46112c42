//! Whether somebody is at the other end who is in no hurry: a proof of work that a browser does by itself, good once. The
//! playground may ask a service instead (`provider.rs`).

pub mod proof_of_work;
mod provider;
mod siteverify;

use std::net::IpAddr;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use altcha::Challenge;
use axum::http::StatusCode;
use tokio::sync::Semaphore;

pub use proof_of_work::Mark;
pub use provider::Provider;

use crate::limits::AttemptLimiter;
use rollcall_model::time::MINUTE;
use rollcall_store::{Pool, captcha_secret, spent_challenges};

/// What a check is for. It is signed into the challenge, so that a solution for one door opens no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Playground,
    SignIn,
}

impl Purpose {
    pub const ALL: [Self; 2] = [Self::Playground, Self::SignIn];

    pub fn name(self) -> &'static str {
        match self {
            Self::Playground => "playground",
            Self::SignIn => "sign-in",
        }
    }
}

/// Why a solution was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    TooLong,
    Malformed,
    /// The challenge is not one of ours, or not as we made it.
    Altered,
    /// It was solved for another door.
    Elsewhere,
    Expired,
    Unsolved,
    Spent,
    /// The configured service says no.
    NotPassed,
    /// It cannot be found out; nobody is let in on credit.
    Unavailable,
}

impl Refused {
    pub fn status(self) -> StatusCode {
        match self {
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::Spent => StatusCode::CONFLICT,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::FORBIDDEN,
        }
    }

    pub fn message(self) -> &'static str {
        match self {
            Self::TooLong => "The solution of the check is too long; solve a new one",
            Self::Malformed => "This is no solution of a check; solve a new one",
            Self::Altered => "The check was altered or is not from here; solve a new one",
            Self::Elsewhere => "The check was solved for another page; solve a new one",
            Self::Expired => "The check has expired, it is good for 5 minutes; solve a new one",
            Self::Unsolved => "The check is not solved; solve it again",
            Self::Spent => "The check was used already, each is good once; solve a new one",
            Self::NotPassed => "The check was not passed; try it again",
            Self::Unavailable => "The check cannot be verified right now, try again in a moment",
        }
    }
}

/// What an address hears that tries too often.
pub const TOO_MANY: &str = "Too many checks from your address, try again in a moment";
/// Proofs looked at at the same time; each takes a thread for some milliseconds.
const AT_ONCE: usize = 4;
/// How often the store is asked whether the secret was renewed.
const LOOK: Duration = Duration::from_secs(1);
const UNPOISONED: &str = "nothing panics under this lock";

pub struct Human {
    secret: RwLock<Arc<str>>,
    ledger: Pool,
    attempts: AttemptLimiter<IpAddr>,
    at_once: Semaphore,
}

impl Human {
    /// Fails without a secret.
    pub async fn open(pool: &Pool, ledger: Pool, checks_per_minute: u32) -> rollcall_store::Result<Self> {
        let secret = pool.read(captcha_secret::human).await?;
        Ok(Self {
            secret: RwLock::new(secret.into()),
            ledger,
            attempts: AttemptLimiter::new(checks_per_minute, MINUTE),
            at_once: Semaphore::new(AT_ONCE),
        })
    }

    /// Takes up a renewed secret until the service stops. While none can be read, the one from before stays.
    pub async fn keep_current(self: Arc<Self>, pool: Pool) {
        loop {
            tokio::time::sleep(LOOK).await;
            match pool.read(|conn| captcha_secret::get(conn, captcha_secret::HUMAN)).await {
                Ok(Some(secret)) if captcha_secret::is_sound(&secret) => {
                    if *secret != *self.secret() {
                        *self.secret.write().expect(UNPOISONED) = secret.into();
                    }
                }
                Ok(_) => tracing::debug!("the secret of human checks is gone from the store"),
                Err(error) => tracing::debug!(%error, "the secret of human checks cannot be read"),
            }
        }
    }

    /// Counts a challenge or a solution; after too many from this address, the whole seconds to wait.
    pub fn attempt(&self, client: IpAddr, now: i64) -> Option<i64> {
        self.attempts.take(client, now).err()
    }

    /// For a browser to work on.
    pub fn challenge(&self, purpose: Purpose, now: i64) -> Challenge {
        proof_of_work::challenge(&self.secret(), purpose, now)
    }

    /// Whether a solution is genuine and done. It is not accepted before its mark was spent ([`spent_challenges::spend`]), in the
    /// transaction of what it is exchanged for.
    pub async fn check(&self, payload: &str, purpose: Purpose, now: i64) -> Result<Mark, Refused> {
        let secret = self.secret();
        let payload = proof_of_work::read(payload)?;
        let mark = proof_of_work::recognise(&secret, &payload.challenge, purpose, now)?;
        let _place = self.at_once.acquire().await.map_err(|_| Refused::Unavailable)?;
        let solved = tokio::task::spawn_blocking(move || proof_of_work::is_solved(&secret, &payload)).await;
        match solved {
            Ok(true) => Ok(mark),
            Ok(false) => Err(Refused::Unsolved),
            Err(_) => Err(Refused::Unavailable),
        }
    }

    /// Checks a solution and accepts it, once.
    pub async fn spend(&self, payload: &str, purpose: Purpose, now: i64) -> Result<(), Refused> {
        let Mark { hash, expires_at } = self.check(payload, purpose, now).await?;
        match self.ledger.write(move |conn| spent_challenges::spend(conn, &hash, expires_at, now)).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Refused::Spent),
            Err(error) => {
                tracing::warn!(%error, "a solved check cannot be marked as spent");
                Err(Refused::Unavailable)
            }
        }
    }

    fn secret(&self) -> Arc<str> {
        self.secret.read().expect(UNPOISONED).clone()
    }
}
