//! `GET /live/history`

use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::http::response::UncompressedBody;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data_or, envelope};
use crate::v1::history::{self, AFTER, Fields, Format, HistoryParams, TO, TableRows};
use crate::v1::params::{Choice, Param};
use crate::v1::time_param::Time;
use rollcall_model::resources::{LiveHistory, LiveHistoryPoint, LiveHistoryRange, Timestamp};
use rollcall_model::time::{DAY, HOUR, start_of_hour};
use rollcall_store::Conn;
use rollcall_store::samples::{self, ALL_SERVERS, Resolution};

const REACH: i64 = 7 * DAY;

const FROM: Time = Time {
    about: "Start of the range, a UTC time or date; 24 hours before `to` by default. With this or any other parameter the response \
            has another form: a range in buckets.",
    ..history::FROM
};
/// Without a default: the parameter selects the range.
const RESOLUTION: Choice<Option<Resolution>> = Choice { default: None, ..history::RESOLUTION };
const FORMAT: Choice<Format> = Choice { default: None, ..history::FORMAT };
const RANGE_PARAMS: [&dyn Param; 5] = [&FROM, &TO, &RESOLUTION, &FORMAT, &AFTER];

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/live/history",
    name: "liveHistory",
    tag: "Live",
    summary: "Players online over the last 7 days",
    description: "Average total players online per hour over the last 7 days, oldest first. Hours without data are \
                  left out. With parameters: any range, in buckets.",
    path_param: None,
    params: &RANGE_PARAMS,
    max_age: 300,
    per_account: false,
    units: Units::One,
    data: data_or::<LiveHistory, LiveHistoryRange>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    if !selects_range(&call.query) {
        return Plan::new((), |app, ()| async move { envelope(&live_history(&app).await?) });
    }
    Plan::reading(HistoryParams::read(&call.query)?, |app, conn, params| range(app, conn, &params))
}

fn selects_range(query: &Query) -> bool {
    RANGE_PARAMS.iter().any(|param| query.get(param.name()).is_some())
}

fn range(app: &App, conn: &mut Conn, params: &HistoryParams) -> Result<UncompressedBody, ApiError> {
    let range = params.range(1, app.clock.now())?;
    let mut loaded = history::load(conn, &[ALL_SERVERS], range, Fields::PLAYERS)?;
    let points = loaded.servers.pop().unwrap_or_default();
    if params.format == Format::Csv {
        return Ok(history::table(params, Fields::PLAYERS, &TableRows::One(&points), loaded.next.as_deref()));
    }
    let history = LiveHistoryRange {
        resolution: history::name(range.resolution),
        from: Timestamp(range.from),
        to: Timestamp(range.to),
        points,
        next: loaded.next,
    };
    envelope(&history).map(Into::into)
}

pub async fn live_history(app: &App) -> Result<LiveHistory, ApiError> {
    // The current hour and the 167 before it.
    let since = start_of_hour(app.clock.now()) + HOUR - REACH;
    let hours =
        app.pool.read_replicated(move |conn| samples::buckets(conn, ALL_SERVERS, Resolution::Hour, since)).await?;
    let history = hours
        .into_iter()
        .filter(|hour| hour.watched_ms > 0)
        .map(|hour| LiveHistoryPoint { timestamp: Timestamp(hour.at), total_players: hour.average_players(0) as i64 });
    Ok(LiveHistory { history: history.collect() })
}
