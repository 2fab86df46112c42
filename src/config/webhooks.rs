//! `[webhooks]`

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhooks {
    pub max_per_account: u32,
    pub max_sending: u32,
}

/// Larger values are typos.
const MAX_PER_ACCOUNT: u32 = 1_000;
/// Each is an open connection.
const MAX_SENDING: u32 = 10_000;

impl Webhooks {
    pub fn check(&self) -> Result<(), String> {
        if self.max_per_account > MAX_PER_ACCOUNT {
            let value = self.max_per_account;
            return Err(format!("webhooks.max_per_account must be from 0 to {MAX_PER_ACCOUNT}, not {value}"));
        }
        if !(2..=MAX_SENDING).contains(&self.max_sending) {
            return Err(format!("webhooks.max_sending must be from 2 to {MAX_SENDING}, not {}", self.max_sending));
        }
        Ok(())
    }
}
