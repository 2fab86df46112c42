//! RSS feeds: new servers, and the update posts of all servers or of one.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;

use super::document::{cached, xml};
use crate::app::App;
use crate::catalogue::{ServerFilter, ServerSort};
use crate::error::ApiError;
use crate::web::path_segment::Segment;
use rollcall_model::time::rfc2822;
use rollcall_store::posts::{self, FeedPost};

const ITEMS: usize = 50;
const RSS: &str = "application/rss+xml";

struct Item {
    title: String,
    path: String,
    /// Unique for ever.
    id: String,
    text: String,
    at: i64,
}

/// `/feeds/servers.xml`
pub async fn servers(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    cached(&app, &headers, RSS, async { Ok(write(&app, "New servers on Rollcall", "/servers", new_servers(&app))) })
        .await
}

/// `/feeds/updates.xml`
pub async fn updates(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    let write = async {
        let rows = app.pool.read_replicated(|conn| posts::recent(conn, None, ITEMS as i64)).await?;
        Ok(write(&app, "Server updates on Rollcall", "/servers", rows.into_iter().map(post).collect()))
    };
    cached(&app, &headers, RSS, write).await
}

/// `/servers/{slug}/feed.xml`
pub async fn server(State(app): State<Arc<App>>, Segment(slug): Segment, headers: HeaderMap) -> Response<Body> {
    let write = async {
        let server = app.catalogue.servers().by_slug(&slug).map(|entry| (entry.n, entry.name().to_owned()));
        let (n, name) = server.ok_or_else(|| ApiError::NotFound("Server not found".into()))?;
        let rows = app.pool.read_replicated(move |conn| posts::recent(conn, Some(n), ITEMS as i64)).await?;
        Ok(write(
            &app,
            &format!("Updates of {name}"),
            &format!("/servers/{slug}"),
            rows.into_iter().map(post).collect(),
        ))
    };
    cached(&app, &headers, RSS, write).await
}

fn new_servers(app: &App) -> Vec<Item> {
    let servers = app.catalogue.servers();
    let (entries, _) = servers.page(&ServerFilter::default(), ServerSort::Recent, 0, ITEMS);
    let items = entries.into_iter().map(|entry| Item {
        title: entry.name().to_owned(),
        path: format!("/servers/{}", entry.slug()),
        id: entry.id().to_owned(),
        text: entry.ip().to_owned(),
        at: entry.stats.created_at,
    });
    items.collect()
}

fn post(row: FeedPost) -> Item {
    Item {
        title: format!("{}: {}", row.server_name, row.title),
        path: format!("/servers/{}#updates", row.server_slug),
        id: row.id,
        // Readers of feeds show HTML.
        text: if row.html.is_empty() { row.content } else { row.html },
        at: row.created_at,
    }
}

fn write(app: &App, title: &str, path: &str, items: Vec<Item>) -> String {
    let base = &app.public_url;
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"><channel>\n<title>{title}</title>\n\
         <link>{link}</link>\n<description>{title}</description>\n<language>en</language>\n",
        title = xml(title),
        link = xml(&format!("{base}{path}")),
    );
    for item in items {
        text += &format!(
            "<item><title>{}</title><link>{}</link><guid isPermaLink=\"false\">{}</guid><pubDate>{}</pubDate>\
             <description>{}</description></item>\n",
            xml(&item.title),
            xml(&format!("{base}{}", item.path)),
            xml(&item.id),
            rfc2822(item.at),
            xml(&item.text),
        );
    }
    text + "</channel></rss>\n"
}
