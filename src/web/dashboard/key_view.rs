//! An API key as the pages show it: status, remaining quota and valid secrets.

use crate::app::App;
use rollcall_model::message::translatable;
use rollcall_model::quota::Limits;
use rollcall_model::time;
use rollcall_store::keys::KeyRecord;
use rollcall_store::{Result, key_quota, usage};

pub struct KeyView {
    pub key: KeyRecord,
    pub limits: Limits,
    pub status: &'static str,
    pub last_used_at: Option<String>,
    pub expires_at: Option<String>,
    pub created_at: String,
    pub meters: [QuotaMeter; 3],
    /// Newest first.
    pub secrets: Vec<SecretView>,
}

/// The usage of one rate limit window.
pub struct QuotaMeter {
    pub window: &'static str,
    pub used: u32,
    pub limit: u32,
}

impl QuotaMeter {
    pub fn remaining(&self) -> u32 {
        self.limit.saturating_sub(self.used)
    }
}

/// A valid secret.
pub struct SecretView {
    pub hint: String,
    pub ends_at: Option<String>,
}

impl KeyView {
    /// The CSS class of the status.
    pub fn status_class(&self) -> &'static str {
        match self.status {
            "active" => "good",
            "expired" => "warn",
            _ => "bad",
        }
    }

    /// Identifies the newest secret, so that a form sent twice rotates once.
    pub fn newest_hash(&self) -> &str {
        self.key.secrets.last().map_or("", |secret| secret.hash.as_str())
    }
}

/// Loads the usage of these keys from the ledger.
pub async fn load_key_views(app: &App, keys: Vec<KeyRecord>, now: i64) -> Result<Vec<KeyView>> {
    let configured = app.limits;
    let numbers: Vec<i64> = keys.iter().map(|key| key.n).collect();
    let read = app.ledger.read(move |conn| {
        let used = |n: i64| Ok((key_quota::counts(conn, n)?.at(now), usage::last_used(conn, n)?));
        numbers.into_iter().map(used).collect::<Result<Vec<_>>>()
    });
    let view = |(key, (used, last_used_at)): (KeyRecord, (rollcall_model::quota::QuotaCounts, Option<i64>))| {
        let limits = key.overrides.apply_to(configured);
        // Requests that are reserved ahead are not used yet.
        let reserved = app.auth.reserved(key.n);
        let meter = |window, used: u32, limit| QuotaMeter { window, used: used.saturating_sub(reserved), limit };
        let valid = key
            .live_secrets(now)
            .map(|secret| SecretView { hint: secret.hint.clone(), ends_at: secret.ends_at.map(time::iso) });
        let mut secrets: Vec<SecretView> = valid.collect();
        secrets.reverse();
        KeyView {
            limits,
            status: key.status(now),
            last_used_at: last_used_at.map(time::iso),
            expires_at: key.expires_at.map(time::iso),
            created_at: time::iso(key.created_at),
            meters: [
                meter(translatable("This minute"), used.minute.used, limits.per_minute),
                meter(translatable("Today"), used.day.used, limits.per_day),
                meter(translatable("This month"), used.month.used, limits.per_month),
            ],
            secrets,
            key,
        }
    };
    Ok(keys.into_iter().zip(read.await?).map(view).collect())
}
