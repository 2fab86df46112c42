//! `/robots.txt` and the sitemaps: an index, and files of at most [`FILE_SIZE`] addresses.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::{self, HeaderMap};
use axum::response::IntoResponse;

use super::document::{cached, xml};
use crate::app::App;
use crate::catalogue::{ServerFilter, ServerSort, TextureFilter, TextureSort};
use crate::error::ApiError;
use crate::http::query::encode;
use crate::web::path_segment::Segment;

/// The protocol allows 50,000; smaller files are cheaper to make.
const FILE_SIZE: usize = 10_000;
const PAGES: [&str; 9] =
    ["/", "/servers", "/players", "/leaderboards", "/skins", "/capes", "/docs", "/status", "/changelog"];
const XML: &str = "application/xml";

/// Pages behind a login and addresses without end are not for crawlers.
pub async fn robots(State(app): State<Arc<App>>) -> impl IntoResponse {
    let text = format!(
        "User-agent: *\nDisallow: /dashboard\nDisallow: /operator\nDisallow: /sign-\nDisallow: /theme\nDisallow: /v1/\n\
         Disallow: /playground/\nDisallow: /search?\n\nSitemap: {}/sitemap.xml\n",
        app.public_url
    );
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "public, max-age=3600")], text)
}

pub async fn index(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    cached(&app, &headers, XML, async { Ok(write_index(&app)) }).await
}

/// `/sitemaps/{kind}-{number}.xml`
pub async fn file(State(app): State<Arc<App>>, Segment(name): Segment, headers: HeaderMap) -> Response<Body> {
    cached(&app, &headers, XML, async { write_file(&app, &name) }).await
}

#[derive(Clone, Copy)]
enum Kind {
    Pages,
    Servers,
    Skins,
    Capes,
    Creators,
}

impl Kind {
    const ALL: [(Self, &str); 5] = [
        (Self::Pages, "pages"),
        (Self::Servers, "servers"),
        (Self::Skins, "skins"),
        (Self::Capes, "capes"),
        (Self::Creators, "creators"),
    ];

    /// Paths from `offset` on, and the total.
    fn paths(self, app: &App, offset: usize) -> (Vec<String>, usize) {
        let textures = |textures: &crate::catalogue::Textures, root: &str| {
            let filter = TextureFilter::default();
            let (entries, total) = textures.page(&filter, TextureSort::Recent, offset as u64, FILE_SIZE);
            (entries.into_iter().map(|entry| format!("/{root}/{}", entry.row.slug)).collect(), total as usize)
        };
        match self {
            Self::Pages => (PAGES.iter().skip(offset).map(|path| (*path).to_owned()).collect(), PAGES.len()),
            Self::Servers => {
                let servers = app.catalogue.servers();
                let filter = ServerFilter::default();
                let (entries, total) = servers.page(&filter, ServerSort::Recent, offset as u64, FILE_SIZE);
                (entries.into_iter().map(|entry| format!("/servers/{}", entry.slug())).collect(), total as usize)
            }
            Self::Skins => textures(&app.catalogue.skins(), "skins"),
            Self::Capes => textures(&app.catalogue.capes(), "capes"),
            Self::Creators => {
                let (skins, capes) = (app.catalogue.skins(), app.catalogue.capes());
                let owners: BTreeSet<&str> = skins.owners().chain(capes.owners()).collect();
                let path = |owner: &&str| format!("/creators/{}", encode(owner));
                (owners.iter().skip(offset).take(FILE_SIZE).map(path).collect(), owners.len())
            }
        }
    }
}

fn write_index(app: &App) -> String {
    let base = xml(&app.public_url);
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for (kind, name) in Kind::ALL {
        let (_, total) = kind.paths(app, usize::MAX >> 1);
        for number in 1..=total.div_ceil(FILE_SIZE) {
            text += &format!("<sitemap><loc>{base}/sitemaps/{name}-{number}.xml</loc></sitemap>\n");
        }
    }
    text + "</sitemapindex>\n"
}

fn write_file(app: &App, name: &str) -> Result<String, ApiError> {
    let not_found = || ApiError::NotFound("Sitemap not found".into());
    let (name, number) = name.strip_suffix(".xml").and_then(|name| name.split_once('-')).ok_or_else(not_found)?;
    let (kind, _) = Kind::ALL.into_iter().find(|(_, kind)| *kind == name).ok_or_else(not_found)?;
    let number: usize = number.parse().ok().filter(|number| (1..=100_000).contains(number)).ok_or_else(not_found)?;
    let (paths, _) = kind.paths(app, (number - 1) * FILE_SIZE);
    if paths.is_empty() {
        return Err(not_found());
    }
    let base = xml(&app.public_url);
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for path in paths {
        text += &format!("<url><loc>{base}{}</loc></url>\n", xml(&path));
    }
    Ok(text + "</urlset>\n")
}
