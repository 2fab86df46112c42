//! Keys as a table or JSON.

use serde_json::{Value, json};

use super::super::Failure;
use super::super::output::print_line;
use super::KeyStore;
use rollcall_model::quota::Limits;
use rollcall_model::quota::QuotaCounts;
use rollcall_model::time;
use rollcall_store::keys::KeyRecord;
use rollcall_store::{key_quota, usage};

/// A key with everything that is printed.
pub struct KeyView {
    key: KeyRecord,
    limits: Limits,
    used: QuotaCounts,
    last_used_at: Option<i64>,
    now: i64,
}

impl KeyStore {
    pub(super) fn views(&mut self, records: Vec<KeyRecord>) -> Result<Vec<KeyView>, Failure> {
        let view = |key: KeyRecord| {
            Ok(KeyView {
                limits: key.overrides.apply_to(self.config.limits),
                used: key_quota::counts(&mut self.ledger, key.n)?.at(self.now),
                last_used_at: usage::last_used(&mut self.ledger, key.n)?,
                now: self.now,
                key,
            })
        };
        records.into_iter().map(view).collect()
    }
}

impl KeyView {
    fn as_json(&self) -> Value {
        let Self { key, limits, used, .. } = self;
        let live = key.live_secrets(self.now);
        let secrets: Vec<Value> =
            live.map(|secret| json!({"hint": secret.hint, "endsAt": secret.ends_at.map(time::iso)})).collect();
        json!({
            "id": key.id,
            "name": key.name,
            "owner": key.owner,
            "status": self.key.status(self.now),
            "secrets": secrets,
            "perMinute": limits.per_minute,
            "perDay": limits.per_day,
            "perMonth": limits.per_month,
            "used": {"minute": used.minute.used, "day": used.day.used, "month": used.month.used},
            "disabled": key.is_off(),
            "createdAt": time::iso(key.created_at),
            "expiresAt": key.expires_at.map(time::iso),
            "lastUsedAt": self.last_used_at.map(time::iso),
            "restrictions": key.restrictions.as_ref().map(|restrictions| json!({
                "networks": restrictions.networks.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "origins": restrictions.origins,
                "endpoints": restrictions.endpoints,
            })),
        })
    }

    fn row(&self) -> [String; 11] {
        let Self { key, limits, used, .. } = self;
        let of = |used: u32, limit: u32| format!("{used}/{limit}");
        let hints: Vec<&str> = key.live_secrets(self.now).map(|secret| secret.hint.as_str()).collect();
        [
            key.id.clone(),
            key.name.clone(),
            key.owner.clone().unwrap_or_else(none),
            hints.join(", "),
            self.key.status(self.now).to_owned(),
            of(used.minute.used, limits.per_minute),
            of(used.day.used, limits.per_day),
            of(used.month.used, limits.per_month),
            self.last_used_at.map_or_else(none, time::iso),
            key.expires_at.map_or_else(none, time::iso),
            time::iso(key.created_at),
        ]
    }
}

fn none() -> String {
    "-".to_owned()
}

pub fn one(key: &KeyView, json: bool) -> Result<(), Failure> {
    if json {
        return print_line(&key.as_json().to_string());
    }
    table(std::slice::from_ref(key))?;
    let Some(restrictions) = &key.key.restrictions else { return Ok(()) };
    let networks: Vec<String> = restrictions.networks.iter().map(ToString::to_string).collect();
    for (name, list) in
        [("IP ranges", &networks), ("origins", &restrictions.origins), ("endpoints", &restrictions.endpoints)]
    {
        if !list.is_empty() {
            print_line(&format!("Only these {name}: {}", list.join(", ")))?;
        }
    }
    Ok(())
}

pub fn all(keys: &[KeyView], json: bool) -> Result<(), Failure> {
    if json {
        return print_line(&Value::Array(keys.iter().map(KeyView::as_json).collect()).to_string());
    }
    if keys.is_empty() {
        return print_line("No keys yet; `rollcall key create --name NAME` creates one.");
    }
    table(keys)
}

fn table(keys: &[KeyView]) -> Result<(), Failure> {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header([
        "ID",
        "NAME",
        "OWNER",
        "KEY",
        "STATUS",
        "MINUTE",
        "DAY",
        "MONTH",
        "LAST USED",
        "EXPIRES",
        "CREATED",
    ]);
    for key in keys {
        table.add_row(key.row());
    }
    print_line(&table.trim_fmt())
}
