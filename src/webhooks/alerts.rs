//! Finds what accounts are alerted of. Each condition has one event, whichever node notices it first.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::Webhooks;
use rollcall_model::time::{DAY, HOUR, MINUTE, iso};
use rollcall_model::webhook::AlertKind;
use rollcall_store::account_events::{self, NewAccountEvent};
use rollcall_store::alert_conditions::{self, AccountKey};
use rollcall_store::quota_alerts::{self, KeyQuotaAlert};
use rollcall_store::webhooks::fan_out;
use rollcall_store::{Conn, Pool, Result};

/// How often conditions are looked for.
const LOOK_INTERVAL: Duration = Duration::from_secs(10);
/// How long before its end a key expires soon.
const EXPIRES_SOON: i64 = 7 * DAY;
/// Conditions that are older are no news.
const NEWS: i64 = HOUR;
/// Reports come every minute. A server that was offline has as long to send one.
const REPORT_MISSING: i64 = 10 * MINUTE;
/// A plugin that was removed long ago is no news.
const REPORT_FORGOTTEN: i64 = DAY;

/// The accounts that want an alert.
type Wanted = HashMap<AlertKind, HashSet<i64>>;

impl Webhooks {
    /// Writes alerts until the service stops. Takes the ledger, which knows the quotas.
    pub async fn alert_forever(self: Arc<Self>, ledger: Pool) {
        let mut failed = false;
        loop {
            match self.alert(&ledger).await {
                Ok(()) => failed = false,
                Err(error) if !failed => {
                    failed = true;
                    tracing::warn!(%error, "cannot look for what accounts are alerted of");
                }
                Err(_) => {}
            }
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }

    async fn alert(&self, ledger: &Pool) -> Result<()> {
        let mut wanted = Wanted::new();
        for subscription in self.pool.read(fan_out::subscriptions).await? {
            for kind in subscription.alerts {
                wanted.entry(kind).or_default().insert(subscription.account_n);
            }
        }
        // There are no subscribers: nothing is written.
        if wanted.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        let key_holders: HashSet<i64> = wanted
            .iter()
            .filter(|(kind, _)| **kind != AlertKind::ReportMissing)
            .flat_map(|(_, n)| n)
            .copied()
            .collect();
        let key_holders = Vec::from_iter(key_holders);
        let keys = self.pool.read(move |conn| alert_conditions::keys(conn, &key_holders)).await?;
        let quotas = match keys.is_empty() {
            true => Vec::new(),
            false => ledger.read(move |conn| quota_alerts::since(conn, now - NEWS)).await?,
        };
        let mut events = of_quotas(&keys, &quotas);
        events.extend(keys.iter().filter_map(|key| of_expiry(key, now)));
        if wanted.contains_key(&AlertKind::ReportMissing) {
            events.extend(self.missing_reports(now).await?);
        }
        events.retain(|event| wanted.get(&event.kind).is_some_and(|accounts| accounts.contains(&event.account_n)));
        if events.is_empty() {
            return Ok(());
        }
        let new = self.pool.read(move |conn| account_events::without_told(conn, events.clone())).await?;
        if !new.is_empty() {
            self.pool.write(move |conn| account_events::write_once(conn, &new)).await?;
        }
        Ok(())
    }

    async fn missing_reports(&self, now: i64) -> Result<Vec<NewAccountEvent>> {
        let (silent_before, not_before) = (now - REPORT_MISSING, now - REPORT_FORGOTTEN);
        let read = move |conn: &mut Conn| alert_conditions::missing_reports(conn, silent_before, not_before);
        let event = |missing: alert_conditions::MissingReport| NewAccountEvent {
            account_n: missing.account_n,
            at: now,
            kind: AlertKind::ReportMissing,
            server_n: Some(missing.server_n),
            subject: format!("report {} {} {}", missing.account_n, missing.server_n, missing.received_at),
            facts: json!({"lastReportAt": iso(missing.received_at)}).to_string(),
        };
        Ok(self.pool.read(read).await?.into_iter().map(event).collect())
    }
}

fn of_quotas(keys: &[AccountKey], quotas: &[KeyQuotaAlert]) -> Vec<NewAccountEvent> {
    let keys: HashMap<i64, &AccountKey> = keys.iter().map(|key| (key.n, key)).collect();
    let event = |quota: &KeyQuotaAlert| {
        let (key, alert) = (keys.get(&quota.key_n)?, &quota.alert);
        let (span, start) = (alert.span.name(), alert.window_start);
        Some(NewAccountEvent {
            account_n: key.account_n,
            at: alert.at,
            kind: if alert.percent >= 100 { AlertKind::KeyQuota100 } else { AlertKind::KeyQuota80 },
            server_n: None,
            subject: format!("quota {} {span} {start} {}", key.id, alert.percent),
            facts: json!({
                "key": {"id": key.id, "name": key.name},
                "window": span,
                "windowStart": iso(start),
                "percent": alert.percent,
            })
            .to_string(),
        })
    };
    quotas.iter().filter_map(event).collect()
}

fn of_expiry(key: &AccountKey, now: i64) -> Option<NewAccountEvent> {
    let expires_at = key.expires_at.filter(|at| *at > now - NEWS && *at <= now + EXPIRES_SOON)?;
    let kind = if expires_at <= now { AlertKind::KeyExpired } else { AlertKind::KeyExpiring };
    Some(NewAccountEvent {
        account_n: key.account_n,
        at: now,
        kind,
        server_n: None,
        subject: format!("{} {} {expires_at}", kind.name(), key.id),
        facts: json!({"key": {"id": key.id, "name": key.name}, "expiresAt": iso(expires_at)}).to_string(),
    })
}
