//! Accounts: rules for usernames, passwords, second factors, invitations and API keys, and limits on guessing.

pub mod api_keys;
pub mod invitations;
mod login_throttle;
pub mod passwords;
pub mod policy;
pub mod registration;
pub mod second_factor;

pub use login_throttle::{ACCOUNT_WINDOW, LoginAttempt, LoginDecision, LoginThrottle};
pub use passwords::{Passwords, PasswordsBusy};

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::config;
use crate::limits::PerIpLimit;
use rollcall_store::accounts;
use rollcall_store::audit::Author;
use rollcall_store::{Conn, Result};

/// In-memory state that the dashboard pages need beside the store.
pub struct Accounts {
    pub passwords: Passwords,
    pub login_throttle: LoginThrottle,
    /// Concurrent sign-ins per client IP.
    pub sign_ins_per_ip: Arc<PerIpLimit>,
    /// Concurrent usage reports; each may keep a ledger reader busy for a second.
    pub usage_reports: Semaphore,
    pub settings: config::Accounts,
}

const SIGN_INS_PER_IP: usize = 3;
const CONCURRENT_USAGE_REPORTS: usize = 2;

impl Accounts {
    pub fn new(settings: &config::Accounts) -> Self {
        Self {
            passwords: Passwords::default(),
            login_throttle: LoginThrottle::new(settings),
            sign_ins_per_ip: PerIpLimit::new(SIGN_INS_PER_IP),
            usage_reports: Semaphore::new(CONCURRENT_USAGE_REPORTS),
            settings: settings.clone(),
        }
    }
}

/// Disables or enables an account. `None` when it does not exist or is the operator's own: operators cannot lock
/// themselves out.
pub fn set_disabled(conn: &mut Conn, id: &str, disabled: bool, operator: i64, author: &Author) -> Result<Option<()>> {
    let account = accounts::by_id(conn, id)?.filter(|account| account.n != operator);
    account.map(|account| accounts::set_disabled(conn, account.n, disabled, author)).transpose()
}
