//! Turnstile and hCaptcha: who they are, what their pages need, and what they say of a visitor's token. Whatever goes
//! wrong with them, nobody gets in.

use std::net::IpAddr;

use axum::http::Uri;
use serde_json::Value;

use super::proof_of_work::{Mark, hash};
use super::{Refused, siteverify};
use crate::config::{Check, Config};
use rollcall_model::time::HOUR;

pub struct Provider {
    known: &'static Known,
    pub site_key: String,
    secret_key: String,
    verify_url: Uri,
    /// Whose visitors count, if that is configured.
    host: Option<String>,
}

/// What is fixed about a service.
struct Known {
    name: &'static str,
    verify_url: &'static str,
    /// What its documentation wants a page's policy to allow, each after a space.
    origins: &'static str,
    own_styles: bool,
}

const TURNSTILE: Known = Known {
    name: "turnstile",
    verify_url: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
    origins: " https://challenges.cloudflare.com",
    own_styles: false,
};
const HCAPTCHA: Known = Known {
    name: "hcaptcha",
    verify_url: "https://api.hcaptcha.com/siteverify",
    origins: " https://hcaptcha.com https://*.hcaptcha.com",
    own_styles: true,
};

/// Longer than either service's tokens.
const LONGEST: usize = 12 * 1024;
/// How long a token is remembered; by then no service takes it any more.
const REMEMBERED: i64 = HOUR;
/// What they say when the fault is ours or theirs and not the visitor's.
const FAULTS: [&str; 6] = [
    "missing-input-secret",
    "invalid-input-secret",
    "sitekey-secret-mismatch",
    "invalid-sitekey",
    "bad-request",
    "internal-error",
];

impl Provider {
    /// `None`: the proof of work, or no playground at all.
    pub fn new(config: &Config) -> Option<Self> {
        let settings = &config.playground;
        let known = match settings.check {
            Check::Turnstile => &TURNSTILE,
            Check::Hcaptcha => &HCAPTCHA,
            Check::Altcha | Check::Off => return None,
        };
        let url = if settings.verify_url.is_empty() { known.verify_url } else { &settings.verify_url };
        Some(Self {
            known,
            site_key: settings.site_key.clone(),
            secret_key: settings.secret_key.clone(),
            verify_url: url.parse().expect("the settings were checked"),
            host: config.public_url.parse::<Uri>().ok().and_then(|url| url.host().map(str::to_lowercase)),
        })
    }

    pub fn name(&self) -> &'static str {
        self.known.name
    }

    /// Where its scripts and frames come from, and whether its styles do too.
    pub fn origins(&self) -> (&'static str, bool) {
        (self.known.origins, self.known.own_styles)
    }

    /// Asks about a token. It is not accepted before its mark was spent.
    pub async fn check(&self, token: &str, client: IpAddr, now: i64) -> Result<Mark, Refused> {
        if token.len() > LONGEST {
            return Err(Refused::TooLong);
        }
        if token.is_empty() {
            return Err(Refused::Malformed);
        }
        let client = client.to_string();
        let fields = [
            ("secret", self.secret_key.as_str()),
            ("response", token),
            ("remoteip", &client),
            ("sitekey", &self.site_key),
        ];
        let answer = siteverify::ask(&self.verify_url, &fields).await.map_err(|error| self.trouble(&error))?;
        self.judge(&answer)?;
        Ok(Mark { hash: hash(&[self.known.name, token]), expires_at: now + REMEMBERED })
    }

    fn judge(&self, answer: &Value) -> Result<(), Refused> {
        match answer["success"].as_bool() {
            Some(true) => {}
            Some(false) => {
                let codes: Vec<&str> =
                    answer["error-codes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                return Err(match codes.iter().find(|code| FAULTS.contains(code)) {
                    Some(fault) => self.trouble(fault),
                    None => Refused::NotPassed,
                });
            }
            None => return Err(self.trouble("an answer that says neither yes nor no")),
        }
        match (&self.host, answer["hostname"].as_str()) {
            (Some(ours), Some(theirs)) if !theirs.eq_ignore_ascii_case(ours) => Err(Refused::NotPassed),
            _ => Ok(()),
        }
    }

    fn trouble(&self, what: &str) -> Refused {
        tracing::warn!("{} cannot be asked whether a visitor has passed: {what}", self.known.name);
        Refused::Unavailable
    }
}
