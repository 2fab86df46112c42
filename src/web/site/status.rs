//! `/status`: whether the service and its tracker work, for users. It does not need the store, so that it answers when the
//! store is lost.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;

use crate::app::App;
use crate::error::ApiError;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;

#[derive(Template)]
#[template(path = "site/status.html")]
struct StatusPage {
    layout: Layout,
    parts: [Part; 3],
    servers: i64,
    online: i64,
    latest_ping: Option<i64>,
    version: &'static str,
    now: i64,
}

/// A part of the service.
struct Part {
    name: &'static str,
    text: &'static str,
    works: bool,
}

pub async fn show(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    page::cached(&app, &headers, render(&app)).await
}

async fn render(app: &App) -> Result<String, ApiError> {
    let store_works = app.readiness().await.is_ok();
    let (servers, online, latest_ping) = {
        let servers = app.catalogue.servers();
        (servers.public_count() as i64, servers.online_count() as i64, servers.latest_ping())
    };
    let now = app.clock.now();
    let is_fresh = latest_ping.is_some_and(|at| now - at <= app.stale_after);
    let tracker = match (latest_ping, is_fresh) {
        (_, true) => "Servers are pinged on schedule.",
        (Some(_), false) => "No server has been pinged for a while. Player counts are out of date.",
        (None, false) => "No server has been pinged yet.",
    };
    let store = if store_works {
        "Data is read and written."
    } else {
        "The database cannot be reached. Known data is still served; nothing new is recorded."
    };
    page::render(&StatusPage {
        layout: Layout::public("/status", "/status").with_json("/v1/live"),
        parts: [
            Part { name: "Website and API", text: "Requests are answered.", works: true },
            Part { name: "Tracker", text: tracker, works: is_fresh },
            Part { name: "Data store", text: store, works: store_works },
        ],
        servers,
        online,
        latest_ping,
        version: env!("CARGO_PKG_VERSION"),
        now,
    })
}

impl StatusPage {
    fn all_work(&self) -> bool {
        self.parts.iter().all(|part| part.works)
    }
}
