//! Limits on guessing passwords and codes. An attempt is counted before it is checked and refunded when it was right, so
//! concurrent requests cannot exceed the limit.
//!
//! No one can lock out the owner: a browser that has signed in to the account before has its own counter, and once unknown
//! browsers have used up theirs, each further attempt costs a proof of work, which the owner can solve as well.

use std::net::IpAddr;

use crate::config;
use crate::limits::AttemptLimiter;
use rollcall_model::time::{DAY, HOUR, MINUTE};

/// Wrong attempts per account and window that cost nothing.
const ATTEMPTS_PER_ACCOUNT: u32 = 10;
pub const ACCOUNT_WINDOW: i64 = 15 * MINUTE;

/// Forms that one account may submit per hour. Each adds a row to the audit log.
const CHANGES_PER_HOUR: u32 = 300;

pub struct LoginThrottle {
    addresses: AttemptLimiter<IpAddr>,
    accounts: AttemptLimiter<String>,
    browsers: AttemptLimiter<String>,
    sign_ups: AttemptLimiter<IpAddr>,
    changes: AttemptLimiter<i64>,
}

/// One attempt and the counters it belongs to.
#[derive(Clone, Debug)]
pub struct LoginAttempt {
    /// The client IP; an IPv6 network counts as one client.
    pub bucket: IpAddr,
    /// What is guessed and for which username, folded, whether the account exists or not.
    pub account: String,
    /// The cookie hash of a browser that has signed in to this account before.
    pub browser: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum LoginDecision {
    Allow,
    /// Allow only with a proof of work.
    RequireProof,
    /// Reject for this many seconds.
    Wait(i64),
}

impl LoginThrottle {
    pub fn new(settings: &config::Accounts) -> Self {
        Self {
            addresses: AttemptLimiter::new(settings.wrong_passwords_per_minute, MINUTE),
            accounts: AttemptLimiter::new(ATTEMPTS_PER_ACCOUNT, ACCOUNT_WINDOW),
            browsers: AttemptLimiter::new(ATTEMPTS_PER_ACCOUNT, ACCOUNT_WINDOW),
            sign_ups: AttemptLimiter::new(settings.sign_ups_per_day, DAY),
            changes: AttemptLimiter::new(CHANGES_PER_HOUR, HOUR),
        }
    }

    /// Counts an attempt and decides whether to check it.
    pub fn count(&self, attempt: &LoginAttempt, now: i64) -> LoginDecision {
        if let Err(seconds) = self.addresses.take(attempt.bucket, now) {
            return LoginDecision::Wait(seconds);
        }
        let counted = match &attempt.browser {
            Some(browser) => self.browsers.take(browser.clone(), now),
            None => self.accounts.take(attempt.account.clone(), now),
        };
        match (counted, &attempt.browser) {
            (Ok(()), _) => LoginDecision::Allow,
            (Err(_), None) => LoginDecision::RequireProof,
            (Err(seconds), Some(_)) => LoginDecision::Wait(seconds),
        }
    }

    /// Refunds an attempt that was right or was not checked. One with a proof was not counted for the account.
    pub fn refund(&self, attempt: &LoginAttempt, decision: &LoginDecision) {
        self.addresses.refund(&attempt.bucket);
        match &attempt.browser {
            Some(browser) => self.browsers.refund(browser),
            None if *decision == LoginDecision::Allow => self.accounts.refund(&attempt.account),
            None => {}
        }
    }

    /// Counts a new account. The error is the seconds to wait.
    pub fn count_sign_up(&self, bucket: IpAddr, now: i64) -> Result<(), i64> {
        self.sign_ups.take(bucket, now)
    }

    /// Counts a submitted form of an account. The error is the seconds to wait.
    pub fn count_change(&self, account: i64, now: i64) -> Result<(), i64> {
        self.changes.take(account, now)
    }

    /// Refunds a sign-up that created no account.
    pub fn refund_sign_up(&self, bucket: IpAddr) {
        self.sign_ups.refund(&bucket);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throttle() -> LoginThrottle {
        let Ok(config) = config::Config::load(&config::Flags::default()) else { panic!("the defaults are valid") };
        LoginThrottle::new(&config::Accounts { wrong_passwords_per_minute: 1000, ..config.accounts })
    }

    fn attempt(last: u8, browser: Option<&str>) -> LoginAttempt {
        let browser = browser.map(str::to_owned);
        LoginAttempt { bucket: IpAddr::from([10, 0, 0, last]), account: "ada".into(), browser }
    }

    #[test]
    fn unknown_browsers_need_a_proof_after_ten_guesses_and_known_ones_do_not() {
        let throttle = throttle();
        for last in 0..ATTEMPTS_PER_ACCOUNT as u8 {
            assert_eq!(throttle.count(&attempt(last, None), 0), LoginDecision::Allow);
        }
        assert_eq!(throttle.count(&attempt(200, None), 0), LoginDecision::RequireProof);
        assert_eq!(throttle.count(&attempt(200, Some("known")), 0), LoginDecision::Allow);
        let other = LoginAttempt { account: "bob".into(), ..attempt(200, None) };
        assert_eq!(throttle.count(&other, 0), LoginDecision::Allow);
        assert_eq!(throttle.count(&attempt(200, None), ACCOUNT_WINDOW), LoginDecision::Allow);
    }

    #[test]
    fn right_passwords_are_refunded() {
        let throttle = throttle();
        for _ in 0..ATTEMPTS_PER_ACCOUNT * 3 {
            let decision = throttle.count(&attempt(1, None), 0);
            assert_eq!(decision, LoginDecision::Allow);
            throttle.refund(&attempt(1, None), &decision);
        }
        for _ in 0..ATTEMPTS_PER_ACCOUNT {
            throttle.count(&attempt(1, Some("known")), 0);
        }
        assert_eq!(throttle.count(&attempt(1, Some("known")), MINUTE), LoginDecision::Wait(14 * 60));
    }

    #[test]
    fn an_ip_address_is_limited_across_accounts() {
        let settings = throttle();
        let throttle = LoginThrottle { addresses: AttemptLimiter::new(2, MINUTE), ..settings };
        let of = |account: &str| LoginAttempt { account: account.into(), ..attempt(1, None) };
        assert_eq!(throttle.count(&of("a"), 1_000), LoginDecision::Allow);
        assert_eq!(throttle.count(&of("b"), 1_000), LoginDecision::Allow);
        assert_eq!(throttle.count(&of("c"), 1_000), LoginDecision::Wait(59));
        assert_eq!(throttle.count(&of("c"), MINUTE), LoginDecision::Allow);
    }
}
