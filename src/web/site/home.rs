//! `/`: search, live totals, a chart, the busiest, trending and newest servers, recent activity and new skins.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;

use super::server_tile::{self, CardSource, ServerCard};
use crate::app::App;
use crate::catalogue::{ServerFilter, ServerSort, TextureFilter, TextureSort};
use crate::error::ApiError;
use crate::v1::{live, live_history};
use crate::web::chart::LineChart;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;
use crate::web::view;
use rollcall_model::resources::{Activity, LiveStats};
use rollcall_model::time::HOUR;

const BUSIEST: usize = 6;
const TRENDING: usize = 3;
const NEWEST: usize = 3;
const ACTIVITIES: usize = 8;
const SKINS: usize = 8;
/// A rise from two players to four is no trend.
const MIN_TRENDING_PLAYERS: i64 = 10;

#[derive(Template)]
#[template(path = "site/home.html")]
struct HomePage {
    layout: Layout,
    stats: LiveStats,
    chart: LineChart,
    busiest: Vec<ServerCard>,
    trending: Vec<ServerCard>,
    newest: Vec<ServerCard>,
    activities: Vec<Activity>,
    skins: Vec<NewSkin>,
    now: i64,
    api: String,
}

struct NewSkin {
    slug: String,
    name: String,
}

pub async fn show(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    page::cached(&app, &headers, render(&app)).await
}

async fn render(app: &Arc<App>) -> Result<String, ApiError> {
    let live = live(app).await?;
    let history = live_history(app).await?.history;
    let points: Vec<(i64, i64)> = history.iter().map(|point| (point.timestamp.0, point.total_players)).collect();
    let chart = LineChart::new(&points, HOUR, view::language());
    page::render_from_store(app, move |app, conn| {
        let trend = ServerFilter { min_players: Some(MIN_TRENDING_PLAYERS), online_only: true, ..Default::default() };
        let lists = [
            sources(app, &ServerFilter::default(), ServerSort::Players, BUSIEST),
            sources(app, &trend, ServerSort::Trending, TRENDING),
            sources(app, &ServerFilter::default(), ServerSort::Recent, NEWEST),
        ];
        let lengths = lists.each_ref().map(Vec::len);
        let mut cards = server_tile::load(app, conn, &lists.into_iter().flatten().collect::<Vec<_>>())?.into_iter();
        let [busiest, trending, newest] = lengths.map(|length| cards.by_ref().take(length).collect());
        page::render(&HomePage {
            layout: Layout::public("/", "/").with_json("/v1/live"),
            stats: live.stats.clone(),
            chart: chart.clone(),
            busiest,
            trending,
            newest,
            activities: live.recent_activity.iter().take(ACTIVITIES).cloned().collect(),
            skins: new_skins(app),
            now: app.clock.now(),
            api: format!("{}/v1", app.public_url),
        })
    })
    .await
}

fn sources(app: &App, filter: &ServerFilter, sort: ServerSort, limit: usize) -> Vec<CardSource> {
    let servers = app.catalogue.servers();
    servers.page(filter, sort, 0, limit).0.into_iter().map(CardSource::from).collect()
}

fn new_skins(app: &App) -> Vec<NewSkin> {
    let skins = app.catalogue.skins();
    let (entries, _) = skins.page(&TextureFilter::default(), TextureSort::Recent, 0, SKINS);
    let skins = entries.into_iter().map(|entry| NewSkin { slug: entry.row.slug.clone(), name: entry.row.name.clone() });
    skins.collect()
}

impl HomePage {
    /// A sentence about an activity: who, what, and on which server.
    fn verb(&self, activity: &Activity) -> &'static str {
        match activity.r#type {
            "vote" => "voted for",
            "review" => "reviewed",
            _ => "posted on",
        }
    }
}
