//! How often anyone may guess a password or a code. Counted before the guess is looked at, and given back when it was
//! right, so that a hundred at once are no way around.
//!
//! Nobody can lock an owner out: a browser that the account signed in with before has a count of its own, and when
//! strangers have used up theirs, each further try costs a proof of work, which an owner in a new place can do too.

use std::net::IpAddr;

use crate::config;
use crate::limits::AttemptLimiter;
use rollcall_model::time::{DAY, HOUR, MINUTE};

/// Wrong tries per account and quarter of an hour that cost nothing.
const PER_ACCOUNT: u32 = 10;
pub const ACCOUNT_WINDOW: i64 = 15 * MINUTE;

/// Changes that one account may make in an hour; nobody who means them makes so many.
const CHANGES: u32 = 300;

pub struct Throttle {
    addresses: AttemptLimiter<IpAddr>,
    accounts: AttemptLimiter<String>,
    browsers: AttemptLimiter<String>,
    sign_ups: AttemptLimiter<IpAddr>,
    changes: AttemptLimiter<i64>,
}

/// One try, as it is counted.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The client's, an IPv6 network as one.
    pub bucket: IpAddr,
    /// What is guessed and whose, folded, whether anyone has the name or not.
    pub account: String,
    /// The hash of the mark of a browser that this account knows.
    pub browser: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Go,
    /// Only with a proof of work.
    Proof,
    /// Whole seconds.
    Wait(i64),
}

impl Throttle {
    pub fn new(settings: &config::Accounts) -> Self {
        Self {
            addresses: AttemptLimiter::new(settings.wrong_passwords_per_minute, MINUTE),
            accounts: AttemptLimiter::new(PER_ACCOUNT, ACCOUNT_WINDOW),
            browsers: AttemptLimiter::new(PER_ACCOUNT, ACCOUNT_WINDOW),
            sign_ups: AttemptLimiter::new(settings.sign_ups_per_day, DAY),
            changes: AttemptLimiter::new(CHANGES, HOUR),
        }
    }

    pub fn take(&self, attempt: &Attempt, now: i64) -> Verdict {
        if let Err(seconds) = self.addresses.take(attempt.bucket, now) {
            return Verdict::Wait(seconds);
        }
        let counted = match &attempt.browser {
            Some(browser) => self.browsers.take(browser.clone(), now),
            None => self.accounts.take(attempt.account.clone(), now),
        };
        match (counted, &attempt.browser) {
            (Ok(()), _) => Verdict::Go,
            (Err(_), None) => Verdict::Proof,
            (Err(seconds), Some(_)) => Verdict::Wait(seconds),
        }
    }

    /// It was right after all, or nobody looked at it. What was let through on a proof was not counted with the account.
    pub fn give_back(&self, attempt: &Attempt, verdict: &Verdict) {
        self.addresses.give_back(&attempt.bucket);
        match &attempt.browser {
            Some(browser) => self.browsers.give_back(browser),
            None if *verdict == Verdict::Go => self.accounts.give_back(&attempt.account),
            None => {}
        }
    }

    /// Counts a new account; when there were too many from there, the seconds until the next.
    pub fn sign_up(&self, bucket: IpAddr, now: i64) -> Result<(), i64> {
        self.sign_ups.take(bucket, now)
    }

    /// Counts a form of an account, since each leaves a line in the log; when there were too many, the seconds to wait.
    pub fn change(&self, account: i64, now: i64) -> Result<(), i64> {
        self.changes.take(account, now)
    }

    /// It came to no account.
    pub fn no_sign_up(&self, bucket: IpAddr) {
        self.sign_ups.give_back(&bucket);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throttle() -> Throttle {
        let Ok(config) = config::Config::load(&config::Flags::default()) else { panic!("the defaults are sound") };
        Throttle::new(&config::Accounts { wrong_passwords_per_minute: 1000, ..config.accounts })
    }

    fn attempt(last: u8, browser: Option<&str>) -> Attempt {
        let browser = browser.map(str::to_owned);
        Attempt { bucket: IpAddr::from([10, 0, 0, last]), account: "ada".into(), browser }
    }

    #[test]
    fn strangers_who_guess_a_lot_must_work_and_the_owner_need_not() {
        let throttle = throttle();
        for last in 0..PER_ACCOUNT as u8 {
            assert_eq!(throttle.take(&attempt(last, None), 0), Verdict::Go);
        }
        assert_eq!(throttle.take(&attempt(200, None), 0), Verdict::Proof);
        assert_eq!(throttle.take(&attempt(200, Some("known")), 0), Verdict::Go);
        let other = Attempt { account: "bob".into(), ..attempt(200, None) };
        assert_eq!(throttle.take(&other, 0), Verdict::Go);
        assert_eq!(throttle.take(&attempt(200, None), ACCOUNT_WINDOW), Verdict::Go);
    }

    #[test]
    fn a_right_password_is_no_guess() {
        let throttle = throttle();
        for _ in 0..PER_ACCOUNT * 3 {
            let verdict = throttle.take(&attempt(1, None), 0);
            assert_eq!(verdict, Verdict::Go);
            throttle.give_back(&attempt(1, None), &verdict);
        }
        for _ in 0..PER_ACCOUNT {
            throttle.take(&attempt(1, Some("known")), 0);
        }
        assert_eq!(throttle.take(&attempt(1, Some("known")), MINUTE), Verdict::Wait(14 * 60));
    }

    #[test]
    fn one_address_gets_so_many_tries_a_minute_whatever_the_account() {
        let settings = throttle();
        let throttle = Throttle { addresses: AttemptLimiter::new(2, MINUTE), ..settings };
        let of = |account: &str| Attempt { account: account.into(), ..attempt(1, None) };
        assert_eq!(throttle.take(&of("a"), 1_000), Verdict::Go);
        assert_eq!(throttle.take(&of("b"), 1_000), Verdict::Go);
        assert_eq!(throttle.take(&of("c"), 1_000), Verdict::Wait(59));
        assert_eq!(throttle.take(&of("c"), MINUTE), Verdict::Go);
    }
}
