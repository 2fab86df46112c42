//! Who may hold keys: names, passwords, second factors, and how often anyone may guess.

mod login_throttle;
pub mod passwords;
pub mod policy;
pub mod second_factor;

pub use login_throttle::{ACCOUNT_WINDOW, Attempt, Throttle, Verdict};
pub use passwords::{Busy, Passwords};

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::config;
use crate::limits::PerIpLimit;

/// What the pages for key holders need beside the store.
pub struct Accounts {
    pub passwords: Passwords,
    pub throttle: Throttle,
    /// Sign-ins of one client address that are looked at at once.
    pub at_once: Arc<PerIpLimit>,
    /// Sums of use that are made at once: each may take a second of a reader of the ledger.
    pub sums: Semaphore,
    pub settings: config::Accounts,
}

const AT_ONCE_PER_ADDRESS: usize = 3;
const SUMS: usize = 2;

impl Accounts {
    pub fn new(settings: &config::Accounts) -> Self {
        Self {
            passwords: Passwords::default(),
            throttle: Throttle::new(settings),
            at_once: PerIpLimit::new(AT_ONCE_PER_ADDRESS),
            sums: Semaphore::new(SUMS),
            settings: settings.clone(),
        }
    }
}
