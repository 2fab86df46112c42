//! `[tiers]`

use serde::Deserialize;

use super::parse::is_http_url;

/// Larger values are typos.
const MAX_PER_MINUTE: u32 = 600;

/// The tier list that tiers of players are taken over from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tiers {
    /// Empty: off.
    pub base_url: String,
    pub requests_per_minute: u32,
}

impl Tiers {
    pub fn check(&self) -> Result<(), String> {
        let is_plain = is_http_url(&self.base_url) && !self.base_url.contains(['?', '#', '@']);
        if !self.base_url.is_empty() && !is_plain {
            return Err(format!(
                "tiers.base_url must be a URL such as https://mctiers.com/api/v2, not \"{}\"",
                self.base_url
            ));
        }
        if !(1..=MAX_PER_MINUTE).contains(&self.requests_per_minute) {
            let value = self.requests_per_minute;
            return Err(format!("tiers.requests_per_minute must be from 1 to {MAX_PER_MINUTE}, not {value}"));
        }
        Ok(())
    }
}
