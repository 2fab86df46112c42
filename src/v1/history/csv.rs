//! A history as a table (RFC 4180).

use super::range::{Fields, HistoryParams};
use crate::http::csv_field;
use crate::http::response::UncompressedBody;
use rollcall_model::resources::{ComparedServer, HistoryPoint};
use rollcall_model::time::iso;

const CONTENT_TYPE: &str = "text/csv; charset=utf-8";

pub enum TableRows<'a> {
    One(&'a [HistoryPoint]),
    /// With a column `server`.
    Compared(&'a [ComparedServer]),
}

/// `next` is the cursor of the next page, which the header `Link` gives.
pub fn table(params: &HistoryParams, fields: Fields, rows: &TableRows, next: Option<&str>) -> UncompressedBody {
    let mut text = String::from(match rows {
        TableRows::One(_) => "at,coverage",
        TableRows::Compared(_) => "server,at,coverage",
    });
    for (chosen, columns) in [
        (fields.players, ",players_avg,players_peak,players_low"),
        (fields.latency, ",latency"),
        (fields.tps, ",tps"),
        (fields.uptime, ",uptime"),
    ] {
        text.push_str(if chosen { columns } else { "" });
    }
    text.push_str("\r\n");
    match rows {
        TableRows::One(points) => points.iter().for_each(|point| add_row(&mut text, "", point)),
        TableRows::Compared(servers) => {
            for ComparedServer { slug, points } in *servers {
                let slug = format!("{},", csv_field::text(slug));
                points.iter().for_each(|point| add_row(&mut text, &slug, point));
            }
        }
    }
    let next_page = next.map(|cursor| params.next_page(cursor));
    UncompressedBody { bytes: text.into_bytes(), content_type: CONTENT_TYPE, next_page }
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
