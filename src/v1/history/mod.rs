//! `GET /history`: the histories of several servers, and code that all histories share.

mod csv;
mod points;
mod range;

pub use csv::{TableRows, table};
pub use points::load;
pub use range::{AFTER, FIELDS, FORMAT, FROM, Fields, Format, HistoryParams, RESOLUTION, TO, name};

use crate::app::App;
use crate::error::ApiError;
use crate::http::response::UncompressedBody;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::v1::list_params::Names;
use rollcall_model::resources::{ComparedServer, HistoryComparison, Timestamp};
use rollcall_store::Conn;

const SERVERS: Names = Names { name: "servers", about: "Slugs of up to 10 servers, separated by commas.", max: 10 };

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/history",
    name: "compareHistory",
    tag: "Servers",
    summary: "Compare histories of servers",
    description: "Players, latency, ticks per second and uptime of up to 10 servers over the same range, in buckets of the same \
                  width. A response has at most 2,000 points in all.",
    path_param: None,
    params: &[&SERVERS, &FROM, &TO, &RESOLUTION, &FIELDS, &FORMAT, &AFTER],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<HistoryComparison>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    let params = (SERVERS.read(&call.query)?, HistoryParams::read(&call.query)?);
    Plan::reading(params, |app, conn, (slugs, params)| compare(app, conn, slugs, &params))
}

fn compare(
    app: &App,
    conn: &mut Conn,
    slugs: Vec<String>,
    params: &HistoryParams,
) -> Result<UncompressedBody, ApiError> {
    let found: Vec<(Option<i64>, String)> = {
        let servers = app.catalogue.servers();
        let find = |slug: String| (servers.by_slug(&slug).map(|entry| entry.n), slug);
        slugs.into_iter().map(find).collect()
    };
    let numbers: Vec<i64> = found.iter().filter_map(|(n, _)| *n).collect();
    let range = params.range(numbers.len(), app.clock.now())?;
    let points = load(conn, &numbers, range, params.fields)?;
    let (known, missing): (Vec<_>, Vec<_>) = found.into_iter().partition(|(n, _)| n.is_some());
    let servers: Vec<ComparedServer> =
        known.into_iter().zip(points.servers).map(|((_, slug), points)| ComparedServer { slug, points }).collect();
    if params.format == Format::Csv {
        return Ok(table(params, params.fields, &TableRows::Compared(&servers), points.next.as_deref()));
    }
    let comparison = HistoryComparison {
        resolution: name(range.resolution),
        from: Timestamp(range.from),
        to: Timestamp(range.to),
        servers,
        missing: missing.into_iter().map(|(_, slug)| slug).collect(),
        next: points.next,
    };
    envelope(&comparison).map(Into::into)
}
