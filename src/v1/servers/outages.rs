//! `GET /servers/{slug}/outages`

use super::{SLUG, with_server};
use crate::app::App;
use crate::error::ApiError;
use crate::v1::cursor::{self, After, CursorPosition};
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::v1::item_fields::ItemFields;
use crate::v1::params::{Int, limit};
use rollcall_model::resources::{OutageList, ServerOutage, Timestamp};
use rollcall_model::time::SECOND;
use rollcall_store::Conn;
use rollcall_store::outages::{self, Outage};
use utoipa::PartialSchema;

const LIMIT: Int = limit(20);
const AFTER: After = After { about: "The cursor `next` of the response before, or `start`." };
const FIELDS: ItemFields = ItemFields(&[("/outages", <ServerOutage as PartialSchema>::schema)]);

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/servers/{slug}/outages",
    name: "serverOutages",
    tag: "Servers",
    summary: "List outages of a server",
    description: "Times in which the server did not answer, newest first. An outage begins with the first of two pings in a row that \
                  fail.",
    path_param: Some(SLUG),
    params: &[&LIMIT, &AFTER, &FIELDS],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<OutageList>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    let limit = LIMIT.read(&call.query)?.unwrap_or_default();
    let before = AFTER.read::<i64>(&call.query)?.and_then(CursorPosition::after).unwrap_or(i64::MAX);
    Plan::reading((call.segment.clone(), before, limit), |app, conn, (slug, before, limit)| {
        envelope(&load(app, conn, &slug, before, limit)?)
    })
}

fn load(app: &App, conn: &mut Conn, slug: &str, before: i64, limit: i64) -> Result<OutageList, ApiError> {
    let n = with_server(app, slug, |server| server.n)?;
    // One more shows whether there is a next page.
    let mut rows = outages::began_before(conn, n, before, limit + 1)?;
    let has_next = rows.len() as i64 > limit;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| has_next).map(|last| cursor::encode(&last.began_at));
    let now = app.clock.now();
    Ok(OutageList { outages: rows.into_iter().map(|row| outage(row, now)).collect(), next })
}

fn outage(row: Outage, now: i64) -> ServerOutage {
    ServerOutage {
        started_at: Timestamp(row.began_at),
        ended_at: row.ended_at.map(Timestamp),
        duration: (row.ended_at.unwrap_or(now) - row.began_at).max(0) / SECOND,
        reason: row.reason,
    }
}
