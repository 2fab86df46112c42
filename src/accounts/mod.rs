//! Who may hold keys: names, passwords, second factors, and how often anyone may guess.

pub mod names;
pub mod passwords;
pub mod second_factor;
mod throttle;
pub mod token;

pub use passwords::{Busy, Passwords};
pub use throttle::{Attempt, Throttle, Verdict};

use crate::config;

/// What the pages for key holders need beside the store.
pub struct Accounts {
    pub passwords: Passwords,
    pub throttle: Throttle,
    pub settings: config::Accounts,
}

impl Accounts {
    pub fn new(settings: &config::Accounts) -> Self {
        Self { passwords: Passwords::default(), throttle: Throttle::new(settings), settings: settings.clone() }
    }
}
