//! A history as a table (RFC 4180).

use super::range::{Fields, RESOLUTION, Range, name};
use crate::error::ApiError;
use crate::http::csv_field;
use crate::http::response::ResponseBody;
use crate::v1::params::invalid;
use rollcall_model::resources::HistoryPoint;
use rollcall_model::time::iso;

const CONTENT_TYPE: &str = "text/csv; charset=utf-8";

/// The rows of these servers; a column `server` tells them apart if there is a name. `next` is the cursor of a further page, which a
/// table cannot carry.
pub fn table(
    servers: &[(Option<&str>, &[HistoryPoint])],
    fields: Fields,
    range: Range,
    next: Option<&String>,
) -> Result<ResponseBody, ApiError> {
    if next.is_some() {
        return Err(invalid(RESOLUTION.name, "coarser: a table has at most 2,000 rows", name(range.resolution)));
    }
    let named = servers.iter().any(|(slug, _)| slug.is_some());
    let mut text = String::from(if named { "server,at,coverage" } else { "at,coverage" });
    for (chosen, columns) in [
        (fields.players, ",players_avg,players_peak,players_low"),
        (fields.latency, ",latency"),
        (fields.tps, ",tps"),
        (fields.uptime, ",uptime"),
    ] {
        text.push_str(if chosen { columns } else { "" });
    }
    text.push_str("\r\n");
    for (slug, points) in servers {
        let slug = slug.map(|slug| format!("{},", csv_field::text(slug))).unwrap_or_default();
        points.iter().for_each(|point| add_row(&mut text, &slug, point));
    }
    Ok(ResponseBody { bytes: text.into_bytes(), content_type: CONTENT_TYPE })
}

fn add_row(text: &mut String, slug: &str, point: &HistoryPoint) {
    let known = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    text.push_str(&format!("{slug}{},{}", iso(point.at.0), point.coverage));
    if let Some(players) = &point.players {
        text.push_str(&format!(",{},{},{}", players.avg, players.peak, players.low));
    }
    for figure in [point.latency, point.tps, point.uptime.map(Some)].into_iter().flatten() {
        text.push(',');
        text.push_str(&known(figure));
    }
    text.push_str("\r\n");
}
