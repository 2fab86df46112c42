//! The CAPTCHA of the playground, of sign-in, of sign-up and of votes: a proof of work that the browser solves, valid once. The playground may
//! use Turnstile or hCaptcha instead (`provider.rs`).

pub mod proof_of_work;
mod provider;
mod siteverify;

use std::net::IpAddr;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use altcha::Challenge;
use axum::http::StatusCode;
use tokio::sync::Semaphore;

pub use proof_of_work::VerifiedSolution;
pub use provider::Provider;

use crate::limits::AttemptLimiter;
use rollcall_model::message::translatable;
use rollcall_model::time::MINUTE;
use rollcall_store::{Pool, captcha_secret, spent_challenges};

/// Purpose of a challenge. It is part of the signed data, so a solution for one page is not valid on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Playground,
    SignIn,
    SignUp,
    Vote,
}

impl Purpose {
    pub const ALL: [Self; 4] = [Self::Playground, Self::SignIn, Self::SignUp, Self::Vote];

    pub fn name(self) -> &'static str {
        match self {
            Self::Playground => "playground",
            Self::SignIn => "sign-in",
            Self::SignUp => "sign-up",
            Self::Vote => "vote",
        }
    }
}

/// Why a solution was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptchaError {
    TooLong,
    Malformed,
    /// The challenge is not signed by this service, or was changed.
    Altered,
    /// The challenge was issued for another page.
    WrongPurpose,
    Expired,
    Unsolved,
    AlreadyUsed,
    /// The configured provider rejected the token.
    NotPassed,
    /// The solution cannot be verified; it is rejected.
    Unavailable,
}

impl CaptchaError {
    pub fn status(self) -> StatusCode {
        match self {
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::AlreadyUsed => StatusCode::CONFLICT,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::FORBIDDEN,
        }
    }

    pub fn message(self) -> &'static str {
        match self {
            Self::TooLong => translatable("The CAPTCHA solution is too long; solve a new one"),
            Self::Malformed => translatable("The CAPTCHA solution is malformed; solve a new one"),
            Self::Altered => translatable("The CAPTCHA was altered or was not issued by this site; solve a new one"),
            Self::WrongPurpose => translatable("The CAPTCHA was solved for another page; solve a new one"),
            Self::Expired => translatable("The CAPTCHA has expired, it is valid for 5 minutes; solve a new one"),
            Self::Unsolved => translatable("The CAPTCHA is not solved; solve it again"),
            Self::AlreadyUsed => translatable("The CAPTCHA was already used, each is valid once; solve a new one"),
            Self::NotPassed => translatable("The CAPTCHA was not passed; try again"),
            Self::Unavailable => translatable("The CAPTCHA cannot be verified right now, try again in a moment"),
        }
    }
}

/// The error message for an IP address that tries too often.
pub const TOO_MANY_ATTEMPTS: &str =
    translatable("Too many CAPTCHA attempts from your IP address, try again in a moment");
/// Solutions verified concurrently; each takes a thread for some milliseconds.
const CONCURRENT_VERIFICATIONS: usize = 4;
/// How often the signing secret is read from the store.
const SECRET_REFRESH: Duration = Duration::from_secs(1);
const UNPOISONED: &str = "no code panics while holding this lock";

pub struct Captcha {
    secret: RwLock<Arc<str>>,
    ledger: Pool,
    attempts: AttemptLimiter<IpAddr>,
    verifications: Semaphore,
}

impl Captcha {
    /// Fails if the store has no signing secret.
    pub async fn open(pool: &Pool, ledger: Pool, attempts_per_minute: u32) -> rollcall_store::Result<Self> {
        let secret = pool.read(captcha_secret::get_captcha).await?;
        Ok(Self {
            secret: RwLock::new(secret.into()),
            ledger,
            attempts: AttemptLimiter::new(attempts_per_minute, MINUTE),
            verifications: Semaphore::new(CONCURRENT_VERIFICATIONS),
        })
    }

    /// Picks up a renewed secret until the service stops. While the store is unreachable, the last known secret stays.
    pub async fn keep_current(self: Arc<Self>, pool: Pool) {
        loop {
            tokio::time::sleep(SECRET_REFRESH).await;
            match pool.read(|conn| captcha_secret::get(conn, captcha_secret::CAPTCHA)).await {
                Ok(Some(secret)) if captcha_secret::is_valid(&secret) => {
                    if *secret != *self.secret() {
                        *self.secret.write().expect(UNPOISONED) = secret.into();
                    }
                }
                Ok(_) => tracing::debug!("the CAPTCHA secret is missing from the store"),
                Err(error) => tracing::debug!(%error, "cannot read the CAPTCHA secret"),
            }
        }
    }

    /// Counts a challenge or a solution. Returns the seconds to wait when this IP address has made too many.
    pub fn count_attempt(&self, client: IpAddr, now: i64) -> Option<i64> {
        self.attempts.take(client, now).err()
    }

    pub fn challenge(&self, purpose: Purpose, now: i64) -> Challenge {
        proof_of_work::create(&self.secret(), purpose, now)
    }

    /// Verifies a solution without spending it. The caller must call [`spent_challenges::spend`] in the transaction that
    /// grants what the solution is exchanged for.
    pub async fn verify(&self, payload: &str, purpose: Purpose, now: i64) -> Result<VerifiedSolution, CaptchaError> {
        let secret = self.secret();
        let payload = proof_of_work::parse(payload)?;
        let verified = proof_of_work::verify_challenge(&secret, &payload.challenge, purpose, now)?;
        let _permit = self.verifications.acquire().await.map_err(|_| CaptchaError::Unavailable)?;
        let solved = tokio::task::spawn_blocking(move || proof_of_work::is_solved(&secret, &payload)).await;
        match solved {
            Ok(true) => Ok(verified),
            Ok(false) => Err(CaptchaError::Unsolved),
            Err(_) => Err(CaptchaError::Unavailable),
        }
    }

    /// Verifies a solution and marks its challenge as spent.
    pub async fn verify_and_spend(&self, payload: &str, purpose: Purpose, now: i64) -> Result<(), CaptchaError> {
        let VerifiedSolution { hash, expires_at } = self.verify(payload, purpose, now).await?;
        match self.ledger.write(move |conn| spent_challenges::spend(conn, &hash, expires_at, now)).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(CaptchaError::AlreadyUsed),
            Err(error) => {
                tracing::warn!(%error, "cannot mark a solved CAPTCHA as spent");
                Err(CaptchaError::Unavailable)
            }
        }
    }

    fn secret(&self) -> Arc<str> {
        self.secret.read().expect(UNPOISONED).clone()
    }
}
