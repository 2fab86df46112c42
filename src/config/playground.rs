//! `[playground]`

use rollcall_model::secret::Secret;
use serde::Deserialize;

use super::parse::is_http_url;

/// The human check of the playground.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    Altcha,
    Turnstile,
    Hcaptcha,
    Off,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Playground {
    pub check: Check,
    pub site_key: String,
    pub secret_key: Secret,
    pub verify_url: String,
    pub checks_per_minute: u32,
    pub runs_per_check: u32,
    pub pass_minutes: u32,
    pub per_minute: u32,
    pub per_day: u32,
}

/// Larger values are typos.
const MAX_COUNT: u32 = 1_000_000;
const MAX_MINUTES: u32 = 24 * 60;

impl Playground {
    pub fn check(&self) -> Result<(), String> {
        let service = match self.check {
            Check::Turnstile => Some("turnstile"),
            Check::Hcaptcha => Some("hcaptcha"),
            Check::Altcha | Check::Off => None,
        };
        if let Some(name) = service
            && (self.site_key.is_empty() || self.secret_key.is_empty())
        {
            return Err(format!(
                "playground.check = \"{name}\" needs playground.site_key and playground.secret_key, which the service \
                 gives you; \"altcha\" needs neither"
            ));
        }
        if !self.verify_url.is_empty() && !is_http_url(&self.verify_url) {
            return Err(format!(
                "playground.verify_url must be a URL such as https://proxy.example.org/siteverify, not \"{}\"",
                self.verify_url
            ));
        }
        for (name, value, max) in [
            ("checks_per_minute", self.checks_per_minute, MAX_COUNT),
            ("runs_per_check", self.runs_per_check, MAX_COUNT),
            ("pass_minutes", self.pass_minutes, MAX_MINUTES),
            ("per_minute", self.per_minute, MAX_COUNT),
            ("per_day", self.per_day, MAX_COUNT),
        ] {
            if !(1..=max).contains(&value) {
                return Err(format!("playground.{name} must be from 1 to {max}, not {value}"));
            }
        }
        Ok(())
    }
}
