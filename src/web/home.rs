//! `/`: the home page with live statistics, a chart and the busiest servers.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;

use super::chart::{HEIGHT, LineChart, WIDTH};
use super::layout::Layout;
use super::page;
use crate::app::App;
use crate::error::ApiError;
use crate::v1::{live, live_history};
use rollcall_model::resources::{LiveServer, LiveStats};
use rollcall_model::score::Direction;
use rollcall_model::time::{HOUR, iso};

/// Rows of the table of busiest servers.
const BUSIEST_SERVERS: usize = 8;

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    layout: Layout,
    stats: LiveStats,
    busiest: Vec<LiveServer>,
    chart: LineChart,
    has_playground: bool,
}

pub async fn show(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    let page = app.page_cache.get("/", async { page::render(&load(&app).await?) }).await;
    page::respond(page.as_deref(), &headers)
}

async fn load(app: &Arc<App>) -> Result<HomePage, ApiError> {
    let live = live(app).await?;
    let history = live_history(app).await?.history;
    let points: Vec<(i64, i64)> = history.iter().map(|point| (point.timestamp.0, point.total_players)).collect();
    let busiest = live.top_servers.into_iter().take(BUSIEST_SERVERS).collect();
    Ok(HomePage {
        layout: Layout { current: "/" },
        stats: live.stats,
        busiest,
        chart: LineChart::new(&points, HOUR),
        has_playground: app.playground.is_enabled(),
    })
}

/// Filters of the template.
mod filters {
    /// With separators, so that the layout does not shift when the script localizes the number.
    #[askama::filter_fn]
    pub fn count(count: &i64, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(rollcall_model::score::format_count(*count))
    }
}

impl HomePage {
    fn last_poll(&self) -> Option<String> {
        self.stats.latest_ping_at.map(|at| iso(at.0))
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, HEIGHT)
    }

    fn trend(&self, server: &LiveServer) -> (&'static str, &'static str) {
        match server.trend {
            Direction::Up => ("up", "rising"),
            Direction::Down => ("down", "falling"),
            Direction::Stable => ("soft", "steady"),
        }
    }
}
