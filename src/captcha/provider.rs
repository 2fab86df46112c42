//! Turnstile and hCaptcha: their origins for the content security policy, and the verification of tokens. Any failure
//! rejects the token.

use std::net::IpAddr;

use axum::http::Uri;
use serde_json::Value;

use super::proof_of_work::{VerifiedSolution, hash};
use super::{CaptchaError, siteverify};
use crate::config::{Check, Config};
use rollcall_model::secret::Secret;
use rollcall_model::time::HOUR;

pub struct Provider {
    service: &'static Service,
    pub site_key: String,
    secret_key: Secret,
    verify_url: Uri,
    /// Our host name, if configured: tokens for other sites are rejected.
    host: Option<String>,
}

/// The fixed data of a service.
struct Service {
    name: &'static str,
    verify_url: &'static str,
    /// The origins that its documentation asks the page to allow, each after a space.
    origins: &'static str,
    own_styles: bool,
}

const TURNSTILE: Service = Service {
    name: "turnstile",
    verify_url: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
    origins: " https://challenges.cloudflare.com",
    own_styles: false,
};
const HCAPTCHA: Service = Service {
    name: "hcaptcha",
    verify_url: "https://api.hcaptcha.com/siteverify",
    origins: " https://hcaptcha.com https://*.hcaptcha.com",
    own_styles: true,
};

/// Bytes; longer than either service's tokens.
const MAX_TOKEN_BYTES: usize = 12 * 1024;
/// How long a used token is stored; the services themselves reject older ones.
const TOKEN_RETENTION: i64 = HOUR;
/// Error codes that blame the configuration or the service, not the visitor.
const SERVICE_ERRORS: [&str; 6] = [
    "missing-input-secret",
    "invalid-input-secret",
    "sitekey-secret-mismatch",
    "invalid-sitekey",
    "bad-request",
    "internal-error",
];

impl Provider {
    /// `None` when the playground uses the proof of work or is switched off.
    pub fn new(config: &Config) -> Option<Self> {
        let settings = &config.playground;
        let service = match settings.check {
            Check::Turnstile => &TURNSTILE,
            Check::Hcaptcha => &HCAPTCHA,
            Check::Altcha | Check::Off => return None,
        };
        let url = if settings.verify_url.is_empty() { service.verify_url } else { &settings.verify_url };
        Some(Self {
            service,
            site_key: settings.site_key.clone(),
            secret_key: settings.secret_key.clone(),
            verify_url: url.parse().expect("the settings were validated"),
            host: config.public_url.parse::<Uri>().ok().and_then(|url| url.host().map(str::to_lowercase)),
        })
    }

    pub fn name(&self) -> &'static str {
        self.service.name
    }

    /// The origins of its scripts and frames, and whether it loads styles from them too.
    pub fn origins(&self) -> (&'static str, bool) {
        (self.service.origins, self.service.own_styles)
    }

    /// Verifies a token with the service. The caller must still spend it.
    pub async fn verify(&self, token: &str, client: IpAddr, now: i64) -> Result<VerifiedSolution, CaptchaError> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(CaptchaError::TooLong);
        }
        if token.is_empty() {
            return Err(CaptchaError::Malformed);
        }
        let client = client.to_string();
        let fields = [
            ("secret", self.secret_key.reveal()),
            ("response", token),
            ("remoteip", &client),
            ("sitekey", &self.site_key),
        ];
        let response = siteverify::post(&self.verify_url, &fields).await.map_err(|error| self.unavailable(&error))?;
        self.check_response(&response)?;
        Ok(VerifiedSolution { hash: hash(&[self.service.name, token]), expires_at: now + TOKEN_RETENTION })
    }

    fn check_response(&self, response: &Value) -> Result<(), CaptchaError> {
        match response["success"].as_bool() {
            Some(true) => {}
            Some(false) => {
                let codes: Vec<&str> =
                    response["error-codes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                return Err(match codes.iter().find(|code| SERVICE_ERRORS.contains(code)) {
                    Some(code) => self.unavailable(code),
                    None => CaptchaError::NotPassed,
                });
            }
            None => return Err(self.unavailable("the response has no boolean `success`")),
        }
        match (&self.host, response["hostname"].as_str()) {
            (Some(ours), Some(theirs)) if !theirs.eq_ignore_ascii_case(ours) => Err(CaptchaError::NotPassed),
            _ => Ok(()),
        }
    }

    fn unavailable(&self, cause: &str) -> CaptchaError {
        tracing::warn!(provider = self.service.name, cause, "cannot verify a CAPTCHA token");
        CaptchaError::Unavailable
    }
}
