//! `GET /live/history`

use crate::app::App;
use crate::error::ApiError;
use crate::v1::endpoint::{Call, Endpoint, Plan, data, envelope};
use rollcall_model::resources::{LiveHistory, LiveHistoryPoint, Timestamp};
use rollcall_model::time::{DAY, HOUR, start_of_hour};
use rollcall_store::samples::{self, ALL_SERVERS, Resolution};

const REACH: i64 = 7 * DAY;

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/live/history",
    name: "liveHistory",
    tag: "Live",
    summary: "Players online over the last 7 days",
    description: "Average total players online per hour over the last 7 days, oldest first. Hours without data are \
                  left out.",
    path_param: None,
    params: &[],
    max_age: 300,
    per_account: false,
    data: data::<LiveHistory>,
    plan,
};

fn plan(_: &Call) -> Result<Plan, ApiError> {
    Plan::new((), |app, ()| async move { envelope(&live_history(&app).await?) })
}

pub async fn live_history(app: &App) -> Result<LiveHistory, ApiError> {
    // The current hour and the 167 before it.
    let since = start_of_hour(app.clock.now()) + HOUR - REACH;
    let hours = app.pool.read(move |conn| samples::buckets(conn, ALL_SERVERS, Resolution::Hour, since)).await?;
    let history = hours
        .into_iter()
        .filter(|hour| hour.watched_ms > 0)
        .map(|hour| LiveHistoryPoint { timestamp: Timestamp(hour.at), total_players: hour.average_players(0) as i64 });
    Ok(LiveHistory { history: history.collect() })
}
