//! `/changelog`: `CHANGELOG.md` as a page.

use std::sync::{Arc, LazyLock};

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::app::App;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;

/// Our own text, rendered once. Links lead into the repository, not to pages of this site, and are left out.
static HTML: LazyLock<String> = LazyLock::new(|| {
    let events = Parser::new(include_str!("../../../CHANGELOG.md")).filter(|event| {
        !matches!(
            event,
            Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link) | Event::Html(_) | Event::InlineHtml(_)
        )
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events);
    html
});

#[derive(Template)]
#[template(path = "site/changelog.html")]
struct ChangelogPage {
    layout: Layout,
    html: &'static str,
}

pub async fn show(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    let render =
        async { page::render(&ChangelogPage { layout: Layout::public("/changelog", "/changelog"), html: &HTML }) };
    page::cached(&app, &headers, render).await
}
