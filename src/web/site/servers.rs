//! `/servers`: the list with every filter and sort order of the API.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;

use super::list_query::ListQuery;
use super::paging::Paging;
use super::server_tile::{self, CardSource, ServerCard};
use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::servers::list;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;
use rollcall_model::resources::Pagination;

/// Values of a facet that the form offers; the most common ones.
const FACET_VALUES: usize = 12;
/// Values in the lists of the form fields.
const SUGGESTIONS: usize = 100;

#[derive(Template)]
#[template(path = "site/servers.html")]
struct ServersPage {
    layout: Layout,
    query: Query,
    servers: Vec<ServerCard>,
    paging: Paging,
    facets: [FacetLinks; 4],
    error: Option<String>,
}

/// The most common values of a filter, with links that turn it on.
struct FacetLinks {
    title: &'static str,
    parameter: &'static str,
    /// Value and number of servers, most first.
    values: Vec<(String, i64)>,
}

pub async fn show(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    page::cached(&app, &headers, render(&app)).await
}

async fn render(app: &Arc<App>) -> Result<String, ApiError> {
    page::render_from_store(app, |app, conn| {
        let list_query = ListQuery::current("/servers")?;
        let (params, error) = list_query.params(list::params)?;
        let page = params.page;
        let (sources, total) = {
            let servers = app.catalogue.servers();
            let (entries, total) = servers.page(&params.filter, params.sort, page.offset(), page.limit as usize);
            (entries.into_iter().map(CardSource::from).collect::<Vec<_>>(), total)
        };
        page::render(&ServersPage {
            layout: list_query.layout(),
            servers: server_tile::load(app, conn, &sources)?,
            paging: list_query.paging(&Pagination::new(page.page, page.limit, total)),
            facets: facets(app),
            query: list_query.query,
            error,
        })
    })
    .await
}

fn facets(app: &App) -> [FacetLinks; 4] {
    let servers = app.catalogue.servers();
    let facet = |title, parameter, mut values: Vec<(String, i64)>| {
        values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        values.truncate(SUGGESTIONS);
        FacetLinks { title, parameter, values }
    };
    let owned = |(value, count): (&str, u64)| (value.to_owned(), count as i64);
    [
        facet("Game mode", "mode", servers.modes().map(owned).collect()),
        facet("Version", "version", servers.versions().map(owned).collect()),
        facet("Country", "country", servers.countries().map(|(name, count, _)| owned((name, count))).collect()),
        facet("Tag", "tag", servers.tags().map(owned).collect()),
    ]
}

impl FacetLinks {
    fn top(&self) -> &[(String, i64)] {
        &self.values[..self.values.len().min(FACET_VALUES)]
    }
}

impl ServersPage {
    fn value(&self, name: &str) -> &str {
        self.query.get(name).unwrap_or_default()
    }

    fn is_set(&self, name: &str, value: &str) -> bool {
        self.value(name).eq_ignore_ascii_case(value)
    }

    /// The list with one filter changed; the link of an active filter turns it off.
    fn toggle(&self, name: &str, value: &str) -> String {
        let value = (!self.is_set(name, value)).then_some(value);
        format!("/servers{}", self.query.with(name, value))
    }

    fn sorts(&self) -> [(&'static str, &'static str); 7] {
        [
            ("recent", "Newest"),
            ("players", "Players"),
            ("votes", "Votes"),
            ("rating", "Rating"),
            ("uptime", "Uptime"),
            ("trending", "Trending"),
            ("name", "Name"),
        ]
    }

    fn is_sort(&self, sort: &str) -> bool {
        self.query.get("sort").unwrap_or("recent") == sort
    }

    /// Parameter, label, and bounds of the number fields.
    fn number_fields(&self) -> [(&'static str, &'static str, &'static str, &'static str, &'static str); 5] {
        [
            ("minPlayers", "Players from", "0", "", "1"),
            ("maxPlayers", "Players to", "0", "", "1"),
            ("minUptime", "Uptime from, %", "0", "100", "any"),
            ("minVotes", "Votes from", "0", "", "1"),
            ("minRating", "Rating from", "1", "5", "any"),
        ]
    }

    fn is_filtered(&self) -> bool {
        let filters = ["search", "country", "version", "tag", "mode", "onlineOnly"];
        filters.into_iter().chain(self.number_fields().map(|field| field.0)).any(|name| self.query.get(name).is_some())
    }

    fn has_more_filters(&self) -> bool {
        let facets = self.facets.iter().map(|facet| facet.parameter);
        facets.chain(self.number_fields().map(|field| field.0)).any(|name| self.query.get(name).is_some())
    }
}
