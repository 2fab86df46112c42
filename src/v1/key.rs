//! `GET /key`

use super::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::auth::KeyReport;
use crate::error::ApiError;
use rollcall_model::quota::QuotaWindow;
use rollcall_model::resources::{KeyStatus, KeyWindow, Timestamp};
use rollcall_model::time::{DAY, MINUTE, next_month};

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/key",
    name: "keyStatus",
    tag: "API key",
    summary: "Get the limits and usage of your key",
    description: "Limits, usage and ends of the windows of the API key of this request. The call uses no quota, also when the quota is \
                  exhausted; it is allowed 30 times a minute. The playground runs it with your own key.",
    path_param: None,
    params: &[],
    max_age: 0,
    per_account: true,
    units: Units::None,
    data: data::<KeyStatus>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    let report = call.key.clone().ok_or(ApiError::MissingKey)?;
    Plan::new(report, |_, report| async move { envelope(&status(*report)) })
}

fn status(report: KeyReport) -> KeyStatus {
    let KeyReport { id, name, created_at, expires_at, limits, used } = report;
    KeyStatus {
        id,
        name,
        created_at: Timestamp(created_at),
        expires_at: expires_at.map(Timestamp),
        minute: window(limits.per_minute, used.minute, used.minute.start + MINUTE),
        day: window(limits.per_day, used.day, used.day.start + DAY),
        month: window(limits.per_month, used.month, next_month(used.month.start)),
    }
}

fn window(limit: u32, QuotaWindow { used, .. }: QuotaWindow, end: i64) -> KeyWindow {
    KeyWindow { limit, used, remaining: limit.saturating_sub(used), resets_at: Timestamp(end) }
}
