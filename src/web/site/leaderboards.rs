//! `/leaderboards`: the best players by metric and period, with the filters of the API.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;

use super::achievements;
use super::list_query::ListQuery;
use super::paging::Paging;
use super::player_link::PlayerLinks;
use crate::app::App;
use crate::catalogue::LeaderboardMetric;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::leaderboards::{self, LeaderboardParams};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;
use crate::web::view;
use rollcall_model::achievements::CATALOGUE;
use rollcall_model::period::Period;
use rollcall_model::resources::{LeaderboardEntry, LeaderboardPlayer};
use rollcall_model::tier;

/// Places on the podium.
const PODIUM: usize = 3;

#[derive(Template)]
#[template(path = "site/leaderboards.html")]
struct LeaderboardsPage {
    layout: Layout,
    query: Query,
    metric: LeaderboardMetric,
    period: Period,
    /// The first three, unless a filter or a later page is shown.
    podium: Vec<LeaderboardEntry>,
    entries: Vec<LeaderboardEntry>,
    links: PlayerLinks,
    paging: Paging,
    generated_at: i64,
    error: Option<String>,
    now: i64,
}

pub async fn show(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    page::cached(&app, &headers, render(&app)).await
}

async fn render(app: &Arc<App>) -> Result<String, ApiError> {
    page::render_from_store(app, |app, conn| {
        let list_query = ListQuery::current("/leaderboards")?;
        let (params, error) = list_query.params(leaderboards::params)?;
        let found = leaderboards::load(app, conn, &params)?;
        let mut entries = found.leaderboard.entries;
        let links = PlayerLinks::load(conn, entries.iter().map(|entry| entry.player.main_nickname.as_str()))?;
        let rest = if has_podium(&params) { entries.split_off(entries.len().min(PODIUM)) } else { Vec::new() };
        let (podium, entries) = if has_podium(&params) { (entries, rest) } else { (Vec::new(), entries) };
        page::render(&LeaderboardsPage {
            layout: list_query.layout(),
            metric: params.metric,
            period: params.period,
            paging: list_query.paging(&found.pagination),
            generated_at: found.leaderboard.generated_at.0,
            podium,
            entries,
            links,
            query: list_query.query,
            error,
            now: app.clock.now(),
        })
    })
    .await
}

fn has_podium(params: &LeaderboardParams) -> bool {
    let is_filtered = params.tier.is_some() || params.achievement.is_some() || params.search.is_some();
    params.page.page == 1 && !is_filtered
}

impl LeaderboardsPage {
    fn value(&self, name: &str) -> &str {
        self.query.get(name).unwrap_or_default()
    }

    fn is_set(&self, name: &str, value: &str) -> bool {
        self.value(name) == value
    }

    fn metrics(&self) -> [(LeaderboardMetric, &'static str); 3] {
        [
            (LeaderboardMetric::Best, "Best players"),
            (LeaderboardMetric::Sessions, "Sessions"),
            (LeaderboardMetric::Servers, "Servers"),
        ]
    }

    fn periods(&self) -> [(Period, &'static str); 5] {
        [
            (Period::Day, "24 hours"),
            (Period::Week, "7 days"),
            (Period::Month, "30 days"),
            (Period::Quarter, "90 days"),
            (Period::AllTime, "All time"),
        ]
    }

    fn metric_url(&self, metric: &LeaderboardMetric) -> String {
        let name = (*metric != LeaderboardMetric::Best).then(|| metric.name());
        format!("/leaderboards{}", self.query.with("metric", name))
    }

    fn period_url(&self, period: &Period) -> String {
        let name = (*period != Period::AllTime).then(|| period.name());
        format!("/leaderboards{}", self.query.with("period", name))
    }

    fn tiers(&self) -> [&'static str; 11] {
        tier::LABELS
    }

    fn tier_name(&self, tier: &str) -> String {
        if tier == "Unranked" { view::language().translate("Unranked").to_owned() } else { tier.to_owned() }
    }

    fn achievements(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        CATALOGUE.iter().map(|achievement| (achievement.id, achievements::name(achievement)))
    }

    fn is_filtered(&self) -> bool {
        ["tier", "achievement", "search"].into_iter().any(|name| self.query.get(name).is_some())
    }

    /// The list without filters, of the same metric and period.
    fn reset_url(&self) -> String {
        let kept = format!("metric={}&period={}", self.metric.name(), self.period.name());
        format!("/leaderboards?{kept}")
    }

    fn path(&self, player: &LeaderboardPlayer) -> String {
        self.links.path(&player.id, &player.main_nickname)
    }

    fn value_name(&self) -> &'static str {
        match self.metric {
            LeaderboardMetric::Best => "Score",
            LeaderboardMetric::Sessions => "Sessions",
            LeaderboardMetric::Servers => "Servers",
        }
    }

    fn shown_value(&self, entry: &LeaderboardEntry) -> String {
        view::language().decimal(entry.value, 2)
    }

    fn rank(&self, entry: &LeaderboardEntry) -> i64 {
        i64::from(entry.rank)
    }
}
