//! Security events: one structured log line and one count each. Lines go to their own target, [`TARGET`], so that they can be
//! filtered or sent elsewhere. They never hold a password, a code, a key or a username.

use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use rollcall_model::time::MINUTE;

/// The `tracing` target of all lines.
pub const TARGET: &str = "rollcall::security";
/// Lines per kind and minute; further events are only counted, so that an attack cannot fill the disk.
const LINES_PER_MINUTE: u64 = 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecurityEventKind {
    SignIn,
    SignOut,
    /// A wrong password or an unknown username.
    SignInFailed,
    /// A wrong or used code.
    SecondFactorFailed,
    /// Too many attempts for the account or from the client IP.
    SignInThrottled,
    SignUp,
    SignUpThrottled,
    /// A wrong password or code of a signed-in user.
    ProofFailed,
    /// A password, second factor or set of recovery codes was changed by its user.
    CredentialsChanged,
    AccountDeleted,
    /// Too many forms of one account.
    ChangesThrottled,
    CaptchaThrottled,
    CaptchaFailed,
    WrongApiKey,
    /// A report of a game server with an unknown token.
    WrongServerToken,
    /// Too many wrong keys from the client IP.
    WrongApiKeysThrottled,
    /// A disabled or expired key.
    ApiKeyRefused,
    QuotaExceeded,
    PlaygroundThrottled,
    /// A form from another site or with a wrong token.
    CsrfRejected,
    OperatorAct,
    ModeratorAct,
}

impl SecurityEventKind {
    pub const ALL: [Self; 22] = [
        Self::SignIn,
        Self::SignOut,
        Self::SignInFailed,
        Self::SecondFactorFailed,
        Self::SignInThrottled,
        Self::SignUp,
        Self::SignUpThrottled,
        Self::ProofFailed,
        Self::CredentialsChanged,
        Self::AccountDeleted,
        Self::ChangesThrottled,
        Self::CaptchaThrottled,
        Self::CaptchaFailed,
        Self::WrongApiKey,
        Self::WrongServerToken,
        Self::WrongApiKeysThrottled,
        Self::ApiKeyRefused,
        Self::QuotaExceeded,
        Self::PlaygroundThrottled,
        Self::CsrfRejected,
        Self::OperatorAct,
        Self::ModeratorAct,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::SignIn => "sign_in",
            Self::SignOut => "sign_out",
            Self::SignInFailed => "sign_in_failed",
            Self::SecondFactorFailed => "second_factor_failed",
            Self::SignInThrottled => "sign_in_throttled",
            Self::SignUp => "sign_up",
            Self::SignUpThrottled => "sign_up_throttled",
            Self::ProofFailed => "proof_failed",
            Self::CredentialsChanged => "credentials_changed",
            Self::AccountDeleted => "account_deleted",
            Self::ChangesThrottled => "changes_throttled",
            Self::CaptchaThrottled => "captcha_throttled",
            Self::CaptchaFailed => "captcha_failed",
            Self::WrongApiKey => "wrong_api_key",
            Self::WrongServerToken => "wrong_server_token",
            Self::WrongApiKeysThrottled => "wrong_api_keys_throttled",
            Self::ApiKeyRefused => "api_key_refused",
            Self::QuotaExceeded => "quota_exceeded",
            Self::PlaygroundThrottled => "playground_throttled",
            Self::CsrfRejected => "csrf_rejected",
            Self::OperatorAct => "operator_act",
            Self::ModeratorAct => "moderator_act",
        }
    }
}

/// Actor and subject; `None` if not known.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventFields<'a> {
    pub client: Option<IpAddr>,
    /// The id of the account, not its name.
    pub account: Option<&'a str>,
    /// The id of the API key.
    pub key: Option<&'a str>,
    /// The action, and the id of its target.
    pub detail: Option<&'a str>,
}

/// Limits the lines of each kind.
#[derive(Default)]
pub struct SecurityLog {
    windows: [Window; SecurityEventKind::ALL.len()],
}

/// The current minute of one kind. Without a lock: refused requests may be many.
#[derive(Default)]
struct Window {
    start: AtomicI64,
    events: AtomicU64,
    /// Since the process started.
    total: AtomicU64,
}

impl Window {
    /// Begins a new minute if it is time for one, and returns how many lines the previous one suppressed.
    fn roll(&self, now: i64) -> u64 {
        let (start, current) = (self.start.load(Ordering::Relaxed), now - now.rem_euclid(MINUTE));
        // An event of the previous minute may come late. A clock that was set back by more begins again.
        let is_current = (start - MINUTE..=start).contains(&current);
        if is_current || self.start.compare_exchange(start, current, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return 0;
        }
        self.events.swap(0, Ordering::Relaxed).saturating_sub(LINES_PER_MINUTE)
    }

    /// Counts an event; false if its line is suppressed.
    fn take(&self) -> bool {
        self.total.fetch_add(1, Ordering::Relaxed);
        self.events.fetch_add(1, Ordering::Relaxed) < LINES_PER_MINUTE
    }
}

impl SecurityLog {
    pub fn record(&self, kind: SecurityEventKind, fields: EventFields, now: i64) {
        let name = kind.name();
        metrics::counter!("rollcall_security_events_total", "kind" => name).increment(1);
        let window = &self.windows[kind as usize];
        log_suppressed(kind, window.roll(now));
        if window.take() {
            let EventFields { client, account, key, detail } = fields;
            let client = client.map(tracing::field::display);
            tracing::info!(target: TARGET, kind = name, account, client, key, detail, "security event");
        }
    }

    /// The events of a kind since the process started.
    pub fn total(&self, kind: SecurityEventKind) -> u64 {
        self.windows[kind as usize].total.load(Ordering::Relaxed)
    }

    /// Reports suppressed lines of minutes that are over, also of kinds without new events.
    pub fn report_suppressed(&self, now: i64) {
        for kind in SecurityEventKind::ALL {
            log_suppressed(kind, self.windows[kind as usize].roll(now));
        }
    }
}

fn log_suppressed(kind: SecurityEventKind, suppressed: u64) {
    if suppressed > 0 {
        tracing::info!(target: TARGET, kind = kind.name(), suppressed, "security events suppressed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_listed_in_order_with_distinct_names() {
        for (index, kind) in SecurityEventKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, index);
            assert_eq!(SecurityEventKind::ALL.iter().filter(|other| other.name() == kind.name()).count(), 1);
        }
    }

    #[test]
    fn lines_beyond_the_limit_are_suppressed_and_reported_once() {
        let window = Window::default();
        assert_eq!(window.roll(MINUTE), 0);
        let lines = (0..LINES_PER_MINUTE + 5).filter(|_| window.take()).count() as u64;
        assert_eq!(lines, LINES_PER_MINUTE);
        assert_eq!(window.roll(MINUTE + 1), 0, "the same minute");
        assert_eq!(window.roll(2 * MINUTE), 5);
        assert_eq!(window.roll(2 * MINUTE), 0, "reported once");
        assert!(window.take());
    }
}
