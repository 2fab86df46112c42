//! Who may hold keys: names, passwords, second factors, and how often anyone may guess.

pub mod names;
pub mod passwords;
pub mod second_factor;
mod throttle;
pub mod token;

pub use passwords::{Busy, Passwords};
pub use throttle::{ACCOUNT_WINDOW, Attempt, Throttle, Verdict};

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::config;
use crate::http::per_address::PerAddress;

/// What the pages for key holders need beside the store.
pub struct Accounts {
    pub passwords: Passwords,
    pub throttle: Throttle,
    /// Sign-ins of one client address that are looked at at once.
    pub at_once: Arc<PerAddress>,
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
            at_once: PerAddress::new(AT_ONCE_PER_ADDRESS),
            sums: Semaphore::new(SUMS),
            settings: settings.clone(),
        }
    }
}
