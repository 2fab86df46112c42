//! An API key as the pages show it: status, remaining quota and valid secrets.

use crate::app::App;
use crate::web::view::language;
use rollcall_model::message::translatable;
use rollcall_model::quota::{ALERT_PERCENTS, AlertSpan, Limits, QuotaAlert, QuotaCounts, is_used};
use rollcall_model::time;
use rollcall_store::keys::KeyRecord;
use rollcall_store::{Result, key_quota, quota_alerts, usage};

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
    pub alerts: Vec<AlertView>,
}

/// A share of the quota of a window that is used up.
pub struct AlertView {
    span: AlertSpan,
    pub percent: u32,
    /// When it was recorded, which may be a moment later.
    pub noticed_at: Option<String>,
}

impl AlertView {
    pub fn text(&self) -> String {
        let text = match (self.span, self.percent) {
            (AlertSpan::Day, 100) => translatable("The quota of today is used up."),
            (AlertSpan::Day, _) => translatable("80 % of the quota of today is used."),
            (AlertSpan::Month, 100) => translatable("The quota of this month is used up."),
            (AlertSpan::Month, _) => translatable("80 % of the quota of this month is used."),
        };
        language().translate(text).to_owned()
    }

    /// For lists.
    pub fn short(&self) -> String {
        match self.span {
            AlertSpan::Day => language().fill("{} % of today", &[&self.percent]),
            AlertSpan::Month => language().fill("{} % of the month", &[&self.percent]),
        }
    }

    /// The highest share of each window that is used.
    fn of(meters: &[QuotaMeter; 3], used: QuotaCounts, recorded: &[QuotaAlert]) -> Vec<Self> {
        let windows = [(AlertSpan::Day, &meters[1], used.day.start), (AlertSpan::Month, &meters[2], used.month.start)];
        let alert = |(span, meter, start): (AlertSpan, &QuotaMeter, i64)| {
            let percent = ALERT_PERCENTS.into_iter().rfind(|percent| is_used(meter.used, meter.limit, *percent))?;
            let known =
                recorded.iter().find(|known| (known.span, known.window_start, known.percent) == (span, start, percent));
            Some(Self { span, percent, noticed_at: known.map(|known| time::iso(known.at)) })
        };
        windows.into_iter().filter_map(alert).collect()
    }
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

/// Data of the ledger about a key.
struct KeyUse {
    counts: QuotaCounts,
    last_used_at: Option<i64>,
    alerts: Vec<QuotaAlert>,
}

/// Loads the usage of these keys from the ledger.
pub async fn load_key_views(app: &App, keys: Vec<KeyRecord>, now: i64) -> Result<Vec<KeyView>> {
    let configured = app.limits;
    let numbers: Vec<i64> = keys.iter().map(|key| key.n).collect();
    let read = app.ledger.read(move |conn| {
        let mut used = |n: i64| {
            let counts = key_quota::counts(conn, n)?.at(now);
            let alerts = quota_alerts::of_key(conn, n, counts.month.start)?;
            Ok(KeyUse { counts, last_used_at: usage::last_used(conn, n)?, alerts })
        };
        numbers.iter().copied().map(&mut used).collect::<Result<Vec<_>>>()
    });
    let view = |(key, KeyUse { counts: used, last_used_at, alerts }): (KeyRecord, KeyUse)| {
        let limits = key.overrides.apply_to(configured);
        // Requests that are reserved ahead are not used yet.
        let reserved = app.auth.reserved(key.n);
        let meter = |window, used: u32, limit| QuotaMeter { window, used: used.saturating_sub(reserved), limit };
        let valid = key
            .live_secrets(now)
            .map(|secret| SecretView { hint: secret.hint.clone(), ends_at: secret.ends_at.map(time::iso) });
        let mut secrets: Vec<SecretView> = valid.collect();
        secrets.reverse();
        let meters = [
            meter(translatable("This minute"), used.minute.used, limits.per_minute),
            meter(translatable("Today"), used.day.used, limits.per_day),
            meter(translatable("This month"), used.month.used, limits.per_month),
        ];
        KeyView {
            alerts: AlertView::of(&meters, used, &alerts),
            limits,
            status: key.status(now),
            last_used_at: last_used_at.map(time::iso),
            expires_at: key.expires_at.map(time::iso),
            created_at: time::iso(key.created_at),
            meters,
            secrets,
            key,
        }
    };
    Ok(keys.into_iter().zip(read.await?).map(view).collect())
}
