//! `/embed/{slug}?theme=light|dark&lang=`: a small page for the frames of other sites, the only one that may be framed. It sets no
//! cookie, runs no script and depends on its address alone, so that any cache may share it.

use askama::Template;
use axum::http::HeaderValue;
use axum::http::header;

use super::request::{CACHE_CONTROL, ImageRejection, ImageRequest, ImageResult};
use crate::error::ApiError;
use crate::v1::servers::detail;
use crate::web::filters;
use crate::web::language::Language;
use crate::web::page;
use crate::web::site::server_tile::{self, CardSource, ServerCard, address};
use crate::web::view::{Theme, View};
use crate::web::{assets, view};
use rollcall_model::period::Period;

/// Any site may frame it; it may load our style and pictures, and nothing else.
fn policy() -> HeaderValue {
    let pictures = page::picture_sources();
    let policy = format!(
        "default-src 'none'; style-src 'self'; img-src {pictures}; form-action 'none'; base-uri 'none'; frame-ancestors *"
    );
    HeaderValue::from_str(&policy).expect("a policy is ASCII text")
}

#[derive(Template)]
#[template(path = "site/embed.html")]
struct EmbedPage {
    card: ServerCard,
    address: String,
    /// The theme that the address chose.
    theme: Option<&'static str>,
    url: String,
    lang: &'static str,
    style: &'static str,
}

pub async fn show(request: ImageRequest) -> ImageResult {
    let theme = match request.query.get("theme").map(Theme::from_code) {
        None => Theme::System,
        Some(Some(theme)) => theme,
        Some(None) => return Err(ApiError::BadRequest("theme must be light or dark".into()).into()),
    };
    let language = request.query.get("lang").and_then(Language::from_code).unwrap_or_default();
    let view = View::current().in_language(language);
    let key = format!("embed {} {} {}", language.code(), theme.code(), request.segment());
    let html = view.scope(render(&request, theme));
    let cached = request.app.page_cache.get(&key, html).await.map_err(ImageRejection::from)?;
    let mut response = cached.respond(&request.headers, "text/html; charset=utf-8", "Accept-Encoding");
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy());
    headers.insert(header::CACHE_CONTROL, CACHE_CONTROL);
    Ok(response.map(axum::body::Body::from))
}

async fn render(request: &ImageRequest, theme: Theme) -> Result<String, ApiError> {
    let slug = request.segment().to_owned();
    page::render_from_store(&request.app, move |app, conn| {
        let server = detail::load(app, conn, &slug, Period::Day)?;
        let source = app.catalogue.servers().by_slug(&slug).map(CardSource::from);
        let source = source.ok_or_else(|| ApiError::NotFound("Server not found".into()))?;
        let card = server_tile::load(app, conn, &[source])?.pop();
        page::render(&EmbedPage {
            card: card.ok_or_else(|| ApiError::NotFound("Server not found".into()))?,
            address: address(&server.ip, server.port),
            theme: (theme != Theme::System).then(|| theme.code()),
            url: format!("{}/servers/{}", app.public_url, server.slug),
            lang: view::language().code(),
            style: assets::EMBED_STYLE,
        })
    })
    .await
}
