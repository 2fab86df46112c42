//! A key as its holder sees it.

use crate::app::App;
use rollcall_model::quota::Limits;
use rollcall_model::time;
use rollcall_store::keys::KeyRecord;
use rollcall_store::{Result, key_quota, usage};

pub struct Shown {
    pub key: KeyRecord,
    pub limits: Limits,
    pub status: &'static str,
    pub last_used_at: Option<String>,
    pub expires_at: Option<String>,
    pub created_at: String,
    pub meters: [Meter; 3],
    /// Newest first.
    pub secrets: Vec<Live>,
}

/// How much of a window is used.
pub struct Meter {
    pub window: &'static str,
    pub used: u32,
    pub limit: u32,
}

impl Meter {
    pub fn left(&self) -> u32 {
        self.limit.saturating_sub(self.used)
    }
}

/// A secret that is let in.
pub struct Live {
    pub hint: String,
    pub ends_at: Option<String>,
}

impl Shown {
    /// As a word for the style of its status.
    pub fn class(&self) -> &'static str {
        match self.status {
            "active" => "good",
            "expired" => "warn",
            _ => "bad",
        }
    }

    /// Tells one secret from the next, so that a form sent twice rotates once.
    pub fn newest(&self) -> &str {
        self.key.secrets.last().map_or("", |secret| secret.hash.as_str())
    }
}

/// Keys with what they have used, as the ledger knows it.
pub async fn shown(app: &App, keys: Vec<KeyRecord>, now: i64) -> Result<Vec<Shown>> {
    let configured = app.limits;
    let numbers: Vec<i64> = keys.iter().map(|key| key.n).collect();
    let read = app.ledger.read(move |conn| {
        let used = |n: i64| Ok((key_quota::counts(conn, n)?.at(now), usage::last_used(conn, n)?));
        numbers.into_iter().map(used).collect::<Result<Vec<_>>>()
    });
    let show = |(key, (used, last_used_at)): (KeyRecord, (rollcall_model::quota::Counts, Option<i64>))| {
        let limits = key.overrides.over(configured);
        // What is reserved ahead is nobody's yet.
        let held = app.gate.held(key.n);
        let meter = |window, used: u32, limit| Meter { window, used: used.saturating_sub(held), limit };
        let live = key
            .live_secrets(now)
            .map(|secret| Live { hint: secret.hint.clone(), ends_at: secret.ends_at.map(time::iso) });
        let mut secrets: Vec<Live> = live.collect();
        secrets.reverse();
        Shown {
            limits,
            status: key.status(now),
            last_used_at: last_used_at.map(time::iso),
            expires_at: key.expires_at.map(time::iso),
            created_at: time::iso(key.created_at),
            meters: [
                meter("This minute", used.minute.used, limits.per_minute),
                meter("Today", used.day.used, limits.per_day),
                meter("This month", used.month.used, limits.per_month),
            ],
            secrets,
            key,
        }
    };
    Ok(keys.into_iter().zip(read.await?).map(show).collect())
}
