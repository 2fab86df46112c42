//! Rules for the API keys of an account: how many it may have, how long they live, and what limits its owner may request.
//! Errors are sentences for the user.

use crate::config;
use rollcall_model::api_key::ApiKeySecret;
use rollcall_model::id;
use rollcall_model::message::Message;
use rollcall_model::quota::Limits;
use rollcall_model::time::{DAY, HOUR, LATEST, parse_iso};
use rollcall_store::accounts::{self, Account};
use rollcall_store::audit::{self, Author};
use rollcall_store::keys::{self, KeyRecord, LimitOverrides, NewKey};
use rollcall_store::{Conn, Result, revision};

/// Characters of the reason in a limit request.
pub const MAX_REASON_CHARS: usize = 1000;
/// Characters of an operator's reply to a limit request.
const MAX_REPLY_CHARS: usize = 500;

/// How long the previous secret stays valid after a rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GracePeriod {
    None,
    Hour,
    Day,
    Week,
}

impl GracePeriod {
    pub const ALL: [Self; 4] = [Self::None, Self::Hour, Self::Day, Self::Week];
    pub const DEFAULT: Self = Self::Day;

    pub fn parse(name: &str) -> std::result::Result<Self, Message> {
        Self::ALL
            .into_iter()
            .find(|period| period.name() == name)
            .ok_or_else(|| Message::new("Choose how long the old secret stays valid: 0, 1h, 24h or 7d.", &[]))
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "0",
            Self::Hour => "1h",
            Self::Day => "24h",
            Self::Week => "7d",
        }
    }

    pub const fn millis(self) -> i64 {
        match self {
            Self::None => 0,
            Self::Hour => HOUR,
            Self::Day => DAY,
            Self::Week => 7 * DAY,
        }
    }
}

/// A key that an account wants to create.
pub struct KeyRequest<'a> {
    /// Chosen by the form, so that a form sent twice creates one key.
    pub id: &'a str,
    pub name: &'a str,
    pub expires_at: Option<i64>,
}

pub enum KeyCreation {
    /// The id of the new key.
    Created(String),
    /// The account already has a key with the requested id.
    AlreadyCreated,
    /// The account was deleted, disabled or signed out everywhere in the meantime.
    SignedOut,
    TooManyKeys,
    TooManyToday,
}

/// Creates a key if the account may have another one. Runs in the caller's transaction.
pub fn create(
    conn: &mut Conn,
    account: &Account,
    settings: &config::Accounts,
    request: &KeyRequest,
    secret: &ApiKeySecret,
    author: &Author,
) -> Result<KeyCreation> {
    // Serializes concurrent requests, which would otherwise count the same keys.
    revision::lock_keys(conn)?;
    if !accounts::lock_if_unchanged(conn, account)? {
        return Ok(KeyCreation::SignedOut);
    }
    let id = match keys::find(conn, request.id)? {
        Some(key) if key.account == Some(account.n) => return Ok(KeyCreation::AlreadyCreated),
        // An id of another account is not revealed: the new key gets a fresh one.
        Some(_) => id::encode(rand::random()),
        None => request.id.to_owned(),
    };
    if keys::of_account(conn, account.n)?.len() >= settings.max_keys as usize {
        return Ok(KeyCreation::TooManyKeys);
    }
    // Deleted keys count as well: each had a quota of its own.
    if audit::count_since(conn, account.n, keys::CREATED, author.at - DAY)? >= i64::from(settings.new_keys_per_day) {
        return Ok(KeyCreation::TooManyToday);
    }
    let new = NewKey {
        id: &id,
        name: request.name,
        account: Some(account.n),
        overrides: LimitOverrides::default(),
        expires_at: request.expires_at,
    };
    keys::create(conn, &new, secret, author)?;
    Ok(KeyCreation::Created(id))
}

/// Rotates a key unless `newest_hash` is no longer its newest secret: a form sent twice rotates once.
pub fn rotate_once(
    conn: &mut Conn,
    key: &KeyRecord,
    newest_hash: &str,
    secret: &ApiKeySecret,
    old_ends_at: i64,
    author: &Author,
) -> Result<bool> {
    // Serializes concurrent rotations.
    revision::lock_keys(conn)?;
    let newest = keys::find(conn, &key.id)?.and_then(|key| key.secrets.last().map(|secret| secret.hash.clone()));
    if newest.as_deref() != Some(newest_hash) {
        return Ok(false);
    }
    keys::rotate(conn, key.n, secret, Some(old_ends_at), author)?;
    Ok(true)
}

/// Like [`keys::check_name`], with a message for a page.
pub fn check_name(name: &str) -> std::result::Result<(), Message> {
    keys::check_name(name)
        .map(drop)
        .map_err(|_| Message::new("The key name must have 1 to 100 characters on one line.", &[]))
}

/// The end of the last UTC day on which a key is valid. Empty: the key does not expire.
pub fn parse_expiry_day(day: &str, now: i64) -> std::result::Result<Option<i64>, Message> {
    if day.is_empty() {
        return Ok(None);
    }
    match parse_iso(&format!("{day}T00:00:00Z")).map(|start| start + DAY) {
        Some(end) if end > LATEST => Err(Message::new("The expiry date must be before 9999-12-31.", &[])),
        Some(end) if end > now => Ok(Some(end)),
        Some(_) => Err(Message::new(
            "The expiry date must be today or later, not {}. To stop a key now, disable or delete it.",
            &[&day],
        )),
        None => Err(Message::new("Write the expiry date as YYYY-MM-DD, for example 2027-01-31.", &[])),
    }
}

/// The owner of a key cannot enable it while an operator blocks it.
pub fn check_may_enable(key: &KeyRecord) -> std::result::Result<(), Message> {
    match key.blocked {
        true => Err(Message::new("An operator disabled this key. Only an operator can enable it again.", &[])),
        false => Ok(()),
    }
}

pub fn parse_limit(text: &str) -> std::result::Result<u32, Message> {
    match text.parse::<u32>() {
        Ok(limit) if limit > 0 => Ok(limit),
        _ => Err(Message::new("Each limit must be a whole number from 1 to {}, not “{}”.", &[&u32::MAX, &text])),
    }
}

/// A limit request must raise at least one limit, lower none, and give a reason.
pub fn check_limit_request(current: Limits, wanted: Limits, reason: &str) -> std::result::Result<(), Message> {
    let pairs = [
        (wanted.per_minute, current.per_minute),
        (wanted.per_day, current.per_day),
        (wanted.per_month, current.per_month),
    ];
    if pairs.iter().any(|(wanted, current)| wanted < current) || pairs.iter().all(|(wanted, current)| wanted == current)
    {
        return Err(Message::new(
            "Request more than the current limits of {} per minute, {} per day and {} per month.",
            &[&current.per_minute, &current.per_day, &current.per_month],
        ));
    }
    if reason.is_empty() || reason.chars().count() > MAX_REASON_CHARS {
        return Err(Message::new("The reason must have 1 to {} characters.", &[&MAX_REASON_CHARS]));
    }
    Ok(())
}

pub fn check_reply(reply: &str) -> std::result::Result<(), Message> {
    match reply.chars().count() > MAX_REPLY_CHARS {
        true => Err(Message::new("The reply must have at most {} characters.", &[&MAX_REPLY_CHARS])),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURRENT: Limits = Limits { per_minute: 60, per_day: 1_000, per_month: 30_000 };

    #[test]
    fn a_limit_request_raises_limits_and_gives_a_reason() {
        let check = |per_minute, per_day, reason: &str| {
            check_limit_request(CURRENT, Limits { per_minute, per_day, ..CURRENT }, reason).is_ok()
        };
        assert!(check(61, 1_000, "a map"));
        assert!(!check(60, 1_000, "a map"), "nothing is raised");
        assert!(!check(61, 999, "a map"), "a limit is lowered");
        assert!(!check(61, 1_000, "") && !check(61, 1_000, &"x".repeat(MAX_REASON_CHARS + 1)));
    }

    #[test]
    fn a_key_expires_at_the_end_of_a_day_from_today_on() {
        let now = parse_iso("2026-06-03T14:00:00Z").unwrap();
        assert_eq!(parse_expiry_day("", now), Ok(None));
        assert_eq!(parse_expiry_day("2026-06-03", now), Ok(parse_iso("2026-06-04T00:00:00Z")));
        for rejected in ["2026-06-02", "9999-12-31", "2027-02-29", "soon"] {
            assert!(parse_expiry_day(rejected, now).is_err(), "{rejected}");
        }
    }

    #[test]
    fn grace_periods_have_names() {
        for period in GracePeriod::ALL {
            assert_eq!(GracePeriod::parse(period.name()), Ok(period));
        }
        assert!(GracePeriod::parse("2y").is_err());
    }
}
