//! `/`: what this is, how it stands now, and the doors to the rest.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;

use super::chart::{Chart, HEIGHT, WIDTH};
use super::page::{self, Frame};
use crate::app::App;
use crate::error::ApiError;
use crate::v1::{live, live_history};
use rollcall_model::resources::{LiveServer, LiveStats};
use rollcall_model::score::Direction;
use rollcall_model::time::{HOUR, iso};

/// How many of the busiest servers are shown.
const BUSIEST: usize = 8;

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    frame: Frame,
    stats: LiveStats,
    busiest: Vec<LiveServer>,
    chart: Chart,
    has_playground: bool,
}

pub async fn respond(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    let page = app.pages.get("/", async { page::render(&find(&app).await?) }).await;
    page::respond(page.as_deref(), &headers)
}

async fn find(app: &Arc<App>) -> Result<Home, ApiError> {
    let live = live(app).await?;
    let history = live_history(app).await?.history;
    let points: Vec<(i64, i64)> = history.iter().map(|point| (point.timestamp.0, point.total_players)).collect();
    let busiest = live.top_servers.into_iter().take(BUSIEST).collect();
    Ok(Home {
        frame: Frame { here: "/" },
        stats: live.stats,
        busiest,
        chart: Chart::new(&points, HOUR),
        has_playground: app.playground.is_open(),
    })
}

/// What the template can do with a value.
mod filters {
    /// With separators, so that little moves when a script writes it in the reader's own way.
    #[askama::filter_fn]
    pub fn count(count: &i64, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(rollcall_model::score::format_count(*count))
    }
}

impl Home {
    fn heard(&self) -> Option<String> {
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
