//! The players on a server over time, with its outages.

use crate::web::chart::LineChart;
use crate::web::view;
use rollcall_model::period::Period;
use rollcall_model::resources::ServerDetail;
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_store::outages::Outage;

pub(super) fn players_chart(server: &ServerDetail, period: Period, outages: &[Outage], now: i64) -> LineChart {
    let points: Vec<(i64, i64)> =
        server.stats_history.iter().map(|point| (point.timestamp.0, point.online_players)).collect();
    let step = match period {
        Period::Day => 10 * MINUTE,
        Period::Week | Period::Month => HOUR,
        Period::Quarter | Period::AllTime => DAY,
    };
    let bands = outages.iter().map(|outage| (outage.began_at, outage.ended_at.unwrap_or(now)));
    LineChart::new(&points, step, view::language()).with_bands(bands)
}
