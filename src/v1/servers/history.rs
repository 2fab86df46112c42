//! `GET /servers/{slug}/history`

use super::{SLUG, with_server};
use crate::app::App;
use crate::error::ApiError;
use crate::http::response::UncompressedBody;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::v1::history::{
    AFTER, FIELDS, FORMAT, FROM, Format, HistoryParams, RESOLUTION, TO, TableRows, load, name, table,
};
use rollcall_model::resources::{ServerHistory, Timestamp};
use rollcall_store::Conn;

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/servers/{slug}/history",
    name: "serverHistory",
    tag: "Servers",
    summary: "Get the history of a server",
    description: "Players, latency, ticks per second and uptime over any range, in buckets, with the share of each bucket in which \
                  the server was watched.",
    path_param: Some(SLUG),
    params: &[&FROM, &TO, &RESOLUTION, &FIELDS, &FORMAT, &AFTER],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<ServerHistory>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    let params = (call.segment.clone(), HistoryParams::read(&call.query)?);
    Plan::reading(params, |app, conn, (slug, params)| history(app, conn, slug, &params))
}

fn history(app: &App, conn: &mut Conn, slug: String, params: &HistoryParams) -> Result<UncompressedBody, ApiError> {
    let n = with_server(app, &slug, |server| server.n)?;
    let range = params.range(1, app.clock.now())?;
    let mut loaded = load(conn, &[n], range, params.fields)?;
    let points = loaded.servers.pop().unwrap_or_default();
    if params.format == Format::Csv {
        return Ok(table(params, params.fields, &TableRows::One(&points), loaded.next.as_deref()));
    }
    let history = ServerHistory {
        slug,
        resolution: name(range.resolution),
        from: Timestamp(range.from),
        to: Timestamp(range.to),
        points,
        next: loaded.next,
    };
    envelope(&history).map(Into::into)
}
