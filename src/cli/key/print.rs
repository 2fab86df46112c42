//! Keys as people and programs read them.

use serde_json::{Value, json};

use super::super::Failure;
use super::super::output::say;
use super::Desk;
use rollcall_model::quota::Counts;
use rollcall_model::quota::Limits;
use rollcall_model::time;
use rollcall_store::keys::KeyRecord;
use rollcall_store::{key_quota, usage};

/// A key with all that is shown of it.
pub struct Shown {
    key: KeyRecord,
    limits: Limits,
    used: Counts,
    last_used_at: Option<i64>,
    now: i64,
}

impl Desk {
    pub(super) fn shown(&mut self, records: Vec<KeyRecord>) -> Result<Vec<Shown>, Failure> {
        let shown = |key: KeyRecord| {
            Ok(Shown {
                limits: key.overrides.over(self.config.limits),
                used: key_quota::counts(&mut self.ledger, key.n)?.at(self.now),
                last_used_at: usage::last_used(&mut self.ledger, key.n)?,
                now: self.now,
                key,
            })
        };
        records.into_iter().map(shown).collect()
    }
}

impl Shown {
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

pub fn one(key: &Shown, json: bool) -> Result<(), Failure> {
    if json { say(&key.as_json().to_string()) } else { table(std::slice::from_ref(key)) }
}

pub fn all(keys: &[Shown], json: bool) -> Result<(), Failure> {
    if json {
        return say(&Value::Array(keys.iter().map(Shown::as_json).collect()).to_string());
    }
    if keys.is_empty() {
        return say("There are no keys yet; `rollcall key create --name NAME` makes one.");
    }
    table(keys)
}

fn table(keys: &[Shown]) -> Result<(), Failure> {
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
    say(&table.trim_fmt())
}
