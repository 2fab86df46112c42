//! Accounts: rules for usernames, passwords, second factors, invitations and API keys, and limits on guessing.

pub mod api_keys;
pub mod invitations;
mod login_throttle;
pub mod passkeys;
pub mod passwords;
pub mod policy;
pub mod registration;
pub mod second_factor;
pub mod secret_cipher;

pub use login_throttle::{CountedAttempt, Exhausted, LoginAttempt, LoginDecision, LoginThrottle};
pub use passwords::{Passwords, PasswordsBusy};

use std::net::IpAddr;
use std::sync::Arc;

use tokio::sync::Semaphore;

use secret_cipher::SecretCipher;

use crate::config;
use crate::limits::{AttemptLimiter, PerIpLimit};
use rollcall_model::time::{DAY, MINUTE};
use rollcall_store::accounts::{self, Account};
use rollcall_store::audit::{Author, LogRetention};
use rollcall_store::{Conn, Result, credentials};

/// In-memory state that the dashboard pages need beside the store.
pub struct Accounts {
    pub passwords: Passwords,
    pub login_throttle: LoginThrottle,
    /// Concurrent sign-ins per client IP.
    pub sign_ins_per_ip: Arc<PerIpLimit>,
    /// Concurrent usage reports; each may keep a ledger reader busy for a second.
    pub usage_reports: Semaphore,
    /// Challenges for passkeys and answers to them, per client IP and minute.
    pub passkey_attempts: AttemptLimiter<IpAddr>,
    pub settings: config::Accounts,
    /// `None`: secrets of TOTP and webhooks are stored in plain text.
    pub secret_cipher: Option<Arc<SecretCipher>>,
}

const SIGN_INS_PER_IP: usize = 3;
const CONCURRENT_USAGE_REPORTS: usize = 2;

impl Accounts {
    /// The error is a sentence for the operator.
    pub fn new(settings: &config::Accounts) -> std::result::Result<Self, String> {
        Ok(Self {
            secret_cipher: SecretCipher::load(settings.second_factor_key.reveal(), &settings.second_factor_key_file)?
                .map(Arc::new),
            passwords: Passwords::new(settings.password_memory_kib),
            login_throttle: LoginThrottle::new(settings),
            sign_ins_per_ip: PerIpLimit::new(SIGN_INS_PER_IP),
            usage_reports: Semaphore::new(CONCURRENT_USAGE_REPORTS),
            passkey_attempts: AttemptLimiter::new(passkeys::ATTEMPTS_PER_MINUTE, MINUTE),
            settings: settings.clone(),
        })
    }

    /// Required action of an account before any other.
    pub fn duty(&self, account: &Account) -> Option<Duty> {
        if account.password_expires_at.is_some() {
            Some(Duty::ChangePassword)
        } else if self.settings.operators_need_second_factor && account.operator && account.second_factor.is_none() {
            Some(Duty::EnableSecondFactor)
        } else {
            None
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// An operator made the password.
    ChangePassword,
    /// The account is an operator, and these need a second factor.
    EnableSecondFactor,
}

/// How long the audit log of a deleted account is kept.
pub fn log_retention(settings: &config::Accounts) -> LogRetention {
    LogRetention { millis: i64::from(settings.deleted_log_days) * DAY }
}

/// Sets a password that someone else made; with `expires_at` its user must replace it. All sessions end. Runs in the caller's
/// transaction.
pub fn reset_password(
    conn: &mut Conn,
    account: &Account,
    hash: &str,
    expires_at: Option<i64>,
    without_second_factor: bool,
    author: &Author,
) -> Result<()> {
    credentials::set_password(conn, account.n, hash, expires_at, author)?;
    if !without_second_factor {
        return Ok(());
    }
    if account.second_factor.is_some() {
        credentials::disable_second_factor(conn, account.n, author)?;
    }
    rollcall_store::passkeys::remove_all(conn, account.n, author)
}

/// Disables or enables an account. `None` when it does not exist or is the operator's own: operators cannot lock
/// themselves out.
pub fn set_disabled(conn: &mut Conn, id: &str, disabled: bool, operator: i64, author: &Author) -> Result<Option<()>> {
    let account = accounts::by_id(conn, id)?.filter(|account| account.n != operator);
    account.map(|account| accounts::set_disabled(conn, account.n, disabled, author)).transpose()
}
