//! Limits on guessing passwords and codes. An attempt is counted before it is checked and refunded when it was right, so
//! concurrent requests cannot exceed the limit.
//!
//! No one can lock out others: a browser that has signed in to the account before has its own counter, whatever happens at
//! its IP address. Once unknown browsers have used up the counter of the account or of the address, each further attempt
//! costs a proof of work, which the owner can solve as well.

use std::net::IpAddr;

use crate::config;
use crate::limits::AttemptLimiter;
use rollcall_model::time::{DAY, HOUR, MINUTE};

/// Wrong attempts per account and window that cost nothing.
const ATTEMPTS_PER_ACCOUNT: u32 = 10;
const ACCOUNT_WINDOW: i64 = 15 * MINUTE;

/// Forms that one account may submit per hour. Each adds a row to the audit log.
const CHANGES_PER_HOUR: u32 = 300;

pub struct LoginThrottle {
    addresses: AttemptLimiter<IpAddr>,
    accounts: AttemptLimiter<String>,
    browsers: AttemptLimiter<String>,
    sign_ups: AttemptLimiter<IpAddr>,
    sign_up_tries: AttemptLimiter<IpAddr>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginDecision {
    Allow,
    /// Allow only with a proof of work.
    RequireProof(Exhausted),
    /// Reject for this many seconds.
    Wait(i64),
}

/// The counter that is used up, and the seconds until it starts again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    Account(i64),
    /// Of the client IP, which others may share.
    Address(i64),
}

impl Exhausted {
    pub fn seconds(self) -> i64 {
        match self {
            Self::Account(seconds) | Self::Address(seconds) => seconds,
        }
    }
}

/// A counted attempt; [`LoginThrottle::refund`] takes it back.
#[derive(Debug)]
pub struct CountedAttempt {
    pub decision: LoginDecision,
    attempt: LoginAttempt,
    took_address: bool,
    /// From the counter of the known browser, or else of the account.
    took_own: bool,
}

impl CountedAttempt {
    /// The used-up counter because of which the attempt needed a proof.
    pub fn exhausted(&self) -> Option<Exhausted> {
        match self.decision {
            LoginDecision::RequireProof(exhausted) => Some(exhausted),
            LoginDecision::Allow | LoginDecision::Wait(_) => None,
        }
    }
}

impl LoginThrottle {
    pub fn new(settings: &config::Accounts) -> Self {
        Self {
            addresses: AttemptLimiter::new(settings.wrong_passwords_per_minute, MINUTE),
            accounts: AttemptLimiter::new(ATTEMPTS_PER_ACCOUNT, ACCOUNT_WINDOW),
            browsers: AttemptLimiter::new(ATTEMPTS_PER_ACCOUNT, ACCOUNT_WINDOW),
            sign_ups: AttemptLimiter::new(settings.sign_ups_per_day, DAY),
            sign_up_tries: AttemptLimiter::new(settings.sign_up_tries_per_minute, MINUTE),
            changes: AttemptLimiter::new(CHANGES_PER_HOUR, HOUR),
        }
    }

    /// Counts an attempt and decides whether to check it.
    pub fn count(&self, attempt: LoginAttempt, now: i64) -> CountedAttempt {
        if let Some(browser) = &attempt.browser {
            let taken = self.browsers.take(browser.clone(), now);
            let decision = taken.map_or_else(LoginDecision::Wait, |()| LoginDecision::Allow);
            return CountedAttempt { decision, took_address: false, took_own: taken.is_ok(), attempt };
        }
        let (address, account) =
            (self.addresses.take(attempt.bucket, now), self.accounts.take(attempt.account.clone(), now));
        let decision = match (address, account) {
            (Ok(()), Ok(())) => LoginDecision::Allow,
            (_, Err(seconds)) => LoginDecision::RequireProof(Exhausted::Account(seconds)),
            (Err(seconds), Ok(())) => LoginDecision::RequireProof(Exhausted::Address(seconds)),
        };
        CountedAttempt { decision, took_address: address.is_ok(), took_own: account.is_ok(), attempt }
    }

    /// Refunds an attempt that was right or was not checked.
    pub fn refund(&self, counted: &CountedAttempt) {
        if counted.took_address {
            self.addresses.refund(&counted.attempt.bucket);
        }
        match &counted.attempt.browser {
            Some(browser) if counted.took_own => self.browsers.refund(browser),
            None if counted.took_own => self.accounts.refund(&counted.attempt.account),
            _ => {}
        }
    }

    /// Counts a new account. The error is the seconds to wait.
    pub fn count_sign_up(&self, bucket: IpAddr, now: i64) -> Result<(), i64> {
        self.sign_ups.take(bucket, now)
    }

    /// Counts a form that asks whether a username is free. It is never refunded: the answer reveals who has an account.
    /// The error is the seconds to wait.
    pub fn count_sign_up_try(&self, bucket: IpAddr, now: i64) -> Result<(), i64> {
        self.sign_up_tries.take(bucket, now)
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
    use rollcall_model::time::SECOND;

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
        let count = |attempt, now| throttle.count(attempt, now).decision;
        for last in 0..ATTEMPTS_PER_ACCOUNT as u8 {
            assert_eq!(count(attempt(last, None), 0), LoginDecision::Allow);
        }
        let exhausted = LoginDecision::RequireProof(Exhausted::Account(ACCOUNT_WINDOW / SECOND));
        assert_eq!(count(attempt(200, None), 0), exhausted);
        assert_eq!(count(attempt(200, Some("known")), 0), LoginDecision::Allow);
        let other = LoginAttempt { account: "bob".into(), ..attempt(200, None) };
        assert_eq!(count(other, 0), LoginDecision::Allow);
        assert_eq!(count(attempt(200, None), ACCOUNT_WINDOW), LoginDecision::Allow);
    }

    #[test]
    fn right_passwords_are_refunded() {
        let throttle = throttle();
        for _ in 0..ATTEMPTS_PER_ACCOUNT * 3 {
            let counted = throttle.count(attempt(1, None), 0);
            assert_eq!(counted.decision, LoginDecision::Allow);
            throttle.refund(&counted);
        }
        for _ in 0..ATTEMPTS_PER_ACCOUNT {
            throttle.count(attempt(1, Some("known")), 0);
        }
        assert_eq!(throttle.count(attempt(1, Some("known")), MINUTE).decision, LoginDecision::Wait(14 * 60));
    }

    #[test]
    fn a_shared_ip_address_costs_unknown_browsers_a_proof_and_known_ones_nothing() {
        let settings = throttle();
        let throttle = LoginThrottle { addresses: AttemptLimiter::new(2, MINUTE), ..settings };
        let of = |account: &str| LoginAttempt { account: account.into(), ..attempt(1, None) };
        let count = |attempt, now| throttle.count(attempt, now).decision;
        assert_eq!(count(of("a"), 1_000), LoginDecision::Allow);
        assert_eq!(count(of("b"), 1_000), LoginDecision::Allow);
        let refused = throttle.count(of("c"), 1_000);
        assert_eq!(refused.decision, LoginDecision::RequireProof(Exhausted::Address(59)));
        // It took nothing from the address, so nothing is given back to it.
        throttle.refund(&refused);
        assert_eq!(count(of("c"), 1_000), LoginDecision::RequireProof(Exhausted::Address(59)));
        assert_eq!(count(attempt(1, Some("known")), 1_000), LoginDecision::Allow);
        assert_eq!(count(of("c"), MINUTE), LoginDecision::Allow);
    }
}
