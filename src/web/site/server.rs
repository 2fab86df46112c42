//! `/servers/{slug}`: everything about one server.

use std::collections::HashMap;
use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;

use super::embed_codes::{EmbedCode, badge_codes, widget_codes};
use super::flag::flag_url;
use super::players_chart::players_chart;
use super::server_tile::{self, CardSource, ServerCard, address, media_path};
use super::unlisted_server;
use crate::app::App;
use crate::catalogue::{ServerFilter, ServerSort, Servers};
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::params::PageParams;
use crate::v1::servers::{detail, not_found, numbered_list};
use crate::web::chart::LineChart;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;
use crate::web::path_segment::Segment;
use crate::web::view::{self, View};
use rollcall_model::period::Period;
use rollcall_model::resources::{PeriodFigures, ReviewList, ServerDetail, UpdatePostList, Voter, VoterList};
use rollcall_model::time::DAY;
use rollcall_store::outages::{self, Outage};
use rollcall_store::posts;
use rollcall_store::review_replies::{self, ReviewReply};
use rollcall_store::reviews as review_rows;
use rollcall_store::server_presence::{self, PresentPlayer};
use rollcall_store::servers;

const REVIEWS: u32 = 5;
const UPDATES: u32 = 3;
const VOTERS: u32 = 8;
const OUTAGES: i64 = 8;
const SIMILAR: usize = 3;

#[derive(Template)]
#[template(path = "site/server.html")]
struct ServerPage {
    layout: Layout,
    server: ServerDetail,
    /// Descriptions by the owner; both may be empty.
    short_description: String,
    game_mode: String,
    period: Period,
    chart: LineChart,
    votes: LineChart,
    outages: Vec<Outage>,
    reviews: ReviewList,
    histogram: [Stars; 5],
    /// Replies of the owner, by review.
    replies: HashMap<String, ReviewReply>,
    updates: UpdatePostList,
    /// Posts written in Markdown, as HTML, by post.
    post_html: HashMap<String, String>,
    voters: Vec<Voter>,
    playing: Vec<PresentPlayer>,
    similar: Vec<ServerCard>,
    now: i64,
}

/// The number of reviews with one rating.
struct Stars {
    stars: i64,
    count: i64,
    /// Of all reviews.
    percent: i64,
}

pub async fn show(State(app): State<Arc<App>>, Segment(slug): Segment, headers: HeaderMap) -> Response<Body> {
    page::cached(&app, &headers, render(&app, slug)).await
}

async fn render(app: &Arc<App>, slug: String) -> Result<String, ApiError> {
    let query = Query::parse(View::current().query())?;
    let period = detail::PERIOD.read_or_default(&query)?;
    page::render_from_store(app, move |app, conn| {
        let now = app.clock.now();
        let server = match detail::load(app, conn, &slug, period) {
            Err(ApiError::NotFound(_)) => return unlisted_server::render(app, conn, &slug, period),
            loaded => loaded?,
        };
        let (n, sources) = {
            let servers = app.catalogue.servers();
            let entry = servers.by_slug(&slug).ok_or_else(not_found)?;
            (entry.n, similar(&servers, &server, entry.n))
        };
        let first = |limit| PageParams { page: 1, limit };
        let reviews: ReviewList = numbered_list::load(app, conn, &slug, first(REVIEWS))?;
        let review_ids: Vec<String> = reviews.reviews.iter().map(|review| review.id.clone()).collect();
        let updates: UpdatePostList = numbered_list::load(app, conn, &slug, first(UPDATES))?;
        let post_ids: Vec<String> = updates.updates.iter().map(|post| post.id.clone()).collect();
        let outages = outages::of_server(conn, n, OUTAGES)?;
        let row = servers::by_number(conn, n)?.ok_or_else(not_found)?;
        let page = ServerPage {
            layout: layout(app, &slug, period),
            chart: players_chart(&server, period, &outages, now),
            votes: votes_chart(&server),
            histogram: histogram(&review_rows::count_by_rating(conn, n)?),
            replies: review_replies::of_reviews(conn, &review_ids)?,
            post_html: posts::html_of(conn, &post_ids)?,
            updates,
            voters: numbered_list::load::<VoterList>(app, conn, &slug, first(VOTERS))?.voters,
            playing: if server.is_online { server_presence::players(conn, n, now)? } else { Vec::new() },
            similar: server_tile::load(app, conn, &sources)?,
            server,
            short_description: row.short_description,
            game_mode: row.game_mode.unwrap_or_default(),
            period,
            outages,
            reviews,
            now,
        };
        page::render(&page)
    })
    .await
}

fn layout(app: &App, slug: &str, period: Period) -> Layout {
    let path = format!("/servers/{slug}");
    let call = match period {
        Period::Day => format!("/v1{path}"),
        period => format!("/v1{path}?period={}", period.name()),
    };
    let card = format!("{}/card/server/{slug}.png", app.public_url);
    Layout::public("/servers", path).with_json(call).with_card(card)
}

fn votes_chart(server: &ServerDetail) -> LineChart {
    let points: Vec<(i64, i64)> = server.daily_votes.iter().map(|day| (day.day.0, day.votes)).collect();
    LineChart::new(&points, DAY, view::language())
}

/// Most stars first.
fn histogram(counts: &[(i64, i64)]) -> [Stars; 5] {
    let total: i64 = counts.iter().map(|(_, count)| count).sum();
    [5, 4, 3, 2, 1].map(|stars| {
        let count = counts.iter().find(|(rating, _)| *rating == stars).map_or(0, |(_, count)| *count);
        Stars { stars, count, percent: count * 100 / total.max(1) }
    })
}

/// Servers that share most with this one: tags first, then the country; the busiest of those.
fn similar(servers: &Servers, server: &ServerDetail, n: i64) -> Vec<CardSource> {
    let by_tag = server.tags.iter().map(|tag| ServerFilter { tag: Some(tag.clone()), ..ServerFilter::default() });
    let by_country = ServerFilter { country: Some(server.country.clone()), ..ServerFilter::default() };
    let mut found: Vec<(i64, CardSource)> = Vec::new();
    for filter in by_tag.chain([by_country]) {
        for entry in servers.page(&filter, ServerSort::Players, 0, SIMILAR + 1).0 {
            if entry.n != n && found.len() < SIMILAR && found.iter().all(|(other, _)| *other != entry.n) {
                found.push((entry.n, entry.into()));
            }
        }
    }
    found.into_iter().map(|(_, source)| source).collect()
}

impl ServerPage {
    fn address(&self) -> String {
        address(&self.server.ip, self.server.port)
    }

    fn badge_codes(&self) -> [EmbedCode; 3] {
        badge_codes(&self.layout.view.public_url, &self.server.slug, &self.server.name)
    }

    fn widget_codes(&self) -> [EmbedCode; 3] {
        widget_codes(&self.layout.view.public_url, &self.server.slug, &self.server.name)
    }

    fn flag(&self) -> Option<&'static str> {
        flag_url(&self.server.country)
    }

    fn picture<'a>(&self, url: &'a rollcall_model::resources::PictureUrl) -> &'a str {
        media_path(&url.0)
    }

    fn links(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let server = &self.server;
        [
            ("Website", &server.website),
            ("Chat", &server.chat_url),
            ("Store", &server.store_url),
            ("Video", &server.video_url),
        ]
        .into_iter()
        .filter_map(|(name, url)| Some((name, url.as_deref()?)))
        .filter(|(_, url)| url.starts_with("https://") || url.starts_with("http://"))
    }

    fn periods(&self) -> [(Period, &'static str, &PeriodFigures); 5] {
        let stats = &self.server.period_stats;
        [
            (Period::Day, "24 hours", &stats.day),
            (Period::Week, "7 days", &stats.week),
            (Period::Month, "30 days", &stats.month),
            (Period::Quarter, "90 days", &stats.quarter),
            (Period::AllTime, "All time", &stats.all_time),
        ]
    }

    fn period_url(&self, period: &Period) -> String {
        match period {
            Period::Day => format!("/servers/{}#history", self.server.slug),
            period => format!("/servers/{}?period={}#history", self.server.slug, period.name()),
        }
    }

    fn description(&self) -> String {
        let server = &self.server;
        let language = view::language();
        let state = if server.is_online {
            language.fill(
                "{} of {} players online",
                &[&language.count(server.current_players), &language.count(server.max_players)],
            )
        } else {
            language.translate("Offline").to_owned()
        };
        let about = if self.short_description.is_empty() { &server.motd } else { &self.short_description };
        format!("{}: {state}. {}", server.name, about.replace('\n', " "))
    }

    fn outage_seconds(&self, outage: &Outage) -> i64 {
        (outage.ended_at.unwrap_or(self.now) - outage.began_at) / 1000
    }

    fn review_count(&self) -> i64 {
        self.reviews.total as i64
    }

    /// Structured data for search engines. JSON in a script element: `<` is escaped, so that no name can end the element.
    fn json_ld(&self) -> String {
        let server = &self.server;
        let mut data = serde_json::json!({
            "@context": "https://schema.org",
            "@type": "GameServer",
            "name": server.name,
            "url": format!("{}/servers/{}", self.layout.view.public_url, server.slug),
            "image": server.banner_url.0,
            "playersOnline": server.current_players,
            "serverStatus": if server.is_online { "https://schema.org/Online" } else { "https://schema.org/OfflinePermanently" },
            "game": { "@type": "VideoGame", "name": "Minecraft" },
        });
        if self.reviews.total > 0 {
            data["aggregateRating"] = serde_json::json!({
                "@type": "AggregateRating",
                "ratingValue": self.reviews.avg_rating,
                "reviewCount": self.reviews.total,
                "bestRating": 5,
                "worstRating": 1,
            });
        }
        data.to_string().replace('<', "\\u003c")
    }
}
